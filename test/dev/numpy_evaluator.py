"""An ONNX graph evaluated with NumPy alone, written from the ONNX operator specification.

It is the independent judge of half-precision results: in the half modes every float tensor that passes from one task
to the next is rounded to fp16 (weights too), arithmetic inside a task is fp32, graph inputs and outputs stay fp32.
It knows the operators of the development models and of the models that are written for comparison; it is meant to be
plain, not fast. Needs NumPy and the onnx package.
"""

import itertools
import math

import numpy as np
import onnx
from onnx import numpy_helper

NUMPY_TYPES = {
    onnx.TensorProto.BOOL: np.bool_,
    onnx.TensorProto.DOUBLE: np.float64,
    onnx.TensorProto.FLOAT: np.float32,
    onnx.TensorProto.FLOAT16: np.float16,
    onnx.TensorProto.INT32: np.int32,
    onnx.TensorProto.INT64: np.int64,
    onnx.TensorProto.INT8: np.int8,
    onnx.TensorProto.UINT8: np.uint8,
}
ELEMENTWISE = {
    "Add", "BatchNormalization", "Clip", "Div", "Erf", "Exp", "HardSigmoid", "LeakyRelu", "Log", "Max", "Min", "Mul",
    "Pow", "Relu", "Sigmoid", "Sqrt", "Sub", "Tanh",
}  # fmt: skip
HEAVY = {"Conv", "Gemm", "MatMul"}


