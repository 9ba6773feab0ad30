"""What a run gives."""

from collections.abc import Mapping

from .tensor import SymbolicTensor


class Result(Mapping):
    """Arrays by symbolic tensor or by name.

    The arrays are views of device memory that lives as long as they do; nothing is copied. The name of the only output
    is also "output"; of several, "output_0", "output_1" and so on stand beside their own names.
    """

    __slots__ = ("_names", "_tensors", "_arrays")

    def __init__(self, names, tensors, arrays):
        self._names = names
        self._tensors = tensors
        self._arrays = arrays

    def _place(self, key):
        if isinstance(key, SymbolicTensor):
            if key in self._tensors:
                return self._tensors[key]
        elif key in self._names:
            return self._names[key]
        elif isinstance(key, int) and -len(self._arrays) <= key < len(self._arrays):
            return key
        elif key == "output" and len(self._arrays) == 1:
            return 0
        elif isinstance(key, str) and key.startswith("output_") and key[7:].isdecimal():
            if int(key[7:]) < len(self._arrays):
                return int(key[7:])
        shown = key.name if isinstance(key, SymbolicTensor) else key
        raise KeyError(f"{shown!r} is no output; the outputs are {', '.join(self._names)}. ctx.output(tensor) makes "
                       f"one of any tensor")  # fmt: skip

    def __getitem__(self, key):
        return self._arrays[self._place(key)]

    def __contains__(self, key):
        try:
            self._place(key)
        except KeyError:
            return False
        return True

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._arrays)

    def __repr__(self):
        parts = (f"{name}: {a.dtype} {list(a.shape)}" for name, a in zip(self._names, self._arrays))
        return f"<Result {{{', '.join(parts)}}}>"
