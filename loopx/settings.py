"""The settings of one call, read once at the edge: option over environment over default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.instant import SECOND, Duration
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

BUSY_TIMEOUT: Duration = 10 * SECOND  # well below the default lease of 15 minutes
FORMATS = ("text", "json")
FIXED = "fixed"  # LOOPX_IDENTITY: the environment's agent is the only one that may act (S2.3)
TEAMMATE = "teammate"  # LOOPX_ROLE: may work, may not shape the graph (S3.2)
LEAD = "lead"
DATABASE_URL = "LOOPX_DATABASE_URL"
ROLES = (LEAD, "subagent", TEAMMATE)


class Settings(Value):
    """What the environment says; options are laid over it by the command line."""

    format: str = "text"
    project: str | None = None
    agent_id: str | None = None
    identity: str | None = None
    role: str | None = None
    database_url: str | None = None
    busy_timeout: Duration = BUSY_TIMEOUT

    @property
    def identity_fixed(self) -> bool:
        """Whether the environment's agent is the only one that may act (S2.3)."""
        return self.identity == FIXED


def settings_from(environment: Mapping[str, str]) -> Settings:
    """The settings that the environment gives; empty variables count as absent."""

    def value(name: str) -> str | None:
        return environment.get(name) or None

    return Settings(
        format=value("LOOPX_FORMAT") or "text",
        project=value("LOOPX_PROJECT"),
        agent_id=value("LOOPX_AGENT_ID"),
        identity=value("LOOPX_IDENTITY"),
        role=value("LOOPX_ROLE"),
        database_url=value(DATABASE_URL),
    )


def without_identity(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program that gets an identity of its own: of our settings only where the state is."""
    return {name: value for name, value in environment.items() if name == DATABASE_URL or not name.startswith("LOOPX_")}


def refuse_odd_words(settings: Settings) -> None:
    """UsageError for a word that no setting has: a misspelt role or identity must not count as none."""
    if settings.role is not None and settings.role not in ROLES:
        raise UsageError(f"LOOPX_ROLE={settings.role!r} is no role", hint=f"A role is {', '.join(ROLES)}.")
    if settings.identity is not None and settings.identity != FIXED:
        raise UsageError(f"LOOPX_IDENTITY={settings.identity!r} is unknown", hint=f"It is {FIXED}, or not set.")
