"""Makes test/parsers/tensorflow/operators.npz: operators that models of TensorFlow have rarely, in the form of
tensorflow_cases.py.

usage: tensorflow_operators.py OUT.npz

Needs pip's tensorflow (any 2.x).
"""

import sys

import numpy as np
import tensorflow_cases
from tensorflow_cases import RAW, W, case, f32, i32, tf, write


def randoms():
    """Numbers that follow from their seeds."""
    shape = np.array([3, 7], np.int32)
    for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16):
        case("StatelessRandomUniform_" + dtype.name, lambda s, t=dtype: tf.cast(RAW.StatelessRandomUniform(shape=s, seed=[3, 5], dtype=t), tf.float32), shape)
    for op in ("StatelessRandomNormal", "StatelessTruncatedNormal"):
        for dtype in (tf.float32, tf.float64):
            case(f"{op}_{dtype.name}", lambda s, op=op, t=dtype: getattr(RAW, op)(shape=s, seed=[-3, 2**40 + 1], dtype=t), shape)
    for dtype in (tf.int32, tf.int64):
        case("StatelessRandomUniformInt_" + dtype.name, lambda s, t=dtype: RAW.StatelessRandomUniformInt(
            shape=s, seed=[1, 2], minval=tf.constant(-5, t), maxval=tf.constant(1000, t)), shape)  # fmt: skip
        case("StatelessRandomUniformFullInt_" + dtype.name, lambda s, t=dtype: RAW.StatelessRandomUniformFullInt(shape=s, seed=[1, 2], dtype=t), shape)
    seeds = np.array([11, 12], np.int32)
    case("stateless_uniform", lambda s: tf.random.stateless_uniform([2, 5], s), seeds)
    case("stateless_normal", lambda s: tf.random.stateless_normal([2, 5], s), seeds)
    case("stateless_truncated_normal", lambda s: tf.random.stateless_truncated_normal([40, 5], s), seeds)
    case("stateless_uniform_int", lambda s: tf.random.stateless_uniform([2, 5], s, 0, 17, tf.int32), seeds)


def shapes():
    case("LinSpace", lambda a, b: RAW.LinSpace(start=a, stop=b, num=7), np.float32(-1.5), np.float32(2.5))
    case("LinSpace_one", lambda a, b: RAW.LinSpace(start=a, stop=b, num=1), np.float32(-1.5), np.float32(2.5))
    case("ConcatOffset", lambda u, v, w: tf.stack(RAW.ConcatOffset(concat_dim=1, shape=[u, v, w])),
         np.array([2, 3, 5], np.int32), np.array([2, 7, 5], np.int32), np.array([2, 4, 5], np.int32))  # fmt: skip
    case("ConcatOffset_known", lambda u, v: tf.slice(tf.concat([u, v], 1), RAW.ConcatOffset(concat_dim=1, shape=[tf.shape(u), tf.shape(v)])[1], tf.shape(v)),
         f32(2, 3), f32(2, 4))  # fmt: skip
    case("DataFormatDimMap", lambda v: RAW.DataFormatDimMap(x=v), np.array([0, 1, 2, 3, -1, -2, -3, -4], np.int32))
    case("DataFormatDimMap_back", lambda v: RAW.DataFormatDimMap(x=v, src_format="NCDHW", dst_format="NDHWC"), np.array([[1, 4], [-5, 2]], np.int64))
    case("DataFormatVecPermute", lambda v: RAW.DataFormatVecPermute(x=v), np.array([7, 8, 9, 10], np.int32))
    case("DataFormatVecPermute_pairs", lambda v: RAW.DataFormatVecPermute(x=v, src_format="NCHW", dst_format="NHWC"), i32(4, 2))
    case("DataFormatVecPermute_spatial", lambda v: RAW.DataFormatVecPermute(x=v, src_format="HWNC", dst_format="NCHW"), np.array([1, 2, 3, 4], np.int32))
    for binary in (False, True):
        case(f"SparseBincount_{binary}", lambda v, w, b=binary: RAW.SparseBincount(
            indices=[[0, 1], [0, 2], [1, 0], [1, 3]], values=v, dense_shape=[3, 4], size=6, weights=[] if b else w, binary_output=b),
             np.array([1, 5, 1, 7], np.int32), f32(4))  # fmt: skip
    case("SparseBincount_vector", lambda v: RAW.SparseBincount(
        indices=[[0], [3], [4]], values=v, dense_shape=[6], size=4, weights=tf.zeros([0], tf.int64)), np.array([1, 1, 3], np.int32))  # fmt: skip


