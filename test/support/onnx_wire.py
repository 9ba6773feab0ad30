"""Writes ONNX models for tests without the onnx package."""

import random
import struct

FLOAT, INT64, BOOL = 1, 7, 9


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """One field: int, text or bytes (a message or raw data)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def tensor(name, dtype, dims, raw):
    return b"".join(field(1, d) for d in dims) + field(2, dtype) + field(8, name) + field(9, raw)


def value_info(name, dtype, dims):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def ints(name, values):
    return field(1, name) + b"".join(field(8, v) for v in values) + field(20, 7)


def number(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def node(kind, inputs, outputs, *attributes, name=None):
    parts = [field(1, i) for i in inputs] + [field(2, o) for o in outputs]
    parts += [field(3, name or kind + "_node"), field(4, kind)] + [field(5, a) for a in attributes]
    return b"".join(parts)


def floats(count, seed):
    generator = random.Random(seed)
    return struct.pack(f"<{count}f", *(generator.uniform(-1, 1) for _ in range(count)))


def write_small_model(file):
    """Writes Conv, Relu, Reshape, MatMul, Add on float32[1,3,8,8].

    Returns {name: bytes} of the initializers that a conversion has no reason to change.
    """
    weights = {
        "w": (FLOAT, [4, 3, 3, 3], floats(108, 1)),
        "b": (FLOAT, [4], floats(4, 2)),
        "shape": (INT64, [2], struct.pack("<2q", 1, 256)),
        "m": (FLOAT, [256, 10], floats(2560, 3)),
        "a": (FLOAT, [10], floats(10, 4)),
    }
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], ints("kernel_shape", [3, 3]), ints("pads", [1, 1, 1, 1])),
        node("Relu", ["c"], ["r"]),
        node("Reshape", ["r", "shape"], ["f"]),
        node("MatMul", ["f", "m"], ["p"]),
        node("Add", ["p", "a"], ["y"]),
    ]
    graph = b"".join(field(1, n) for n in nodes) + field(2, "small")
    graph += b"".join(field(5, tensor(name, *rest)) for name, rest in weights.items())
    graph += field(11, value_info("x", FLOAT, [1, 3, 8, 8])) + field(12, value_info("y", FLOAT, [1, 10]))
    model = field(1, 8) + field(2, "small model") + field(7, graph) + field(8, field(1, "") + field(2, 13))
    with open(file, "wb") as stream:
        stream.write(model)
    return {name: weights[name][2] for name in ("w", "m")}


def graph_attribute(name, graph):
    return field(1, name) + field(6, graph) + field(20, 5)


def write_endless_model(file):
    """Writes y = x + a loop over constants whose condition stays true, float32[4]."""
    body = b"".join(field(1, node("Identity", [a], [b], name=b)) for a, b in (("go_in", "go_out"), ("s_in", "s_out")))
    body += field(2, "body") + field(11, value_info("i", INT64, [])) + field(11, value_info("go_in", BOOL, []))
    body += field(11, value_info("s_in", FLOAT, [4])) + field(12, value_info("go_out", BOOL, []))
    body += field(12, value_info("s_out", FLOAT, [4]))
    graph = field(1, node("Loop", ["", "go", "s"], ["end"], graph_attribute("body", body)))
    graph += field(1, node("Add", ["x", "end"], ["y"])) + field(2, "endless")
    graph += field(5, tensor("go", BOOL, [], b"\1")) + field(5, tensor("s", FLOAT, [4], floats(4, 6)))
    graph += field(11, value_info("x", FLOAT, [4])) + field(12, value_info("y", FLOAT, [4]))
    with open(file, "wb") as stream:
        stream.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def write_choice_model(file):
    """Writes y = c ? x * w : x + w on float32[4], the branches capturing x and w. Returns {name: bytes} of w."""

    def branch(kind):
        graph = field(1, node(kind, ["x", "w"], ["r"], name=kind.lower())) + field(2, kind)
        return graph + field(12, value_info("r", FLOAT, [4]))

    w = floats(4, 5)
    choice = node("If", ["c"], ["y"], graph_attribute("then_branch", branch("Mul")),
                  graph_attribute("else_branch", branch("Add")))  # fmt: skip
    graph = field(1, choice) + field(2, "choice") + field(5, tensor("w", FLOAT, [4], w))
    graph += field(11, value_info("c", BOOL, [])) + field(11, value_info("x", FLOAT, [4]))
    graph += field(12, value_info("y", FLOAT, [4]))
    with open(file, "wb") as stream:
        stream.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    return {"w": w}


def write_long_model(file, layers=3000):
    """Writes a chain of MatMul and Relu, float32[1,64] through `layers` different matrices: slow to convert."""
    parts = [field(2, "long")]
    last = "x"
    for k in range(layers):
        parts.append(field(5, tensor(f"m{k}", FLOAT, [64, 64], floats(64, k) * 64)))
        parts.append(field(1, node("MatMul", [last, f"m{k}"], [f"p{k}"], name=f"matmul{k}")))
        parts.append(field(1, node("Relu", [f"p{k}"], [f"r{k}"], name=f"relu{k}")))
        last = f"r{k}"
    parts += [field(11, value_info("x", FLOAT, [1, 64])), field(12, value_info(last, FLOAT, [1, 64]))]
    with open(file, "wb") as stream:
        stream.write(field(1, 8) + field(7, b"".join(parts)) + field(8, field(1, "") + field(2, 13)))
