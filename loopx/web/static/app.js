// What the pages do beyond showing: each part works on whatever is there, and the pages work without any of it.
import { answerForms } from "./answer.js";
import { graphs } from "./graph.js";
import { live } from "./live.js";
import { copyButtons, goalMenu, showTab, themeSwitch } from "./tools.js";

themeSwitch();
goalMenu();
const furnish = () => {
  copyButtons();
  graphs();
};
furnish();
const refresh = live(furnish);
answerForms(refresh);
showTab();
