"""`loopx completion`: through click's own shell completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.declare import ChoiceType, argument
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

SHELLS = ("bash", "zsh", "fish")


@verb("completion", example="loopx completion bash > ~/.local/share/bash-completion/completions/loopx")
@argument("shell", type=ChoiceType(SHELLS))
def cli(_invocation: Invocation, shell: str) -> Document:
    """The script that teaches a shell the commands, their options and values.

    \b
    bash   loopx completion bash > ~/.local/share/bash-completion/completions/loopx
    zsh    loopx completion zsh > a folder of $fpath, as the file _loopx
    fish   loopx completion fish > ~/.config/fish/completions/loopx.fish
    """
    return {"schema_version": "completion_v1", "ok": True, "shell": shell, "script": script(shell)}


def script(shell: str) -> str:
    """The script of click for this command and that shell."""
    from click.shell_completion import get_completion_class

    from loopx.cli.clickside import click_tree
    from loopx.cli.root import ROOT

    kind = get_completion_class(shell)
    assert kind is not None
    completion = kind(click_tree(ROOT), {}, "loopx", "_LOOPX_COMPLETE")
    return completion.source_template % completion.source_vars()
