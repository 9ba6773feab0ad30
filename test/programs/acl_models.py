"""A small classifier as ONNX, written byte by byte so that no other package is needed: x [1, 3, 16, 16] to y [1, 10]."""

import numpy as np

FLOAT, INT64 = 1, 7


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def node(kind, inputs, output, **ints):
    parts = [field(1, i) for i in inputs] + [field(2, output), field(3, output + "_node"), field(4, kind)]
    for name, value in ints.items():
        values = value if isinstance(value, list) else [value]
        body = field(1, name) + (b"".join(field(8, v) for v in values) + field(20, 7) if isinstance(value, list) else field(3, value) + field(20, 2))
        parts.append(field(5, body))
    return field(1, b"".join(parts))


def tensor(name, array):
    kind = FLOAT if array.dtype == np.float32 else INT64
    return field(5, b"".join(field(1, d) for d in array.shape) + field(2, kind) + field(8, name) + field(9, array.tobytes()))


def value(number, name, dims):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape))))


def write_model(path, w, fc):
    graph = node("Conv", ["x", "w"], "c", strides=[2, 2], pads=[1, 1, 1, 1], kernel_shape=[3, 3]) + node("Relu", ["c"], "r")
    graph += node("GlobalAveragePool", ["r"], "p") + node("Flatten", ["p"], "f", axis=1) + node("MatMul", ["f", "fc"], "m")
    graph += node("Softmax", ["m"], "y", axis=1) + field(2, "classifier") + tensor("w", w) + tensor("fc", fc)
    graph += value(11, "x", (1, 3, 16, 16)) + value(12, "y", (1, 10))
    path.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
