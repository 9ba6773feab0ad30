"""Cases of operators_test.py: losses, gradients of activations and losses, functions over lists of tensors.

A gradient is held against the difference quotient of the function that it is of, in float64.
"""

import math

import numpy as np
from device import Scalar

STEP = 1e-5
erf = np.vectorize(math.erf, otypes=[np.float64])
sigmoid = lambda x: 1 / (1 + np.exp(-x))
softplus = lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
gelu_tanh = lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
gelu_erf = lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))
elu = lambda x: np.where(x > 0, 1.2 * x, 1.5 * 1.2 * np.expm1(0.8 * x))
selu = lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(x))

FROM_OPERAND = [  # name, arguments between the tensors, arguments after them, function
    ("EluBackward", [1.5, 1.2, 0.8, False], [], elu),
    ("GeluBackward", [], [], gelu_erf),
    ("GeluBackwardV2", [], ["none"], gelu_erf),
    ("GeluBackwardV2", [], ["tanh"], gelu_tanh),
    ("HardshrinkBackward", [], [0.5], lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    ("HardsigmoidBackward", [], [], lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    ("HardswishBackward", [], [], lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    ("HardswishBackwardV2", [], [], lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    ("HardtanhBackward", [], [-1.0, 2.0], lambda x: np.clip(x, -1, 2)),
    ("LeakyReluBackward", [], [0.1, False], lambda x: np.where(x > 0, x, 0.1 * x)),
    ("LogSigmoidBackward", [], [None], lambda x: -softplus(-x)),
    ("MishBackward", [], [], lambda x: x * np.tanh(softplus(x))),
    ("SiluBackward", [], [], lambda x: x * sigmoid(x)),
    ("SoftplusBackward", [], [2.0, 3.0], lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2)),
    ("SoftshrinkBackward", [], [0.5], lambda x: np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, 0))),
    ("SoftsignBackward", [], [], lambda x: x / (1 + np.abs(x))),
    ("SwishBackward", [], [1.5], lambda x: x * sigmoid(1.5 * x)),
    ("SwishBackward", [], [None], lambda x: x * sigmoid(x)),
    ("ThresholdBackward", [], [0.5], lambda x: np.where(x > 0.5, x, 0.5)),
]
FROM_RESULT = [
    ("EluBackward", [1.5, 1.2, 0.8, True], elu),
    ("SeluBackward", [], selu),
    ("SigmoidBackward", [], sigmoid),
    ("TanhBackward", [], np.tanh),
]


def away(x, *kinks):
    """x without elements at which a function has no derivative."""
    for kink in kinks:
        x = np.where(np.abs(x - kink) < 0.05, kink + 0.1, x)
    return x


def slope(function, x):
    return (function(x + STEP) - function(x - STEP)) / (2 * STEP)


def gradients(device, check, data, out):
    for dtype in ("float32", "float16"):
        x = away(data((3, 7), "float64", -4, 4), -3, -1, -0.5, 0, 0.5, 1.5, 2, 3).astype(dtype)
        g = data((3, 7), dtype)
        for name, between, after, function in FROM_OPERAND:
            want = g.astype("float64") * slope(function, x.astype("float64"))
            check(device, name, [g, *between, x, *after, out(x)], [want], 8, f"{dtype} {after}")
        for name, between, function in FROM_RESULT:
            y = function(x.astype("float64")).astype("float32")
            want = g.astype("float64") * slope(function, x.astype("float64"))
            check(device, name, [g.astype("float32"), *between, y, out(y)], [want], 16, dtype)
        for axis in (0, 1):
            z = x.astype("float64")
            e = np.exp(z - z.max(axis, keepdims=True))
            y = (e / e.sum(axis, keepdims=True))
            # Jacobian of softmax: diag(y) - y y'; of its logarithm: 1 - exp(y).
            want = np.empty_like(y)
            rows, ys = np.moveaxis(g.astype("float64"), axis, -1), np.moveaxis(y, axis, -1)
            logs = np.moveaxis(want.copy(), axis, -1)
            wants = np.moveaxis(want, axis, -1)
            for i in range(rows.shape[0]):
                wants[i] = (np.diag(ys[i]) - np.outer(ys[i], ys[i])) @ rows[i]
                logs[i] = (np.eye(ys.shape[1]) - np.outer(np.ones(ys.shape[1]), ys[i])).T @ rows[i]
            check(device, "SoftmaxBackward", [g, y.astype(dtype), axis, out(g)], [want], 8, f"{dtype} {axis}")
            check(device, "LogSoftmaxBackward", [g, np.log(y).astype(dtype), axis, out(g)], [np.moveaxis(logs, -1, axis)], 16, f"{dtype} {axis}")


def ends(device, check, data, out):
    """At its ends the two forms of hardswish's gradient differ."""
    x, g = np.array([-3, 3, -3.5, 3.5], "float32"), np.array([2, 2, 2, 2], "float32")
    check(device, "HardswishBackward", [g, x, out(x)], [np.array([-1, 3, 0, 2])])
    check(device, "HardswishBackwardV2", [g, x, out(x)], [np.array([0, 2, 0, 2])])


def losses(device, check, data, out):
    half = lambda d, beta: np.where(np.abs(d) < beta, d * d / (2 * beta), np.abs(d) - beta / 2)
    weight, positive = data((7,), "float32", 0.5, 2), data((7,), "float32", 0.5, 2)
    w, p = weight.astype("float64"), positive.astype("float64")
    bce = lambda x, t: -(t * np.log(x) + (1 - t) * np.log(1 - x))
    logits = lambda x, t, k: (1 - t) * x + ((k - 1) * t + 1) * softplus(-x)
    rows = [  # name, operands' range, targets' range, arguments before and after reduction, function
        ("BinaryCrossEntropy", (0.1, 0.9), (0, 1), [None], [], bce),
        ("BinaryCrossEntropy", (0.1, 0.9), (0, 1), [weight], [], lambda x, t: w * bce(x, t)),
        ("BinaryCrossEntropyWithLogits", (-3, 3), (0, 1), [None, None], [], lambda x, t: logits(x, t, 1)),
        ("BinaryCrossEntropyWithLogits", (-3, 3), (0, 1), [weight, positive], [], lambda x, t: w * logits(x, t, p)),
        ("KlDiv", (-3, 3), (0.1, 1), [], [False], lambda x, t: t * (np.log(t) - x)),
        ("KlDiv", (-3, 3), (-1, 1), [], [True], lambda x, t: np.exp(t) * (t - x)),
        ("L1Loss", (0, 3), (-3, -0.1), [], [], lambda x, t: np.abs(x - t)),
        ("MseLoss", (-3, 3), (-3, 3), [], [], lambda x, t: (x - t) ** 2),
        ("SmoothL1Loss", (-3, 3), (-3, 3), [], [0.75], lambda x, t: half(x - t, 0.75)),
        ("SmoothL1Loss", (0, 3), (-3, -0.1), [], [0.0], lambda x, t: np.abs(x - t)),
        ("SoftMarginLoss", (-3, 3), (-1, 1), [], [], lambda x, t: np.log1p(np.exp(-t * x))),
    ]
    for name, x_range, t_range, before, after, function in rows:
        x, t, g = data((3, 7), "float32", *x_range), data((3, 7), "float32", *t_range), data((3, 7), "float32")
        xf, tf = x.astype("float64"), t.astype("float64")
        loss, steep = function(xf, tf), slope(lambda v: function(v, tf), xf)
        for reduction in (0, 1, 2, 3) if name == "KlDiv" else (0, 1, 2):
            count = {1: x.size, 3: x.shape[0]}.get(reduction, 1)
            want = loss if reduction == 0 else loss.sum() / count
            for shape in ((3, 7),) if reduction == 0 else ((), (1,)):
                check(device, name, [x, t, *before, reduction, *after, np.zeros(shape, "float32")], [np.reshape(want, shape)], 8, f"{reduction} {shape}")
            from_one = g if reduction == 0 else np.float32(1.5)
            check(device, f"{name}Backward", [np.asarray(from_one), x, t, *before, reduction, *after, out(x)], [from_one * steep / count], 32, f"{reduction} {after}")


def lists(device, check, data, out):
    shapes = ((2, 3), (), (4,))
    alpha = 1.25
    for dtype in ("float32", "float16"):
        def make(low=0.2, high=0.9):
            return [data(shape, dtype, low, high) for shape in shapes]

        def wide(values):
            return [v.astype("float64") for v in values]

        x, y, z = make(), make(), make()
        xf, yf, zf = wide(x), wide(y), wide(z)
        empty = [out(v) for v in x]
        one, each = np.array([alpha], dtype), np.array([0.5, 1.25, 2.0], dtype)
        ones, several = [alpha] * 3, [0.5, 1.25, 2.0]
        scalars = [Scalar(v) for v in several]
        for name, function in (
            ("Abs", np.abs), ("Acos", np.arccos), ("Asin", np.arcsin), ("Atan", np.arctan), ("Copy", lambda v: v), ("Cos", np.cos),
            ("Cosh", np.cosh), ("Erf", erf), ("Erfc", lambda v: 1 - erf(v)), ("Exp", np.exp), ("Expm1", np.expm1), ("Log", np.log),
            ("Log10", np.log10), ("Log1p", np.log1p), ("Log2", np.log2), ("Neg", np.negative), ("Reciprocal", lambda v: 1 / v),
            ("Sigmoid", sigmoid), ("Sign", np.sign), ("Sin", np.sin), ("Sinh", np.sinh), ("Sqrt", np.sqrt), ("Tan", np.tan), ("Tanh", np.tanh),
        ):
            check(device, f"Foreach{name}", [x, empty], [function(v) for v in xf], 4, dtype)
        check(device, "ForeachACosInplace", [[v.copy() for v in x]], [np.arccos(v) for v in xf], 4, dtype)
        check(device, "ForeachLogInplace", [[v.copy() for v in x]], [np.log(v) for v in xf], 4, dtype)
        check(device, "ForeachZeroInplace", [[v.copy() for v in x]], [np.zeros_like(v) for v in xf], 1, dtype)
        operators = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Maximum": np.maximum, "Minimum": np.minimum, "Pow": np.power}
        for name, function in operators.items():
            by = [function(v, float(one[0])) for v in xf]
            check(device, f"Foreach{name}Scalar", [x, one, empty], by, 4, dtype)
            check(device, f"Foreach{name}ScalarV2", [x, Scalar(alpha), empty], by, 4, dtype)
            check(device, f"Foreach{name}ScalarList", [x, scalars, empty], [function(v, s) for v, s in zip(xf, several)], 4, dtype)
            if name in ("Sub", "Mul"):
                check(device, f"Foreach{name}ScalarInplace", [[v.copy() for v in x], one], by, 4, dtype)
            if name in ("Add", "Sub"):
                both = [function(v, alpha * u) for v, u in zip(xf, yf)]
                check(device, f"Foreach{name}List", [x, y, one, empty], both, 4, dtype)
                check(device, f"Foreach{name}ListV2", [x, y, Scalar(alpha), empty], both, 4, dtype)
                check(device, f"Foreach{name}ListInplace", [[v.copy() for v in x], y, one], both, 4, dtype)
                continue
            both = [function(v, u) for v, u in zip(xf, yf)]
            check(device, f"Foreach{name}List", [x, y, empty], both, 4, dtype)
            if name in ("Mul", "Div"):
                check(device, f"Foreach{name}ListInplace", [[v.copy() for v in x], y], both, 4, dtype)
        check(device, "ForeachPowScalarAndTensor", [Scalar(alpha), x, empty], [alpha**v for v in xf], 4, dtype)
        for name, function in (("Addcdiv", np.divide), ("Addcmul", np.multiply)):
            inner = [function(u, v) for u, v in zip(yf, zf)]
            for form, argument, factors in (("Scalar", one, ones), ("ScalarV2", Scalar(alpha), ones), ("ScalarList", each, several), ("List", each, several)):
                check(device, f"Foreach{name}{form}", [x, y, z, argument, empty], [v + f * i for v, f, i in zip(xf, factors, inner)], 8, dtype)
        check(device, "ForeachLerpScalar", [x, y, Scalar(0.25), empty], [v + 0.25 * (u - v) for v, u in zip(xf, yf)], 4, dtype)
        check(device, "ForeachLerpList", [x, y, z, empty], [v + w * (u - v) for v, u, w in zip(xf, yf, zf)], 4, dtype)


def run(device, check, data, out):
    for group in (gradients, ends, losses, lists):
        group(device, check, data, out)
