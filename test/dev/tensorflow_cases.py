"""Makes test/parsers/tensorflow/cases.npz: single-operator graphs and small layers with the values that TensorFlow gives.

usage: tensorflow_cases.py OUT.npz

Needs pip's tensorflow (any 2.x). Each case has the members "<case>/graph" (bytes of a frozen GraphDef), "<case>/in_<i>" in
the order of its inputs, and "<case>/out_<i>" in the order of "<case>/outputs" (the names as bytes, one a line).
"""

import os
import sys
import zipfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # whose kernels quantise otherwise than TensorFlow documents
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework.convert_to_constants import (  # noqa: E402
    convert_variables_to_constants_v2,
)

RAW = tf.raw_ops
RNG = np.random.default_rng(7)
CASES = {}


def f32(*shape, low=-1.0, high=1.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


def i32(*shape, low=0, high=10):
    return RNG.integers(low, high, shape).astype(np.int32)


def case(name, function, *inputs):
    assert name not in CASES, name
    CASES[name] = (function, [np.asarray(x) for x in inputs])


def elementwise():
    x = f32(2, 3, 4)
    for op in "Abs Acos Asin Asinh Atan Atanh Ceil Cos Cosh Erf Erfc Exp Expm1 Floor Neg Relu Relu6 Rint Round Selu " \
              "Sigmoid Sign Sin Sinh Softplus Softsign Square Tan Tanh Elu IsFinite IsNan IsInf Erfinv Ndtri " \
              "BesselI0e BesselI1e".split():  # fmt: skip
        key = "features" if op in ("Relu", "Relu6", "Selu", "Softplus", "Softsign", "Elu") else "x"
        case(op, lambda v, op=op, key=key: getattr(RAW, op)(**{key: v}), np.abs(x) * 0.9 if op == "Ndtri" else x)
    positive = f32(2, 3, 4, low=0.1, high=4)
    for op in "Acosh Log Log1p Rsqrt Sqrt Reciprocal Inv Lgamma Digamma".split():
        case(op, lambda v, op=op: getattr(RAW, op)(x=v), positive + (1 if op == "Acosh" else 0))
    a, b = f32(2, 1, 4), f32(3, 1, low=0.2, high=2)
    for op in "Add AddV2 Sub Mul Maximum Minimum RealDiv Div FloorDiv FloorMod SquaredDifference DivNoNan Greater " \
              "GreaterEqual Less LessEqual Equal NotEqual Atan2 Xdivy Xlogy Xlog1py MulNoNan TruncateMod".split():  # fmt: skip
        keys = ("y", "x") if op == "Atan2" else ("x", "y")
        case(op, lambda u, v, op=op, k=keys: getattr(RAW, op)(**{k[0]: u, k[1]: v}), a, b)
    case("Pow", lambda u, v: RAW.Pow(x=u, y=v), np.abs(a), b)
    c, d = i32(2, 4, low=-9, high=9), i32(4, low=1, high=5)
    for op in "FloorDiv FloorMod TruncateDiv TruncateMod Div Mod BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift " \
              "Maximum Pow".split():  # fmt: skip
        left = np.abs(c) if op in ("LeftShift", "Pow") else c
        case(op + "_int", lambda u, v, op=op: getattr(RAW, op)(x=u, y=v), left, d)
    case("Invert", lambda v: RAW.Invert(x=v), c)
    case("PopulationCount", lambda v: RAW.PopulationCount(x=v), i32(7, high=1000))
    case("AddN", lambda u, v, w: tf.add_n([u, v, w]), f32(2, 3), f32(2, 3), f32(2, 3))
    case("LeakyRelu", lambda v: tf.nn.leaky_relu(v, 0.3), x)
    case("Gelu", tf.nn.gelu, x)
    case("Gelu_tanh", lambda v: tf.nn.gelu(v, approximate=True), x)
    case("Swish", tf.nn.silu, x)
    case("ClipByValue", lambda v: tf.clip_by_value(v, -0.3, 0.4), x)
    case("LogicalOps", lambda u, v: tf.logical_and(u > 0, tf.logical_not(tf.logical_or(v > 0, u < v))), x, f32(2, 3, 4))
    case("ApproximateEqual", lambda u, v: RAW.ApproximateEqual(x=u, y=v, tolerance=0.5), a, f32(2, 1, 4))
    case("Cast", lambda v: [tf.cast(v, t) for t in (tf.int32, tf.float64, tf.bool, tf.float16, tf.int64)], x * 5)


def shapes():
    x = f32(2, 3, 4)
    case("Reshape", lambda v: tf.reshape(v, [4, -1]), x)
    case("Reshape_of_shape", lambda v: tf.reshape(v, tf.stack([tf.shape(v)[0], -1])), x)
    case("ExpandDims_Squeeze", lambda v: (tf.expand_dims(v, -2), tf.squeeze(tf.expand_dims(v, 1), [1])), x)
    case("Transpose", lambda v: tf.transpose(v, [2, 0, 1]), x)
    case("Shape_Size_Rank", lambda v: (tf.shape(v), tf.size(v), tf.rank(v), tf.shape(v, tf.int64)), x)
    case("ConcatV2", lambda u, v: tf.concat([u, v, u], -1), x, f32(2, 3, 1))
    case("Split", lambda v: tf.split(v, 3, axis=1), x)
    case("SplitV", lambda v: tf.split(v, [1, -1], axis=2), x)
    case("Pack_Unpack", lambda u, v: [tf.stack([u, v], 1)] + tf.unstack(u, axis=2), x, f32(2, 3, 4))
    case("Tile", lambda v: tf.tile(v, [1, 2, 3]), x)
    case("BroadcastTo", lambda v: tf.broadcast_to(v, [5, 2, 3]), f32(2, 1))
    case("Pad", lambda v: tf.pad(v, [[1, 0], [0, 2], [1, 1]]), x)
    case("PadV2", lambda v: tf.pad(v, [[1, 0], [0, 2], [1, 1]], constant_values=3.5), x)
    for mode in ("REFLECT", "SYMMETRIC"):
        case("MirrorPad_" + mode, lambda v, mode=mode: tf.pad(v, [[0, 0], [1, 1], [2, 0]], mode), x)
    case("Fill_Range_LinSpace", lambda v: (tf.fill([2, 3], v[0, 0, 0]), tf.range(1.0, 4.0, v[0, 0, 0] * 0 + 0.5),
                                           tf.linspace(v[0, 0, 0], 3.0, 5)), x)  # fmt: skip
    case("ZerosLike_OnesLike", lambda v: (tf.zeros_like(v), RAW.OnesLike(x=v)), x)
    y = f32(5, 6, 7)
    slices = {
        "basic": lambda v: v[1:3, ::2, -3:], "negative": lambda v: v[::-1, 4:1:-2], "ellipsis": lambda v: v[..., 2],
        "newaxis": lambda v: v[:, tf.newaxis, 2, ..., tf.newaxis], "shrink": lambda v: v[-1, 2:, 3],
        "computed": lambda v: v[tf.shape(v)[0] - 2:, :tf.shape(v)[1] // 2], "empty": lambda v: v[3:2],
    }  # fmt: skip
    for name, function in slices.items():
        case("StridedSlice_" + name, function, y)
    case("Slice", lambda v: tf.slice(v, [1, 0, 2], [2, -1, 3]), y)
    case("Reverse", lambda v: tf.reverse(v, [0, -1]), x)
    case("Roll", lambda v: tf.roll(v, [1, -2], [0, 2]), x)
    case("ReverseSequence", lambda v, n: tf.reverse_sequence(v, n, seq_axis=1), f32(3, 4, 2), np.array([1, 3, 4], np.int32))
    case("InvertPermutation", lambda v: tf.math.invert_permutation(v), np.array([2, 0, 3, 1], np.int32))
    case("BroadcastDynamicShape", lambda u, v: tf.broadcast_dynamic_shape(tf.shape(u), tf.shape(v)), f32(2, 1), f32(3))
    case("Diag_DiagPart", lambda v: (tf.linalg.tensor_diag(v[0, 0]), tf.linalg.tensor_diag_part(v[0, :3, :3])), x)
    case("MatrixDiag", lambda v: tf.linalg.diag(v), f32(2, 3))
    case("MatrixDiagPart", lambda v: tf.linalg.diag_part(v), x)
    case("MatrixSetDiag", lambda v, d: tf.linalg.set_diag(v, d), x, f32(2, 3))
    case("MatrixBandPart", lambda v: tf.linalg.band_part(v, 1, 0), x)
    case("Meshgrid", lambda u, v: tf.meshgrid(u, v), f32(3), f32(4))
    case("Where_select", lambda c, u, v: tf.where(c > 0, u, v), f32(3, 1), f32(3, 4), f32(4))
    case("Select_rows", lambda c, u, v: RAW.Select(condition=c > 0, x=u, y=v), f32(3), f32(3, 4), f32(3, 4))
    case("Where_index", lambda v: tf.where(v > 0), f32(3, 4))
    case("OneHot", lambda v: tf.one_hot(v, 5, 2.0, -1.0, axis=0), np.array([[0, 4, -1], [7, 2, 2]], np.int32))
    case("Unique", lambda v: tf.unique(v), np.array([3, 1, 3, 2, 1], np.int32))
    case("UniqueWithCounts", lambda v: tf.unique_with_counts(v), np.array([3, 1, 3, 2, 1], np.int32))
    case("ListDiff", lambda u, v: RAW.ListDiff(x=u, y=v), np.array([1, 2, 3, 4], np.int32), np.array([2, 4], np.int32))


def reductions():
    x = f32(2, 3, 4)
    for op in "Sum Mean Max Min Prod EuclideanNorm".split():
        case(op, lambda v, op=op: (getattr(RAW, op)(input=v, axis=[1], keep_dims=False),
                                   getattr(RAW, op)(input=v, axis=[-1, 0], keep_dims=True)), x)  # fmt: skip
    case("All_Any", lambda v: (tf.reduce_all(v > -0.5, 1), tf.reduce_any(v > 0.5, [0, 2], keepdims=True)), x)
    case("ArgMax_ArgMin", lambda v: (tf.argmax(v, 1), tf.argmin(v, -1, output_type=tf.int32)), x)
    case("TopKV2", lambda v: tf.math.top_k(v, 2), x)
    case("InTopK", lambda v: tf.math.in_top_k(np.array([1, 3], np.int32), v, 2), f32(2, 5))
    for exclusive in (False, True):
        case(f"Cumsum_{exclusive}", lambda v, e=exclusive: tf.cumsum(v, 1, exclusive=e, reverse=True), x)
        case(f"Cumprod_{exclusive}", lambda v, e=exclusive: tf.math.cumprod(v, 2, exclusive=e), x)
    case("CumulativeLogsumexp", lambda v: tf.math.cumulative_logsumexp(v, 1), x)
    case("L2Loss", tf.nn.l2_loss, x)
    case("LogSumExp", lambda v: tf.reduce_logsumexp(v, 1), x)
    case("Moments", lambda v: tf.nn.moments(v, [0, 1]), x)
    ids = np.array([0, 0, 1, 3], np.int32)
    for op in "sum mean max min prod".split():
        case("Segment_" + op, lambda v, s, op=op: getattr(tf.math, "segment_" + op)(v, s), f32(4, 3), ids)
        case("UnsortedSegment_" + op, lambda v, s, op=op: getattr(tf.math, "unsorted_segment_" + op)(v, s, 5), f32(4, 3), ids[::-1].copy())
    for op in "sum mean sqrt_n".split():
        case("SparseSegment_" + op, lambda v, i, s, op=op: getattr(tf.sparse, "segment_" + op)(v, i, s), f32(5, 2),
             np.array([0, 2, 4, 1], np.int32), ids)  # fmt: skip
    case("Bincount", lambda v: tf.math.bincount(v, minlength=6), i32(9, high=5))
    case("Softmax", lambda v: (tf.nn.softmax(v), tf.nn.log_softmax(v), tf.nn.softmax(v, 1)), x)
    case("L2Normalize", lambda v: tf.nn.l2_normalize(v, 1), x)
    case("SoftmaxCrossEntropy", lambda v, t: tf.nn.softmax_cross_entropy_with_logits(t, v), f32(2, 5), f32(2, 5, low=0))
    case("SparseSoftmaxCrossEntropy", lambda v: tf.nn.sparse_softmax_cross_entropy_with_logits(np.array([1, 4], np.int32), v), f32(2, 5))


def indexing():
    x = f32(4, 5, 3)
    case("GatherV2", lambda v: (tf.gather(v, [[0, 2], [3, 1]], axis=1), tf.gather(v, 2)), x)
    case("GatherV2_batch", lambda v, i: tf.gather(v, i, axis=1, batch_dims=1), x, i32(4, 2, high=5))
    case("GatherNd", lambda v: tf.gather_nd(v, [[0, 1], [3, 4]]), x)
    case("GatherNd_batch", lambda v, i: tf.gather_nd(v, i, batch_dims=1), x, i32(4, 2, 1, high=5))
    case("ScatterNd", lambda u: tf.scatter_nd([[1], [3], [1]], u, [5, 2]), f32(3, 2))
    for op in "update add sub max min".split():
        case("TensorScatter_" + op, lambda v, u, op=op: getattr(tf, "tensor_scatter_nd_" + op)(v, [[0], [2]], u), f32(4, 3), f32(2, 3))
    case("DynamicStitch", lambda u, v: tf.dynamic_stitch([[0, 2], [1, 3]], [u, v]), f32(2, 3), f32(2, 3))
    case("DynamicPartition", lambda v: tf.dynamic_partition(v, [0, 1, 0, 1], 2), f32(4, 3))
    case("BooleanMask", lambda v: tf.boolean_mask(v, v[:, 0, 0] > 0), x)
    case("SearchSorted", lambda s, v: (tf.searchsorted(s, v), tf.searchsorted(s, v, side="right")),
         np.sort(f32(2, 6)), f32(2, 3))  # fmt: skip
    case("InplaceUpdate", lambda v, u: RAW.InplaceUpdate(x=v, i=[1, 0], v=u), f32(3, 2), f32(2, 2))


def products():
    case("MatMul", lambda a, b: tf.matmul(a, b, transpose_a=True), f32(4, 3), f32(4, 5))
    case("BatchMatMulV2", lambda a, b: tf.matmul(a, b, adjoint_b=True), f32(2, 1, 3, 4), f32(5, 6, 4))
    for n, equation in enumerate(["bij,bjk->bik", "bnh,nhd->bd", "...ij,jk->...ik", "ij->ji"]):
        shapes = {0: [(2, 3, 4), (2, 4, 5)], 1: [(2, 3, 4), (3, 4, 5)], 2: [(2, 2, 3, 4), (4, 5)], 3: [(3, 4)]}[n]
        case(f"Einsum_{n}", lambda *v, e=equation: tf.einsum(e, *v), *[f32(*s) for s in shapes])
    case("Tensordot", lambda a, b: tf.tensordot(a, b, [[1, 2], [0, 1]]), f32(2, 3, 4), f32(3, 4, 5))
    case("Cross", lambda a, b: tf.linalg.cross(a, b), f32(2, 3), f32(2, 3))
    spd = np.eye(3, dtype=np.float32) * 2 + 0.3
    case("Cholesky", tf.linalg.cholesky, spd)
    case("MatrixInverse", tf.linalg.inv, spd + f32(2, 3, 3) * 0.1)
    case("MatrixDeterminant", tf.linalg.det, spd + f32(2, 3, 3) * 0.1)
    case("MatrixSolve", tf.linalg.solve, spd, f32(3, 2))
    case("MatrixTriangularSolve", tf.linalg.triangular_solve, np.tril(spd), f32(3, 2))


def convolutions():
    x = f32(2, 9, 8, 4)
    for padding in ("SAME", "VALID"):
        for stride, dilation in ((1, 1), (2, 1), (1, 2)):
            case(f"Conv2D_{padding}_{stride}_{dilation}",
                 lambda v, w, p=padding, s=stride, d=dilation: tf.nn.conv2d(v, w, s, p, dilations=d), x, f32(3, 2, 4, 5))  # fmt: skip
            case(f"Depthwise_{padding}_{stride}_{dilation}",
                 lambda v, w, p=padding, s=stride, d=dilation: tf.nn.depthwise_conv2d(v, w, [1, s, s, 1], p, dilations=[d, d]),
                 x, f32(3, 3, 4, 2))  # fmt: skip
        for op in ("max_pool2d", "avg_pool2d"):
            case(f"{op}_{padding}", lambda v, p=padding, op=op: getattr(tf.nn, op)(v, [3, 2], 2, p), x)
        case(f"Conv2DTranspose_{padding}", lambda v, w, p=padding: tf.nn.conv2d_transpose(
            v, w, [2, 18, 16, 3] if p == "SAME" else [2, 19, 17, 3], 2, p), x, f32(3, 3, 3, 4))  # fmt: skip
        case(f"Conv3D_{padding}", lambda v, w, p=padding: tf.nn.conv3d(v, w, [1, 1, 2, 1, 1], p), f32(1, 4, 5, 4, 2), f32(2, 3, 2, 2, 3))
        case(f"MaxPool3D_{padding}", lambda v, p=padding: tf.nn.max_pool3d(v, 2, 2, p), f32(1, 4, 5, 4, 2))
        case(f"AvgPool3D_{padding}", lambda v, p=padding: tf.nn.avg_pool3d(v, [2, 3, 2], [1, 2, 1], p), f32(1, 4, 5, 4, 2))
    case("Conv2D_constant", lambda v: tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(v, W, 1, "SAME"), B)), x)
    case("Conv2D_explicit", lambda v, w: tf.nn.conv2d(v, w, 1, [[0, 0], [2, 1], [0, 1], [0, 0]]), x, f32(3, 2, 4, 5))
    case("Conv2D_groups", lambda v, w: tf.nn.conv2d(v, w, 1, "SAME"), x, f32(3, 3, 2, 6))
    case("Conv1D", lambda v, w: tf.nn.conv1d(v, w, 2, "SAME"), f32(2, 9, 3), f32(3, 3, 4))
    case("AtrousConv", lambda v, w: tf.nn.atrous_conv2d(v, w, 2, "SAME"), x, f32(3, 3, 4, 5))
    case("SpaceBatch", lambda v: (tf.space_to_batch(v, [2, 2], [[1, 2], [0, 2]]), tf.batch_to_space(v[:1, :, :, :] + tf.zeros([4, 1, 1, 1]), [2, 2], [[1, 0], [0, 1]])), x)
    case("MaxPoolWithArgmax", lambda v: tf.nn.max_pool_with_argmax(v, 2, 2, "SAME"), x)
    case("Dilation2D", lambda v, w: tf.nn.dilation2d(v, w, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]), x, f32(3, 3, 4))
    case("FusedBatchNormV3", lambda v, s, o, m, u: tf.compat.v1.nn.fused_batch_norm(v, s, o, m, u, is_training=False)[0],
         x, f32(4), f32(4), f32(4), f32(4, low=0.5, high=2))  # fmt: skip
    case("FusedBatchNormV3_training", lambda v, s, o: tf.compat.v1.nn.fused_batch_norm(v, s, o, is_training=True), x, f32(4), f32(4))
    case("LRN", lambda v: tf.nn.lrn(v, 2, 1.0, 0.5, 0.6), x)
    case("DepthSpace", lambda v: (tf.nn.depth_to_space(v, 2), tf.nn.space_to_depth(v[:, :8], 2)), x)
    case("ExtractImagePatches", lambda v: tf.image.extract_patches(v, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), x)


