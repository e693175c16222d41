"""Issues of GitHub, as its REST interface gives them and as `gh issue list --json` does; pull requests are no work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopx.core.errors import ImportInvalidError, UsageError
from loopx.core.foreign.fields import id_of, text_fault, text_of
from loopx.core.foreign.github_body import BodyFacts, body_facts, issue_key
from loopx.core.foreign.json_file import read_json_document
from loopx.core.foreign.json_text import JsonObject
from loopx.core.foreign.oddities import Oddities
from loopx.core.foreign.record import ForeignRecord, ForeignState, Link, Reading, Rejection
from loopx.core.foreign.record_fields import RecordFields
from loopx.core.foreign.sniff import Wanted, nothing_found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.json_text import Json
    from loopx.core.foreign.record import ReadOptions, SourceFile

_WANTED = Wanted("issues of GitHub", "github")
_REPOSITORY = re.compile(r"[\w.-]{1,39}/[\w.-]{1,100}")
_PRIORITY = re.compile(r"(?:priority[ :/-]{0,3})?p([0-4])", re.IGNORECASE)  # of a label
_DONE = ("completed", "reopened")
_CANCELLED = ("not_planned", "duplicate")
# What names the same issue again, counts what others say, or belongs to GitHub's own pages.
_REPEATED = (
    *("id", "node_id", "number", "url", "html_url", "repository_url", "labels_url", "comments_url", "events_url"),
    *("timeline_url", "repository", "assignee", "closed", "locked", "isPinned", "score", "reactions", "reactionGroups"),
    *("author_association", "performed_via_github_app", "sub_issues_summary", "issue_dependencies_summary"),
)


def wants(path: str, *, is_folder: bool) -> bool:
    """Nothing of a folder: issues are one file."""
    del path, is_folder
    return False


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The issues of the file; ImportInvalidError where it is not one JSON value with issues."""
    if not files:
        raise nothing_found(files, _WANTED)
    (file,) = files
    rows = _rows(read_json_document(file, _WANTED))
    if rows is None:
        raise nothing_found((file,), _WANTED)
    issues = _Issues(_named_repository(options))
    for row in rows:
        issues.take(row)
    return issues.reading()


def _rows(document: Json) -> list[Json] | None:
    """The issues: of an array, of an array of pages, or a single one; None where there is none."""
    rows = document if isinstance(document, list) else [document]
    flat = [row for page in rows for row in (page if isinstance(page, list) else [page])]
    found = any(isinstance(row, dict) and "number" in row and "title" in row for row in flat)
    return flat if found or document == [] else None


def _named_repository(options: ReadOptions) -> str | None:
    named = options.repository
    if named is not None and not _REPOSITORY.fullmatch(named):
        raise UsageError(
            f"{named!r} does not name a repository", hint="A repository is OWNER/NAME, such as example/project."
        )
    return named


class _Issues:
    """Takes one issue after the other."""

    def __init__(self, repository: str | None) -> None:
        self._repository = repository
        self._oddities = Oddities()
        self._records: list[ForeignRecord] = []
        self._rejections: list[Rejection] = []
        self._tracked_by: dict[str, str] = {}
        self._ignored = 0

    def take(self, row: Json) -> None:
        """Read one row of the file."""
        if not isinstance(row, JsonObject):
            self._rejections.append(Rejection(None, "no_object", "a row of the file is no JSON object"))
        elif row.flaw is not None:
            self._rejections.append(Rejection(row.flaw.line, row.flaw.fault, row.flaw.message))
        elif _is_pull_request(row):
            self._ignored += 1
        else:
            self._take_issue(row)

    def reading(self) -> Reading:
        """All of them, each a part of the issue whose task list names it first."""
        records = tuple(record._replace(parent=self._tracked_by.get(record.source_id)) for record in self._records)
        return Reading(records, tuple(self._rejections), self._oddities.notes(), self._ignored)

    def _take_issue(self, issue: JsonObject) -> None:
        number = id_of(issue.get("number"))
        if number is None or not number.isdecimal():
            self._rejections.append(Rejection(issue.line, "id_missing", "the issue has no number"))
            return
        repository = _repository_of(issue) or self._repository
        if repository is None:
            raise ImportInvalidError(
                f"line {issue.line}: the file does not say of which repository issue {number} is",
                hint="Name it with --repository OWNER/NAME, or export the issues with their url.",
            )
        key = issue_key(repository, number)
        fields = RecordFields(issue, self._oddities, issue.line)
        body = fields.text("body")
        text = text_of(fields.text("title"), body)
        fault = text_fault(text)
        if fault is not None:
            self._rejections.append(Rejection(issue.line, *fault, source_id=key))
            return
        facts = body_facts(body, repository)
        for part in facts.tracks:
            if part != key:
                self._tracked_by.setdefault(part, key)
        self._records.append(_record(key, text, fields, facts, _web_address(issue)))


