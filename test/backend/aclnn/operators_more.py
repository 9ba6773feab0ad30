"""Cases of operators_test.py: order, spread, extremes, guarded functions, comparisons in place, outer and summed products."""

import math

import numpy as np
from device import INVALID, Call, Tensor


def comparisons(device, check, data, out):
    table = {"Eq": np.equal, "Ge": np.greater_equal, "Gt": np.greater, "Le": np.less_equal, "Lt": np.less, "Ne": np.not_equal}
    for dtype in ("float32", "float16", "int32", "int8"):
        x, y = data((3, 5), dtype, -2, 2), data((5,), dtype, -2, 2)
        x[0, :2] = y[:2]
        for name, function in table.items():
            check(device, f"Inplace{name}Tensor", [x.copy(), y], [function(x, y).astype(dtype)], 1, dtype)
            check(device, f"Inplace{name}Scalar", [x.copy(), 1], [function(x, 1).astype(dtype)], 1, dtype)
    for dtype in ("int32", "int8", "uint8"):
        x = data((3, 5), dtype)
        for name, function in (("And", np.bitwise_and), ("Or", np.bitwise_or), ("Xor", np.bitwise_xor)):
            check(device, f"InplaceBitwise{name}Scalar", [x.copy(), 6], [function(x, np.array(6, dtype))], 1, dtype)
        shift = np.array([0, 1, 2, 3, 1], dtype)
        check(device, "LeftShift", [x, shift, out(x)], [np.left_shift(x, shift)], 1, dtype)
        check(device, "LeftShifts", [x, 2, out(x)], [np.left_shift(x, np.array(2, dtype))], 1, dtype)
        check(device, "RightShift", [x, shift, out(x)], [np.right_shift(x, shift)], 1, dtype)
    for equal in (True, False):
        a = data((4, 6), "float32")
        b = a.copy() if equal else a + np.eye(4, 6, dtype="float32")
        for shape in ((), (1,)):
            check(device, "Equal", [a, b, np.zeros(shape, bool)], [np.full(shape, equal)])
    check(device, "Equal", [a, a[0].copy(), np.zeros(1, bool)], [np.array([False])])
    x = np.array([1, 1, 2, np.nan, np.inf, np.inf, -np.inf, 1], "float32")
    y = np.array([1, 1.00001, 2.1, np.nan, np.inf, -np.inf, 3, np.inf], "float32")
    for nan in (False, True):
        check(device, "IsClose", [x, y, 1e-5, 1e-6, nan, np.zeros(8, bool)], [np.isclose(x, y, 1e-5, 1e-6, nan)], 1, str(nan))


