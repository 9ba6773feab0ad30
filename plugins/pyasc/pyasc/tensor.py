"""Symbolic tensors: what a graph computes, before it runs."""

import numpy as np


class SymbolicTensor:
    """One output of one node of a context's graph.

    Arithmetic, comparison and indexing add nodes to the graph; other operators are methods of the context.

    Attributes
    ----------
    context : the context whose graph it belongs to
    name : of the node that makes it (with ":k" for output k > 0)
    layout : "NCHW", "NHWC" or "ND", as the operators so far have it
    """

    __slots__ = ("context", "value", "layout", "_info", "__weakref__")
    __array_priority__ = 1000  # NumPy arrays on the left leave the arithmetic to this class

    def __init__(self, context, value, layout=None):
        self.context = context
        self.value = value
        self._info = context._builder.describe(value)
        rank = None if self._info.shape is None else len(self._info.shape)
        self.layout = layout or ("NCHW" if rank == 4 else "ND")

    @property
    def shape(self):
        """The dims, None where one is unknown; None as a whole where the rank is unknown."""
        dims = self._info.shape
        return None if dims is None else tuple(None if d < 0 else d for d in dims)

    @property
    def dtype(self):
        from .dtypes import name_of

        return name_of(self._info.dtype)

    @property
    def ndim(self):
        return None if self._info.shape is None else len(self._info.shape)

    @property
    def name(self):
        return self._info.node + (f":{self._info.index}" if self._info.index else "")

    @property
    def node(self):
        """The name of the node that makes it."""
        return self._info.node

    def __repr__(self):
        return f"<{self.name}: {self.dtype} {list(self.shape) if self.shape is not None else '?'}>"

    def __hash__(self):
        return hash((id(self.context), self.value))

    def __bool__(self):
        raise TypeError("a symbolic tensor has no value before it runs; use context.select_v2 to choose by one")

    def __iter__(self):
        raise TypeError("a symbolic tensor cannot be iterated; use context.split")

    def _binary(self, other, type_, reverse=False):
        self.context._check_alive()
        try:
            other = self.context._operand(other, like=self)
        except (TypeError, ValueError) as fault:
            raise TypeError(f"{type_} of {self.name} and a {type(other).__name__}: {fault}") from fault
        return self.context._add(type_, [other, self] if reverse else [self, other], {}, layout=self.layout)

    # == tells whether two names stand for one tensor, so that results can be looked up by it; see Context.equal.
    def __eq__(self, other):
        return isinstance(other, SymbolicTensor) and (self.context, self.value) == (other.context, other.value)

    def __ne__(self, other):
        return not self == other

    def __add__(self, other):
        return self._binary(other, "Add")

    def __radd__(self, other):
        return self._binary(other, "Add", True)

    def __sub__(self, other):
        return self._binary(other, "Sub")

    def __rsub__(self, other):
        return self._binary(other, "Sub", True)

    def __mul__(self, other):
        return self._binary(other, "Mul")

    def __rmul__(self, other):
        return self._binary(other, "Mul", True)

    def __truediv__(self, other):
        return self._binary(other, "RealDiv")

    def __rtruediv__(self, other):
        return self._binary(other, "RealDiv", True)

    def __floordiv__(self, other):
        return self._binary(other, "FloorDiv")

    def __mod__(self, other):
        return self._binary(other, "FloorMod")

    def __pow__(self, other):
        return self._binary(other, "Pow")

    def __rpow__(self, other):
        return self._binary(other, "Pow", True)

    def __lt__(self, other):
        return self._binary(other, "Less")

    def __le__(self, other):
        return self._binary(other, "LessEqual")

    def __gt__(self, other):
        return self._binary(other, "Greater")

    def __ge__(self, other):
        return self._binary(other, "GreaterEqual")

    def __and__(self, other):
        return self._binary(other, "LogicalAnd" if self.dtype == "bool" else "BitwiseAnd")

    def __or__(self, other):
        return self._binary(other, "LogicalOr" if self.dtype == "bool" else "BitwiseOr")

    def __xor__(self, other):
        return self._binary(other, "NotEqual" if self.dtype == "bool" else "BitwiseXor")

    def __invert__(self):
        return self.context._add("LogicalNot" if self.dtype == "bool" else "Invert", [self], {}, layout=self.layout)

    def __neg__(self):
        return self.context._add("Neg", [self], {}, layout=self.layout)

    def __abs__(self):
        return self.context._add("Abs", [self], {}, layout=self.layout)

    def __matmul__(self, other):
        return self.context.matmul(self, other)

    def __rmatmul__(self, other):
        return self.context.matmul(self.context._operand(other, like=self), self)

    def __getitem__(self, key):
        """Integers, slices, None and `...`, as NumPy has them."""
        keys = list(key) if isinstance(key, tuple) else [key]
        if self.ndim is None:
            raise IndexError(f"{self.name} has an unknown rank and cannot be indexed")
        places = [k for k in keys if k is not None]
        if Ellipsis in places:
            at = keys.index(Ellipsis)
            keys[at : at + 1] = [slice(None)] * (self.ndim - len(places) + 1)
        begin, end, axes, steps, taken, fresh = [], [], [], [], [], []
        axis = place = 0
        for k in keys:
            if k is None:
                fresh.append(place)
                place += 1
                continue
            if axis >= self.ndim:
                raise IndexError(f"{self.name} has {self.ndim} dims; {len(places)} indices were given")
            if isinstance(k, slice):
                if k != slice(None):
                    step = 1 if k.step is None else k.step
                    low, high = (0, 2**31 - 1) if step > 0 else (-1, -(2**31))
                    begin.append(low if k.start is None else k.start)
                    end.append(high if k.stop is None else k.stop)
                    axes.append(axis)
                    steps.append(step)
                place += 1
            else:
                if isinstance(k, (bool, np.bool_)) or not hasattr(k, "__index__"):
                    raise IndexError(f"{self.name} is indexed by integers, slices, None and one `...`, not {k!r}; see "
                                     f"Context.gather")  # fmt: skip
                index, length = k.__index__(), self.shape[axis]
                if length is not None and not -length <= index < length:
                    raise IndexError(f"index {index} is outside axis {axis} of {self.name}, which has {length}")
                begin.append(index)
                end.append(index + 1 if index != -1 else 2**31 - 1)
                axes.append(axis)
                steps.append(1)
                taken.append(axis)
            axis += 1
        result = self
        if axes:
            result = self.context._add("StridedSliceV2", [result, begin, end, axes, steps], {})
        if taken:
            result = self.context.squeeze(result, axis=taken)
        if fresh:
            result = self.context.unsqueeze(result, axes=fresh)
        return result
