"""`loopx gate answer`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from loopx.app.gate_answer import Answer, answer_gate
from loopx.cli.declare import TEXT, ChoiceType, flag, option
from loopx.cli.verb import todo_id_option, verb
from loopx.core.errors import UsageError
from loopx.core.todo import Verdict

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "answer",
    mutates=True,
    example="loopx gate answer todo_0123456789 --decision approve --note 'behind a flag'",
)
@todo_id_option
@option("--decision", type=ChoiceType(Verdict), help="approve or reject; asked on a terminal when left out.")
@option("--note", type=TEXT, help="Kept with the answer.")
@flag("--standing", help="Also covers later todos, until revoked.")
def cli(invocation: Invocation, todo_id: str, decision: Verdict | None, note: str | None, standing: bool) -> Document:
    """A person's decision. An agent cannot answer a gate."""
    call = invocation.call("gate_answered")
    if decision is None and call.actor.agent_id is None:
        decision = _ask(invocation, todo_id)
    answer = Answer(Verdict(decision or Verdict.APPROVE), note, standing)
    return answer_gate(invocation.project(), call, todo_id, answer)


def _ask(invocation: Invocation, todo_id: str) -> Verdict:
    """Show the question and take the answer from the terminal; UsageError where there is none."""
    if not sys.stdin.isatty():
        raise UsageError("no decision was given", hint="Say --decision approve or --decision reject.")
    import click  # only where somebody is there to be asked

    from loopx.app.todo_show import show_todo
    from loopx.render.width import harmless_lines

    question = show_todo(invocation.project(), todo_id, invocation.goal_id)["todo"]["text"]
    for line in harmless_lines(question):  # an agent may have written it; it must not steer the terminal
        click.echo(line, err=True)
    answers = click.Choice([verdict.value for verdict in Verdict])
    try:
        return Verdict(click.prompt("approve or reject?", type=answers, err=True))
    except click.Abort as exc:
        raise KeyboardInterrupt from exc
