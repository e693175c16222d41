"""`worker run --model`: whole processes against the scripted endpoint, and what happens without one (S4.7)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from loopx.core.errors import ModelNotConfiguredError
from loopx.team.chat.settings import chat_settings
from tests.support.chat import KEY
from tests.support.chat_server import ChatServer, calls, chat_server, says
from tests.support.lab import add, show, start_lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.cli import Loopx


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


def environment(server: ChatServer) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}


# --- the whole way ------------------------------------------------------------------------


def test_a_worker_finds_claims_and_completes_by_a_model(loopx: Loopx, inside: Loopx, server: ChatServer) -> None:
    start_lab(inside)
    todo = add(inside, "[P1] Write the greeting <b>\nin English")
    server.script(
        calls("write_file", path="greeting.txt", text="hello"),
        calls("complete_task", task_id="$id", claim_token="$claim_token", evidence="greeting.txt says hello"),
        says("It is written."),
    )
    argv = ("worker", "run", "--agent-id", "bob", "--lead", "ann", "--model", "scripted", "--once")
    answer = loopx.run(*argv, "--allow", "write_file:*.txt", env=environment(server))
    assert answer.code == 0, answer
    assert (loopx.root / "greeting.txt").read_text() == "hello"
    done = show(inside, todo)
    assert (done["status"], done["claimed_by"], done["evidence"]) == ("done", "bob", "greeting.txt says hello")
    told = server.requests()[0]["body"]["messages"][-1]["content"]
    assert told.startswith("<auto-claimed-task>")
    assert "<b>" not in told
    mail = inside.ok("message", "inbox", "--agent-id", "ann")["messages"]
    assert [(message["sender"], message["kind"], message["text"]) for message in mail] == [
        ("bob", "report", "It is written.")
    ]
    calls_seen = inside.ok("log", "--action", "tool_called")["events"]
    assert [event["receipt"]["tool"] for event in calls_seen] == ["write_file", "complete_task"]


def test_a_model_that_only_says_done_leaves_the_todo_to_its_lease(
    loopx: Loopx, inside: Loopx, server: ChatServer
) -> None:
    start_lab(inside)
    todo = add(inside, "[P1] Write the greeting")
    server.script(says("Done."))
    argv = ("worker", "run", "--agent-id", "bob", "--model", "scripted", "--once")
    assert loopx.run(*argv, env=environment(server)).code == 0
    assert show(inside, todo)["status"] == "open"


# --- without a model ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "more"),
    [
        ({"OPENAI_API_KEY": ""}, ()),
        ({"OPENAI_API_KEY": "  "}, ()),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "not an address"}, ()),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "file:///etc/passwd"}, ()),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://user:pass@example.com/v1"}, ()),
        ({"OPENAI_API_KEY": "", "LOOPX_MODEL": "scripted"}, ("no --model",)),
    ],
)
def test_without_a_model_nothing_is_asked_or_made(
    inside: Loopx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], more: tuple[str, ...]
) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr("socket.socket.connect", forbidden)
    monkeypatch.setattr("socket.getaddrinfo", forbidden)
    named = () if more else ("--model", "scripted")
    refused = inside.refused(
        "worker", "run", "--agent-id", "bob", *named, code="model_not_configured", exit_code=3, env=env
    )
    assert "pass" not in refused.error["message"]
    assert os.listdir(tmp_path) == []


def test_rules_without_a_model_are_a_usage_error(inside: Loopx) -> None:
    inside.refused("worker", "run", "--agent-id", "bob", "--exec", "true", "--allow", "shell", code="usage")


def test_a_rule_that_means_nothing_is_refused_before_anything_is_opened(inside: Loopx, tmp_path: Path) -> None:
    argv = ("worker", "run", "--agent-id", "bob", "--model", "scripted", "--allow", "shel")
    assert "shell" in inside.refused(*argv, code="usage", env={"OPENAI_API_KEY": KEY}).error["message"]
    assert os.listdir(tmp_path) == []


def test_an_endpoint_of_ones_own_needs_no_key() -> None:
    settings = chat_settings("local", {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"})
    assert settings.base_url == "http://127.0.0.1:11434/v1"
    assert settings.public("none of it is secret") == "none of it is secret"


def test_the_option_counts_before_the_environment() -> None:
    environment = {"LOOPX_MODEL": "other", "OPENAI_API_KEY": KEY}
    assert chat_settings("mine", environment).model == "mine"
    assert chat_settings(None, environment).model == "other"
    with pytest.raises(ModelNotConfiguredError, match="no model"):
        chat_settings(" ", {"OPENAI_API_KEY": KEY})


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from loopx.core.errors import ExtraMissingError

    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ExtraMissingError) as refused:
        chat_settings("mine", {"OPENAI_API_KEY": KEY})
    assert "loopx[chat]" in str(refused.value.hint)
