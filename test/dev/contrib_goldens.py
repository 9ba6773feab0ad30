"""Writes test/programs/contrib.npz: small models of the operators of domain com.microsoft with inputs and ONNX Runtime's outputs.

usage: contrib_goldens.py CONTRIB.npz

Needs the packages onnx and onnxruntime (pip). The keys: NAME/model (bytes), NAME/in/TENSOR, NAME/out/NUMBER.
"""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper
from onnx import numpy_helper

rng = np.random.default_rng(0)
goldens = {}
TYPES = {T.FLOAT: np.float32, T.UINT8: np.uint8, T.BOOL: bool, T.INT32: np.int32, T.INT64: np.int64}


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def int8s(*shape):
    return rng.integers(-120, 120, shape).astype(np.int8)


def made_up(dtype, shape):
    if dtype == T.FLOAT:
        return floats(*shape)
    return rng.integers(0, {T.BOOL: 2, T.INT32: 2, T.INT64: 4}.get(dtype, 255), shape).astype(TYPES[dtype])


def node(op, inputs, outputs=("y",), domain="com.microsoft", **attributes):
    return helper.make_node(op, inputs, list(outputs), domain=domain, **attributes)


def model(name, only, inputs, constants, outputs=("y",)):
    """A model of one node, its inputs made up, into goldens."""
    values = [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs]
    graph = helper.make_graph([only], name, values, [onnx.ValueInfoProto(name=o) for o in outputs],
                              [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items() if n in only.input])  # fmt: skip
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    data = helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    feeds = {n: made_up(t, s) for n, t, s in inputs}
    goldens[f"{name}/model"] = np.frombuffer(data, np.uint8)
    goldens.update({f"{name}/in/{n}": value for n, value in feeds.items()})
    goldens.update({f"{name}/out/{i}": value for i, value in enumerate(session.run(None, feeds))})


X = [("x", T.UINT8, [2, 4, 6, 6])]
Z = [("z", T.UINT8, [2, 4, 6, 6])]
sc = dict(
    s=np.float32(0.02), p=np.uint8(120), s2=np.float32(0.03), p2=np.uint8(90), so=np.float32(0.04), po=np.uint8(100)
)
for op in ("QLinearAdd", "QLinearMul"):
    model(op, node(op, ["x", "s", "p", "z", "s2", "p2", "so", "po"]), X + Z, sc)
UNARY = (
    ("QLinearSigmoid", {}),
    ("QLinearLeakyRelu", dict(alpha=0.1)),
    ("QLinearGlobalAveragePool", {}),
    ("QLinearAveragePool", dict(kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1)),
)
for op, k in UNARY:
    model(op, node(op, ["x", "s", "p", "so", "po"], **k), X, sc)
model(
    "QLinearSoftmax",
    node("QLinearSoftmax", ["x", "s", "p", "so", "po"], axis=1, opset=13),
    X,
    dict(sc, so=np.float32(1 / 256), po=np.uint8(0)),
)
model(
    "QLinearSoftmax11",
    node("QLinearSoftmax", ["x", "s", "p", "so", "po"], axis=1, opset=11),
    X,
    dict(sc, so=np.float32(1 / 256), po=np.uint8(0)),
)
model("QLinearConcat", node("QLinearConcat", ["so", "po", "x", "s", "p", "z", "s2", "p2"], axis=1), X + Z, sc)
model(
    "QLinearWhere",
    node("QLinearWhere", ["c", "x", "s", "p", "z", "s2", "p2", "so", "po"]),
    [("c", T.BOOL, [2, 4, 6, 6])] + X + Z,
    sc,
)
A = [("a", T.UINT8, [3, 8])]
W = dict(
    w=int8s(8, 5),
    ws=np.abs(floats(5)) * 0.01 + 0.01,
    wz=np.zeros(5, np.int8),
    c=rng.integers(-3000, 3000, 5).astype(np.int32),
)
model("QGemm", node("QGemm", ["a", "s", "p", "w", "ws", "wz", "c", "so", "po"]), A, dict(sc, **W))
model(
    "QGemmF",
    node("QGemm", ["a", "s", "p", "w", "ws", "wz", "c"], transB=1, alpha=0.5),
    A,
    dict(sc, **dict(W, w=int8s(5, 8))),
)
model(
    "MatMulIntegerToFloat",
    node("MatMulIntegerToFloat", ["a", "w", "s", "ws", "p", "wz", "b"]),
    A,
    dict(sc, b=floats(5), **W),
)
model(
    "DynamicQuantizeMatMul",
    node("DynamicQuantizeMatMul", ["x", "w", "ws", "wz", "b"]),
    [("x", T.FLOAT, [2, 3, 8])],
    dict(b=floats(5), **W),
)
F = [("x", T.FLOAT, [2, 3, 8])]
model("Gelu", node("Gelu", ["x"]), F, {})
model("BiasGelu", node("BiasGelu", ["x", "b"]), F, dict(b=floats(8)))
model("FastGelu", node("FastGelu", ["x", "b"]), F, dict(b=floats(8)))
model("QuickGelu", node("QuickGelu", ["x"], alpha=1.5), F, {})
IMAGE = [("x", T.FLOAT, [1, 3, 6, 6])]
ACTIVATIONS = (
    ("Relu", []),
    ("LeakyRelu", [0.2]),
    ("Clip", [-0.5, 0.7]),
    ("HardSigmoid", [0.3, 0.4]),
    ("Tanh", []),
    ("Sigmoid", []),
)
for a, p in ACTIVATIONS:
    model(
        "FusedConv" + a,
        node(
            "FusedConv",
            ["x", "w", "b"],
            activation=a,
            **({"activation_params": p} if p else {}),
            pads=[1, 1, 1, 1],
            strides=[2, 2],
        ),
        IMAGE,
        dict(w=floats(4, 3, 3, 3), b=floats(4)),
    )
