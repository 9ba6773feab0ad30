"""Cases of operators_test.py: products, convolutions, poolings, normalisations, images, quantised values, LSTM."""

import itertools
import math

import numpy as np
from device import Tensor, compute


def windows(x, kernel, stride, pads, dilation, fill):
    """Views of x [N, C, spatial...] under each place of a window: [N, C, places..., kernel...]."""
    spatial = len(kernel)
    x = np.pad(x, ((0, 0), (0, 0), *pads), constant_values=fill)
    sizes = [(x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(spatial)]
    result = np.empty((*x.shape[:2], *sizes, *kernel))
    for at in np.ndindex(*kernel):
        cut = tuple(slice(dilation[i] * at[i], dilation[i] * at[i] + stride[i] * (sizes[i] - 1) + 1, stride[i]) for i in range(spatial))
        result[(slice(None), slice(None), *([slice(None)] * spatial), *at)] = x[(slice(None), slice(None), *cut)]
    return result


def convolve(x, w, b, stride, pads, dilation, groups):
    spatial = x.ndim - 2
    per = x.shape[1] // groups
    parts = []
    for g in range(groups):
        view = windows(x[:, g * per:(g + 1) * per].astype("float64"), w.shape[2:], stride, pads, dilation, 0)
        filters = w[g * (w.shape[0] // groups):(g + 1) * (w.shape[0] // groups)].astype("float64")
        axes = [1, *range(2 + spatial, 2 + 2 * spatial)]
        part = np.tensordot(view, filters, (axes, [1, *range(2, 2 + spatial)]))
        parts.append(np.moveaxis(part, -1, 1))
    y = np.concatenate(parts, 1)
    return y if b is None else y + b.reshape(1, -1, *[1] * spatial)


def transposed(x, w, stride, pads, extra):
    """Transposed convolution in 2 dims, one group: each element of x adds a filter to the output."""
    n, _, h, wide = x.shape
    kernel = w.shape[2:]
    full = np.zeros((n, w.shape[1], (h - 1) * stride[0] + kernel[0] + extra[0], (wide - 1) * stride[1] + kernel[1] + extra[1]))
    for i, j in itertools.product(range(h), range(wide)):
        add = np.einsum("nc,cokl->nokl", x[:, :, i, j].astype("float64"), w.astype("float64"))
        full[:, :, i * stride[0]:i * stride[0] + kernel[0], j * stride[1]:j * stride[1] + kernel[1]] += add
    return full[:, :, pads[0]:full.shape[2] - pads[0], pads[1]:full.shape[3] - pads[1]]


def products(device, check, data, out):
    for dtype in ("float32", "float16", "float64"):
        for left, right in (((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (3, 4, 2)), ((0, 4), (4, 5))):
            a, b = data(left, dtype), data(right, dtype)
            want = np.matmul(a.astype("float64"), b.astype("float64"))
            check(device, "Matmul", [a, b, out(want, dtype), 1], [want], 8, f"{dtype} {left} {right}")
        a, b = data((3, 4), dtype), data((4, 5), dtype)
        want = a.astype("float64") @ b.astype("float64")
        check(device, "Mm", [a, b, out(want, dtype), 0], [want], 8, dtype)
        check(device, "Mv", [a, b[:, 0].copy(), out(want[:, 0], dtype), 0], [want[:, 0]], 8, dtype)
        p, q = data((2, 3, 4), dtype), data((2, 4, 5), dtype)
        check(device, "BatchMatMul", [p, q, out(p @ q, dtype), 1], [p.astype("float64") @ q], 8, dtype)
        check(device, "Dot", [p[0, 0], q[0, :, 0].copy(), np.zeros((), dtype)], [p[0, 0].astype("float64") @ q[0, :, 0]], 8, dtype)
        c = data((5,), dtype)
        for beta, alpha in ((1.0, 1.0), (0.5, 2.0), (0.0, 1.0)):
            check(device, "Addmm", [c, a, b, beta, alpha, out(want, dtype), 1], [beta * c + alpha * want], 8, f"{dtype} {beta} {alpha}")
        d = data((3, 5), dtype)
        check(device, "InplaceAddmm", [d, a, b, 0.5, 2.0, 1], [0.5 * d + 2 * want], 8, dtype)
        e = data((2, 3, 5), dtype)
        check(device, "Baddbmm", [e, p, q, 1.0, 1.0, out(e), 1], [e + p.astype("float64") @ q], 8, dtype)
        for ta, tb in itertools.product((0, 1), (0, 1)):
            left, right = (a.T.copy() if ta else a), (b.T.copy() if tb else b)
            check(device, "Gemm", [left, right, d, 0.5, 2.0, ta, tb, out(d), 1], [0.5 * want + 2 * d], 8, f"{dtype} {ta}{tb}")


def convolutions(device, check, data, out):
    formats = {3: "NCL", 4: "NCHW", 5: "NCDHW"}

    def run(x, w, b, args, want, note, dtype):
        f = formats[x.ndim]
        y = Tensor(device, np.zeros(want.shape, dtype), f)
        check(device, "Convolution", [Tensor(device, x, f), Tensor(device, w, f), b, *args, y, 1], [want], 16, note)

    for dtype in ("float32", "float16"):
        for groups, bias, stride, pad, dilation in ((1, True, [1], [0], [1]), (1, False, [2, 1], [1, 2], [1]), (2, True, [1, 1], [1, 0, 2, 1], [2, 1]), (4, False, [2], [1], [1])):
            x, w = data((2, 4, 7, 8), dtype), data((8, 4 // groups, 3, 2), dtype)
            b = data((8,), dtype) if bias else None
            s, d = stride * 2 if len(stride) == 1 else stride, dilation * 2 if len(dilation) == 1 else dilation
            p = pad * 2 if len(pad) == 1 else pad
            pads = ((p[0], p[1]), (p[2], p[3])) if len(p) == 4 else ((p[0], p[0]), (p[1], p[1]))
            want = convolve(x, w, b, s, pads, d, groups)
            run(x, w, b, [stride, pad, dilation, False, [0, 0], groups], want, f"{dtype} groups {groups} pad {pad}", dtype)
        x, w, b = data((2, 3, 9), dtype), data((4, 3, 3), dtype), data((4,), dtype)
        run(x, w, b, [[2], [1], [1], False, [0], 1], convolve(x, w, b, [2], ((1, 1),), [1], 1), f"{dtype} 1d", dtype)
        x, w = data((1, 2, 4, 5, 6), dtype), data((3, 2, 2, 3, 2), dtype)
        run(x, w, None, [[1, 2, 1], [1, 0, 1], [1, 1, 1], False, [0, 0, 0], 1], convolve(x, w, None, [1, 2, 1], ((1, 1), (0, 0), (1, 1)), [1, 1, 1], 1), f"{dtype} 3d", dtype)
        x, w = data((2, 3, 4, 5), dtype), data((3, 2, 3, 3), dtype)
        run(x, w, None, [[2, 2], [1, 1], [1, 1], True, [1, 1], 1], transposed(x, w, [2, 2], [1, 1], [1, 1]), f"{dtype} transposed", dtype)


def poolings(device, check, data, out):
    for dtype in ("float32", "float16"):
        for shape in ((2, 3, 7, 8), (3, 7, 8)):
            x = data(shape, dtype)
            batch = x.reshape(-1, 3, 7, 8).astype("float64")
            view = windows(batch, (3, 2), (2, 2), ((1, 1), (0, 0)), (1, 1), -np.inf)
            want = view.max((-1, -2)).reshape(*shape[:-2], *view.shape[2:4])
            check(device, "MaxPool", [x, [3, 2], [2, 2], 0, [1, 0, 1, 0], [1, 1], 0, out(want, dtype)], [want], 1, f"{dtype} {shape}")
            plane = np.arange(56.0).reshape(1, 1, 7, 8)
            at = windows(np.broadcast_to(plane, batch.shape), (3, 2), (2, 2), ((1, 1), (0, 0)), (1, 1), -1)
            flat = view.reshape(*view.shape[:4], -1)
            place = np.take_along_axis(at.reshape(*at.shape[:4], -1), flat.argmax(-1)[..., None], -1)[..., 0].reshape(want.shape)
            check(device, "MaxPool2dWithIndices", [x, [3, 2], [2, 2], [1, 0], [1, 1], False, out(want, dtype), out(want, "int32")], [want, place], 1, f"{dtype} {shape}")
            sums = windows(batch, (3, 2), (2, 2), ((1, 1), (0, 0)), (1, 1), 0).sum((-1, -2))
            inside = windows(np.ones_like(batch), (3, 2), (2, 2), ((1, 1), (0, 0)), (1, 1), 0).sum((-1, -2))
            for include, divisor, by in ((True, 0, 6), (False, 0, inside), (True, 5, 5)):
                want = (sums / by).reshape(*shape[:-2], *sums.shape[2:4])
                check(device, "AvgPool2d", [x, [3, 2], [2, 2], [1, 0], False, include, divisor, 1, out(want, dtype)], [want], 8, f"{dtype} {shape} {include} {divisor}")
            for size in ((1, 1), (3, 4), (7, 8)):
                def span(n, m):
                    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]
                want = np.array([[[[c[a:b, p:q].mean() for p, q in span(8, size[1])] for a, b in span(7, size[0])] for c in image] for image in batch])
                want = want.reshape(*shape[:-2], *size)
                check(device, "AdaptiveAvgPool2d", [x, list(size), out(want, dtype)], [want], 8, f"{dtype} {shape} {size}")
        x = data((2, 3, 4, 5), dtype)
        check(device, "GlobalAveragePool", [x, np.zeros((2, 3, 1, 1), dtype)], [x.astype("float64").mean((2, 3), keepdims=True)], 8, dtype)
        check(device, "GlobalMaxPool", [x, np.zeros((2, 3, 1, 1), dtype)], [x.max((2, 3), keepdims=True)], 1, dtype)
        x = data((1, 2, 4, 5, 6), dtype)
        want = windows(x.astype("float64"), (2, 2, 2), (2, 2, 2), ((0, 0),) * 3, (1, 1, 1), 0).mean((-1, -2, -3))
        check(device, "AvgPool3d", [x, [2, 2, 2], [2], [0], False, True, 0, out(want, dtype)], [want], 8, dtype)


def norms(device, check, data, out):
    for dtype in ("float32", "float16"):
        x, w, b = data((2, 3, 4), dtype), data((3, 4), dtype), data((3, 4), dtype)
        xf = x.astype("float64")
        for axes, shape in (((1, 2), (3, 4)), ((2,), (4,))):
            mean, var = xf.mean(axes, keepdims=True), xf.var(axes, keepdims=True)
            rstd = 1 / np.sqrt(var + 1e-5)
            weight, bias = (w, b) if len(axes) == 2 else (w[0].copy(), b[0].copy())
            want = (xf - mean) * rstd
            check(device, "LayerNorm", [x, list(shape), weight, bias, 1e-5, out(x), out(mean, "float32"), out(mean, "float32")], [want * weight + bias, mean, rstd], 16, f"{dtype} {shape}")
            check(device, "LayerNorm", [x, list(shape), None, None, 1e-5, out(x), None, None], [want], 16, f"{dtype} {shape} plain")
        rstd = 1 / np.sqrt((xf**2).mean(-1, keepdims=True) + 1e-6)
        check(device, "RmsNorm", [x, w[0].copy(), 1e-6, out(x), out(rstd, "float32")], [xf * rstd * w[0], rstd], 16, dtype)
        x = data((2, 6, 3, 2), dtype)
        g = x.astype("float64").reshape(2, 3, 12)
        mean, rstd = g.mean(-1), 1 / np.sqrt(g.var(-1) + 1e-5)
        gamma, beta = data((6,), dtype), data((6,), dtype)
        want = ((g - mean[..., None]) * rstd[..., None]).reshape(x.shape) * gamma.reshape(1, 6, 1, 1) + beta.reshape(1, 6, 1, 1)
        check(device, "GroupNorm", [x, gamma, beta, 2, 6, 6, 3, 1e-5, out(x), out(mean, dtype), out(mean, dtype)], [want, mean, rstd], 16, dtype)
    x = data((4, 3, 5), "float32")
    w, b, mean, var = data((3,), "float32"), data((3,), "float32"), data((3,), "float32"), data((3,), "float32", 0.5, 2)
    col = lambda v: np.asarray(v).reshape(1, 3, 1)
    want = (x - col(mean)) / np.sqrt(col(var) + 1e-3) * col(w) + col(b)
    saved = np.zeros(3, "float32")
    check(device, "BatchNorm", [x, w, b, mean, var, False, 0.1, 1e-3, out(x), saved, saved], [None, None, want], 8, "inference")
    m, v = x.astype("float64").mean((0, 2)), x.astype("float64").var((0, 2))
    want = (x - col(m)) / np.sqrt(col(v) + 1e-3) * col(w) + col(b)
    check(device, "BatchNorm", [x, w, b, mean, var, True, 0.1, 1e-3, out(x), saved, saved],
          [0.9 * mean + 0.1 * m, 0.9 * var + 0.1 * v * 20 / 19, want, m, 1 / np.sqrt(v + 1e-3)], 16, "training")


def resize_axis(x, axis, size, coordinate, weights):
    """Along one axis: each result is a sum of elements at floor(coordinate) + tap, the edges repeated."""
    n = x.shape[axis]
    rows = []
    for i in range(size):
        c = coordinate(i, n, size)
        base = math.floor(c)
        total = 0
        for tap, weight in weights(c - base):
            total = total + weight * np.take(x, min(max(base + tap, 0), n - 1), axis)
        rows.append(total)
    return np.stack(rows, axis)


def images(device, check, data, out):
    half = lambda i, n, size: (i + 0.5) * n / size - 0.5
    corners = lambda i, n, size: i * (n - 1) / (size - 1) if size > 1 else 0
    linear = lambda t: [(0, 1 - t), (1, t)]

    def cubic(t, a=-0.75):
        near = lambda d: (a + 2) * d**3 - (a + 3) * d**2 + 1
        far = lambda d: a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        return [(-1, far(1 + t)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))]

    for dtype in ("float32", "float16"):
        x = data((2, 3, 4, 5), dtype)
        xf = x.astype("float64")
        for size in ((8, 10), (3, 7)):
            rows, columns = [i * 4 // size[0] for i in range(size[0])], [i * 5 // size[1] for i in range(size[1])]
            want = x[:, :, rows][:, :, :, columns]
            check(device, "UpsampleNearest2d", [x, list(size), out(want)], [want], 1, f"{dtype} {size}")
            for name, taps in (("UpsampleBilinear2d", linear), ("UpsampleBicubic2d", cubic)):
                for align, coordinate in ((False, half), (True, corners)):
                    clamp = (lambda i, n, s: max(coordinate(i, n, s), 0)) if taps is linear else coordinate
                    want = resize_axis(resize_axis(xf, 2, size[0], clamp, taps), 3, size[1], clamp, taps)
                    check(device, name, [x, list(size), align, 0.0, 0.0, out(want, dtype)], [want], 16, f"{dtype} {size} {align}")
        want = np.repeat(np.repeat(x, 2, 2), 2, 3)
        check(device, "Resize", [x, [1, 1, 2, 2], "nearest", out(want)], [want], 1, dtype)
        asymmetric = lambda i, n, size: i * n / size
        want = resize_axis(resize_axis(xf, 2, 8, asymmetric, linear), 3, 10, asymmetric, linear)
        check(device, "Resize", [x, [1, 1, 2, 2], "bilinear", out(want, dtype)], [want], 16, dtype)
    x, grid = data((1, 2, 4, 5), "float32"), data((1, 3, 3, 2), "float32", -0.9, 0.9)
    gx, gy = ((grid[..., 0] + 1) * 5 - 1) / 2, ((grid[..., 1] + 1) * 4 - 1) / 2
    want = np.zeros((1, 2, 3, 3))
    for i, j in np.ndindex(3, 3):
        cx, cy = gx[0, i, j], gy[0, i, j]
        for dy, dx in itertools.product((0, 1), (0, 1)):
            px, py = math.floor(cx) + dx, math.floor(cy) + dy
            if 0 <= px < 5 and 0 <= py < 4:
                want[0, :, i, j] += (1 - abs(cx - px)) * (1 - abs(cy - py)) * x[0, :, py, px]
    check(device, "GridSampler2D", [x, grid, 0, 0, False, out(want, "float32")], [want], 32)
    ramp = np.broadcast_to(np.arange(8, dtype="float32").reshape(1, 1, 1, 8), (1, 1, 8, 8)).copy()
    rois = np.array([[0, 0, 4, 4]], "float32")  # 2 bins of width 2 and 2 samples each: means at 1 and 3
    check(device, "RoiAlign", [ramp, rois, np.zeros(1, "int32"), "avg", 2, 2, 2, 1.0, np.zeros((1, 1, 2, 2), "float32")], [np.array([[[[1.0, 3.0], [1.0, 3.0]]]])], 8)


def quantised(device, check, data, out):
    x, scale, zero = data((3, 4), "float32", -20, 20), np.array([0.1, 0.2, 0.25, 0.5], "float32"), np.array([1, -2, 3, 0], "int32")
    want = np.clip(np.round(x / scale) + zero, -128, 127)
    check(device, "Quantize", [x, scale, zero, "int8", 1, out(want, "int8")], [want])
    want = np.clip(np.round(x / scale) + 10, 0, 255)
    check(device, "Quantize", [x, scale, np.full(4, 10, "int32"), "uint8", -1, out(want, "uint8")], [want])
    q, s = data((3, 4), "int8", -100, 100), data((4,), "float16", 0.1, 1)
    check(device, "AscendAntiQuant", [q, s, None, 1, False, np.zeros((3, 4), "float16")], [q * s.astype("float64")], 4)
    check(device, "AscendAntiQuant", [q, s, s, 1, True, np.zeros((3, 4), "float16")], [(q + s.astype("float64")) * s.astype("float64") ** 2], 8)
    a, b = data((3, 8), "int8", -50, 50), data((8, 4), "int8", -50, 50)
    scales = data((4,), "float32", 0.001, 0.01)
    bias = data((4,), "int32", -100, 100)
    packed = scales.view("uint32").astype("uint64")
    sums = a.astype("int32") @ b.astype("int32")
    check(device, "QuantMatmulV4", [a, b, packed, None, None, bias, False, False, np.zeros((3, 4), "float16")], [(sums + bias) * scales], 4)
    check(device, "QuantMatmulV4", [a, b.T.copy(), scales, None, None, None, False, True, np.zeros((3, 4), "int8")], [np.clip(np.round(sums * scales), -128, 127)], 1)


def lstm(device, check, data, out):
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    for directions, layers, bias, first in ((1, 1, True, False), (2, 2, True, True), (1, 1, False, False)):
        steps, batch, size, hidden = 4, 2, 3, 5
        x = data((batch, steps, size) if first else (steps, batch, size), "float32")
        params = []
        for layer in range(layers):
            for _ in range(directions):
                width = size if layer == 0 else hidden * directions
                params += [data((4 * hidden, width), "float32", -1, 1), data((4 * hidden, hidden), "float32", -1, 1)]
                params += [data((4 * hidden,), "float32", -1, 1), data((4 * hidden,), "float32", -1, 1)] if bias else []
        h0, c0 = data((layers * directions, batch, hidden), "float32"), data((layers * directions, batch, hidden), "float32")
        y = (x.transpose(1, 0, 2) if first else x).astype("float64")
        each, hs, cs, kept = 4 if bias else 2, [], [], []
        for layer in range(layers):
            outputs = []
            for d in range(directions):
                held = [[None] * steps for _ in range(7)]
                at = (layer * directions + d) * each
                w, r = params[at], params[at + 1]
                b = params[at + 2] + params[at + 3] if bias else 0
                h, c, states = h0[layer * directions + d].astype("float64"), c0[layer * directions + d].astype("float64"), [None] * steps
                for t in range(steps) if d == 0 else reversed(range(steps)):
                    i, f, g, o = np.split(y[t] @ w.T + h @ r.T + b, 4, -1)
                    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                    h = sigmoid(o) * np.tanh(c)
                    states[t] = h
                    for of_step, value in zip(held, (sigmoid(i), np.tanh(g), sigmoid(f), sigmoid(o), h, c, np.tanh(c))):
                        of_step[t] = value
                kept.append([np.stack(of_step) for of_step in held])
                outputs.append(np.stack(states))
                hs.append(h)
                cs.append(c)
            y = np.concatenate(outputs, -1)
        want = y.transpose(1, 0, 2) if first else y
        check(device, "LSTM", [x, params, [h0, c0], None, bias, layers, 0.0, False, directions == 2, first, out(want, "float32"), out(h0), out(c0), *[None] * 7],
              [want, np.stack(hs), np.stack(cs)], 32, f"{directions} directions, {layers} layers")
        gates = [[of[i] for of in kept] for i in range(7)]
        wants = [want, np.stack(hs), np.stack(cs), *(v for gate in gates for v in gate)]
        check(device, "LSTM", [x, params, [h0, c0], None, bias, layers, 0.0, True, directions == 2, first, out(want, "float32"), out(h0), out(c0), *[[out(v, "float32") for v in gate] for gate in gates]],
              wants, 32, f"{directions} directions, {layers} layers, training")
    x, params = data((4, 2, 3), "float32"), [data((8, 3), "float32"), data((8, 2), "float32")]
    zeros = np.zeros((1, 2, 2), "float32")
    results = []
    for states in (None, [zeros, zeros]):
        tensors = [Tensor(device, v) for v in (np.zeros((4, 2, 2), "float32"), zeros, zeros)]
        inputs = [Tensor(device, v) for v in (x, *params)]
        given = states and [Tensor(device, v) for v in states]
        results.append(compute(device, "LSTM", inputs[0], inputs[1:], given, None, False, 1, 0.0, False, False, False, *tensors, *[None] * 7))
    check(device, "LSTM", [x, params, None, None, False, 1, 0.0, False, False, False, np.zeros((4, 2, 2), "float32"), zeros, zeros, *[None] * 7], results[1], 1, "without states")


def run(device, check, data, out):
    for group in (products, convolutions, poolings, norms, images, quantised, lstm):
        group(device, check, data, out)
