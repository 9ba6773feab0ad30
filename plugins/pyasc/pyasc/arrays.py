"""Anything that is an array in some library, as a NumPy array, without a copy where that can be."""

import math

import numpy as np

from . import _core, dtypes


def as_numpy(value, dtype=None):
    """`value` as a NumPy array.

    NumPy arrays, PyTorch CPU tensors (bfloat16 too) and everything that speaks DLPack or `__array__` keep their memory.
    Numbers and lists become int64 or float32, unless `dtype` says otherwise.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif type(value).__module__.partition(".")[0] == "torch":
        array = _from_torch(value)
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    else:
        array = np.asarray(value)
        if dtype is None and array.dtype == np.float64:
            array = array.astype(np.float32)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if dtype is not None and array.dtype != dtypes.numpy_of(dtypes.number_of(dtype)):
        array = array.astype(dtypes.numpy_of(dtypes.number_of(dtype)))
    return array


def _from_torch(tensor):
    tensor = tensor.detach()
    if tensor.device.type != "cpu":
        raise TypeError(f"a tensor on '{tensor.device}' was given; move it with .cpu()")
    if str(tensor.dtype) == "torch.bfloat16":
        import torch

        return tensor.view(torch.int16).numpy().view(dtypes.numpy_of(dtypes.number_of("bfloat16")))
    return tensor.numpy()


def empty(shape, dtype="float32", device_id=0):
    """A NumPy array in device memory, contents undefined: as an input it is not copied."""
    kind = dtypes.numpy_of(dtypes.number_of(dtype))
    dims = [int(d) for d in shape]
    if any(d < 0 for d in dims) or len(dims) > 32 or math.prod(dims) * kind.itemsize >= 2**63:
        raise ValueError(f"an array of shape {dims} cannot be")
    return _core.empty(dims, kind, kind.itemsize, device_id)


def to_torch(array):
    """A PyTorch CPU tensor over the memory of a result."""
    import torch

    if array.dtype.kind not in "biufc":  # ml_dtypes.bfloat16
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def bytes_of(array):
    """The elements as bytes, row-major."""
    contiguous = np.ascontiguousarray(array)
    return contiguous.reshape(-1).view(np.uint8) if contiguous.size else np.empty(0, np.uint8)
