"""Every aclnn operator against NumPy, over element types and shapes.

usage: operators_test.py LIBRARY SIGNATURES
"""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from device import Device, Scalar, Tensor, compute  # noqa: E402

rng = np.random.default_rng(7)
FLOATS = ("float32", "float16", "float64")
INTS = ("int32", "int64", "int8", "uint8", "int16")
SHAPES = ((), (1,), (7,), (3, 5), (2, 3, 4), (0, 3), (2, 1, 3, 2))
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}
covered, failures, count = set(), [], 0


def data(shape, dtype, low=-3.0, high=3.0):
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return rng.integers(0, 9, shape).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(math.floor(low) if low < 0 else 1, math.ceil(high) + 1, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def wide(x):
    return np.asarray(x, np.float64) if np.asarray(x).dtype.kind == "f" else np.asarray(x)


def close(got, want, dtype, factor=1.0):
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if got.dtype.kind != "f":
        return "" if np.array_equal(got, want.astype(got.dtype)) else f"{got.ravel()[:6]} is not {want.ravel()[:6]}"
    tolerance = TOLERANCE[np.dtype(dtype).name] * factor
    if np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"off by {np.nanmax(np.abs(got.astype(np.float64) - want.astype(np.float64)))}: {got.ravel()[:4]}, {want.ravel()[:4]}"


def check(device, name, args, wants, factor=1.0, note=""):
    """args: arrays for tensors (outputs as np.empty), other values as they are. wants: what the outputs must hold."""
    global count
    count += 1
    covered.add(name)
    tensors, values = [], []

    def tensor(arg):
        made = arg if isinstance(arg, Tensor) else Tensor(device, arg)
        tensors.append(made)
        return made

    try:
        for (kind, _), arg in zip(device.table[name], args):
            kind = kind.rstrip("?+")
            if kind in "TOR" and arg is not None:
                values.append(tensor(arg))
            elif kind in ("TL", "OL", "RL") and arg is not None:
                values.append([tensor(a) for a in arg])
            else:
                values.append(arg)
        results = compute(device, name, *values)
        for i, want in enumerate(wants):
            if want is None:
                continue
            fault = close(results[i], want, results[i].dtype if results[i].dtype.kind == "f" else "float32", factor)
            if fault:
                failures.append(f"aclnn{name} {note}: output {i}: {fault}")
    except (RuntimeError, ValueError) as error:
        failures.append(f"aclnn{name} {note}: {error}")
    for each in tensors:
        each.close()


def out(want, dtype=None):
    want = np.asarray(want)
    return np.zeros(want.shape, dtype or want.dtype)


sigmoid = lambda x: 1 / (1 + np.exp(-x))
erf = np.vectorize(math.erf, otypes=[np.float64])
FUNCTIONS = {  # name: function, low, high
    "Acos": (np.arccos, -0.99, 0.99), "Acosh": (np.arccosh, 1.1, 4), "Asin": (np.arcsin, -0.99, 0.99),
    "Asinh": (np.arcsinh, -3, 3), "Atan": (np.arctan, -3, 3), "Atanh": (np.arctanh, -0.9, 0.9), "Cos": (np.cos, -3, 3),
    "Cosh": (np.cosh, -2, 2), "Erf": (erf, -2, 2), "Erfc": (lambda x: 1 - erf(x), -2, 2), "Exp": (np.exp, -2, 2),
    "Exp2": (np.exp2, -2, 2), "Expm1": (np.expm1, -2, 2), "Log": (np.log, 0.1, 5), "Log10": (np.log10, 0.1, 5),
    "Log1p": (np.log1p, -0.5, 5), "Log2": (np.log2, 0.1, 5), "Reciprocal": (lambda x: 1 / x, 0.5, 3),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), 0.2, 5), "Sigmoid": (sigmoid, -4, 4), "Sin": (np.sin, -3, 3), "Sinh": (np.sinh, -2, 2),
    "Sqrt": (np.sqrt, 0.1, 5), "Tan": (np.tan, -1.2, 1.2), "Tanh": (np.tanh, -3, 3),
}
SAME = {"Abs": np.abs, "Neg": np.negative, "Sign": np.sign, "Square": np.square, "Relu": lambda x: np.maximum(x, 0)}
ROUNDINGS = {"Ceil": np.ceil, "Floor": np.floor, "Round": np.round, "Trunc": np.trunc}