def guarded(device, check, data, out):
    for dtype in ("float32", "float16", "float64"):
        x, y = data((3, 5), dtype), data((3, 5), dtype)
        xf, yf = x.astype("float64"), y.astype("float64")
        check(device, "Atan2", [x, y, out(x)], [np.arctan2(xf, yf)], 4, dtype)
        check(device, "InplaceAtan2", [x.copy(), y], [np.arctan2(xf, yf)], 4, dtype)
        check(device, "LogAddExp", [x, y, out(x)], [np.logaddexp(xf, yf)], 4, dtype)
        check(device, "LogAddExp2", [x, y, out(x)], [np.logaddexp2(xf, yf)], 4, dtype)
        check(device, "Heaviside", [x, y, out(x)], [np.heaviside(x, y)], 1, dtype)
        check(device, "AddRelu", [x, y, 0.5, out(x)], [np.maximum(xf + 0.5 * yf, 0)], 4, dtype)
        check(device, "InplaceAddRelu", [x.copy(), y, 0.5], [np.maximum(xf + 0.5 * yf, 0)], 4, dtype)
        p = data((3, 5), dtype, 0.2, 3)
        pf = p.astype("float64")
        x[0, 0], xf[0, 0] = 0, 0
        check(device, "XLogYTensor", [x, p, out(x)], [xf * np.log(pf)], 4, dtype)
        check(device, "InplaceXLogYTensor", [x.copy(), p], [xf * np.log(pf)], 4, dtype)
        check(device, "XLogYScalarOther", [x, 2.5, out(x)], [xf * math.log(2.5)], 4, dtype)
        check(device, "InplaceXLogYScalarOther", [x.copy(), 2.5], [xf * math.log(2.5)], 4, dtype)
        check(device, "XLogYScalarSelf", [2.5, p, out(p)], [2.5 * np.log(pf)], 4, dtype)
        check(device, "Sinc", [x, out(x)], [np.sinc(xf)], 8, dtype)
        check(device, "InplaceSinc", [x.copy()], [np.sinc(xf)], 8, dtype)
        check(device, "Softsign", [x, out(x)], [xf / (1 + np.abs(xf))], 4, dtype)
        check(device, "FastGelu", [x, out(x)], [xf / (1 + np.exp(-1.702 * xf))], 4, dtype)
        special = np.array([np.nan, np.inf, -np.inf, 1.5, -0.0, 0.0, -2], dtype)
        check(device, "NanToNum", [special, 7.0, 8.0, -9.0, out(special)], [np.nan_to_num(special, nan=7, posinf=8, neginf=-9)], 1, dtype)
        check(device, "InplaceNanToNum", [special.copy(), 7.0, 8.0, -9.0], [np.nan_to_num(special, nan=7, posinf=8, neginf=-9)], 1, dtype)
        check(device, "Signbit", [special[1:].copy(), np.zeros(6, bool)], [np.signbit(special[1:])], 1, dtype)
        for decimals in (2, 0, -1):
            z = data((9,), dtype, -40, 40)
            check(device, "RoundDecimals", [z, decimals, out(z)], [np.round(z.astype("float64"), decimals)], 4, f"{dtype} {decimals}")
            check(device, "InplaceRoundDecimals", [z.copy(), decimals], [np.round(z.astype("float64"), decimals)], 4, f"{dtype} {decimals}")
        low = data((5,), dtype, -1, 0)
        check(device, "ClampMinTensor", [x, low, out(x)], [np.maximum(x, low)], 1, dtype)
        check(device, "ClampMaxTensor", [x, low, out(x)], [np.minimum(x, low)], 1, dtype)
        check(device, "InplaceClampMinTensor", [x.copy(), low], [np.maximum(x, low)], 1, dtype)
        check(device, "InplaceClampMaxTensor", [x.copy(), low], [np.minimum(x, low)], 1, dtype)
    far = np.array([800, -800, np.inf, -np.inf], "float32")
    check(device, "LogAddExp", [far, far, out(far)], [np.logaddexp(far.astype("float64"), far)], 4, "far")
    x = data((4,), "int32")
    check(device, "Signbit", [x, np.zeros(4, bool)], [np.signbit(x.astype("float64"))], 1, "int32")


def gates(device, check, data, out):
    erf = np.vectorize(math.erf, otypes=[np.float64])
    gelu = lambda v, tanh: 0.5 * v * (1 + (np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)) if tanh else erf(v / math.sqrt(2))))
    for dtype in ("float32", "float16"):
        x = data((4, 6), dtype)
        for dim in (0, 1, -1):
            a, b = np.split(x.astype("float64"), 2, dim)
            check(device, "Glu", [x, dim, out(a, dtype)], [a / (1 + np.exp(-b))], 4, f"{dtype} {dim}")
            check(device, "SwiGlu", [x, dim, out(a, dtype)], [a / (1 + np.exp(-a)) * b], 4, f"{dtype} {dim}")
            for tanh in (0, 1):
                check(device, "GeGlu", [x, dim, tanh, out(a, dtype), out(a, dtype)], [a * gelu(b, tanh), gelu(b, tanh)], 4, f"{dtype} {dim}")
                for left in (False, True):
                    u, v = (b, a) if left else (a, b)
                    check(device, "GeGluV3", [x, dim, tanh, left, out(a, dtype), out(a, dtype)], [u * gelu(v, tanh), gelu(v, tanh)], 4, f"{dtype} {dim}")


