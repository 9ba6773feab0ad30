"""A small classifier as ONNX without the onnx package: x [1, 3, 16, 16] to y [1, 10]."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from onnx_wire import FLOAT, field, ints, number, node, tensor, value_info  # noqa: E402


def write_model(path, w, fc):
    """Writes the model with the filters w, float32 [k, 3, 3, 3], and the matrix fc, float32 [k, 10]."""
    nodes = [
        node("Conv", ["x", "w"], ["c"], ints("strides", [2, 2]), ints("pads", [1, 1, 1, 1]), ints("kernel_shape", [3, 3])),
        node("Relu", ["c"], ["r"]),
        node("GlobalAveragePool", ["r"], ["p"]),
        node("Flatten", ["p"], ["f"], number("axis", 1)),
        node("MatMul", ["f", "fc"], ["m"]),
        node("Softmax", ["m"], ["y"], number("axis", 1)),
    ]
    graph = b"".join(field(1, n) for n in nodes) + field(2, "classifier")
    graph += b"".join(field(5, tensor(name, FLOAT, a.shape, a.tobytes())) for name, a in (("w", w), ("fc", fc)))
    graph += field(11, value_info("x", FLOAT, (1, 3, 16, 16))) + field(12, value_info("y", FLOAT, (1, 10)))
    path.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
