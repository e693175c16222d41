"""Which model a chat worker asks, where, and with what key: known whole before anything is opened (S4.7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loopx.core.errors import ExtraMissingError, ModelNotConfiguredError
from loopx.core.instant import MINUTE, Duration
from loopx.core.secret import masked

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = "LOOPX_MODEL"
API_KEY = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
KEY_MARK = "[key]"
KEYLESS = "none"  # sent to an endpoint of one's own that asks for no key

MOST_REQUESTS = 100  # to the model in one run; a loop that goes nowhere ends here
MOST_RETRIES = 5  # of one request, with growing pauses: after 429, 5xx and dropped connections
REQUEST_TIMEOUT: Duration = 10 * MINUTE  # a long answer of a slow model
LIBRARY = "pydantic_ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """A model at an OpenAI-compatible endpoint. The key is never shown."""

    model: str
    base_url: str
    api_key: str = field(repr=False)
    most_requests: int = MOST_REQUESTS
    most_retries: int = MOST_RETRIES
    request_timeout: Duration = REQUEST_TIMEOUT

    def public(self, text: str) -> str:
        """The text without the key, other credentials and local paths: what may leave the run."""
        return masked(text if self.api_key == KEYLESS else text.replace(self.api_key, KEY_MARK))


def chat_settings(model: str | None, environment: Mapping[str, str]) -> ChatSettings:
    """The settings of `--model` and the environment; nothing is opened, asked or imported for them.

    ModelNotConfiguredError where the model, or the key for the default endpoint, is missing, or the address is none;
    ExtraMissingError where the agent library is not installed.
    """
    name = (model or environment.get(MODEL) or "").strip()
    if not name:
        raise ModelNotConfiguredError("no model is named", hint=f"Give --model, or set {MODEL}.", missing=MODEL)
    base_url = (environment.get(BASE_URL) or DEFAULT_URL).strip()
    _refuse_no_address(base_url)
    key = (environment.get(API_KEY) or "").strip()
    if not key and base_url == DEFAULT_URL:
        raise ModelNotConfiguredError(
            f"the endpoint {base_url} needs a key, and {API_KEY} is not set",
            hint=f"Set {API_KEY}; for an endpoint of your own set {BASE_URL} too.",
            missing=API_KEY,
        )
    _refuse_missing_library()
    return ChatSettings(model=name, base_url=base_url, api_key=key or KEYLESS)


def _refuse_no_address(base_url: str) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelNotConfiguredError(
            f"{BASE_URL} is no http or https address", hint="Such as http://127.0.0.1:11434/v1.", missing=BASE_URL
        )
    if parts.username is not None or parts.password is not None:
        raise ModelNotConfiguredError(
            f"{BASE_URL} holds credentials", hint=f"Put the key into {API_KEY} instead.", missing=BASE_URL
        )


def _refuse_missing_library() -> None:
    from importlib.util import find_spec

    if find_spec(LIBRARY) is None:
        raise ExtraMissingError(
            "a chat worker needs the extra `chat`", hint="Install it with `pip install 'loopx[chat]'`.", extra="chat"
        )
