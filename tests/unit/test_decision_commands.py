"""Command lines are read back word for word, by `shlex.split` and by a shell alike."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.contracts.packet import packet_document
from loopx.core.command import command
from loopx.core.decision.compile import compile_decision
from loopx.core.goal import Agent
from tests.unit.decision_world import World, snapshot_of, todo

WORDS = (
    "plain", "two words", "", "it's", '"quoted"', "$HOME", "`id`", "a;b", "a&b", "a|b", "*", "~", "#1", "!x", "\\",
    "new\nline", "tab\t", "-", "--flag", "{0}", "%s", "$1", "ü", "日本", "👩‍👩‍👧", "\u202eevil", "a=b", "x/y@z",
)  # fmt: skip


def test_a_shell_reads_back_every_word() -> None:
    line = command(*WORDS)
    assert shlex.split(line) == ["loopx", *WORDS]
    echo = f'loopx() {{ printf "%s\\0" "$@"; }}; {line}'
    done = subprocess.run(["sh", "-c", echo], capture_output=True, check=True)
    assert done.stdout.decode("utf-8").split("\0")[:-1] == list(WORDS)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"))))
def test_any_words_survive_splitting(words: list[str]) -> None:
    assert shlex.split(command(*words)) == ["loopx", *words]


@pytest.mark.parametrize("name", ["agent-a", "日本", "a.b:c@d/e-f"])
def test_names_of_any_script_are_whole_in_the_packet(name: str) -> None:
    world = World((todo(1, goal_id=name),), agents=(Agent(name),), goal_id=name).asked_by(name)
    packet = packet_document(compile_decision(snapshot_of(world), world.caller, world.now))
    (line,) = packet["interaction_contract"]["cli_channel"]["next_cli_actions"]
    claim = ["loopx", "todo", "claim", "--goal-id", name, "--todo-id", todo(1).todo_id, "--claimed-by", name]
    assert shlex.split(line) == claim
