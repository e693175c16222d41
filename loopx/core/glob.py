"""Write scopes: globs relative to a repository, compared as the sets of paths that they name (W5.5).

What a scope names
- `*` is any run of characters of one name, `?` one character, `[a-z]` or `[!a]` one of a class;
  hidden names count. `**` stands alone between slashes and is any number of folders, none included.
- A scope that ends in a plain character (`docs`, `src/a.py`, `src/*.py`) names a file or a folder and
  covers what is in it. One that ends in a wildcard (`src/*`) names exactly what it matches.
- `src/**/*` is `src/**`, a final slash means the folder, `.` the whole repository.
- Case counts. Braces, backslashes, negation and anything that leads out of the repository are
  refused. A literal `[`, `{`, `*` or `?` is written as a class of one, such as `[{]`.

A scope is compared as a pattern of names, and a name as a pattern of characters (`pattern.py`).
"""

from __future__ import annotations

from functools import lru_cache

from loopx.core.errors import WriteScopeInvalidError
from loopx.core.pattern import cover, meet, settle
from loopx.core.spelling import composed

SCOPE_LIMIT = 500  # characters; bounds one comparison at a quarter of a million steps
_LAST = 0x10FFFF
_ANY_DEPTH = "**"

# One character of a name is the sorted, disjoint code point ranges that it may be.
_Ranges = tuple[tuple[int, int], ...]
_STAR: _Ranges = ()  # a run of any characters
_ANY: _Ranges = ((0, ord("/") - 1), (ord("/") + 1, _LAST))
# One name is its characters. No name is empty, so the empty one stands for `**`.
_Name = tuple[_Ranges, ...]
_FOLDERS: _Name = ()
_ANY_NAME: _Name = (_STAR,)


def normalise_write_scope(text: str) -> str:
    """The scope in its one spelling: `./src//**` is `src/**`.

    WriteScopeInvalidError for a scope that is empty, leaves the repository or has no clear meaning;
    nothing is ever dropped from one.
    """
    return "/".join(_names(text))


def globs_intersect(left: str, right: str) -> bool:
    """Whether some path belongs to both scopes: exactly then two leases conflict."""
    return meet(_compiled(left), _compiled(right), _names_meet)


def glob_covers(outer: str, inner: str) -> bool:
    """Whether every path of `inner` belongs to `outer`; true is always right (W8.4).

    False is exact between scopes without character classes. With them it errs on the safe side
    where each member of a class would fit another way (`*ab*` over `a[ab]b`).
    """
    return cover(_compiled(outer), _compiled(inner), _ANY_NAME, _name_covers)


# --- spelling ----------------------------------------------------------------------------


def _names(text: str) -> list[str]:
    """The names of the canonical spelling."""
    scope = composed(text.strip())
    _refuse_odd_text(scope)
    names = [name for name in scope.split("/") if name not in ("", ".")]
    _refuse_outside(scope, names)
    for name in names:
        _compiled_name(name, scope)
    if scope.endswith("/") and names and _is_open_ended(names[-1]):
        names.append(_ANY_DEPTH)
    return _without_repeats(names) or [_ANY_DEPTH]


def _without_repeats(names: list[str]) -> list[str]:
    """`**/**` is `**`, and so is `**/*` at the end."""
    kept = [name for at, name in enumerate(names) if name != _ANY_DEPTH or names[at - 1 : at] != [_ANY_DEPTH]]
    return kept[:-1] if kept[-2:] == [_ANY_DEPTH, "*"] else kept


def _is_open_ended(name: str) -> bool:
    """Whether the name ends in a wildcard, so that it covers just what it matches."""
    last = _compiled_name(name, name)[-1:]
    return not last or not _is_literal(last[0])


def _refuse_odd_text(scope: str) -> None:
    if not scope:
        raise _invalid(scope, "is empty", "Name a folder or a glob such as src/**.")
    if len(scope) > SCOPE_LIMIT:
        raise _invalid(scope[:80], f"has more than {SCOPE_LIMIT} characters", "Name the folder above it.")
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) <= 0xDFFF for char in scope):
        raise _invalid(scope, "holds a control character", "Write the path as it is shown by git.")
    if "\\" in scope:
        raise _invalid(scope, "holds a backslash", "Separate names with / on every system.")


