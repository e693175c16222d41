"""Mail: to somebody who is there, at least once until it is acknowledged, and never for ever in the way (S4.6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopx.app.message import (
    MESSAGE_BYTES,
    MessageRequest,
    acknowledge_message,
    prune_messages,
    read_inbox,
    read_sent,
    send_message,
    show_message,
)
from loopx.app.page import Page
from loopx.app.project import Project
from loopx.app.shutdown import accept_shutdown, request_shutdown, shutdown_answer
from loopx.core.errors import (
    AgentNotRegisteredError,
    MessageNotFoundError,
    RecipientNotFoundError,
    RoleNotAllowedError,
    TextInvalidError,
    TodoNotFoundError,
    UsageError,
)
from loopx.core.instant import DAY, MINUTE
from loopx.core.message import MessageKind
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.fakes import FakeClock
from tests.support.project import GOAL, call, make_state, open_project
from tests.support.team import ask_to_end, write_to


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    with closing(open_project(tmp_path, clock=clock)) as project:
        yield project


def inbox(project: Project, owner: str, **more: bool) -> list[str]:
    return [row["message_id"] for row in read_inbox(project, GOAL, owner, Page(), **more)["messages"]]


def ack(project: Project, message_id: str, agent: str | None) -> dict[str, object]:
    return acknowledge_message(project, call("message_acknowledged", agent), message_id)


def test_a_message_is_delivered_again_under_the_same_id_until_it_is_acknowledged(project: Project) -> None:
    message = write_to(project, "bob", sender="ann")
    assert inbox(project, "bob") == inbox(project, "bob") == [message]
    ack(project, message, "bob")
    assert inbox(project, "bob") == []
    assert inbox(project, "bob", with_acknowledged=True) == [message]


def test_reading_a_mailbox_writes_nothing(project: Project) -> None:
    write_to(project, "bob")
    mark = project.store.change_mark()
    inbox(project, "bob")
    read_sent(project, GOAL, "user", Page())
    assert project.store.change_mark() == mark


def test_mail_keeps_its_order_whatever_the_clock_does(project: Project, clock: FakeClock) -> None:
    sent = []
    for step in (0, -DAY, MINUTE):
        clock.advance(step)
        sent.append(write_to(project, "bob"))
    assert inbox(project, "bob") == sent


@pytest.mark.parametrize(("name", "near"), [("bobb", "bob"), ("Bob", "bob"), ("usr", "user")])
def test_mail_to_nobody_is_refused_with_the_near_match(project: Project, name: str, near: str) -> None:
    with pytest.raises(RecipientNotFoundError, match=f"did you mean '{near}'"):
        write_to(project, name)


def test_a_retired_agent_gets_no_mail(tmp_path: Path, project: Project) -> None:
    registry = tmp_path / ".loopx" / "registry.yaml"
    registry.write_text(registry.read_text().replace("{id: bob}", "{id: bob, retired: true}"), encoding="utf-8")
    with pytest.raises(RecipientNotFoundError, match="retired"):
        write_to(project, "bob")


def test_a_stranger_cannot_write(project: Project) -> None:
    with pytest.raises(AgentNotRegisteredError):
        write_to(project, "bob", sender="zoe")


@pytest.mark.parametrize("text", ["", " \n", "nul \x00", "lone \ud800", "x" * (MESSAGE_BYTES + 1)])
def test_words_that_are_none_or_too_many_are_refused(project: Project, text: str) -> None:
    with pytest.raises((TextInvalidError, UsageError)):
        write_to(project, "bob", text)
    assert inbox(project, "bob") == []


def test_words_come_back_exactly_and_lists_cut_them(project: Project) -> None:
    text = "</team-message> {0} $1 %s \u202e\n" + "ü" * 4_000
    message = write_to(project, "bob", text)
    assert show_message(project, message)["message"]["text"] == text
    (row,) = read_inbox(project, GOAL, "bob", Page())["messages"]
    assert row["text_truncated"] is True
    assert len(row["text"].encode()) <= 2_000


def test_a_message_may_be_about_a_todo_that_exists(project: Project) -> None:
    with pytest.raises(TodoNotFoundError):
        send_message(project, call("message_sent"), MessageRequest("bob", "look", "todo_zzzzzzzzzz"))


def test_only_its_recipient_acknowledges_a_message(project: Project) -> None:
    message = write_to(project, "bob", sender="ann")
    for other in ("ann", "cy", None):
        with pytest.raises(MessageNotFoundError):
            ack(project, message, other)
    with pytest.raises(MessageNotFoundError):
        ack(project, "msg_zzzzzzzzzz", "bob")
    assert inbox(project, "bob") == [message]


def test_acknowledging_twice_changes_nothing(project: Project, clock: FakeClock) -> None:
    message = write_to(project, "bob")
    first = ack(project, message, "bob")
    clock.advance(MINUTE)
    second = ack(project, message, "bob")
    assert second["message"] == first["message"]
    assert second["receipt"] is None


def test_a_repeated_send_of_one_operation_is_one_message(project: Project) -> None:
    asked = call("message_sent", "ann", operation_id="op-1", intent="hello")
    first = send_message(project, asked, MessageRequest("bob", "hello"))
    again = send_message(project, asked, MessageRequest("bob", "hello"))
    assert again["receipt"]["replayed"] is True
    assert again["message"]["message_id"] == first["message"]["message_id"]
    assert len(inbox(project, "bob")) == 1


def test_the_sender_sees_how_long_its_mail_is_left_unread(project: Project, clock: FakeClock) -> None:
    first = write_to(project, "bob", sender="ann")
    clock.advance(MINUTE)
    sent = send_message(project, call("message_sent", "ann"), MessageRequest("bob", "still there?"))
    assert sent["mailbox"]["unread"] == 2
    assert sent["mailbox"]["oldest_unread_seconds"] == 60
    ack(project, first, "bob")
    read, unread = read_sent(project, GOAL, "ann", Page())["messages"]
    assert (read["unread_seconds"], unread["unread_seconds"]) == (None, 0)


def test_a_full_mailbox_comes_in_pages_without_a_gap(project: Project) -> None:
    sent = [write_to(project, "bob", f"number {number}") for number in range(7)]
    seen, cursor = [], None
    while True:
        page = read_inbox(project, GOAL, "bob", Page(3, cursor))
        assert page["total"] == 7
        seen += [row["message_id"] for row in page["messages"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sent


def test_read_mail_is_pruned_and_unread_mail_never(project: Project, clock: FakeClock) -> None:
    read, unread = write_to(project, "bob"), write_to(project, "bob")
    ack(project, read, "bob")
    clock.advance(DAY + 1)
    assert prune_messages(project, call("messages_pruned", "bob"), "bob", DAY)["pruned"] == 1
    assert inbox(project, "bob", with_acknowledged=True) == [unread]
    assert prune_messages(project, call("messages_pruned", "bob"), "bob", DAY)["receipt"] is None


def test_a_mailbox_that_is_read_does_not_grow_for_ever(project: Project, clock: FakeClock) -> None:
    for _ in range(12):
        ack(project, write_to(project, "bob"), "bob")
        clock.advance(DAY)
    assert len(inbox(project, "bob", with_acknowledged=True)) <= 8


def test_what_was_pruned_stays_in_the_history_once_and_replay_gives_the_tables(
    project: Project, clock: FakeClock
) -> None:
    words = "a long story " * 100
    message = write_to(project, "bob", words)
    ack(project, message, "bob")
    clock.advance(DAY + 1)
    prune_messages(project, call("messages_pruned", "bob"), "bob", DAY)

    def stories(snapshot: object) -> list[str]:
        rows = snapshot.db.execute("SELECT changes FROM events").fetchall()  # type: ignore[attr-defined]
        return [changes for (changes,) in rows if words in changes]

    assert len(project.read(stories)) == 1
    assert project.read(lambda snapshot: drifts(replay(past_events(snapshot.db)), table_state(snapshot.db))) == []


def test_mail_goes_on_in_a_closed_goal(tmp_path: Path, project: Project) -> None:
    message = write_to(project, "bob")
    registry = tmp_path / ".loopx" / "registry.yaml"
    registry.write_text(registry.read_text().replace("state: active", "state: closed"), encoding="utf-8")
    ack(project, message, "bob")
    write_to(project, "ann", sender="bob")


def test_a_shutdown_is_a_request_and_a_typed_answer(project: Project) -> None:
    request = ask_to_end(project, "bob", "ann")
    assert shutdown_answer(project, request) is None
    answer = accept_shutdown(project, call("shutdown_accepted", "bob"), request["message"]["message_id"])
    assert answer["message"]["kind"] == MessageKind.SHUTDOWN_ACCEPTED
    assert answer["message"]["request_id"] == request["message"]["request_id"]
    assert inbox(project, "bob") == []
    found = shutdown_answer(project, request)
    assert found is not None
    assert found.recipient == "ann"


def test_a_shutdown_that_still_waits_is_not_asked_for_twice(project: Project) -> None:
    first, second = ask_to_end(project, "bob"), ask_to_end(project, "bob")
    assert second["message"] == first["message"]
    assert second["receipt"] is None


def test_a_teammate_shuts_nobody_down(project: Project) -> None:
    with pytest.raises(RoleNotAllowedError):
        request_shutdown(project, call("shutdown_requested", "ann", role="teammate"), "bob")


def test_what_is_no_request_is_not_accepted(project: Project) -> None:
    message = write_to(project, "bob")
    with pytest.raises(UsageError):
        accept_shutdown(project, call("shutdown_accepted", "bob"), message)
    with pytest.raises(UsageError):
        request_shutdown(project, call("shutdown_requested"), "user")