def images():
    x = f32(2, 5, 7, 3, low=0)
    for method, op in (("ResizeBilinear", "bilinear"), ("ResizeNearestNeighbor", "nearest"), ("ResizeBicubic", "bicubic")):
        for corners, half in ((False, False), (True, False), (False, True)):
            case(f"{method}_{corners}_{half}", lambda v, m=method, c=corners, h=half: getattr(RAW, m)(
                images=v, size=[9, 4], align_corners=c, half_pixel_centers=h), x)  # fmt: skip
    case("ResizeArea", lambda v: RAW.ResizeArea(images=v, size=[3, 4]), x)
    for method in ("bilinear", "nearest"):
        case(f"CropAndResize_{method}", lambda v, m=method: tf.image.crop_and_resize(
            v, [[0.1, 0.2, 0.9, 0.8], [-0.2, 0.5, 1.2, 0.1]], [1, 0], [4, 3], m, 0.5), x)  # fmt: skip
    case("Colours", lambda v: (tf.image.rgb_to_hsv(v), tf.image.hsv_to_rgb(v), tf.image.rgb_to_grayscale(v)), x)
    case("Adjust", lambda v: (tf.image.adjust_contrast(v, 1.5), tf.image.adjust_hue(v, 0.2), tf.image.adjust_saturation(v, 0.7),
                              tf.image.adjust_brightness(v, 0.1)), x)  # fmt: skip
    case("Flip", lambda v: (tf.image.flip_left_right(v), tf.image.rot90(v)), x)
    case("Standardize", tf.image.per_image_standardization, x)
    boxes = np.sort(f32(12, 2, 2, low=0), axis=1).reshape(12, 4)
    scores = f32(12, low=0)
    case("NonMaxSuppressionV3", lambda b, s: tf.image.non_max_suppression(b, s, 5, 0.3, 0.2), boxes, scores)
    case("NonMaxSuppressionV4", lambda b, s: tf.image.non_max_suppression_padded(b, s, 8, 0.3, 0.2, pad_to_max_output_size=True), boxes, scores)
    case("NonMaxSuppressionV5", lambda b, s: tf.image.non_max_suppression_with_scores(b, s, 8, 0.5, 0.1, 0.4), boxes, scores)
    case("CombinedNonMaxSuppression", lambda b, s: tf.image.combined_non_max_suppression(
        b, s, 4, 6, 0.4, 0.1), f32(2, 10, 1, 4, low=0), f32(2, 10, 3, low=0))  # fmt: skip
    for bits, narrow in ((8, False), (4, True)):
        case(f"FakeQuantArgs_{bits}", lambda v, b=bits, n=narrow: tf.quantization.fake_quant_with_min_max_args(v, -0.7, 0.9, b, n), x * 2 - 1)
    case("FakeQuantVars", lambda v: tf.quantization.fake_quant_with_min_max_vars(v, 0.1, 0.9), x * 2 - 1)
    case("FakeQuantPerChannel", lambda v: tf.quantization.fake_quant_with_min_max_vars_per_channel(
        v, [-0.1, -1.0, -0.5], [0.9, 1.0, 0.2]), x * 2 - 1)  # fmt: skip
    case("QuantizeAndDequantize", lambda v: tf.quantization.quantize_and_dequantize_v2(v, -0.8, 0.9, range_given=True), x * 2 - 1)
    case("Quantize_Dequantize", lambda v: tf.quantization.dequantize(*tf.quantization.quantize(v, -1.0, 1.0, tf.quint8)), x)


