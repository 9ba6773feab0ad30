"""Regions in which fusion is tuned."""

import difflib
import threading

FUSION_MODE_OFF = "off"
FUSION_MODE_STANDARD = "standard"
FUSION_MODE_AGGRESSIVE = "aggressive"

# Passes that fuse, by what they do; those of a mode that a user did not name.
CONSERVATIVE = ("ConvBatchnormFusionPass", "BiasaddFusionPass")
BUFFER = ("HeavyElementwiseFusionPass", "ElementwiseChainFusionPass")
_MODES = {
    FUSION_MODE_OFF: {name: False for name in CONSERVATIVE + BUFFER},
    FUSION_MODE_STANDARD: {},
    FUSION_MODE_AGGRESSIVE: {name: True for name in CONSERVATIVE + BUFFER},
}
# Names of patterns that users write, and the passes that make them.
PATTERNS = {
    "Conv2dBatchNorm": ("ConvBatchnormFusionPass",),
    "Conv2dBias": ("BiasaddFusionPass",),
    "Conv2dBiasAdd": ("BiasaddFusionPass",),
    "Conv2dBiasAddReLU": ("HeavyElementwiseFusionPass",),
    "Conv2dReLU": ("HeavyElementwiseFusionPass",),
    "Conv2dAdd": ("HeavyElementwiseFusionPass",),
    "MatMulBias": ("BiasaddFusionPass",),
    "MatMulReLU": ("HeavyElementwiseFusionPass",),
    "Elementwise": ("ElementwiseChainFusionPass",),
}
_FORMATS = ("NC1HWC0", "NCHW", "ND")

_active = threading.local()


def _stack():
    if not hasattr(_active, "scopes"):
        _active.scopes = []
    return _active.scopes


def current():
    """({pass name: on?}, {tensor name: format}) of the scopes that are open in this thread, inner ones winning."""
    return merged(_stack())


def merged(scopes):
    switches, layouts = {}, {}
    for scope in scopes:
        switches.update(_MODES[scope._mode] if scope._mode else {})
        switches.update(scope._switches)
        layouts.update(scope._layouts)
    return switches, layouts


class FusionScope:
    """Graphs that are compiled within it follow its settings. Scopes nest; leaving one restores what was before.

    Examples
    --------
    >>> import pyasc
    >>> with pyasc.FusionScope() as scope:
    ...     scope.set_mode(pyasc.FUSION_MODE_AGGRESSIVE)
    ...     scope.disable_fusion("Conv2dBiasAddReLU")
    """

    def __init__(self, mode=None):
        self._mode = None
        self._switches = {}
        self._layouts = {}
        if mode is not None:
            self.set_mode(mode)

    def set_mode(self, mode):
        """FUSION_MODE_OFF, FUSION_MODE_STANDARD or FUSION_MODE_AGGRESSIVE."""
        if mode not in _MODES:
            raise ValueError(f"there is no fusion mode {mode!r}; there are: {', '.join(_MODES)}")
        self._mode = mode

    def disable_fusion(self, name):
        """Switches off a pass, or the passes that make a pattern, by name."""
        self._set(name, False)

    def enable_fusion(self, name):
        """Switches a pass or pattern on again."""
        self._set(name, True)

    def _set(self, name, on):
        from . import _core

        passes = PATTERNS.get(name, (name,))
        known = set(_core.pass_names())
        for one in passes:
            if one not in known:
                near = difflib.get_close_matches(str(name), [*PATTERNS, *known], 3, 0.5)
                raise ValueError(f"there is no fusion pattern or pass {name!r}"
                                 + (f" (did you mean {' or '.join(near)}?)" if near else "")
                                 + f"; patterns: {', '.join(PATTERNS)}; passes: {', '.join(sorted(known))}")  # fmt: skip
            self._switches[one] = on

    def set_tensor_layout(self, name, layout):
        """The format in which the device holds the tensor of this name: "NC1HWC0", "NCHW" or "ND"."""
        if not isinstance(name, str):
            raise TypeError(f"a tensor is named by a text, not {name!r}; see the tensor's attribute `name`")
        if layout not in _FORMATS:
            raise ValueError(f"a tensor is held as {', '.join(_FORMATS)}, not {layout!r}")
        self._layouts[name] = layout

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *exception):
        _stack().remove(self)
        return False
