"""Auto research: two peers, a hypothesis, and an evaluator that is protected from both.

    research_contract
      -> hypothesis
      -> dev_experiment
           -> holdout | retry | retirement | promotion_gate

Who proposes does not judge: the holdout excludes its author and needs what only the other peer can do.
Negative evidence retires a hypothesis; it is neither a failure nor something to try until it works.
"""

from __future__ import annotations

from drive import End, Lab, expect, play

AUTHOR, JUDGE = "author", "judge"
HOLDOUT = "private_read:action:holdout_set"
CLAIM = "public_claim:goal:result"


def experiment(lab: Lab) -> str:
    """research_contract -> hypothesis -> dev_experiment, which the author is on."""
    lab.start(
        "Whether curriculum order helps small models",
        "The question is answered, either way",
        {AUTHOR: ("experiment_runner",), JUDGE: ("evaluator",)},
    )
    contract = lab.work("[P1] Write down question, metric and stop rule")
    lab.claim(AUTHOR, contract)
    (hypothesis,) = lab.complete(
        AUTHOR, contract, "the contract is written", "--next-agent-todo", "[P1] State a hypothesis that can fail"
    )
    expect(lab.todo(hypothesis)["claimed_by"] is None, "a successor belongs to nobody unless somebody says so")
    lab.follows(contract, hypothesis)
    lab.claim(AUTHOR, hypothesis)
    dev = lab.work("[P1] Run the development experiment", "--required-capability", "experiment_runner")
    lab.complete(AUTHOR, hypothesis, "the hypothesis is written", "--successor-todo-id", dev)
    lab.follows(hypothesis, dev)
    lab.decide(JUDGE, "capability_repair")
    lab.decide(AUTHOR, "bounded_delivery", dev)
    lab.claim(AUTHOR, dev)
    return dev


def held_out(lab: Lab, dev: str, evidence: str) -> str:
    """dev_experiment -> holdout: somebody else judges, on data that a person opens once; the judged todo."""
    holdout = lab.work(
        "[P1] Evaluate on the holdout set", "--action-kind", "review", "--excluded-agent", AUTHOR,
        "--required-capability", "evaluator", "--required-decision-scope", HOLDOUT,
    )  # fmt: skip
    question = lab.gate("May the holdout set be read once?", HOLDOUT, blocks=JUDGE, unblocks=holdout)
    lab.complete(AUTHOR, dev, evidence, "--successor-todo-id", holdout)
    lab.follows(dev, holdout)
    lab.refused("agent_excluded", "todo", "claim", holdout, "--claimed-by", AUTHOR)
    lab.decide(AUTHOR, "wait_peers")
    lab.decide(JUDGE, "user_gate")
    lab.refused("user_decision_required", "gate", "answer", question, "--decision", "approve", "--agent-id", JUDGE)
    lab.answer(question, "approve", "once")
    lab.decide(JUDGE, "bounded_delivery", holdout)
    lab.claim(JUDGE, holdout)
    return holdout


def evaluated(lab: Lab, holdout_todo: str, result: str, next_todo: str) -> str:
    """holdout -> the evaluator's answer, which is waited for and not worked on; the todo that it brings."""
    monitor = lab.monitor("Wait for the protected evaluator")
    lab.complete(JUDGE, holdout_todo, "the predictions are handed in", "--successor-todo-id", monitor)
    lab.follows(holdout_todo, monitor)
    lab.decide(AUTHOR, "quiet_wait")
    following = lab.noticed(JUDGE, monitor, result, next_todo)
    lab.complete(JUDGE, monitor, result, "--successor-todo-id", following)
    lab.follows(monitor, following)
    return following


def write_up(lab: Lab, todo: str, evidence: str) -> None:
    """The last piece of work, by whoever is free."""
    lab.decide(AUTHOR, "bounded_delivery", todo)
    lab.claim(AUTHOR, todo)
    lab.finish(AUTHOR, todo, evidence, "the question is answered", "--meets", "A1")
    lab.is_over(JUDGE)