def _refuse_outside(scope: str, names: list[str]) -> None:
    hint = "A write scope is relative to the root of its repository, such as src/**."
    if scope.startswith("/"):
        raise _invalid(scope, "is an absolute path", hint)
    if ".." in names:
        raise _invalid(scope, "leads out of a folder by ..", hint)
    head = names[0] if names else ""
    if head.startswith("~"):
        raise _invalid(scope, "starts in a home folder", hint)
    if head[1:2] == ":" and head[0].isascii() and head[0].isalpha():
        raise _invalid(scope, "names a drive", hint)
    if head.startswith("!"):
        raise _invalid(scope, "is a negation", "Name what may be written, not what may not.")
    if any(name != name.strip() for name in names):
        raise _invalid(scope, "has white space beside a /", "Leave it out; a blank in a name is [ ].")


def _invalid(scope: str, fault: str, hint: str) -> WriteScopeInvalidError:
    return WriteScopeInvalidError(f"the write scope {scope!r} {fault}", hint=hint, write_scope=scope)


# --- patterns ----------------------------------------------------------------------------


@lru_cache(maxsize=1024)  # one new lease is compared with every live one
def _compiled(text: str) -> tuple[_Name, ...]:
    """The scope as names, a named folder's content included."""
    names = _names(text)
    if not _is_open_ended(names[-1]):
        names.append(_ANY_DEPTH)
    return tuple(settle([_compiled_name(name, text) for name in names], _ANY_NAME))


def _compiled_name(name: str, scope: str) -> _Name:
    """The characters of one name."""
    if name == _ANY_DEPTH:
        return _FOLDERS
    if _ANY_DEPTH in name:
        raise _invalid(scope, "joins ** with other characters", "Write **/ before the name: src/**/*.py.")
    items: list[_Ranges] = []
    rest = name
    while rest:
        item, rest = _next_item(rest, scope)
        items.append(item)
    return tuple(settle(items, _ANY))


def _next_item(rest: str, scope: str) -> tuple[_Ranges, str]:
    char = rest[0]
    if char == "[":
        body, closed, after = rest[1:].partition("]")
        if not closed:
            raise _invalid(scope, "opens a class without ]", "Write a literal [ as [[].")
        return _class(body, scope), after
    if char in "{}":
        raise _invalid(scope, "holds a brace", "Give one scope for each alternative; a literal brace is [{].")
    if char == "*":
        return _STAR, rest[1:]
    return _ANY if char == "?" else _single(char), rest[1:]


def _single(char: str) -> _Ranges:
    return ((ord(char), ord(char)),)


def _is_literal(item: _Ranges) -> bool:
    return len(item) == 1 and item[0][0] == item[0][1]


def _class(body: str, scope: str) -> _Ranges:
    """The ranges of the text between `[` and `]`."""
    negated, members = body.startswith("!"), body.removeprefix("!")
    if not members or members.startswith("^"):
        raise _invalid(scope, "has an empty or ambiguous class", "A class is [a-z], or [!a-z] for all others.")
    spans: list[tuple[int, int]] = []
    while members:
        first, last, members = _next_span(members)
        if first > last:
            raise _invalid(scope, "has a class that runs backwards", "A class runs upwards: [a-z].")
        spans.append((first, last))
    ranges = _minus_slash(_complement(_merged(spans)) if negated else _merged(spans))
    if not ranges:
        raise _invalid(scope, "has a class that nothing matches", "A class is [a-z], or [!a-z] for all others.")
    return ranges


def _next_span(members: str) -> tuple[int, int, str]:
    """The first range of a class; a `-` at either end of it is itself."""
    if len(members) > 2 and members[1] == "-":
        return ord(members[0]), ord(members[2]), members[3:]
    return ord(members[0]), ord(members[0]), members[1:]


def _merged(spans: list[tuple[int, int]]) -> _Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _complement(ranges: _Ranges) -> _Ranges:
    starts = [0, *(last + 1 for _, last in ranges)]
    ends = [*(first - 1 for first, _ in ranges), _LAST]
    return tuple((first, last) for first, last in zip(starts, ends, strict=True) if first <= last)


def _minus_slash(ranges: _Ranges) -> _Ranges:
    return tuple(both for span in ranges for part in _ANY if (both := _common(span, part)) is not None)


def _common(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    first, last = max(one[0], other[0]), min(one[1], other[1])
    return (first, last) if first <= last else None


# --- comparison --------------------------------------------------------------------------


def _names_meet(left: _Name, right: _Name) -> bool:
    return left == right or meet(left, right, _ranges_meet)


def _name_covers(outer: _Name, inner: _Name) -> bool:
    return outer == inner or cover(outer, inner, _ANY, _ranges_cover)


def _ranges_meet(left: _Ranges, right: _Ranges) -> bool:
    return any(_common(one, other) is not None for one in left for other in right)


def _ranges_cover(outer: _Ranges, inner: _Ranges) -> bool:
    return all(any(low <= first and last <= high for low, high in outer) for first, last in inner)
