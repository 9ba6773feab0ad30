"""Element types: their numbers in the compiler, their NumPy types, and the names that users write."""

import numpy as np

from . import _core

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

# name: (number, NumPy type)
_PLAIN = {
    "float32": (0, np.float32),
    "float16": (1, np.float16),
    "int8": (2, np.int8),
    "int32": (3, np.int32),
    "uint8": (4, np.uint8),
    "int16": (6, np.int16),
    "uint16": (7, np.uint16),
    "uint32": (8, np.uint32),
    "int64": (9, np.int64),
    "uint64": (10, np.uint64),
    "float64": (11, np.float64),
    "bool": (12, np.bool_),
    "complex64": (16, np.complex64),
    "complex128": (17, np.complex128),
}
# NumPy has no such types of its own; without ml_dtypes their bits travel as unsigned integers.
_EXTENDED = {
    "bfloat16": (27, "bfloat16", np.uint16),
    "float8_e5m2": (35, "float8_e5m2", np.uint8),
    "float8_e4m3fn": (36, "float8_e4m3fn", np.uint8),
}
_ALIASES = {"float": "float32", "double": "float64", "half": "float16", "bf16": "bfloat16", "fp16": "float16",
            "fp32": "float32"}  # fmt: skip

_NUMBERS = {name: number for name, (number, _) in _PLAIN.items()}
_NUMPY = {number: np.dtype(kind) for number, kind in _PLAIN.values()}
_BY_NUMPY = {np.dtype(kind): number for number, kind in _PLAIN.values()}
for _name, (_number, _kind, _bits) in _EXTENDED.items():
    _NUMBERS[_name] = _number
    _native = getattr(ml_dtypes, _kind, None)
    _NUMPY[_number] = np.dtype(_native if _native is not None else _bits)
    if _native is not None:
        _BY_NUMPY[np.dtype(_native)] = _number
_NAMES = {number: name for name, number in _NUMBERS.items()}


def number_of(dtype):
    """The compiler's number of a type given as a name, a NumPy type, or that number.

    >>> number_of("float16"), number_of(np.int64)
    (1, 9)
    """
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        if dtype in _NUMPY:
            return dtype
        raise TypeError(f"there is no element type {dtype}")
    if isinstance(dtype, str):
        name = _ALIASES.get(dtype, dtype)
        if name in _NUMBERS:
            return _NUMBERS[name]
        raise TypeError(f"there is no element type '{dtype}'; there are: {', '.join(_NUMBERS)}")
    if dtype is None:
        raise TypeError("an element type is wanted, not None")
    if type(dtype).__module__ == "torch":
        return number_of(str(dtype).removeprefix("torch."))
    found = _BY_NUMPY.get(np.dtype(dtype).newbyteorder("="))
    if found is None:
        raise TypeError(f"NumPy's type {np.dtype(dtype)} has no counterpart on the device")
    return found


def name_of(number):
    """'float32' of 0, 'DT_STRING' of 13, which Python cannot hold."""
    return _NAMES.get(number) or _core.dtype_name(number)


def numpy_of(number, what="a tensor"):
    """The NumPy type that holds elements of a type; raises TypeError where there is none (strings, 4-bit types)."""
    if number not in _NUMPY:
        raise TypeError(f"{what} has elements of {name_of(number)}, which NumPy cannot hold")
    return _NUMPY[number]