def control_flow():
    x = f32(3, 4)
    case("If", lambda v: tf.cond(tf.reduce_sum(v) > 0, lambda: v * 2, lambda: v - 1), x)
    case("Case", lambda v: tf.switch_case(tf.cast(tf.reduce_max(v) * 3, tf.int32), [lambda: v, lambda: v + 1, lambda: v * 3]), x)
    case("While", lambda v: tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * 1.5 + tf.cast(i, tf.float32)), [0, v]), x)
    case("MapFn", lambda v: tf.map_fn(lambda row: tf.reduce_sum(row) * row, v), x)
    case("Scan", lambda v: tf.scan(lambda a, row: a * 0.5 + row, v), x)
    case("TensorArray", array_of, x)
    rnn = tf.keras.layers
    for layer in (rnn.LSTM(5, return_sequences=True), rnn.GRU(5), rnn.SimpleRNN(4), rnn.Bidirectional(rnn.LSTM(3))):
        case("Layer_" + layer.name, layer, f32(2, 6, 3))


def rarer():
    """More attributes of operators that few models have."""
    global RNG
    RNG = np.random.default_rng(8)  # so that cases added before it do not change these
    x = f32(2, 9, low=-0.99, high=6)
    for op in "dawsn expint fresnel_cos fresnel_sin spence".split():
        case("Special_" + op, getattr(tf.math.special, op), np.abs(x) if op == "spence" else x)
    for op in "BesselI0e BesselI1e Lgamma Digamma".split():
        case(op + "_wide", lambda v, op=op: getattr(RAW, op)(x=v), np.array([-40.5, -3.3, -0.2, 0.01, 1, 7.7, 25, 31, 200], np.float32))
    case("Erfinv_wide", lambda v: (RAW.Erfinv(x=v), RAW.Ndtri(x=v * 0.5 + 0.5)), np.array([-0.999, -1e-4, 0, 1e-5, 2e-3, 0.5, 0.99], np.float32))
    for align in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"):
        case("MatrixDiagPart_" + align, lambda v, a=align: (
            tf.linalg.diag_part(v, k=(-1, 2), padding_value=9.0, align=a), tf.linalg.diag_part(v, k=1, align=a)), f32(2, 3, 4))
        case("MatrixDiag_" + align, lambda v, a=align: tf.linalg.diag(v, k=(-1, 1), padding_value=7.0, align=a), f32(2, 3, 4))
        case("MatrixSetDiag_" + align, lambda v, d, a=align: tf.linalg.set_diag(v, d, k=(-1, 1), align=a), f32(2, 3, 4), f32(2, 3, 3))
    case("MatrixDiag_rectangle", lambda v: tf.linalg.diag(v, k=-1, num_rows=4, num_cols=5), f32(2, 3))
    case("MatrixBandPart_upper", lambda v: tf.linalg.band_part(v, 0, -1), f32(2, 3, 4))
    a = np.eye(3, dtype=np.float32) * 2 + f32(2, 3, 3) * 0.4
    case("MatrixInverse_adjoint", lambda v: tf.linalg.inv(v, adjoint=True), a)
    case("MatrixSolve_adjoint", lambda v, b: tf.linalg.solve(v, b, adjoint=True), a, f32(2, 3, 2))
    for lower in (False, True):
        case(f"MatrixTriangularSolve_{lower}", lambda v, b, w=lower: tf.linalg.triangular_solve(v, b, lower=w, adjoint=True), a, f32(2, 3, 2))
    for op in "InplaceAdd InplaceSub".split():
        case(op, lambda v, u, op=op: getattr(RAW, op)(x=v, i=[2, 0, 2], v=u), f32(3, 2), f32(3, 2))
    case("UniqueV2", lambda v: RAW.UniqueV2(x=v, axis=np.array([0], np.int32), out_idx=tf.int64), np.array([3.0, 1, 3, 2, 1], np.float32))
    case("DynamicPartition_matrix", lambda v: tf.dynamic_partition(v, [[2, 0], [0, 2]], 3), f32(2, 2, 3))
    case("DynamicStitch_overlap", lambda u, v: tf.dynamic_stitch([[0, 5], [5, 3]], [u, v]), f32(2, 3), f32(2, 3))
    case("CumulativeLogsumexp_reverse", lambda v: (tf.math.cumulative_logsumexp(v, 0, reverse=True), tf.math.cumulative_logsumexp(v, 1, exclusive=True)), x)
    case("InTopK_ties", lambda v: RAW.InTopK(predictions=v, targets=np.array([0, 1, 2], np.int32), k=2),
         np.array([[1, 1, 2, 1], [3, 1, 2, 0], [0, np.inf, 1, 2]], np.float32))
    case("MaxPoolWithArgmax_batch", lambda v: tf.nn.max_pool_with_argmax(v, 3, 2, "VALID", output_dtype=tf.int32, include_batch_in_index=True), f32(2, 7, 6, 3))
    case("Dilation2D_rates", lambda v, w: tf.nn.dilation2d(v, w, [1, 2, 1, 1], "VALID", "NHWC", [1, 1, 2, 1]), f32(2, 7, 8, 3), f32(2, 3, 3))
    case("ExtractImagePatches_rates", lambda v: tf.image.extract_patches(v, [1, 2, 3, 1], [1, 1, 2, 1], [1, 2, 1, 1], "VALID"), f32(2, 7, 8, 3))
    image = f32(2, 5, 7, 3, low=0)
    for size in ((3, 13), (11, 5)):
        case(f"ResizeArea_{size[0]}", lambda v, s=size: (RAW.ResizeArea(images=v, size=s), RAW.ResizeArea(images=v, size=s, align_corners=True)), image)
        for half in (False, True):
            case(f"ResizeBicubic_{half}_{size[0]}", lambda v, s=size, h=half: RAW.ResizeBicubic(images=v, size=s, half_pixel_centers=h), image)
    case("ResizeBicubic_bytes", lambda v: RAW.ResizeBicubic(images=v, size=[4, 6], half_pixel_centers=True), i32(1, 3, 5, 2, high=255).astype(np.uint8))
    for signed in (False, True):
        case(f"QuantizeAndDequantize_{signed}", lambda v, s=signed: (
            RAW.QuantizeAndDequantizeV2(input=v, input_min=0.0, input_max=0.0, signed_input=s, num_bits=6, range_given=False),
            RAW.QuantizeAndDequantizeV3(input=v, input_min=-0.5, input_max=0.7, num_bits=5, signed_input=s, range_given=True, narrow_range=s)),
             image * 2 - (1 if signed else 0))  # fmt: skip
    case("Adjust_range", lambda v: (tf.image.adjust_hue(v, -0.4), tf.image.adjust_saturation(v, 3.0), tf.image.rgb_to_hsv(v * 0)), image)
    case("LRN_default", lambda v: tf.nn.lrn(v), f32(1, 3, 2, 14))