def spread(device, check, data, out):
    for dtype in ("float32", "float16", "float64"):
        x = data((2, 3, 4), dtype)
        xf = x.astype("float64")
        for dims in ([], [0], [1, 2], [-1]):
            axis = tuple(dims) or None
            for keep in (False, True):
                for correction in (0, 1):
                    var, mean = xf.var(axis, ddof=correction, keepdims=keep), xf.mean(axis, keepdims=keep)
                    note = f"{dtype} {dims} {keep} {correction}"
                    empty = out(var, dtype)
                    check(device, "Var", [x, dims, correction == 1, keep, empty], [var], 16, note)
                    check(device, "VarCorrection", [x, dims, correction, keep, empty], [var], 16, note)
                    check(device, "VarMean", [x, dims, correction, keep, empty, empty], [var, mean], 16, note)
                    check(device, "StdMeanCorrection", [x, dims, correction, keep, empty, empty], [np.sqrt(var), mean], 16, note)
    for dtype in ("float32", "float16", "int32"):
        x = data((2, 3, 4), dtype)
        for dims in ([], [0], [1, 2]):
            axis = tuple(dims) or None
            low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
            check(device, "Aminmax", [x, dims, True, out(low), out(low)], [low, high], 1, f"{dtype} {dims}")
            check(device, "MaxV2", [x, dims, True, False, out(low)], [high], 1, f"{dtype} {dims}")
        check(device, "MaxV2", [x, [], False, True, out(x)], [x], 1, f"{dtype} none")
        check(device, "AminmaxDim", [x, 1, False, out(x[:, 0]), out(x[:, 0])], [x.min(1), x.max(1)], 1, dtype)
        for shape in ((), (1,)):
            empty = np.zeros(shape, dtype)
            check(device, "AminmaxAll", [x, empty, empty], [np.reshape(x.min(), shape), np.reshape(x.max(), shape)], 1, dtype)
            check(device, "Max", [x, empty], [np.reshape(x.max(), shape)], 1, f"{dtype} {shape}")
            check(device, "Min", [x, empty], [np.reshape(x.min(), shape)], 1, f"{dtype} {shape}")
            few = data((2, 2), dtype, 1, 2)
            check(device, "Prod", [few, dtype, empty], [np.reshape(few.prod(), shape)], 4, f"{dtype} {shape}")
        parts = [data((2, 3), dtype) for _ in range(3)]
        for name, function in (("Sum", np.sum), ("AddN", np.sum), ("MaxN", np.max), ("MinN", np.min)):
            want = function(np.stack(parts).astype("float64"), 0)
            check(device, name, [parts, out(want, dtype)], [want], 4, dtype)
        m = data((3, 4), dtype)
        want = np.trace(m.astype("float64"))
        check(device, "Trace", [m, np.zeros((), dtype)], [want], 4, dtype)
        x = data((2, 3), dtype, 1, 2)
        for dim in (0, 1):
            want = x.astype("float64").cumprod(dim)
            check(device, "Cumprod", [x, dim, dtype, out(x)], [want], 4, f"{dtype} {dim}")
            check(device, "InplaceCumprod", [x.copy(), dim], [want], 4, f"{dtype} {dim}")
    x = data((2, 3), "float32")
    x[0, 1] = np.nan
    for dims in ([], [0], [1]):
        want = np.nansum(x.astype("float64"), tuple(dims) or None)
        check(device, "ReduceNansum", [x, dims, False, "float32", out(want, "float32")], [want], 4, str(dims))


