"""loopx: a control plane for long-running agents.

`loopx.ControlPlane` and `loopx.LoopxError` are loaded when they are asked for, so that a command starts at once.
"""

__version__ = "0.1.0"
__all__ = ["ControlPlane", "LoopxError", "__version__"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("loopx.api"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
