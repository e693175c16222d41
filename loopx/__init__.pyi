from loopx.api import ControlPlane as ControlPlane
from loopx.core.errors import LoopxError as LoopxError

__version__: str
__all__ = ["ControlPlane", "LoopxError", "__version__"]