def images():
    x = f32(2, 6, 7, 3)
    maps = np.array([[0.9, 0.2, -1, -0.1, 1.1, 0.5, 0.01, -0.02], [-1.2, 0, 8, 0, 0.7, -3, 0, 0]], np.float32)
    for interpolation in ("NEAREST", "BILINEAR"):
        for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
            case(f"ImageProjectiveTransformV3_{interpolation}_{mode}", lambda v, m, i=interpolation, f=mode: RAW.ImageProjectiveTransformV3(
                images=v, transforms=m, output_shape=[9, 8], fill_value=0.25, interpolation=i, fill_mode=f), x, maps)  # fmt: skip
    case("ImageProjectiveTransformV2", lambda v, m: RAW.ImageProjectiveTransformV2(
        images=v, transforms=m, output_shape=[5, 8], interpolation="BILINEAR"), i32(2, 6, 7, 1, high=255).astype(np.uint8), maps[:1])  # fmt: skip
    offsets = np.array([[0.3, -0.2], [1.4, 2.0]], np.float32)
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (False, True):
            for normalized in (False, True):
                case(f"{op}_{centered}_{normalized}", lambda v, o, op=op, c=centered, n=normalized: getattr(RAW, op)(
                    input=v, size=[3, 4], offsets=o, centered=c, normalized=n, uniform_noise=False, noise="zero"), x, offsets)  # fmt: skip


def cells():
    time, batch, inputs, hidden = 4, 2, 3, 5
    x, cs, h = f32(time, batch, inputs), f32(batch, hidden), f32(batch, hidden)
    w, b = f32(inputs + hidden, 4 * hidden), f32(4 * hidden)
    peep = [f32(hidden) for _ in range(3)]
    common = dict(w=w, wci=peep[0], wcf=peep[1], wco=peep[2], b=b)
    for use in (False, True):
        case(f"BlockLSTM_{use}", lambda v, c, s, u=use: RAW.BlockLSTM(seq_len_max=4, x=v, cs_prev=c, h_prev=s, use_peephole=u, cell_clip=0.4, **common), x, cs, h)
        # Of steps that are left out only cs and h have a value.
        case(f"BlockLSTM_short_{use}", lambda v, c, s, u=use: [RAW.BlockLSTM(seq_len_max=3, x=v, cs_prev=c, h_prev=s, use_peephole=u, **common)[k] for k in (1, 6)], x, cs, h)
        case(f"BlockLSTMV2_{use}", lambda v, c, s, u=use: RAW.BlockLSTMV2(seq_len_max=4, x=v, cs_prev=c, h_prev=s, use_peephole=u, **common), x, cs, h)
        case(f"LSTMBlockCell_{use}", lambda v, c, s, u=use: RAW.LSTMBlockCell(x=v, cs_prev=c, h_prev=s, use_peephole=u, forget_bias=0.5, **common), x[0], cs, h)
    case("GRUBlockCell", lambda v, s: RAW.GRUBlockCell(x=v, h_prev=s, w_ru=w[:, :2 * hidden], w_c=w[:, 2 * hidden:3 * hidden], b_ru=b[:2 * hidden], b_c=b[:hidden]), x[0], h)


def version_1(name, function, *inputs):
    function.version_1 = True
    case("V1_" + name, function, *inputs)


def old_control_flow():
    v1 = tf.compat.v1
    x = f32(3, 4)

    def nested_loops(v):
        def outer(i, a):
            inner = v1.while_loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, b * 1.1 + tf.cast(j, tf.float32)), [0, a])
            return i + 1, inner[1] - 0.5

        return v1.while_loop(lambda i, a: i < 3, outer, [0, v])

    def condition_in_loop(v):
        return v1.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, v1.cond(tf.reduce_sum(a) > 1.0, lambda: a * 0.5, lambda: a + 1.0)), [0, v])

    def loop_in_condition(v):
        return v1.cond(tf.reduce_max(v) > 0.0, lambda: v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a), [0, v])[1], lambda: v)

    def nested_conditions(v):
        total = tf.reduce_sum(v)
        return v1.cond(total > 0.0, lambda: v1.cond(total > 2.0, lambda: v, lambda: v * 2), lambda: v1.cond(total > -2.0, lambda: -v, lambda: v - 1))

    version_1("nested_loops", nested_loops, x)
    version_1("condition_in_loop", condition_in_loop, x)
    version_1("loop_in_condition", loop_in_condition, x)
    for sign in (1, -1):
        version_1(f"nested_conditions_{sign}", nested_conditions, np.abs(x) * sign)
    for k in (-1, 0, 2, 7):
        case(f"Case_{k}", lambda v, k: tf.switch_case(k, [lambda: v, lambda: v + 1, lambda: v * 3, lambda: tf.zeros_like(v)]), x, np.int32(k))
    version_1("recurrent", recurrent(5, False), f32(6, 2, 3))
    version_1("recurrent_batch_first", recurrent(4, True), f32(2, 6, 3))