def unary(device):
    for name, (function, low, high) in FUNCTIONS.items():
        for dtype in FLOATS:
            for shape in SHAPES if dtype == "float32" else ((3, 5),):
                x = data(shape, dtype, low, high)
                check(device, name, [x, out(x)], [function(wide(x))], 4, f"{dtype} {shape}")
        x = data((3, 4), "int32", 1 if low > 0 else 0, 1)
        check(device, name, [x, np.zeros((3, 4), "float32")], [function(x.astype(float))] if name not in ("Acosh", "Atanh") else [None], 4, "int32")
        if f"Inplace{name}" in device.table:
            x = data((4, 3), "float32", low, high)
            check(device, f"Inplace{name}", [x], [function(wide(x))], 4)
    for name, function in SAME.items():
        for dtype in FLOATS + INTS:
            for shape in SHAPES if dtype in ("float32", "int32") else ((3, 5),):
                x = data(shape, dtype)
                check(device, name, [x, out(x)], [function(wide(x))], 1, f"{dtype} {shape}")
    for name, function in ROUNDINGS.items():
        for dtype in FLOATS + ("int32",):
            x = data((3, 7), dtype)
            check(device, name, [x, out(x)], [function(wide(x)) if x.dtype.kind == "f" else x], 1, dtype)
            check(device, f"Inplace{name}", [x], [function(wide(x)) if x.dtype.kind == "f" else x], 1, dtype)
    x = data((5,), "float32")
    check(device, "Frac", [x, out(x)], [x - np.trunc(x)])
    for name in ("Neg", "Relu"):
        check(device, f"Inplace{name}", [x], [SAME[name](x)])
    for dtype in INTS + ("bool",):
        x = data((3, 5), dtype)
        check(device, "BitwiseNot", [x, out(x)], [~x], 1, dtype)
    for dtype in FLOATS + INTS + ("bool",):
        x = data((3, 5), dtype)
        check(device, "LogicalNot", [x, np.zeros((3, 5), bool)], [np.logical_not(x)], 1, dtype)
    special = np.array([np.inf, -np.inf, np.nan, 0, 1.5, -2])
    for dtype in FLOATS:
        x = special.astype(dtype)
        flags = np.zeros(6, bool)
        check(device, "IsInf", [x, flags], [np.isinf(x)], 1, dtype)
        check(device, "IsPosInf", [x, flags], [np.isposinf(x)], 1, dtype)
        check(device, "IsNegInf", [x, flags], [np.isneginf(x)], 1, dtype)
        check(device, "IsFinite", [x, flags], [np.isfinite(x)], 1, dtype)
    for source in FLOATS + INTS + ("bool",):
        for target in FLOATS + INTS + ("bool",):
            x = data((2, 5), source, 0 if np.dtype(target).kind == "u" else -3)
            check(device, "Cast", [x, target, np.zeros((2, 5), target)], [x.astype(target)], 1, f"{source} to {target}")


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
softplus = lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def activations(device):
    rows = [
        ("Elu", [1.5, 1.2, 0.8], lambda x: np.where(x > 0, 1.2 * x, 1.5 * 1.2 * (np.exp(0.8 * x) - 1))),
        ("Celu", [1.5], lambda x: np.maximum(x, 0) + np.minimum(0, 1.5 * np.expm1(x / 1.5))),
        ("Selu", [], lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(x))),
        ("LeakyRelu", [0.1], lambda x: np.where(x > 0, x, 0.1 * x)),
        ("Gelu", [], lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("GeluV2", [0], lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))),
        ("GeluV2", [1], lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("Silu", [], lambda x: x * sigmoid(x)),
        ("Swish", [1.5], lambda x: x * sigmoid(1.5 * x)),
        ("Hardswish", [], lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
        ("Hardsigmoid", [], lambda x: np.clip(x / 6 + 0.5, 0, 1)),
        ("Hardtanh", [-1.0, 2.0], lambda x: np.clip(x, -1, 2)),
        ("Softplus", [2.0, 3.0], lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2)),
        ("Mish", [], lambda x: x * np.tanh(softplus(x))),
        ("Threshold", [0.5, -1.0], lambda x: np.where(x > 0.5, x, -1)),
        ("Hardshrink", [0.5], lambda x: np.where(np.abs(x) > 0.5, x, 0)),
        ("Softshrink", [0.5], lambda x: np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, 0))),
        ("Shrink", [0.5, 0.25], lambda x: np.where(x > 0.5, x - 0.25, np.where(x < -0.5, x + 0.25, 0))),
        ("LogSigmoid", [], lambda x: -softplus(-x)),
        ("Clamp", [-1.0, 1.5], lambda x: np.clip(x, -1, 1.5)),
        ("Clamp", [None, 1.5], lambda x: np.minimum(x, 1.5)),
        ("Clamp", [-1.0, None], lambda x: np.maximum(x, -1)),
        ("Clamp", [2.0, -1.0], lambda x: np.full_like(x, -1)),
        ("ClampMin", [-1.0], lambda x: np.maximum(x, -1)),
        ("ClampMax", [1.0], lambda x: np.minimum(x, 1)),
    ]
    for name, extra, function in rows:
        for dtype in ("float32", "float16"):
            for shape in ((7,), (3, 5), (2, 3, 4)):
                x = data(shape, dtype)
                check(device, name, [x, *extra, out(x)], [function(wide(x))], 4, f"{dtype} {shape} {extra}")
        if f"Inplace{name}" in device.table:
            x = data((4, 3), "float32")
            check(device, f"Inplace{name}", [x, *extra], [function(wide(x))], 4)
    x = data((2, 3, 4), "float32")
    low, high = data((3, 1), "float32", -2, 0), data((4,), "float32", 0, 2)
    check(device, "ClampTensor", [x, low, high, out(x)], [np.minimum(np.maximum(x, low), high)])
    for weight in (np.array([0.25], "float32"), np.array([0.1, 0.2, 0.3], "float32")):
        factor = weight.reshape(1, -1, 1)
        check(device, "Prelu", [x, weight, out(x)], [np.where(x > 0, x, factor * x)])
    for dtype in FLOATS:
        for axis in (0, 1, 2, -1):
            x = data((2, 3, 4), dtype)
            want = softmax(wide(x), axis)
            check(device, "Softmax", [x, axis, out(x)], [want], 4, f"{dtype} {axis}")
            check(device, "LogSoftmax", [x, axis, out(x)], [np.log(want)], 4, f"{dtype} {axis}")