class Node:
    """One node's attributes and inputs, with the opset in force."""

    def __init__(self, proto, inputs, opset):
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in proto.attribute}
        self.inputs, self.opset, self.outputs = inputs, opset, len(proto.output)

    def attr(self, name, default=None):
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def __getitem__(self, index):
        """The input, or None where it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def list_of(self, name, index):
        """Integers that older opsets have as an attribute and newer ones as an input; None when absent."""
        if self[index] is not None:
            return [int(v) for v in np.atleast_1d(self[index])]
        return self.attr(name)


# ---- windows: convolution and pooling ---------------------------------------------------------------------------


def window_geometry(node, spatial, kernel):
    """(pads begin, pads end, strides, dilations) from the attributes."""
    rank = len(kernel)
    strides = node.attr("strides", [1] * rank)
    dilations = node.attr("dilations", [1] * rank)
    pads = node.attr("pads", [0] * 2 * rank)
    auto = node.attr("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        begin, end = [], []
        for size, k, s, d in zip(spatial, kernel, strides, dilations):
            total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
            small, large = total // 2, total - total // 2
            begin.append(small if auto == "SAME_UPPER" else large)
            end.append(large if auto == "SAME_UPPER" else small)
        return begin, end, strides, dilations
    if auto == "VALID":
        return [0] * rank, [0] * rank, strides, dilations
    return pads[:rank], pads[rank:], strides, dilations


def window_taps(x, kernel, begin, end, strides, dilations, fill, ceil=False):
    """For each kernel position the slice of the padded x that it meets: yields (position, array N,C,out...)."""
    spatial = x.shape[2:]
    out = []
    extra = []
    for size, k, b, e, s, d in zip(spatial, kernel, begin, end, strides, dilations):
        span = size + b + e - ((k - 1) * d + 1)
        count = -(-span // s) + 1 if ceil else span // s + 1
        if ceil and (count - 1) * s >= size + b:  # a window must start inside the data or its left padding
            count -= 1
        out.append(count)
        extra.append(max(0, (count - 1) * s + (k - 1) * d + 1 - (size + b + e)))
    padded = np.pad(x, [(0, 0), (0, 0)] + [(b, e + r) for b, e, r in zip(begin, end, extra)], constant_values=fill)
    for position in itertools.product(*map(range, kernel)):
        at = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) for p, d, n, s in zip(position, dilations, out, strides))
        yield position, padded[(slice(None), slice(None)) + at]


def conv(node):
    x, w, bias = node[0], node[1], node[2]
    group = node.attr("group", 1)
    begin, end, strides, dilations = window_geometry(node, x.shape[2:], w.shape[2:])
    batch, outputs = x.shape[0], w.shape[0]
    w = w.reshape(group, outputs // group, w.shape[1], *w.shape[2:])
    total = 0
    for position, tap in window_taps(x, w.shape[3:], begin, end, strides, dilations, 0):
        tap = tap.reshape(batch, group, -1, int(np.prod(tap.shape[2:]))), tap.shape[2:]
        total = total + np.matmul(w[(slice(None),) * 3 + position], tap[0])
    y = total.reshape(batch, outputs, *tap[1])
    return y if bias is None else y + bias.reshape(1, -1, *[1] * (y.ndim - 2))


def max_pool(node):
    kernel = node.attr("kernel_shape")
    geometry = window_geometry(node, node[0].shape[2:], kernel)
    taps = window_taps(node[0], kernel, *geometry, -np.inf, node.attr("ceil_mode", 0))
    return np.max([tap for _, tap in taps], axis=0)


def average_pool(node):
    x, kernel = node[0], node.attr("kernel_shape")
    geometry = window_geometry(node, x.shape[2:], kernel)
    ceil = node.attr("ceil_mode", 0)
    total = sum(tap for _, tap in window_taps(x, kernel, *geometry, 0, ceil))
    ones = np.ones_like(x[:1, :1])
    if node.attr("count_include_pad", 0):
        begin, end = geometry[:2]
        ones = np.pad(ones, [(0, 0), (0, 0)] + list(zip(begin, end)), constant_values=1)
        geometry = ([0] * len(kernel), [0] * len(kernel), *geometry[2:])
    return total / sum(tap for _, tap in window_taps(ones, kernel, *geometry, 0, ceil))


# ---- arithmetic -------------------------------------------------------------------------------------------------


def batch_norm(node):
    x = node[0]
    scale, bias, mean, variance = (p.reshape(1, -1, *[1] * (x.ndim - 2)) for p in node.inputs[1:5])
    return (x - mean) / np.sqrt(variance + np.float32(node.attr("epsilon", 1e-5))) * scale + bias


def clip(node):
    low = node[1] if node[1] is not None else node.attr("min")
    high = node[2] if node[2] is not None else node.attr("max")
    y = node[0] if low is None else np.maximum(node[0], np.float32(low))
    return y if high is None else np.minimum(y, np.float32(high))


def divide(node):
    if node[0].dtype.kind == "f":
        return node[0] / node[1]
    return np.trunc(node[0] / node[1]).astype(node[0].dtype)  # integers divide toward zero


def gemm(node):
    a = node[0].T if node.attr("transA", 0) else node[0]
    b = node[1].T if node.attr("transB", 0) else node[1]
    y = np.float32(node.attr("alpha", 1.0)) * (a @ b)
    return y if node[2] is None else y + np.float32(node.attr("beta", 1.0)) * node[2]


def softmax(node):
    x = node[0]
    axis = node.attr("axis", -1 if node.opset >= 13 else 1) % x.ndim
    axes = axis if node.opset >= 13 else tuple(range(axis, x.ndim))  # before 13: all axes from `axis` on, as one
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def reduction(function):
    def run(node):
        axes = node.list_of("axes", 1)
        return function(node[0], axis=None if axes is None else tuple(axes), keepdims=bool(node.attr("keepdims", 1)))

    return run


def variadic(function):
    def run(node):
        y = node[0]
        for x in node.inputs[1:]:
            y = function(y, x)
        return y

    return run


def hard_sigmoid(node):
    return np.clip(np.float32(node.attr("alpha", 0.2)) * node[0] + np.float32(node.attr("beta", 0.5)), 0, 1)


def leaky_relu(node):
    return np.where(node[0] < 0, np.float32(node.attr("alpha", 0.01)) * node[0], node[0])


erf = np.vectorize(math.erf, otypes=[np.float32])


# ---- shapes and moves -------------------------------------------------------------------------------------------


def slice_(node):
    starts, ends = node.list_of("starts", 1), node.list_of("ends", 2)
    axes = node.list_of("axes", 3) or list(range(len(starts)))
    steps = node.list_of("steps", 4) or [1] * len(starts)
    at = [slice(None)] * node[0].ndim
    for axis, start, end, step in zip(axes, starts, ends, steps):
        size = node[0].shape[axis]
        if step < 0 and end < -size:
            end = None
        at[axis] = slice(start, end, step)
    return node[0][tuple(at)]


def reshape(node):
    wanted = [int(v) for v in node[1]]
    if not node.attr("allowzero", 0):
        wanted = [node[0].shape[i] if v == 0 else v for i, v in enumerate(wanted)]
    return node[0].reshape(wanted)


def flatten(node):
    axis = node.attr("axis", 1)
    return node[0].reshape(int(np.prod(node[0].shape[:axis])), -1)


def squeeze(node):
    axes = node.list_of("axes", 1)
    return np.squeeze(node[0], None if axes is None else tuple(axes))


def unsqueeze(node):
    return np.expand_dims(node[0], tuple(node.list_of("axes", 1)))


def split(node):
    sizes, axis = node.list_of("split", 1), node.attr("axis", 0)
    sizes = sizes or [node[0].shape[axis] // node.outputs] * node.outputs
    return np.split(node[0], np.cumsum(sizes)[:-1], axis)


def pad(node):
    pads = node.list_of("pads", 1)
    if node.attr("mode", "constant") != "constant":
        raise NotImplementedError("Pad: mode other than constant")
    value = node[2] if node[2] is not None else node.attr("value", 0.0)
    rank = len(pads) // 2
    return np.pad(node[0], list(zip(pads[:rank], pads[rank:])), constant_values=np.asarray(value).item())


def constant_of_shape(node):
    value = node.attr("value")
    value = np.zeros(1, np.float32) if value is None else numpy_helper.to_array(value)
    return np.full([int(v) for v in node[0]], value.item(), value.dtype)


def resize(node):
    """Linear and nearest, axis by axis; sizes or scales."""
    y, mode = node[0].astype(np.float32), node.attr("mode", "nearest")
    transform = node.attr("coordinate_transformation_mode", "half_pixel")
    scales = None if node[2] is None or node[2].size == 0 else node[2].astype(np.float64)
    sizes = node.list_of("sizes", 3) or [int(math.floor(n * s)) for n, s in zip(y.shape, scales)]
    for axis, out in enumerate(sizes):
        n = y.shape[axis]
        if out == n:
            continue
        scale = out / n if scales is None else scales[axis]
        i = np.arange(out, dtype=np.float64)
        x = {
            "align_corners": lambda: i * (n - 1) / max(out - 1, 1),
            "asymmetric": lambda: i / scale,
            "half_pixel": lambda: (i + 0.5) / scale - 0.5,
            "pytorch_half_pixel": lambda: (i + 0.5) / scale - 0.5 if out > 1 else i * 0,
        }[transform]()
        if mode == "nearest":
            rule = node.attr("nearest_mode", "round_prefer_floor")
            nearest = {
                "ceil": np.ceil,
                "floor": np.floor,
                "round_prefer_ceil": lambda v: np.floor(v + 0.5),
                "round_prefer_floor": lambda v: np.ceil(v - 0.5),
            }[rule](x)
            y = np.take(y, np.clip(nearest, 0, n - 1).astype(int), axis)
        elif mode == "linear":
            low = np.clip(np.floor(x), 0, n - 1).astype(int)
            high = np.clip(low + 1, 0, n - 1)
            weight = np.clip(x - low, 0, 1).astype(np.float32).reshape([-1 if a == axis else 1 for a in range(y.ndim)])
            y = np.take(y, low, axis) * (1 - weight) + np.take(y, high, axis) * weight
        else:
            raise NotImplementedError(f"Resize: mode {mode}")
    return y


def cast(node):
    return node[0].astype(NUMPY_TYPES[node.attr("to")])


OPERATORS = {
    "Add": lambda n: n[0] + n[1],
    "AveragePool": average_pool,
    "BatchNormalization": batch_norm,
    "Cast": cast,
    "Clip": clip,
    "Concat": lambda n: np.concatenate(n.inputs, n.attr("axis")),
    "Constant": lambda n: numpy_helper.to_array(n.attr("value")),
    "ConstantOfShape": constant_of_shape,
    "Conv": conv,
    "Div": divide,
    "Equal": lambda n: n[0] == n[1],
    "Erf": lambda n: erf(n[0]),
    "Exp": lambda n: np.exp(n[0]),
    "Expand": lambda n: n[0] * np.ones([int(v) for v in n[1]], n[0].dtype),
    "Flatten": flatten,
    "Gather": lambda n: np.take(n[0], n[1], n.attr("axis", 0)),
    "Gemm": gemm,
    "GlobalAveragePool": lambda n: n[0].mean(axis=tuple(range(2, n[0].ndim)), keepdims=True),
    "HardSigmoid": hard_sigmoid,
    "Identity": lambda n: n[0],
    "LeakyRelu": leaky_relu,
    "Log": lambda n: np.log(n[0]),
    "MatMul": lambda n: np.matmul(n[0], n[1]),
    "Max": variadic(np.maximum),
    "MaxPool": max_pool,
    "Min": variadic(np.minimum),
    "Mul": lambda n: n[0] * n[1],
    "Pad": pad,
    "Pow": lambda n: np.power(n[0], n[1]).astype(n[0].dtype),
    "ReduceMax": reduction(np.max),
    "ReduceMean": reduction(np.mean),
    "ReduceMin": reduction(np.min),
    "ReduceSum": reduction(np.sum),
    "Relu": lambda n: np.maximum(n[0], 0),
    "Reshape": reshape,
    "Resize": resize,
    "Shape": lambda n: np.array(n[0].shape, np.int64),
    "Sigmoid": lambda n: 1 / (1 + np.exp(-n[0])),
    "Slice": slice_,
    "Softmax": softmax,
    "Split": split,
    "Sqrt": lambda n: np.sqrt(n[0]),
    "Squeeze": squeeze,
    "Sub": lambda n: n[0] - n[1],
    "Tanh": lambda n: np.tanh(n[0]),
    "Transpose": lambda n: np.transpose(n[0], n.attr("perm")),
    "Unsqueeze": unsqueeze,
    "Where": lambda n: np.where(n[0], n[1], n[2]),
}


# ---- the graph --------------------------------------------------------------------------------------------------


def round_half(x):
    """A float array rounded to fp16, ties to even, kept in fp32; others as they are."""
    return x.astype(np.float16).astype(np.float32) if x.dtype.kind == "f" else x


def as_float64(x):
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def inside_a_task(graph):
    """Values that a fused task keeps in fp32: made by a heavy or elementwise node for one elementwise node alone."""
    readers = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    outputs = {o.name for o in graph.output}
    return {
        name
        for node in graph.node
        if node.op_type in HEAVY | ELEMENTWISE
        for name in node.output
        if name not in outputs and len(readers.get(name, [])) == 1 and readers[name][0].op_type in ELEMENTWISE
    }


def compute(proto, inputs, opset):
    """The node's outputs, a list; a node with a float16 input computes in fp32 and rounds its outputs once."""
    if proto.op_type not in OPERATORS:
        raise NotImplementedError(f"{proto.op_type} ({proto.name})")
    present = [i for i in inputs if i is not None]
    narrow = any(i.dtype == np.float16 for i in present)
    wide = any(i.dtype == np.float64 for i in present)
    inputs = [i.astype(np.float32) if i is not None and i.dtype == np.float16 else i for i in inputs]
    results = OPERATORS[proto.op_type](Node(proto, inputs, opset))
    results = [np.asarray(r) for r in (results if isinstance(results, list) else [results])]
    if proto.op_type == "Cast":
        return results
    if not wide:  # NumPy widens here and there; ONNX does not
        results = [r.astype(np.float32) if r.dtype == np.float64 else r for r in results]
    return [r.astype(np.float16) if r.dtype == np.float32 and narrow else r for r in results]