def recurrent(hidden, batch_first):
    """tf.nn.dynamic_rnn around a cell as BasicLSTMCell computes it."""
    weights, biases = f32(3 + hidden, 4 * hidden), f32(4 * hidden)

    def run(x):
        kernel, bias = tf.constant(weights, name="kernel"), tf.constant(biases, name="bias")

        class Cell:
            state_size, output_size = (hidden, hidden), hidden
            zero_state = None

            def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
                return tf.zeros([batch_size, hidden], dtype), tf.zeros([batch_size, hidden], dtype)

            def __call__(self, inputs, state, scope=None):
                with tf.name_scope("basic_lstm_cell"):
                    c, h = state
                    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), kernel), bias)
                    i, j, f, o = tf.split(gates, 4, 1)
                    c = tf.add(tf.multiply(c, tf.sigmoid(tf.add(f, 0.75))), tf.multiply(tf.sigmoid(i), tf.tanh(j)))
                    h = tf.multiply(tf.tanh(c), tf.sigmoid(o))
                    return h, (c, h)

        outputs, (c, h) = tf.compat.v1.nn.dynamic_rnn(Cell(), x, dtype=tf.float32, time_major=not batch_first)
        return outputs, c, h

    return run


def scopes():
    """What scope fusion knows."""
    x = f32(2, 5, 6)
    gamma, beta = f32(6), f32(6)

    def layer_norm(v, axes):
        mean, variance = tf.nn.moments(v, axes, keepdims=True)
        shape = [6] if axes == [-1] else [1, 1, 6]
        return tf.nn.batch_normalization(v, mean, variance, beta.reshape(shape), gamma.reshape(shape), 1e-3)

    case("Scope_layer_norm", lambda v: layer_norm(v, [-1]), x)
    case("Scope_layer_norm_middle", lambda v: layer_norm(v, [1]), x)
    case("Scope_layer_norm_keras", tf.keras.layers.LayerNormalization(epsilon=0.01), x)
    case("Scope_batch_norm", lambda v: tf.nn.batch_normalization(v, *map(tf.constant, (beta, np.abs(gamma), beta * 2, gamma)), 1e-3), x)
    case("Scope_batch_norm_conv", lambda v: tf.nn.batch_normalization(tf.nn.conv2d(v, W, 1, "SAME"), *map(tf.constant, (W[0, 0, 0], np.abs(W[0, 0, 1]), W[0, 1, 0], W[0, 1, 1])), 1e-3), f32(1, 5, 5, 4))
    case("Scope_gelu", lambda v: tf.nn.gelu(v, approximate=True), x * 3)
    case("Scope_decode_boxes", decode_boxes, f32(7, 4), np.sort(f32(7, 2, 2), axis=1).reshape(7, 4))


def decode_boxes(codes, anchors):
    """The decoding of a Faster R-CNN box coder."""
    ymin, xmin, ymax, xmax = tf.unstack(tf.transpose(anchors))
    width, height = xmax - xmin, ymax - ymin
    ycenter, xcenter = ymin + height / 2.0, xmin + width / 2.0
    ty, tx, th, tw = tf.unstack(tf.transpose(codes))
    ty, tx, th, tw = ty / 10.0, tx / 10.0, th / 5.0, tw / 5.0
    w, h = tf.exp(tw) * width, tf.exp(th) * height
    y, x = ty * height + ycenter, tx * width + xcenter
    return tf.transpose(tf.stack([y - h / 2.0, x - w / 2.0, y + h / 2.0, x + w / 2.0]))


