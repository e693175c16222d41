"""What a runner is told: one deterministic message, in which the words of others are data (S4.4).

The data is JSON on one line, and every character that could close the tag or hide from a reader is a JSON
escape. So it still reads back as exactly what was written, and no text can pose as the message around it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.contracts.message_document import message_document
from loopx.core.text import cut
from loopx.core.untrusted import as_data

if TYPE_CHECKING:
    from loopx.core.instant import Instant
    from loopx.core.message import Message

CLAIM_TAG = "auto-claimed-task"
MAIL_TAG = "team-message"
_TASK_BYTES = 16_000  # of a task's words; `todo show` has all of them

Document = dict[str, Any]


def claim_message(claim: Document, text: str) -> str:
    """The message of an automatic claim, with the whole text of the todo instead of its first 300 bytes."""
    words, truncated = cut(text, _TASK_BYTES)
    task = {**claim["task"], "text": words, **({"text_truncated": True} if truncated else {})}
    document = {
        "claim_token": claim["claim_token"],
        "lease_expires_at_utc": claim["lease_expires_at_utc"],
        "task": task,
    }
    return _tagged(CLAIM_TAG, document)


def mail_message(message: Message, now: Instant) -> str:
    """The message of mail that words are for: who wrote it, what it is about, and what it says."""
    shown = message_document(message, now)
    names = ("message_id", "kind", "sender", "request_id", "todo_id", "text")
    return _tagged(MAIL_TAG, {name: shown[name] for name in names if shown[name] is not None})


def inert_json(document: Document) -> str:
    """The document as one line of JSON without any character that acts outside of it."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return "".join(char if char.isalnum() or as_data(char) == char else _escaped(char) for char in text)


def _tagged(tag: str, document: Document) -> str:
    return f"<{tag}>\n{inert_json(document)}\n</{tag}>\n"


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if not char.isascii() else f"\\u{ord(char):04x}"