BETWEEN_TASKS = {
    "float32": lambda x: x,
    "float64": as_float64,  # nearest to the truth: shows how far the golden values are from it
    "half": round_half,  # every node is a task
    "half_fused": round_half,  # a heavy node with the elementwise chain behind it, or such a chain, is a task
}


def evaluate(model, feeds, mode="float32"):
    """The outputs of the model, in its order. `feeds` maps input names to arrays; `mode` is a key of BETWEEN_TASKS."""
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    between = BETWEEN_TASKS[mode]
    kept = inside_a_task(model.graph) if mode == "half_fused" else set()
    values = {i.name: between(numpy_helper.to_array(i)) for i in model.graph.initializer}
    values.update({name: between(np.asarray(array)) for name, array in feeds.items()})
    last_use = {name: k for k, node in enumerate(model.graph.node) for name in node.input}
    wanted = {o.name for o in model.graph.output}
    with np.errstate(all="ignore"):
        for k, proto in enumerate(model.graph.node):
            inputs = [values[name] if name else None for name in proto.input]
            for name, result in zip(proto.output, compute(proto, inputs, opset)):
                values[name] = result if name in kept else between(result)
            for name in proto.input:
                if last_use.get(name) == k and name not in wanted:
                    values.pop(name, None)
    return [values[o.name] for o in model.graph.output]
