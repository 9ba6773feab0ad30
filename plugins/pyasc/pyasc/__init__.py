"""pyasc: build or load a graph, compile it, and run it on the simulated Ascend device.

>>> import numpy as np, pyasc
>>> with pyasc.Context() as ctx:
...     x = ctx.input("x", shape=(2, 3))
...     y = ctx.relu(x * 2.0 - 1.0)
...     result = ctx.execute({"x": np.ones((2, 3), np.float32)})
...     result[y].tolist()
[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
"""

import atexit
import os

from . import _core
from .arrays import as_numpy, empty, to_torch
from .config import CompileConfig
from .context import OPERATORS, Context, stage_names
from .converter import Conversion, OmInfo, atc, inspect
from .errors import DependencyError, DestroyedError, Diagnostic, Error, LayoutError
from .fusion import FUSION_MODE_AGGRESSIVE, FUSION_MODE_OFF, FUSION_MODE_STANDARD, FusionScope
from .graphs import CompiledGraph, Node, Stage, TensorInfo
from .passes import StreamPass, stream_pass
from .results import Result
from .streams import Stream
from .tensor import SymbolicTensor

_core.set_error_class(Error)
atexit.register(_core.shutdown)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forked)

__version__ = _core.version()

__all__ = [
    "CompileConfig", "CompiledGraph", "Context", "Conversion", "DependencyError", "DestroyedError", "Diagnostic",
    "Error", "FUSION_MODE_AGGRESSIVE", "FUSION_MODE_OFF", "FUSION_MODE_STANDARD", "FusionScope", "LayoutError", "Node",
    "OPERATORS", "OmInfo", "Result", "Stage", "Stream", "StreamPass", "SymbolicTensor", "TensorInfo", "as_numpy", "atc",
    "empty", "inspect", "stage_names", "stream_pass", "to_torch",
]  # fmt: skip
