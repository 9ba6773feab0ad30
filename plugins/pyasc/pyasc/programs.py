"""Compiled graphs as a context keeps them: loaded when they run, unloaded where too many are."""

import os
import threading
import warnings
import weakref
from collections import OrderedDict

from . import _core, dtypes

_MAX_LOADED = 64  # programs of all contexts that are kept loaded

_loaded = OrderedDict()  # {id: weak reference} of programs, the one used longest ago first
_loaded_lock = threading.RLock()  # reentrant: the garbage collector may end a context at any allocation
_warned = set()


def warn_once(topic, text):
    if topic not in _warned:
        _warned.add(topic)
        warnings.warn(text, ResourceWarning if topic == "exit" else RuntimeWarning, stacklevel=3)


def _make_room():
    """Unloads the programs that were used longest ago; they are loaded again when they are needed."""
    with _loaded_lock:
        surplus = max(len(_loaded) - _MAX_LOADED, 0)
        oldest = [_loaded.popitem(last=False)[1] for _ in range(surplus)]
    for reference in oldest:
        program = reference()
        if program is not None:
            program.unload()
    if oldest:
        warn_once("many", f"more than {_MAX_LOADED} compiled graphs are alive; those that were not used for longest are "
                   "unloaded and compiled again when they run. End each context by destroy() or a with block.")  # fmt: skip


def _after_fork():
    global _loaded_lock
    _loaded_lock = threading.RLock()  # a thread that is not here may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Program:
    """A graph compiled for one set of input shapes, with what a run needs at hand."""

    def __init__(self, compile_, device, tensors):
        self._compile = compile_
        self._device = device
        self._lock = threading.RLock()
        self._model = None
        self._compilation = None
        self._reference = weakref.ref(self)
        self.tensors = tensors
        self.compilation()

    def compilation(self):
        with self._lock:
            if self._compilation is None:
                self._compilation = self._compile(_core.Capture())
            return self._compilation

    def model(self):
        with self._lock:
            if self._model is None:
                model = _core.DeviceModel(self.compilation(), self._device)
                self.output_types = [dtypes.numpy_of(p.dtype, f"output '{p.name}'") for p in model.outputs]
                self._model = model
                with _loaded_lock:
                    _loaded[id(self)] = self._reference
                fresh = True
            else:
                fresh = False
                with _loaded_lock:
                    if id(self) in _loaded:
                        _loaded.move_to_end(id(self))
            model = self._model
        if fresh:
            _make_room()
        return model

    def unload(self):
        with _loaded_lock:
            _loaded.pop(id(self), None)
        with self._lock:
            model, self._model, self._compilation = self._model, None, None
        if model is not None:
            model.unload()
