"""Git's configuration files, read without git: one `git` call costs more than the rest of a decision."""

from __future__ import annotations

import os
import re

from loopx.core.value import Value

_BLANK = re.compile(r"(?:\s|[#;][^\n]*)*")
_SECTION = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=[ \t]*)?")
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\[ntb"\\\n])*)"')
_PLAIN = re.compile(r'(?:[^"\\\n#;]|\\[ntb"\\\n])+')
_LINE_END = re.compile(r"(?:[#;][^\n]*)?(?:\n|\Z)")
_ESCAPE = re.compile(r"\\([\s\S])")
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}
_TRUE = ("true", "yes", "on", "1")


class Setting(Value):
    """One line: `[section "name"] key = value`; a value of None is a bare key, which means true."""

    section: str
    name: str
    key: str
    value: str | None


class GitConfig(Value):
    """The settings of one repository, and whether they are all that git would see.

    Not clear are includes, rewritten URLs and files that git itself refuses.
    """

    settings: tuple[Setting, ...] = ()
    is_clear: bool = True

    def last(self, section: str, key: str) -> str | None:
        """The value that counts: the last one."""
        found = [setting.value or "" for setting in self._of(section, key)]
        return found[-1] if found else None

    def is_true(self, section: str, key: str) -> bool:
        """Whether the last value is one of git's words for true."""
        found = self._of(section, key)
        return bool(found) and (found[-1].value is None or found[-1].value.lower() in _TRUE)

    def remote_urls(self) -> tuple[str, ...]:
        """Where the remotes are, in file order, `origin` first."""
        found = [s for s in self.settings if s.section == "remote" and s.key in ("url", "pushurl") and s.value]
        found.sort(key=lambda setting: setting.name != "origin")
        return tuple(setting.value for setting in found if setting.value)

    def _of(self, section: str, key: str) -> list[Setting]:
        return [s for s in self.settings if (s.section, s.name, s.key) == (section, "", key)]


def read_config(common_dir: str, git_dir: str) -> GitConfig:
    """The settings of the checkout that `git_dir` belongs to; a missing file has none."""
    shared = _read(os.path.join(common_dir, "config"))
    if not shared.is_true("extensions", "worktreeconfig"):
        return shared
    own = _read(os.path.join(git_dir, "config.worktree"))
    return GitConfig(shared.settings + own.settings, shared.is_clear and own.is_clear)


def parse_config(text: str) -> tuple[Setting, ...] | None:
    """The settings of a configuration file; None where git would refuse it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    settings: list[Setting] = []
    section, name, at = "", "", _skip_blank(text, 0)
    while at < len(text):
        if header := _SECTION.match(text, at):
            section, name = _section(header)
            at = header.end()
        elif section and (key := _KEY.match(text, at)):
            value, at = _value(text, key.end()) if key[2] else (None, key.end())
            end = _LINE_END.match(text, at)
            if end is None:
                return None
            settings.append(Setting(section, name, key[1].lower(), value))
            at = end.end()
        else:
            return None
        at = _skip_blank(text, at)
    return tuple(settings)


def _read(path: str) -> GitConfig:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            settings = parse_config(file.read())
    except FileNotFoundError:
        return GitConfig()
    except OSError:
        return GitConfig(is_clear=False)
    if settings is None:
        return GitConfig(is_clear=False)
    return GitConfig(settings, is_clear=not any(_hides_more(setting) for setting in settings))


def _hides_more(setting: Setting) -> bool:
    """Whether the line brings in other files or rewrites URLs, which only git itself resolves."""
    return setting.section in ("include", "includeif") or setting.key in ("insteadof", "pushinsteadof")


def _skip_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _section(header: re.Match[str]) -> tuple[str, str]:
    if header[2] is not None:
        return header[1].lower(), _ESCAPE.sub(r"\1", header[2])
    section, _, name = header[1].lower().partition(".")  # the old spelling [section.name]
    return section, name


def _value(text: str, at: int) -> tuple[str, int]:
    """The value from here to the end of its line, and where that is."""
    value, kept = "", 0  # `kept`: up to here nothing is trimmed, because it was quoted
    while part := _QUOTED.match(text, at) or _PLAIN.match(text, at):
        value += _unescape(part[1] if part.re is _QUOTED else part[0])
        at = part.end()
        if part.re is _QUOTED:
            kept = len(value)
    return value[:kept] + value[kept:].rstrip(), at


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], text)