PAIRS = (((3, 5), (3, 5)), ((3, 5), (5,)), ((2, 1, 4), (3, 1)), ((), (4,)), ((2, 3), ()), ((0, 3), (1, 3)))


def promoted(a, b):
    """As PyTorch's rules: the wider of the higher class."""
    a, b = np.dtype(a), np.dtype(b)
    rank = {"b": 0, "u": 1, "i": 1, "f": 2}
    if rank[a.kind] != rank[b.kind]:
        return a if rank[a.kind] > rank[b.kind] else b
    return np.promote_types(a, b)


def binaries(device):
    arithmetic = {
        "Mul": lambda a, b: a * b, "Maximum": np.maximum, "Minimum": np.minimum,
        "FloorDivide": lambda a, b: np.floor_divide(a, b), "FmodTensor": np.fmod, "RemainderTensorTensor": np.mod,
    }
    for name, function in arithmetic.items():
        for first in ("float32", "float16", "int32", "int64", "uint8"):
            for second in ("float32", "int32", "float16"):
                dtype = promoted(first, second)
                for shapes in PAIRS if first == second else PAIRS[:2]:
                    a, b = data(shapes[0], first, 1, 5), data(shapes[1], second, 1, 5)
                    if dtype.kind == "f" and name not in ("Mul", "Maximum", "Minimum"):
                        a, b = np.round(a * 4).astype(first), np.round(b).astype(second)  # so that no rounding moves a whole
                    want = function(wide(a).astype("float64" if dtype.kind == "f" else dtype), wide(b).astype("float64" if dtype.kind == "f" else dtype))
                    check(device, name, [a, b, out(want, dtype)], [want], 1, f"{first} {second} {shapes}")
    for dtype in ("float32", "float16", "int32", "int64", "uint8", "int8"):
        for shapes in PAIRS:
            a, b = data(shapes[0], dtype), data(shapes[1], dtype, 1, 4)
            for name, sign in (("Add", 1), ("Sub", -1)):
                for alpha in (1, 2):
                    want = wide(a) + sign * alpha * wide(b)
                    if np.dtype(dtype).kind == "u":
                        want = (a.astype("int64") + sign * alpha * b.astype("int64")) % 256
                    check(device, name, [a, b, alpha, out(want, dtype)], [want], 2, f"{dtype} {shapes} {alpha}")
            want = wide(a) / wide(b) if np.dtype(dtype).kind == "f" else a.astype("float32") / b.astype("float32")
            check(device, "Div", [a, b, np.zeros(want.shape, dtype if np.dtype(dtype).kind == "f" else "float32")], [want], 2, f"{dtype} {shapes}")
    a, b = data((3, 5), "float32"), data((3, 5), "float32", 0.5, 3)
    for scalar in (2, 0.5):
        check(device, "Adds", [a, scalar, 3, out(a)], [a + 3 * scalar])
        check(device, "Subs", [a, scalar, 1, out(a)], [a - scalar])
        check(device, "Muls", [a, scalar, out(a)], [a * scalar])
        check(device, "Divs", [a, scalar, out(a)], [a / scalar])
        check(device, "Rsubs", [a, scalar, 1, out(a)], [scalar - a], 2)
        check(device, "PowTensorScalar", [b, scalar, out(b)], [wide(b) ** scalar], 4)
        check(device, "PowScalarTensor", [scalar, a, out(a)], [scalar ** wide(a)], 4)
        check(device, "FmodScalar", [a, scalar, out(a)], [np.fmod(a, np.float32(scalar))])
        check(device, "RemainderTensorScalar", [a, scalar, out(a)], [np.mod(a, np.float32(scalar))])
    i = data((4, 3), "int32", 1, 9)
    check(device, "Adds", [i, 2, 1, out(i)], [i + 2], 1, "int + int")
    check(device, "Muls", [i, 0.5, np.zeros((4, 3), "float32")], [i * 0.5], 1, "int * float")
    check(device, "Rsub", [a, b, 2, out(a)], [b - 2 * a], 2)
    check(device, "PowTensorTensor", [b, a, out(a)], [wide(b) ** wide(a)], 4)
    check(device, "PowTensorTensor", [i, np.array([2, 0, 3], "int32"), out(i)], [i ** np.array([2, 0, 3])], 1, "int")
    n, d = np.array([7, -7, 7, -7], "int32"), np.array([2, 2, -2, -2], "int32")
    check(device, "DivMod", [n, d, 0, np.zeros(4, "float32")], [n / d], 1, "true")
    check(device, "DivMod", [n, d, 1, out(n)], [np.trunc(n / d)], 1, "trunc")
    check(device, "DivMod", [n, d, 2, out(n)], [n // d], 1, "floor")
    x, y = n.astype("float32"), d.astype("float32")
    check(device, "DivMod", [x, y, 1, out(x)], [np.trunc(x / y)], 1, "trunc float")
    check(device, "DivMods", [x, 2.0, 2, out(x)], [np.floor(x / 2)], 1, "floor float")
    check(device, "RemainderTensorTensor", [n, d, out(n)], [np.mod(n, d)], 1, "signs")
    check(device, "FmodTensor", [n, d, out(n)], [np.fmod(n, d)], 1, "signs")
    for name, function in (("InplaceAdd", lambda p, q: p + 2 * q), ("InplaceSub", lambda p, q: p - 2 * q)):
        check(device, name, [a, b, 2], [function(a, b)], 2)
    check(device, "InplaceMul", [a, b], [a * b])
    check(device, "InplaceDiv", [a, b], [a / b])
    for name, function in (("InplaceMuls", lambda p: p * 2), ("InplaceDivs", lambda p: p / 2), ("InplacePowTensorScalar", lambda p: p**2)):
        check(device, name, [a, 2], [function(a)], 4)
    check(device, "InplaceAdds", [a, 2.0, 1], [a + 2])
    compare = {"Eq": np.equal, "Ne": np.not_equal, "Gt": np.greater, "Ge": np.greater_equal, "Lt": np.less, "Le": np.less_equal}
    for name, function in compare.items():
        for dtype in ("float32", "float16", "int32", "int64", "uint8"):
            for shapes in PAIRS:
                p, q = np.round(data(shapes[0], dtype)), np.round(data(shapes[1], dtype))
                want = function(p, q)
                check(device, f"{name}Tensor", [p, q, out(want, bool)], [want], 1, f"{dtype} {shapes}")
            p = np.round(data((3, 4), dtype))
            check(device, f"{name}Scalar", [p, 1, np.zeros((3, 4), bool)], [function(p, 1)], 1, dtype)
    logic = {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or, "LogicalXor": np.logical_xor}
    for name, function in logic.items():
        for dtype in ("bool", "float32", "int32"):
            p, q = np.round(data((3, 4), dtype, -1, 1)), np.round(data((4,), dtype, -1, 1)) if dtype != "bool" else data((4,), bool)
            p = p.astype(dtype)
            check(device, name, [p, q, np.zeros((3, 4), bool)], [function(p, q)], 1, dtype)
    bits = {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}
    for name, function in bits.items():
        for dtype in ("int32", "int64", "uint8", "int16", "bool"):
            p, q = data((3, 4), dtype, -9, 9), data((4,), dtype, -9, 9)
            check(device, f"{name}Tensor", [p, q, out(p)], [function(p, q)], 1, dtype)
        p = data((3, 4), "int32", -9, 9)
        check(device, f"{name}Scalar", [p, 6, out(p)], [function(p, 6)])
    for dtype in ("float32", "float16", "int32", "bool"):
        c, p, q = data((3, 1), "bool"), data((3, 4), dtype), data((4,), dtype)
        check(device, "SWhere", [c, p, q, out(p)], [np.where(c, p, q)], 1, dtype)
    t = data((3, 5), "float32", 0.5, 2)
    check(device, "Addcmul", [a, b, t, 0.5, out(a)], [a + 0.5 * b * t], 2)
    check(device, "Addcdiv", [a, b, t, 0.5, out(a)], [a + 0.5 * b / t], 2)
    check(device, "Lerp", [a, b, t, out(a)], [a + t * (b - a)], 4)
    check(device, "Lerps", [a, b, 0.25, out(a)], [a + 0.25 * (b - a)], 4)
    flags, more = data((3, 4), "bool"), data((3, 4), "bool")
    check(device, "Add", [flags, more, 1, out(flags)], [flags | more], 1, "bool")
    check(device, "Mul", [flags, more, out(flags)], [flags & more], 1, "bool")


def movements(device):
    for dtype in ("float32", "float16", "int64", "uint8", "bool"):
        x = data((2, 3, 4), dtype)
        check(device, "Permute", [x, [2, 0, 1], np.zeros((4, 2, 3), dtype)], [x.transpose(2, 0, 1)], 1, dtype)
        check(device, "Permute", [x, [-1, 1, 0], np.zeros((4, 3, 2), dtype)], [x.transpose(2, 1, 0)], 1, dtype)
        check(device, "Flip", [x, [0, -1], out(x)], [np.flip(x, (0, 2))], 1, dtype)
        check(device, "Repeat", [x, [2, 1, 2, 3], np.zeros((2, 2, 6, 12), dtype)], [np.tile(x, (2, 1, 2, 3))], 1, dtype)
        check(device, "Expand", [x[:, :1], [3, 2, -1, 4], np.zeros((3, 2, 1, 4), dtype)], [np.broadcast_to(x[:, :1], (3, 2, 1, 4))], 1, dtype)
        y = data((2, 5, 4), dtype)
        check(device, "Cat", [[x, y], 1, np.zeros((2, 8, 4), dtype)], [np.concatenate([x, y], 1)], 1, dtype)
        check(device, "Stack", [[x, x], -1, np.zeros((2, 3, 4, 2), dtype)], [np.stack([x, x], -1)], 1, dtype)
        parts = np.split(y, [1, 3], 1)
        check(device, "SplitWithSize", [y, [1, 2, 2], 1, [out(p) for p in parts]], parts, 1, dtype)
        parts = np.split(y, [2, 4], 1)
        check(device, "SplitTensor", [y, 2, 1, [out(p) for p in parts]], parts, 1, dtype)
        check(device, "Slice", [y, 1, 1, 5, 2, np.zeros((2, 2, 4), dtype)], [y[:, 1:5:2]], 1, dtype)
        check(device, "Slice", [y, -1, -3, 100, 1, np.zeros((2, 5, 3), dtype)], [y[:, :, -3:]], 1, dtype)
        check(device, "SliceV2", [y, [0, 1], [1, 4], [0, 2], [1, 2], np.zeros((1, 5, 2), dtype)], [y[0:1, :, 1:4:2]], 1, dtype)
        want = np.pad(x, ((0, 0), (1, 0), (2, 1)))
        check(device, "ConstantPadNd", [x, [2, 1, 1, 0], 0, out(want)], [want], 1, dtype)
        if dtype != "bool":
            for k in (-1, 0, 1):
                check(device, "Tril", [x, k, out(x)], [np.tril(x, k)], 1, dtype)
                check(device, "Triu", [x, k, out(x)], [np.triu(x, k)], 1, dtype)
        check(device, "InplaceCopy", [out(x), x], [x], 1, dtype)
        check(device, "InplaceFillScalar", [out(x), 1], [np.ones_like(x)], 1, dtype)
        check(device, "InplaceZero", [x], [np.zeros_like(x)], 1, dtype)
        check(device, "InplaceOne", [x], [np.ones_like(x)], 1, dtype)
    x = data((2, 3, 4), "float32")
    check(device, "InplaceTril", [x, 0], [np.tril(x)])
    check(device, "InplaceTriu", [x, 1], [np.triu(x, 1)])
    check(device, "Flatten", [x, 2, np.zeros((6, 4), "float32")], [x.reshape(6, 4)])
    check(device, "Roll", [x, [1, -1], [0, 2], out(x)], [np.roll(x, (1, -1), (0, 2))])
    check(device, "Roll", [x, [5], [], out(x)], [np.roll(x, 5)])
    check(device, "ConstantPadNd", [x, [-1, 1], 2.5, np.zeros((2, 3, 4), "float32")], [np.pad(x[:, :, 1:], ((0, 0), (0, 0), (0, 1)), constant_values=2.5)], 1, "negative")
    image = data((2, 3, 4, 5), "float32")
    for name, mode in (("ReflectionPad", "reflect"), ("ReplicationPad", "edge")):
        want = np.pad(x, ((0, 0), (0, 0), (2, 1)), mode)
        check(device, f"{name}1d", [x, [2, 1], out(want)], [want])
        for source in (image, image[0]):
            lead = ((0, 0),) * (source.ndim - 2)
            want = np.pad(source, lead + ((1, 0), (2, 3)), mode)
            check(device, f"{name}2d", [source, [2, 3, 1, 0], out(want)], [want])
        volume = data((1, 2, 3, 4, 5), "float32")
        want = np.pad(volume, ((0, 0), (0, 0), (1, 2), (1, 0), (2, 3)), mode)
        check(device, f"{name}3d", [volume, [2, 3, 1, 0, 1, 2], out(want)], [want])
    check(device, "Range", [1, 10, 2, np.zeros(5, "int32")], [np.arange(1, 11, 2)])
    check(device, "Arange", [1, 9, 2, np.zeros(4, "int64")], [np.arange(1, 9, 2)])
    check(device, "Arange", [0.5, 3.0, 0.25, np.zeros(10, "float32")], [np.arange(0.5, 3, 0.25)])
    check(device, "Eye", [3, 5, np.zeros((3, 5), "float32")], [np.eye(3, 5)])
    mask, y = data((2, 1, 4), "bool"), data((2, 3, 4), "float32")
    check(device, "InplaceMaskedFillScalar", [y, mask, 9.0], [np.where(mask, 9, y)])
    check(device, "InplaceMaskedFillTensor", [y, mask, np.array(4, "float32")], [np.where(mask, 4, y)])
    check(device, "InplaceFillTensor", [out(y), np.array([2.5], "float32")], [np.full_like(y, 2.5)])


def reductions(device):
    axes = ([], [0], [1, 2], [-1], [0, 2])
    for dtype in ("float32", "float16", "float64", "int32", "int64"):
        x = data((2, 3, 4), dtype)
        for dims in axes:
            for keep in (False, True):
                axis = tuple(dims) or None
                note = f"{dtype} {dims} {keep}"
                total = wide(x).sum(axis, keepdims=keep)
                check(device, "ReduceSum", [x, dims, keep, dtype, out(total, dtype)], [total], 8, note)
                for name, function in (("Amax", np.max), ("Amin", np.min)):
                    want = function(x, axis, keepdims=keep)
                    check(device, name, [x, dims, keep, out(want)], [want], 1, note)
                if np.dtype(dtype).kind != "f":
                    continue
                want = wide(x).mean(axis, keepdims=keep)
                check(device, "Mean", [x, dims, keep, dtype, out(want, dtype)], [want], 4, note)
                check(device, "MeanV2", [x, dims, keep, False, out(want, dtype)], [want], 4, note)
                want = np.log(np.exp(wide(x)).sum(axis, keepdims=keep))
                check(device, "LogSumExp", [x, dims, keep, out(want, dtype)], [want], 4, note)
                for p in (0, 1, 2, 3, math.inf, -math.inf):
                    size = np.abs(wide(x))
                    want = (size.max(axis, keepdims=keep) if p == math.inf else size.min(axis, keepdims=keep) if p == -math.inf
                            else (size != 0).sum(axis, keepdims=keep) if p == 0 else (size**p).sum(axis, keepdims=keep) ** (1 / p))
                    check(device, "Norm", [x, float(p), dims, keep, out(want, dtype)], [want], 8, f"{note} p {p}")
        for dim in (0, 1, -1):
            want = wide(x).prod(dim)
            check(device, "ProdDim", [x, dim, False, dtype, out(want, dtype)], [want], 8, f"{dtype} {dim}")
            for name, function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
                want = function(x, dim)
                check(device, name, [x, dim, False, out(want, "int64")], [want], 1, f"{dtype} {dim}")
                check(device, name, [x, dim, True, out(np.expand_dims(want, dim), "int64")], [np.expand_dims(want, dim)], 1, f"{dtype} {dim} keep")
            check(device, "CumsumV2", [x, dim, False, False, out(x)], [wide(x).cumsum(dim)], 4, f"{dtype} {dim}")
            reverse = np.flip(np.flip(wide(x), dim).cumsum(dim), dim)
            check(device, "CumsumV2", [x, dim, True, True, out(x)], [reverse - wide(x)], 8, f"{dtype} {dim} exclusive reverse")
            check(device, "Cumsum", [x, dim, dtype, out(x)], [wide(x).cumsum(dim)], 4, f"{dtype} {dim}")
            size = x.shape[dim]
            order = np.argsort(x, dim, kind="stable")
            check(device, "Sort", [x, True, dim, False, out(x), out(x, "int64")], [np.take_along_axis(x, order, dim), order], 1, f"{dtype} {dim}")
            down = np.argsort(-wide(x), dim, kind="stable")
            check(device, "Sort", [x, True, dim, True, out(x), out(x, "int64")], [np.take_along_axis(x, down, dim), down], 1, f"{dtype} {dim} down")
            top = np.take(down, range(size - 1), dim)
            check(device, "Topk", [x, size - 1, dim, True, True, out(top, dtype), out(top, "int64")], [np.take_along_axis(x, top, dim), top], 1, f"{dtype} {dim}")
            low = np.take(order, range(1), dim)
            check(device, "Topk", [x, 1, dim, False, True, out(low, dtype), out(low, "int64")], [np.take_along_axis(x, low, dim), None], 1, f"{dtype} {dim} least")
            for name, values, place in (("MaxDim", np.max, np.argmax), ("MinDim", np.min, np.argmin)):
                check(device, name, [x, dim, False, out(values(x, dim)), out(place(x, dim), "int64")], [values(x, dim), place(x, dim)], 1, f"{dtype} {dim}")
        check(device, "Max", [x, np.zeros((), dtype)], [x.max()], 1, dtype)
        check(device, "Min", [x, np.zeros((), dtype)], [x.min()], 1, dtype)
        check(device, "Prod", [data((2, 3), dtype, 1, 2), dtype, np.zeros((), dtype)], [None], 1, dtype)
    x = data((2, 3, 4), "float32", 0.5, 3)
    check(device, "ReduceLogSum", [x, [1], True, False, np.zeros((2, 1, 4), "float32")], [np.log(x.sum(1, keepdims=True))], 4)
    check(device, "Std", [x, [0, 2], 1, False, np.zeros(3, "float32")], [x.std((0, 2), ddof=1)], 8)
    check(device, "ReduceSum", [data((3, 4), "bool"), [0], False, "int64", np.zeros(4, "int64")], [None], 1, "bool")
    for dtype in ("bool", "float32", "int32"):
        x = np.round(data((3, 4, 2), dtype, -1, 1)) if dtype != "bool" else data((3, 4, 2), bool)
        for dims in ([0], [1, 2], []):
            axis = tuple(dims) or None
            for name, function in (("All", np.all), ("Any", np.any)):
                want = function(x, axis)
                check(device, name, [x, dims, False, out(want, bool)], [want], 1, f"{dtype} {dims}")


def put(x, dim, index, src, reduce, include=True):
    """What scattering src into x along dim gives, element by element."""
    result = x.astype("float64").copy()
    seen = {}
    for at in np.ndindex(index.shape):
        target = list(at)
        target[dim] = index[at]
        seen.setdefault(tuple(target), []).append(float(src[at]))
    functions = {"none": lambda v: v[-1], "add": sum, "mul": np.prod, "max": max, "min": min, "mean": lambda v: sum(v) / len(v)}
    for target, values in seen.items():
        held = [result[target]] if include and reduce != "none" else []
        result[target] = functions[reduce](held + values)
    return result


def indices(device):
    for dtype in ("float32", "float16", "int64", "int32"):
        for itype in ("int32", "int64"):
            x = data((4, 3, 5), dtype)
            note = f"{dtype} {itype}"
            index = rng.integers(0, 3, (2, 2)).astype(itype)
            want = np.take(x, index, 1)
            check(device, "GatherV2", [x, 1, index, out(want)], [want], 1, note)
            check(device, "IndexSelect", [x, 2, index[0], out(np.take(x, index[0], 2))], [np.take(x, index[0], 2)], 1, note)
            table = data((6, 3), dtype)
            check(device, "Embedding", [table, index, out(table[index])], [table[index]], 1, note)
            places = rng.integers(0, 3, (4, 2, 5)).astype(itype)
            want = np.take_along_axis(x, places, 1)
            check(device, "Gather", [x, 1, places, out(want)], [want], 1, note)
            small = rng.integers(0, 3, (2, 2, 4)).astype(itype)
            want = np.take_along_axis(x[:2, :, :4], small, 1)
            check(device, "Gather", [x, -2, small, out(want)], [want], 1, note + " smaller")
            nd = np.array([[0, 1], [3, 2], [-1, -1]], itype)
            want = np.stack([x[tuple(i)] for i in nd])
            check(device, "GatherNd", [x, nd, True, out(want)], [want], 1, note)
            src = data((4, 2, 5), dtype)
            distinct = np.stack([rng.permutation(3)[:2] for _ in range(20)]).reshape(4, 5, 2).transpose(0, 2, 1).astype(itype)
            for code, reduce in enumerate(("none", "add", "mul")):
                check(device, "Scatter", [x, 1, distinct, src, code, out(x)], [put(x, 1, distinct, src, reduce)], 4, f"{note} {reduce}")
            check(device, "InplaceScatter", [x, 1, distinct, src, 1], [put(x, 1, distinct, src, "add")], 4, note)
            check(device, "ScatterAdd", [x, 1, places, src, out(x)], [put(x, 1, places, src, "add")], 8, note)
            if np.dtype(dtype).kind == "f":
                for code, reduce in enumerate(("none", "add", "mul", "max", "min", "mean")):
                    for include in (True, False):
                        chosen = distinct if reduce == "none" else places
                        check(device, "ScatterReduce", [x, 1, chosen, src, code, include, out(x)], [put(x, 1, chosen, src, reduce, include)], 8, f"{note} {reduce} {include}")
            rows = np.array([[2], [0]], itype)
            updates = data((2, 3, 5), dtype)
            want = x.copy()
            want[[2, 0]] = updates
            check(device, "ScatterNd", [x, rows, updates, out(x)], [want], 1, note)
            check(device, "ScatterNdUpdate", [x, rows, updates], [want], 1, note)
            source = data((4, 2, 5), dtype)
            want = x.copy()
            np.add.at(want, (slice(None), np.array([2, 0])), 2 * source)
            check(device, "IndexAdd", [x, 1, np.array([2, 0], itype), source, 2, out(x)], [want], 4, note)
            hot = rng.integers(0, 4, (3, 2)).astype(itype)
            want = np.where(np.arange(4) == hot[..., None], 5, 1)
            check(device, "OneHot", [hot, 4, np.array([5], dtype), np.array([1], dtype), -1, out(want, dtype)], [want], 1, note)
    for dtype in ("float32", "int32", "bool"):
        x = np.round(data((3, 4), dtype, -1, 1)) if dtype != "bool" else data((3, 4), bool)
        dynamic(device, "Nonzero", [x], [np.argwhere(x)], (12, 2))
        dynamic(device, "NonzeroV2", [x], [np.argwhere(x).T], (2, 12))
    x, mask = data((3, 4), "float32"), data((3, 4), "bool")
    dynamic(device, "MaskedSelect", [x, mask], [x[mask]], (12,), x.dtype)
    unique(device)


def dynamic(device, name, inputs, wants, room, dtype="int64"):
    """Calls whose output's shape only the run tells: its dims are read back from the tensor."""
    global count
    count += 1
    covered.add(name)
    import ctypes as C

    from device import Call

    tensors = [Tensor(device, i) for i in inputs]
    result = Tensor(device, np.zeros(room, dtype))
    call = Call(device, name, *tensors, result)
    if call.code or device.lib.aclSetAclOpExecutorRepeatable(call.executor) != 561000 or call.run():
        failures.append(f"aclnn{name}: {call.code} {call.text}")
        return
    dims, rank = C.POINTER(C.c_int64)(), C.c_uint64()
    device.lib.aclGetViewShape(C.c_void_p(result.handle), C.byref(dims), C.byref(rank))
    shape = tuple(dims[i] for i in range(rank.value))
    got = result.read().ravel()[: math.prod(shape)].reshape(shape)
    fault = close(got, wants[0], "float32")
    if fault:
        failures.append(f"aclnn{name}: {fault}")
    for tensor in (*tensors, result):
        tensor.close()


def unique(device):
    global count
    from device import Call

    for dtype in ("int32", "float32"):
        count += 1
        covered.add("Unique2")
        x = np.round(data((3, 5), dtype))
        values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        tensors = [Tensor(device, x), Tensor(device, np.zeros(15, dtype)), Tensor(device, np.zeros((3, 5), "int64")), Tensor(device, np.zeros(15, "int64"))]
        call = Call(device, "Unique2", tensors[0], True, True, True, *tensors[1:])
        if call.code or call.run():
            failures.append(f"aclnnUnique2: {call.code} {call.text}")
            continue
        wants = (values, inverse.reshape(3, 5), counts)
        for tensor, want in zip(tensors[1:], wants):
            if not np.array_equal(tensor.read().ravel()[: want.size], want.ravel()):
                failures.append(f"aclnnUnique2 {dtype}: {tensor.read()} is not {want}")


def main(library, signatures):
    device = Device(library, signatures)
    import operators_more
    import operators_nn
    import operators_training

    for group in (unary, activations, binaries, movements, reductions, indices):
        group(device)
    for cases in (operators_nn, operators_more, operators_training):
        cases.run(device, check, data, out)
    missed = sorted(n for n in device.table if n not in covered and not (n.startswith("Inplace") and n[7:] in covered))
    missed = [n for n in missed if n not in ("Digamma", "Lgamma", "Erfinv", "InplaceErfinv", "InplaceFloorDivides", "ScatterValue", "InplaceScatterValue", "RemainderScalarTensor", "FloorDivides")]
    print(f"{count} cases, {len(covered)} of {len(device.table)} operators, {len(failures)} failed")
    for failure in failures[:60]:
        print(failure)
    if missed:
        print("without a case:", *missed)
    return 1 if failures or missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