def _record(key: str, text: str, fields: RecordFields, facts: BodyFacts, address: str | None) -> ForeignRecord:
    fields.skip(*_REPEATED)
    state = _state(fields)
    labels = _labels(fields)
    assignees = _logins(fields, "assignees")
    if len(assignees) > 1:
        fields.keep_as("assignees", list(assignees))
    _shorten(fields)
    if address is not None:
        fields.keep_as("url", address)
    return ForeignRecord(
        source_id=key,
        text=text,
        state=state,
        line=fields.line,
        priority=_priority(labels),
        depends_on=facts.waits_for,
        links=tuple(Link("tracks", part) for part in facts.tracks),
        labels=labels,
        assignee=assignees[0] if assignees else None,
        created_at=fields.instant("created_at") or fields.instant("createdAt"),
        updated_at=fields.instant("updated_at") or fields.instant("updatedAt"),
        closed_at=fields.instant("closed_at") or fields.instant("closedAt"),
        acceptance=facts.boxes,
        evidence=f"closed as {key}" if state is ForeignState.DONE else None,
        extra=fields.extra(),
    )


def _state(fields: RecordFields) -> ForeignState:
    state = str(fields.raw("state") or "").lower()
    names = ("state_reason", "stateReason")
    name, reason = next(((name, value) for name in names if (value := fields.raw(name)) is not None), (names[0], ""))
    said = str(reason).lower()
    if state not in ("open", "closed"):
        fields.unknown("state", "it is taken as open and kept beside the todo")
        return ForeignState.OPEN
    if state == "open":
        return ForeignState.OPEN
    if said in _CANCELLED:
        fields.keep(name)
        return ForeignState.CANCELLED
    if said and said not in _DONE:
        fields.unknown(name, "it is taken as done")
    return ForeignState.DONE


def _labels(fields: RecordFields) -> tuple[str, ...]:
    listed = fields.raw("labels")
    names = [_name_of(label, "name") for label in listed] if isinstance(listed, list) else []
    if listed is not None and (None in names or not names):
        fields.keep("labels")
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _priority(labels: tuple[str, ...]) -> int | None:
    """The most urgent one that a label such as `P1` or `priority: p1` says."""
    found = [int(match[1]) for label in labels if (match := _PRIORITY.fullmatch(label.strip()))]
    return min(found, default=None)


def _logins(fields: RecordFields, name: str) -> tuple[str, ...]:
    listed = fields.raw(name)
    logins = [_name_of(person, "login") for person in listed] if isinstance(listed, list) else []
    return tuple(login for login in logins if login is not None)


def _shorten(fields: RecordFields) -> None:
    """Keep what people call a person, a milestone and a type; not their records."""
    if fields.raw("comments") == 0:  # their number in one dialect, the comments themselves in the other
        fields.skip("comments")
    else:
        fields.keep("comments")
    for name, key in (
        ("user", "login"),
        ("author", "login"),
        ("closed_by", "login"),
        ("milestone", "title"),
        ("type", "name"),
    ):
        value = fields.raw(name)
        called = _name_of(value, key)
        if called is not None:
            fields.keep_as(name, called)
        else:
            fields.keep(name)


def _name_of(value: Any, key: str) -> str | None:
    """The name in an object, or the name itself."""
    if isinstance(value, dict):
        value = value.get(key)
    return value if isinstance(value, str) and value.strip() else None


# --- which issue, of which repository ----------------------------------------------------


def _is_pull_request(issue: JsonObject) -> bool:
    if issue.get("pull_request") is not None or issue.get("isPullRequest") is True:
        return True
    return "/pull/" in str(_web_address(issue) or "") or str(issue.get("state")).upper() == "MERGED"


def _web_address(issue: JsonObject) -> str | None:
    address = issue.get("html_url") or issue.get("url")
    return address if isinstance(address, str) else None


def _repository_of(issue: JsonObject) -> str | None:
    """`owner/name` as one of the issue's own addresses says it."""
    for name in ("html_url", "url"):
        parts = str(issue.get(name) or "").split("/")
        if len(parts) > 4 and parts[-2] in ("issues", "pull"):
            return _sound("/".join(parts[-4:-2]))
    repository = issue.get("repository")
    if isinstance(repository, dict):
        return _sound(str(repository.get("nameWithOwner") or repository.get("full_name") or ""))
    return _sound("/".join(str(issue.get("repository_url") or "").split("/")[-2:]))


def _sound(repository: str) -> str | None:
    return repository if _REPOSITORY.fullmatch(repository) else None