@tf.function
def array_of(v):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(3):
        array = array.write(i, v[i] * tf.cast(i, tf.float32))
    return array.stack()


W, B = f32(3, 3, 4, 5), f32(5)


def graph_of_version_1(function, inputs):
    """The same with control flow of the old form: Switch, Merge, Enter, Exit, NextIteration."""
    v1 = tf.compat.v1
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        fed = [v1.placeholder(x.dtype, x.shape, f"in_{i}") for i, x in enumerate(inputs)]
        outputs = [tf.identity(v, f"result_{i}") for i, v in enumerate(tf.nest.flatten(function(*fed)))]
        with v1.Session() as session:
            values = session.run(outputs, dict(zip(fed, inputs)))
    v1.enable_control_flow_v2()
    return graph.as_graph_def().SerializeToString(), [t.name for t in outputs], values


def frozen(function, inputs):
    """(GraphDef bytes, output names, values) of the function."""
    if getattr(function, "version_1", False):
        return graph_of_version_1(function, inputs)
    traced = tf.function(lambda *args: tf.nest.flatten(function(*args)))
    concrete = traced.get_concrete_function(*[tf.TensorSpec(x.shape, x.dtype, f"in_{i}") for i, x in enumerate(inputs)])
    concrete = convert_variables_to_constants_v2(concrete, lower_control_flow=False)
    values = [np.asarray(v) for v in tf.nest.flatten(concrete(*map(tf.constant, inputs)))]
    return concrete.graph.as_graph_def().SerializeToString(), [t.name for t in concrete.outputs], values


def write(path):
    """The cases of CASES, with TensorFlow's values."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name, array):
            with archive.open(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), "w") as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape))

        for name, (function, inputs) in CASES.items():
            try:
                graph, outputs, values = frozen(function, inputs)
            except Exception as error:  # noqa: BLE001
                print("left out:", name, str(error).split("\n")[0])
                continue
            add(f"{name}/graph", np.frombuffer(graph, np.uint8))
            add(f"{name}/outputs", np.frombuffer("\n".join(outputs).encode(), np.uint8))
            for i, x in enumerate(inputs):
                add(f"{name}/in_{i}", x)
            for i, value in enumerate(values):
                add(f"{name}/out_{i}", value)
    print(len(CASES), "cases")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for family in (elementwise, shapes, reductions, indexing, products, convolutions, images, control_flow, rarer):
        family()
    write(sys.argv[1])


if __name__ == "__main__":
    main()