def quantization():
    """All modes, types and attributes; the values that the integers stand for besides the integers."""
    tensorflow_cases.RNG = np.random.default_rng(9)  # so that cases added before it do not change these
    x = f32(2, 3, 5, low=-1.3, high=1.7)
    types = {"qint8": tf.int8, "quint8": tf.uint8, "qint32": tf.int32, "qint16": tf.int16, "quint16": tf.uint16}

    def quantize(v, low, high, dtype, **attrs):
        q = RAW.QuantizeV2(input=v, min_range=low, max_range=high, T=getattr(tf, dtype), **attrs)
        shared = {k: a for k, a in attrs.items() if k in ("mode", "axis", "narrow_range")}
        # What 32 bits hold is finer than a float: only what it stands for is compared.
        integers = [] if dtype == "qint32" else [tf.bitcast(q[0], types[dtype])]
        return *integers, q[1], q[2], RAW.Dequantize(input=q[0], min_range=q[1], max_range=q[2], **shared)

    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for dtype in ("qint8", "quint8", "qint32")[: 3 if mode == "MIN_FIRST" else 2]:
            case(f"QuantizeV2_{mode}_{dtype}", lambda v, d=dtype, m=mode: quantize(v, -0.9, 1.2, d, mode=m), x)
        if mode != "MIN_FIRST":  # of which TensorFlow has one range alone
            case(f"QuantizeV2_{mode}_axis", lambda v, m=mode: quantize(v, [-0.9, -1.0, 0.1], [1.2, 0.5, 0.3], "qint8", mode=m, axis=1), x)
        case(f"QuantizeV2_{mode}_narrow", lambda v, m=mode: quantize(v, 0.0, 0.0, "qint8", mode=m, ensure_minimum_range=0.5), x)
    for dtype in ("qint8", "quint8"):
        case(f"QuantizeV2_even_{dtype}", lambda v, d=dtype: quantize(v, -1.0, 1.0, d, mode="SCALED", round_mode="HALF_TO_EVEN"), np.arange(-20, 20, dtype=np.float32) / 16)
        case(f"QuantizeV2_narrow_range_{dtype}", lambda v, d=dtype: quantize(v, -1.0, 0.7, d, mode="SCALED", narrow_range=True), x)
    case("Dequantize_bfloat16", lambda v: tf.cast(RAW.Dequantize(input=RAW.QuantizeV2(input=v, min_range=-1.0, max_range=1.0, T=tf.qint8)[0],
                                                                 min_range=-1.0, max_range=1.0, dtype=tf.bfloat16), tf.float32), x)  # fmt: skip

    def requantize(v, dtype):
        q = RAW.QuantizeV2(input=v, min_range=-90.0, max_range=120.0, T=tf.qint32, mode="MIN_FIRST")
        low, high = RAW.RequantizationRange(input=q[0], input_min=q[1], input_max=q[2])
        r = RAW.Requantize(input=q[0], input_min=q[1], input_max=q[2], requested_output_min=low, requested_output_max=high, out_type=dtype)
        return low, high, r[1], r[2], RAW.Dequantize(input=r[0], min_range=r[1], max_range=r[2], mode="MIN_FIRST")

    case("Requantize_qint8", lambda v: requantize(v, tf.qint8), x)
    for signed in (False, True):
        for mode in ("HALF_TO_EVEN", "HALF_UP"):
            case(f"QuantizeAndDequantizeV4_{signed}_{mode}", lambda v, s=signed, m=mode: (
                RAW.QuantizeAndDequantizeV4(input=v, input_min=-0.5, input_max=0.7, num_bits=5, signed_input=s, range_given=True, round_mode=m),
                RAW.QuantizeAndDequantizeV3(input=v, input_min=[-0.5, -1.0, -0.1], input_max=[0.7, 0.2, 1.0], num_bits=5, signed_input=s,
                                            range_given=True, axis=1),
                RAW.QuantizeAndDequantizeV3(input=v, input_min=np.zeros(5, np.float32), input_max=np.zeros(5, np.float32), num_bits=6,
                                            signed_input=s, range_given=False, axis=2),
                RAW.QuantizeAndDequantizeV2(input=v, input_min=-1.0, input_max=1.0, num_bits=4, signed_input=s, range_given=True,
                                            round_mode=m, narrow_range=s)), x if signed else np.abs(x))  # fmt: skip


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for family in (randoms, shapes, images, cells, old_control_flow, scopes, quantization):
        family()
    write(sys.argv[1])


if __name__ == "__main__":
    main()
