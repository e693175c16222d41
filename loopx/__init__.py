"""loopx: a control plane for long-running agents."""

__version__ = "0.1.0"
