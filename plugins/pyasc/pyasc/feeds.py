"""What a run is given: dims of inputs, arrays in the types of inputs, arrays that take results."""

import numpy as np

from .arrays import as_numpy
from .tensor import SymbolicTensor


def dims_of(name, shape):
    """The dims of an input, -1 for those that each run may choose."""
    dims = []
    for d in shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,):
        dim = -1 if d is None else d.__index__() if hasattr(d, "__index__") else None
        if dim is None or not -1 <= dim < 2**63:
            raise ValueError(f"input '{name}': a dim is a whole number from 0 on, or None, not {d!r}")
        dims.append(dim)
    return dims


def named_array(name, value):
    try:
        return as_numpy(value)
    except (TypeError, ValueError, BufferError) as fault:
        raise TypeError(f"{name}: {fault}") from fault


def converted(name, array, wanted, plain):
    """`array` in another type of its kind; Python's own numbers in any type that holds them."""
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        if not plain or array.dtype.kind not in "biuf" or wanted.kind not in "biuf":
            raise TypeError(f"{name} takes {wanted}; {array.dtype} was given")
    with np.errstate(all="ignore"):
        made = array.astype(wanted)
        if wanted.kind in "iub" and not (array == made).all():
            raise TypeError(f"{name} takes {wanted}, which does not hold these numbers")
    return made


def writable(key, array):
    name = f"out of {key.name if isinstance(key, SymbolicTensor) else key}"
    array = named_array(name, array) if hasattr(array, "__array__") or hasattr(array, "__dlpack__") else array
    if not isinstance(array, np.ndarray) or not array.flags.writeable:
        raise TypeError(f"{name} must be an array that may be written")
    return array


def copy_result(key, array, result):
    if array.shape != result.shape or not np.can_cast(result.dtype, array.dtype, "same_kind"):
        raise ValueError(f"out of {key.name if isinstance(key, SymbolicTensor) else key} is {array.dtype} "
                         f"{list(array.shape)}; the result is {result.dtype} {list(result.shape)}")  # fmt: skip
    np.copyto(array, result, casting="same_kind")
