"""`plane.leases`: hard ownership for a time (W5). Renewing is the heartbeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from loopx.api.desk import LIMIT, Desk, page
from loopx.api.how import Changing, told_how, words
from loopx.api.span import microseconds
from loopx.app.lease import (
    DEFAULT_TTL,
    LeaseRequest,
    LeaseStep,
    acquire_lease,
    release_lease,
    renew_lease,
    transfer_lease,
)
from loopx.app.lease_view import list_leases, show_lease

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.api.document import TaskLeaseV0
    from loopx.api.span import Span


class Leases(Desk):
    """Acquire, renew, transfer and release leases. A lease is named by its id and the version that is believed in."""

    def acquire(
        self,
        todo_id: str,
        *,
        ttl: Span | None = None,
        write_scopes: Iterable[str] = (),
        task_repository: str | None = None,
        pool: str | None = None,
        **options: Unpack[Changing],
    ) -> TaskLeaseV0:
        """Take a todo for a time, 15 minutes by default; the answer holds its token. LeaseConflictError."""
        duration = microseconds(ttl) or DEFAULT_TTL
        request = LeaseRequest(todo_id, duration, words(write_scopes), task_repository, pool)
        call = self._session.call("lease_acquired", request, told_how(options))
        return cast("TaskLeaseV0", self._told(acquire_lease(self._project, call, request)))

    def renew(
        self, lease_id: str, *, expect_version: int, ttl: Span | None = None, **options: Unpack[Changing]
    ) -> TaskLeaseV0:
        """Keep a lease alive. A refusal tells that the work was settled, taken or has run out: stop then (S4.11)."""
        step = LeaseStep(lease_id, expect_version, microseconds(ttl))
        call = self._session.call("lease_renewed", step, told_how(options))
        return cast("TaskLeaseV0", self._told(renew_lease(self._project, call, step)))

    def transfer(
        self, lease_id: str, *, to: str, expect_version: int, ttl: Span | None = None, **options: Unpack[Changing]
    ) -> TaskLeaseV0:
        """Hand a lease to another agent, who gets its new token by renewing it (W5.5)."""
        step = LeaseStep(lease_id, expect_version, microseconds(ttl), to)
        call = self._session.call("lease_transferred", step, told_how(options))
        return cast("TaskLeaseV0", self._told(transfer_lease(self._project, call, step)))

    def release(self, lease_id: str, *, expect_version: int, **options: Unpack[Changing]) -> TaskLeaseV0:
        """Give a lease back; its version stays used for ever."""
        step = LeaseStep(lease_id, expect_version)
        call = self._session.call("lease_released", step, told_how(options))
        return cast("TaskLeaseV0", self._told(release_lease(self._project, call, step)))

    def show(self, *, lease_id: str | None = None, todo_id: str | None = None) -> TaskLeaseV0:
        """The live lease of that id or on that todo, without its token. LeaseNotFoundError."""
        return cast("TaskLeaseV0", self._told(show_lease(self._project, lease_id, todo_id)))

    def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> TaskLeaseV0:
        """The live leases, without their tokens."""
        document = list_leases(self._project, self._session.goal_id, page(limit, cursor))
        return cast("TaskLeaseV0", self._told(document))