def order(device, check, data, out):
    for dtype in ("float32", "float16", "int32"):
        x = data((3, 6, 2), dtype)
        for dim in (0, 1, -1):
            places = np.argsort(x, dim, kind="stable")
            check(device, "Argsort", [x, dim, False, out(places, "int64")], [places], 1, f"{dtype} {dim}")
            down = np.argsort(-x.astype("float64"), dim, kind="stable")
            check(device, "Argsort", [x, dim, True, out(down, "int64")], [down], 1, f"{dtype} {dim} down")
            values = np.sort(x, dim)
            count = x.shape[dim]
            for name, at, lead in (("Kthvalue", count - 1, [count]), ("Kthvalue", 0, [1]), ("MedianDim", (count - 1) // 2, [])):
                for keep in (False, True):
                    pick = lambda v: np.take(v, [at], dim) if keep else np.take(v, at, dim)
                    check(device, name, [x, *lead, dim, keep, out(pick(values)), out(pick(places), "int64")], [pick(values), pick(places)], 1, f"{dtype} {dim} {at}")
        for size in (5, 6):
            x = data((size,), dtype)
            check(device, "Median", [x, np.zeros((), dtype)], [np.sort(x)[(size - 1) // 2]], 1, f"{dtype} {size}")


def products(device, check, data, out):
    for dtype in ("float32", "float16"):
        a, b, c = data((2, 3, 4), dtype), data((2, 4, 5), dtype), data((3, 5), dtype)
        af, bf, cf = a.astype("float64"), b.astype("float64"), c.astype("float64")
        total = (af @ bf).sum(0)
        for beta, alpha in ((1.0, 1.0), (0.5, 2.0), (0.0, 1.0)):
            check(device, "Addbmm", [c, a, b, beta, alpha, out(c), 1], [beta * cf + alpha * total], 16, f"{dtype} {beta}")
            check(device, "InplaceAddbmm", [c.copy(), a, b, beta, alpha, 1], [beta * cf + alpha * total], 16, f"{dtype} {beta}")
            vector, matrix = data((4,), dtype), data((3,), dtype)
            want = beta * matrix.astype("float64") + alpha * (af[0] @ vector.astype("float64"))
            check(device, "Addmv", [matrix, a[0].copy(), vector, alpha, beta, out(matrix), 1], [want], 16, f"{dtype} {beta}")
            u, v = data((3,), dtype), data((5,), dtype)
            outer = np.outer(u.astype("float64"), v)
            check(device, "Addr", [c, u, v, beta, alpha, out(c)], [beta * cf + alpha * outer], 8, f"{dtype} {beta}")
            check(device, "InplaceAddr", [c.copy(), u, v, beta, alpha], [beta * cf + alpha * outer], 8, f"{dtype} {beta}")
        check(device, "Addr", [c, u, v, None, None, out(c)], [cf + outer], 8, f"{dtype} plain")
        check(device, "Ger", [u, v, out(outer, dtype)], [outer], 4, dtype)
        d = data((2, 3, 5), dtype)
        check(device, "InplaceBaddbmm", [d.copy(), a, b, 0.5, 2.0, 1], [0.5 * d.astype("float64") + 2 * (af @ bf)], 16, dtype)


def places(device, check, data, out):
    x = data((4, 3), "float32")
    index = np.array([[-1, 0], [-4, 3]], "int64")
    check(device, "GatherV2", [x, 0, index, np.zeros((2, 2, 3), "float32")], [x[index]], 1, "negative")
    y = data((1, 2, 3), "float32")
    check(device, "Roll", [y, [1, 2, -1], [0, 0, 2], out(y)], [np.roll(y, (1, 2, -1), (0, 0, 2))], 1, "a dim twice")
    for start, end, step in ((np.inf, np.inf, 1.0), (np.nan, 0.0, 1.0), (1.0, np.inf, 2.0)):
        check(device, "Arange", [start, end, step, np.zeros(5, "float32")], [start + step * np.arange(5)], 1, f"{start} {end}")


def fills(device, check, data, out):
    for dtype in ("float32", "float16", "int32"):
        x = data((3, 4, 2), dtype)
        for dim, index in ((0, [2, 0]), (1, [1, 1, 3]), (-1, [0])):
            want = x.copy()
            want[(slice(None),) * (dim % 3) + (index,)] = 7
            for kind in ("int32", "int64"):
                check(device, "IndexFill", [x, dim, np.array(index, kind), 7, out(x)], [want], 1, f"{dtype} {dim}")
                check(device, "InplaceIndexFill", [x.copy(), dim, np.array(index, kind), 7], [want], 1, f"{dtype} {dim}")
            check(device, "IndexFillTensor", [x, dim, index, 7, out(x)], [want], 1, f"{dtype} {dim}")
            check(device, "InplaceIndexFillTensor", [x.copy(), dim, index, 7], [want], 1, f"{dtype} {dim}")
        for shape in ((3, 4, 2), (4, 1)):
            mask, source = data(shape, "bool"), data((5, 6), dtype)
            want, wide = x.copy(), np.broadcast_to(mask, x.shape)
            want[wide] = source.ravel()[: wide.sum()]
            check(device, "InplaceMaskedScatter", [x.copy(), mask, source], [want], 1, f"{dtype} {shape}")
        index = np.array([[0, -1], [23, 5]], "int64")
        check(device, "Take", [x, index, out(index, dtype)], [np.take(x, index)], 1, dtype)
        check(device, "RepeatInterleaveInt", [x, 3, 72, np.zeros(72, dtype)], [np.repeat(x, 3)], 1, dtype)
        for dim in (0, 1, -1):
            want = np.repeat(x, 2, dim)
            check(device, "RepeatInterleaveIntWithDim", [x, 2, dim, want.shape[dim], out(want)], [want], 1, f"{dtype} {dim}")
        # A count that no memory holds is refused at once.
        far = Call(device, "RepeatInterleaveInt", Tensor(device, x), 10**12, 24 * 10**12, Tensor(device, x))
        if far.code != INVALID:
            raise RuntimeError(f"aclnnRepeatInterleaveInt of 10**12 repeats: {far.code} {far.text}")
        image = data((2, 6, 3, 4), dtype)
        want = image.reshape(2, 3, 2, 3, 4).swapaxes(1, 2).reshape(image.shape)
        check(device, "ChannelShuffle", [image, 3, out(image)], [want], 1, dtype)
        want = np.pad(image, ((0, 0), (0, 0), (1, 2), (2, 3)), "wrap")
        check(device, "CircularPad2d", [image, [2, 3, 1, 2], out(want)], [want], 1, dtype)
        volume = data((1, 2, 3, 4, 5), dtype)
        want = np.pad(volume, ((0, 0), (0, 0), (1, 2), (1, 0), (2, 3)), "wrap")
        check(device, "CircularPad3d", [volume, [2, 3, 1, 0, 1, 2], out(want)], [want], 1, dtype)
        for args, want in (
            (([0, 1, 0], [2, 4, 2], [1, 2, 1], 0, 0, 0, 0, 0), x[0:2, 1:4:2, 0:2]),
            (([0, -1, 0], [3, -9, 2], [1, -2, 1], 0, 0, 0, 0, 0), x[:, ::-2, 0:2]),
            (([0, 1], [0, 2], [1, 1], 0, 0, 1, 0, 2), x[..., 1]),
            (([0, 1], [0, 2], [1, 1], 0, 0, 0, 1, 2), x[None, 1]),
        ):
            check(device, "StridedSlice", [x, *args, out(want)], [want], 1, f"{dtype} {args}")


def resizing(device, check, data, out):
    for dtype in ("float32", "float16", "uint8"):
        for shape, size, names in (((2, 3, 5), (8,), "1d"), ((2, 3, 4, 5), (7, 3), "2d"), ((1, 2, 3, 4, 5), (5, 2, 9), "3d")):
            x = data(shape, dtype)
            count = len(size)
            nearest, exact = x, x
            for i, n in enumerate(size):
                old = shape[2 + i]
                nearest = np.take(nearest, [k * old // n for k in range(n)], 2 + i)
                exact = np.take(exact, [(2 * k + 1) * old // (2 * n) for k in range(n)], 2 + i)
            for form, want in (("UpsampleNearest", nearest), ("UpsampleNearestExact", exact)):
                factors = [0.0] * count if form.endswith("Exact") or count == 3 else []
                check(device, f"{form}{names}", [x, list(size), *factors, out(want)], [want], 1, f"{dtype} {size}")
            if count < 3:
                check(device, f"UpsampleNearest{names}V2", [x, list(size), *[0.0] * count, out(nearest)], [nearest], 1, f"{dtype} {size}")
            if count == 2 or dtype == "uint8":
                continue
            for align in (False, True):
                want = x.astype("float64")
                for i, n in enumerate(size):
                    old, rows = want.shape[2 + i], []
                    for k in range(n):
                        at = k * (old - 1) / (n - 1) if align else max((k + 0.5) * old / n - 0.5, 0)
                        low = min(int(at), old - 1)
                        high, t = min(low + 1, old - 1), at - low
                        rows.append((1 - t) * np.take(want, low, 2 + i) + t * np.take(want, high, 2 + i))
                    want = np.stack(rows, 2 + i)
                name = "UpsampleLinear1d" if count == 1 else "UpsampleTrilinear3d"
                check(device, name, [x, list(size), align, *[0.0] * count, out(want, dtype)], [want], 16, f"{dtype} {size} {align}")
    x, grid = data((1, 2, 3, 4, 5), "float32"), data((1, 2, 2, 3, 3), "float32", -0.9, 0.9)
    at = [((grid[0, ..., 2 - i].astype("float64") + 1) * n - 1) / 2 for i, n in enumerate((3, 4, 5))]
    want = np.zeros((1, 2, 2, 2, 3))
    for corner in np.ndindex(2, 2, 2):
        places = [np.floor(a).astype(int) + c for a, c in zip(at, corner)]
        inside = np.logical_and.reduce([(p >= 0) & (p < n) for p, n in zip(places, (3, 4, 5))])
        weight = np.prod([1 - np.abs(a - p) for a, p in zip(at, places)], 0) * inside
        clipped = [np.clip(p, 0, n - 1) for p, n in zip(places, (3, 4, 5))]
        want[0] += weight * x[0][:, clipped[0], clipped[1], clipped[2]]
    check(device, "GridSampler3D", [x, grid, 0, 0, False, out(want, "float32")], [want], 32)


def norms(device, check, data, out):
    for dtype in ("float32", "float16"):
        a, b, gamma = data((2, 3, 4), dtype), data((2, 3, 4), dtype), data((4,), dtype)
        total = a.astype("float64") + b
        rstd = 1 / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-6)
        check(device, "AddRmsNorm", [a, b, gamma, 1e-6, out(a), out(rstd, "float32"), out(a)], [total * rstd * gamma, rstd, total], 16, dtype)
        xf = a.astype("float64")
        mean, rstd = xf.mean(-1, keepdims=True), 1 / np.sqrt(xf.var(-1, keepdims=True) + 1e-5)
        check(device, "FastLayerNorm", [a, [4], gamma, None, 1e-5, out(a), out(mean, "float32"), out(mean, "float32")], [(xf - mean) * rstd * gamma, mean, rstd], 16, dtype)


def run(device, check, data, out):
    for group in (comparisons, guarded, gates, spread, order, products, places, fills, resizing, norms):
        group(device, check, data, out)