# --- the ends ----------------------------------------------------------------------------


def holdout(lab: Lab) -> None:
    """The development set shows a lift, and the holdout set confirms it."""
    judged = held_out(lab, experiment(lab), "a lift of 2.1 on the development set")
    note = evaluated(lab, judged, "a lift of 1.8 on the holdout set", "[P1] Write the result down")
    write_up(lab, note, "the note names both lifts")


def retry(lab: Lab) -> None:
    """An attempt is lost before it says anything: it failed, and a second one takes its place in the graph."""
    dev = experiment(lab)
    report = lab.work("[P2] Report the development result", "--blocked-by", dev)
    (again,) = lab.complete(
        AUTHOR, dev, "the run stopped after an hour, with no result", "--outcome", "failed",
        "--next-agent-todo", "[P1] Run the development experiment again", "--next-claimed-by", AUTHOR,
    )  # fmt: skip
    lab.closed(dev, "failed")
    lab.follows(dev, again)
    lab.refused("todo_blocked", "todo", "complete", report, "--claimed-by", JUDGE, "--evidence", "x", "--no-follow-up")
    lab.ok("todo", "update", report, "--agent-id", AUTHOR, "--remove-blocked-by", dev, "--blocked-by", again)
    lab.decide(AUTHOR, "bounded_delivery", again)
    lab.complete(AUTHOR, again, "a lift of 0.4, as large as the spread", "--successor-todo-id", report)
    lab.follows(again, report)
    write_up(lab, report, "the report calls it no result")


def retirement(lab: Lab) -> None:
    """Negative evidence: the hypothesis is retired, and what was planned on it is superseded with it."""
    dev = experiment(lab)
    planned = lab.work("[P2] Repeat with three more seeds", "--blocked-by", dev)
    (note,) = lab.complete(
        AUTHOR, dev, "worse on every seed", "--next-agent-todo", "[P1] Retire the hypothesis, with its evidence"
    )
    lab.follows(dev, note)
    options = ("--reason", "the hypothesis is refuted", "--successor-todo-id", note)
    lab.ok("todo", "supersede", planned, "--agent-id", AUTHOR, *options)
    lab.closed(planned, "superseded")
    lab.follows(dev, note)
    write_up(lab, note, "the record says what was tried and what it showed")


def promotion_gate(lab: Lab) -> None:
    """A claim goes public only when a person says so, and the question must first say whom it holds."""
    judged = held_out(lab, experiment(lab), "a lift of 2.1 on the development set")
    publish = evaluated(lab, judged, "a lift of 1.8 on the holdout set", "[P1] Publish the result")
    lab.ok("todo", "update", publish, "--agent-id", JUDGE, "--required-decision-scope", CLAIM)
    question = _unscoped_gate(lab, publish)
    for agent in (AUTHOR, JUDGE):
        lab.decide(agent, "control_plane_self_repair")
    lab.ok("todo", "update", question, "--agent-id", JUDGE, "--global-gate")
    for agent in (AUTHOR, JUDGE):
        lab.decide(agent, "user_gate")
    lab.answer(question, "approve", "with the code")
    write_up(lab, publish, "the result is public, with its code")


def _unscoped_gate(lab: Lab, publish: str) -> str:
    """A question that does not say whom it holds; in a team that is a repair and never a gate for everybody."""
    lane = ("--role", "user", "--task-class", "user_gate", "--decision-scope", CLAIM, "--unblocks-todo-id", publish)
    return str(lab.ok("todo", "add", *lane, "--text", "May the result be published?")["todo"]["todo_id"])


ENDS: dict[str, End] = {
    "holdout": holdout,
    "retry": retry,
    "retirement": retirement,
    "promotion_gate": promotion_gate,
}

if __name__ == "__main__":
    raise SystemExit(play(__doc__, ENDS))