model(
    "FusedConvZ",
    node("FusedConv", ["x", "w", "b", "z"], activation="Relu", pads=[1, 1, 1, 1]),
    IMAGE,
    dict(w=floats(4, 3, 3, 3), b=floats(4), z=floats(1, 4, 6, 6)),
)
model(
    "FusedGemm",
    node("FusedGemm", ["x", "w", "b"], activation="LeakyRelu", activation_alpha=0.3, transB=1),
    [("x", T.FLOAT, [3, 8])],
    dict(w=floats(4, 8), b=floats(4)),
)
model("FusedMatMul", node("FusedMatMul", ["x", "w"], alpha=0.3, transA=1, transB=1), F, dict(w=floats(2, 4, 3)))
model(
    "SkipLayerNormalization",
    node("SkipLayerNormalization", ["x", "w", "g", "b", "c"], ["y", "", "", "s"], epsilon=1e-5),
    F,
    dict(w=floats(2, 3, 8), g=floats(8), b=floats(8), c=floats(8)),
    ("y", "s"),
)
model(
    "SimplifiedLayerNormalization",
    node("SimplifiedLayerNormalization", ["x", "g"], domain="", axis=-1, epsilon=1e-5),
    F,
    dict(g=floats(8)),
)
model(
    "SkipSimplifiedLayerNormalization",
    node("SkipSimplifiedLayerNormalization", ["x", "w", "g"], ["y", "", "", "s"], epsilon=1e-5),
    F,
    dict(w=floats(2, 3, 8), g=floats(8)),
    ("y", "s"),
)
model(
    "Attention",
    node("Attention", ["x", "w", "b", "m"], num_heads=2),
    F,
    dict(w=floats(8, 24), b=floats(24), m=np.array([[1, 1, 0], [1, 1, 1]], np.int32)),
)
model(
    "AttentionU",
    node("Attention", ["x", "w", "b"], num_heads=2, unidirectional=1),
    F,
    dict(w=floats(8, 24), b=floats(24)),
)
model(
    "AttentionQ",
    node("Attention", ["x", "w", "b", "", "", "a"], num_heads=2, scale=0.3),
    F,
    dict(w=floats(8, 24), b=floats(24), a=floats(2, 2, 3, 3)),
)
Q = [("q", T.FLOAT, [2, 3, 8]), ("k", T.FLOAT, [2, 5, 8]), ("v", T.FLOAT, [2, 5, 6])]
model(
    "MultiHeadAttention",
    node("MultiHeadAttention", ["q", "k", "v", "b", "m"], num_heads=2),
    Q,
    dict(b=floats(22), m=np.array([[1, 1, 0, 1, 1], [1, 1, 1, 1, 0]], np.int32)),
)
model("MultiHeadAttentionN", node("MultiHeadAttention", ["q", "k", "v"], num_heads=2), Q, {})

I = [("i", T.INT32, [2, 3]), ("t", T.INT32, [2, 3]), ("m", T.INT32, [2, 3])]
E = dict(w=floats(2, 8), e=floats(5, 8), u=floats(2, 8), g=floats(8), b=floats(8))
model("EmbedLayerNormalization", node("EmbedLayerNormalization", ["i", "t", "w", "e", "u", "g", "b", "m"], ["y", "c", "s"]),
      I, E, ("y", "c", "s"))  # fmt: skip
model("EmbedLayerNormalizationN", node("EmbedLayerNormalization", ["i", "", "w", "e", "", "g", "b"], ["y", "c"], epsilon=1e-3),
      I[:1], E, ("y", "c"))  # fmt: skip
model("EmbedLayerNormalizationP", node("EmbedLayerNormalization", ["i", "", "w", "e", "", "g", "b", "", "m"], ["y", "c"]),
      [I[0], I[2]], E, ("y", "c"))  # fmt: skip
C = dict(c=floats(7, 2), n=floats(7, 2), o=np.array([2], np.int64))
P = [("p", T.INT64, [2, 3])]
model("RotaryEmbedding", node("RotaryEmbedding", ["x", "p", "c", "n"]), F + P, C)
model("RotaryEmbeddingI", node("RotaryEmbedding", ["x", "p", "c", "n"], interleaved=1, num_heads=2), F + P, C)
model("RotaryEmbeddingO", node("RotaryEmbedding", ["x", "o", "c", "n"]), F, C)
model("RotaryEmbedding4", node("RotaryEmbedding", ["x", "o", "c", "n"]), [("x", T.FLOAT, [2, 2, 3, 4])], C)
model("RotaryEmbeddingD", node("RotaryEmbedding", ["x", "p", "c", "n"], num_heads=1, rotary_embedding_dim=4), F + P, C)

# A mask counts where it is above 0.
model(
    "AttentionMask",
    node("Attention", ["x", "w", "b", "m"], num_heads=2),
    F,
    dict(w=floats(8, 24), b=floats(24), m=np.array([[2, 1, 0], [-1, 1, 5]], np.int32)),
)
# One zero point for all columns, as a number and as a list of one.
for suffix, zero in (("0", np.int8(3)), ("1", np.array([3], np.int8))):
    only = node("MatMulIntegerToFloat", ["a", "w", "s", "ws", "p", "wz", "b"])
    model("MatMulIntegerToFloatZero" + suffix, only, A, dict(sc, b=floats(5), **dict(W, wz=zero)))
    only = node("DynamicQuantizeMatMul", ["x", "w", "ws", "wz", "b"])
    model("DynamicQuantizeMatMulZero" + suffix, only, F, dict(b=floats(5), **dict(W, wz=zero)))

np.savez_compressed(sys.argv[1], **goldens)
