"""Keras applications and small TensorFlow models with seeded random weights, one for each kind of network that users export.

Each entry of MODELS is a function that returns a Case. Sizes are such that a CPU evaluates them in milliseconds; batch
normalisation has the statistics of random images, so that activations keep their magnitude through deep networks.
"""

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

RNG = np.random.default_rng(5)


@dataclass
class Case:
    model: Any  # a keras.Model, or a function of tensors in the order of the inputs that returns a list or dict of them
    inputs: dict  # name: example array
    open_batch: bool = True  # whether the first axis may stay unknown
    half: bool = False  # whether fp16 is judged as well: it is where no decision hangs on a value
    loops: bool = False  # whether it has control flow, which is also exported in its old form
    keep: bool = False  # whether it is small enough for the tests
    applications: bool = False  # a Keras application: what the format pass leaves is counted


def f32(*shape, low=-1.0, high=1.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


def ids(*shape, high=50):
    return RNG.integers(1, high, shape).astype(np.int32)


def settle(model, inputs):
    """Gives every batch normalisation the statistics of a batch of inputs like the example, and gains that differ."""
    norms = [layer for layer in model._flatten_layers() if isinstance(layer, L.BatchNormalization)]
    for layer in norms:
        layer.momentum = 0.0
        for weight, low, high in ((layer.gamma, 0.7, 1.3), (layer.beta, -0.3, 0.3)):
            if weight is not None:
                weight.assign(RNG.uniform(low, high, weight.shape))
    if norms:
        # Different images of the same kind; elements of one are shuffled within their rows.
        batch = [np.concatenate([RNG.permuted(x, axis=1) for _ in range(4)]) for x in inputs.values()]
        model(batch, training=True)
        for layer in norms:
            layer.moving_variance.assign(layer.moving_variance + 0.05)
    for weight in model.weights:  # biases begin as zeros, which would hide a bias that goes astray
        if weight.path.endswith("/bias"):
            weight.assign(RNG.uniform(-0.1, 0.1, weight.shape))


def of(model, inputs, **how):
    settle(model, inputs)
    return Case(model, inputs, **how)


def application(name, size, **how):
    def make():
        scale = 255 if name.startswith(("Efficient", "MobileNetV3", "ConvNeXt")) else 1
        x = {"image": f32(2, size, size, 3, low=0) * np.float32(scale)}
        constructor = getattr(keras.applications, name)
        if "top" in how or "include_top" in how:
            arguments = how
        else:
            arguments = how | {"classes": 37, "classifier_activation": None}
        model = constructor(input_tensor=keras.Input((size, size, 3), name="image"), weights=None, **arguments)
        return of(model, x, half=True, applications=True)

    return make


def functional(inputs, build, **how):
    """A model over inputs {name: array}, whose first axis is the batch; integers are identifiers."""
    symbols = {n: keras.Input(x.shape[1:], dtype=x.dtype.name, name=n) for n, x in inputs.items()}
    return of(keras.Model(list(symbols.values()), build(*symbols.values())), inputs, **how)


# ---- sequences ----


def lstm():
    def build(x):
        h = L.LSTM(7, return_sequences=True)(x)
        return L.LSTM(5, return_state=True, go_backwards=True)(h)

    return functional({"x": f32(2, 6, 4)}, build, loops=True, half=True, keep=True)


def gru():
    def build(x):
        h = L.GRU(7, return_sequences=True)(x)
        return L.Dense(3)(L.GRU(5, reset_after=False)(h))

    return functional({"x": f32(2, 6, 4)}, build, loops=True, half=True, keep=True)


def bidirectional():
    def build(x):
        h = L.Bidirectional(L.LSTM(4, return_sequences=True))(x)
        return L.Bidirectional(L.GRU(3), merge_mode="sum")(h)

    return functional({"x": f32(2, 5, 4)}, build, loops=True, half=True, keep=True)


def masked_lstm():
    def build(x):
        return L.LSTM(6, return_sequences=True)(L.Masking(0.0)(x))

    x = f32(2, 6, 4)
    x[0, 4:] = 0
    x[1, 2:] = 0
    return functional({"x": x}, build, loops=True, half=True)


def stacked_cells():
    def build(x):
        cells = [L.LSTMCell(4), L.GRUCell(3), L.SimpleRNNCell(5)]
        return L.RNN(L.StackedRNNCells(cells), return_sequences=True)(x)

    return functional({"x": f32(2, 5, 4)}, build, loops=True, half=True)


def unrolled_lstm():
    return functional({"x": f32(2, 4, 4)}, lambda x: L.LSTM(5, unroll=True)(x), half=True)


def conv_lstm():
    def build(x):
        h = L.ConvLSTM2D(4, 3, padding="same", return_sequences=True)(x)
        return L.Conv3D(2, 3, padding="same", activation="sigmoid")(h)

    return functional({"x": f32(2, 4, 6, 5, 2)}, build, loops=True, half=True)


def time_distributed():
    def build(x):
        h = L.TimeDistributed(L.Conv2D(4, 3, activation="relu"))(x)
        h = L.TimeDistributed(L.GlobalAveragePooling2D())(h)
        return L.TimeDistributed(L.Dense(3))(h)

    return functional({"x": f32(2, 3, 8, 8, 2)}, build, half=True)


def text_cnn():
    def build(x):
        h = L.Embedding(50, 12)(x)
        branches = [L.GlobalMaxPooling1D()(L.Conv1D(8, k, activation="relu", padding=p)(h))
                    for k, p in ((2, "valid"), (3, "same"), (4, "causal"))]  # fmt: skip
        return L.Dense(4, activation="softmax")(L.Concatenate()(branches))

    return functional({"tokens": ids(2, 16)}, build, half=True, keep=True)


def masked_embedding():
    def build(x):
        h = L.Embedding(50, 8, mask_zero=True)(x)
        h = L.GRU(6, return_sequences=True)(h)
        return L.GlobalAveragePooling1D()(h)

    tokens = ids(2, 7)
    tokens[:, 5:] = 0
    return functional({"tokens": tokens}, build, loops=True, half=True)


def wavenet():
    def build(x):
        h = L.Conv1D(8, 2, padding="causal")(x)
        skips = []
        for rate in (1, 2, 4):
            a = L.Conv1D(8, 2, padding="causal", dilation_rate=rate, activation="tanh")(h)
            b = L.Conv1D(8, 2, padding="causal", dilation_rate=rate, activation="sigmoid")(h)
            s = L.Conv1D(8, 1)(L.Multiply()([a, b]))
            skips.append(s)
            h = L.Add()([h, s])
        return L.Conv1D(5, 1)(L.ReLU()(L.Add()(skips)))

    return functional({"x": f32(2, 20, 3)}, build, half=True, keep=True)


# ---- attention ----


def encoder():
    """BERT's way: embeddings of tokens, positions and segments, a padding mask, post-norm, a pooled output."""

    def build(tokens, mask, segments):
        width, length = 24, tokens.shape[1]
        positions = L.Embedding(64, width)(keras.ops.arange(length))
        h = L.Embedding(50, width)(tokens) + positions + L.Embedding(2, width)(segments)
        h = L.LayerNormalization(epsilon=1e-12)(h)
        attend = keras.ops.cast(keras.ops.expand_dims(mask, 1), "bool")
        for _ in range(2):
            a = L.MultiHeadAttention(4, 6)(h, h, attention_mask=attend)
            h = L.LayerNormalization(epsilon=1e-12)(h + a)
            f = L.Dense(width)(L.Dense(48, activation="gelu")(h))
            h = L.LayerNormalization(epsilon=1e-12)(h + f)
        return h, L.Dense(width, activation="tanh")(h[:, 0])

    mask = np.ones((2, 9), np.int32)
    mask[1, 6:] = 0
    return functional({"tokens": ids(2, 9), "mask": mask, "segments": ids(2, 9, high=2) % 2}, build, half=True, keep=True)


def decoder_block():
    """Causal attention, cross attention, and grouped queries."""

    def build(x, memory):
        a = L.MultiHeadAttention(2, 8)(x, x, use_causal_mask=True)
        h = L.LayerNormalization()(x + a)
        h = h + L.MultiHeadAttention(2, 8, value_dim=6)(h, memory)
        h = h + L.GroupQueryAttention(8, 4, 2)(h, h)
        return L.Dense(7)(L.LayerNormalization()(h))

    return functional({"x": f32(2, 6, 16), "memory": f32(2, 5, 16)}, build, half=True)


def simple_attention():
    def build(q, v):
        return L.Attention(use_scale=True)([q, v]), L.AdditiveAttention()([q, v]), L.Dot((2, 2), normalize=True)([q, v])

    return functional({"q": f32(2, 5, 8), "v": f32(2, 6, 8)}, build, half=True)


def einsum_dense():
    def build(x):
        h = L.EinsumDense("abc,cde->abde", output_shape=(None, 4, 5), bias_axes="de")(x)
        return L.EinsumDense("abde,dec->abc", output_shape=(None, 6), bias_axes="c", activation="relu")(h)

    return functional({"x": f32(2, 7, 6)}, build, half=True, keep=True)


def vision_transformer():
    def build(x):
        h = L.Conv2D(16, 4, strides=4)(x)
        h = L.Reshape((16, 16))(h)
        for _ in range(2):
            n = L.LayerNormalization(epsilon=1e-6)(h)
            h = h + L.MultiHeadAttention(2, 8)(n, n)
            h = h + L.Dense(16)(L.Dense(32, activation="gelu")(L.LayerNormalization(epsilon=1e-6)(h)))
        return L.Dense(5)(L.GlobalAveragePooling1D()(h))

    return functional({"image": f32(2, 16, 16, 3)}, build, half=True)


def mixer():
    def build(x):
        h = L.Reshape((16, 12))(L.Conv2D(12, 4, strides=4)(x))
        t = L.Permute((2, 1))(L.LayerNormalization()(h))
        h = h + L.Permute((2, 1))(L.Dense(16, activation="gelu")(t))
        return L.Dense(5)(L.Flatten()(h + L.Dense(12, activation="silu")(L.LayerNormalization()(h))))

    return functional({"image": f32(2, 16, 16, 3)}, build, half=True)


# ---- images ----


def separable():
    def build(x):
        h = L.SeparableConv2D(8, 3, depth_multiplier=2, padding="same", activation="relu")(x)
        h = L.DepthwiseConv2D(3, strides=2, padding="same")(h)
        h = L.DepthwiseConv2D(3, dilation_rate=2, padding="same")(h)
        return L.SeparableConv2D(6, 3, dilation_rate=2, padding="same", activation="relu6")(h)

    return functional({"image": f32(2, 12, 12, 3)}, build, half=True, keep=True)


def separable_1d():
    def build(x):
        return L.SeparableConv1D(8, 3, padding="same")(x), L.DepthwiseConv1D(3, depth_multiplier=2)(x)

    return functional({"x": f32(2, 12, 4)}, build, half=True)


def volumes():
    def build(x):
        h = L.Conv3D(6, 3, padding="same")(x)
        h = L.ReLU()(L.BatchNormalization()(h))
        h = L.MaxPooling3D(2, padding="same")(h)
        h = L.Conv3DTranspose(4, 3, strides=2, padding="same", activation="elu")(h)
        return L.AveragePooling3D((1, 2, 2))(h), L.GlobalMaxPooling3D()(L.UpSampling3D(2)(h))

    return functional({"volume": f32(2, 4, 6, 6, 2)}, build, half=True)


def unet():
    def block(x, width):
        for _ in range(2):
            x = L.ReLU()(L.BatchNormalization()(L.Conv2D(width, 3, padding="same", use_bias=False)(x)))
        return x

    def build(x):
        a = block(x, 4)
        b = block(L.MaxPooling2D()(a), 8)
        c = block(L.MaxPooling2D()(b), 12)
        d = block(L.Concatenate()([L.Conv2DTranspose(8, 2, strides=2)(c), b]), 8)
        e = block(L.Concatenate()([L.Conv2DTranspose(4, 3, strides=2, padding="same")(d), a]), 4)
        return L.Conv2D(1, 1, activation="sigmoid")(e)

    return functional({"image": f32(2, 16, 16, 3)}, build, half=True, applications=True, keep=True)


def aspp():
    """DeepLab's pooling over dilations, and a resize to the size of the input."""

    def build(x):
        h = L.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
        b = [L.ReLU()(L.BatchNormalization()(L.Conv2D(6, 3, padding="same", dilation_rate=r)(h))) for r in (1, 2, 3)]
        pooled = L.Conv2D(6, 1)(L.GlobalAveragePooling2D(keepdims=True)(h))
        pooled = L.UpSampling2D(10, interpolation="bilinear")(pooled)
        y = L.Conv2D(5, 1)(L.Concatenate()(b + [pooled]))
        return L.Resizing(20, 20)(y)

    return functional({"image": f32(2, 20, 20, 3)}, build, half=True, applications=True)


def upsampling():
    def build(x):
        ways = [L.UpSampling2D((2, 3), interpolation=i)(x) for i in ("nearest", "bilinear", "bicubic", "lanczos3")]
        return [*ways, L.UpSampling1D(2)(L.Reshape((-1, 3))(x))]

    return functional({"image": f32(2, 5, 4, 3)}, build, half=True)


def shapes_2d():
    def build(x):
        h = L.ZeroPadding2D(((1, 2), (0, 3)))(x)
        h = L.Cropping2D(((0, 1), (1, 1)))(h)
        return L.Permute((3, 1, 2))(h), L.RepeatVector(3)(L.Flatten()(h)), L.Reshape((-1, 2))(h)

    return functional({"image": f32(2, 5, 6, 4)}, build, half=True)


def norms():
    def build(x):
        h = L.Conv2D(8, 3)(x)
        return [L.LayerNormalization(axis=[1, 2, 3])(h), L.GroupNormalization(4)(h), L.UnitNormalization()(h),
                L.BatchNormalization(scale=False)(h), L.RMSNormalization()(h), L.GroupNormalization(-1)(h)]  # fmt: skip

    return functional({"image": f32(2, 7, 6, 3)}, build, half=True, keep=True)


def poolings():
    def build(x):
        return [L.MaxPooling2D(3, 2, "same")(x), L.AveragePooling2D(3, 2, "same")(x), L.MaxPooling2D((2, 3), 1)(x),
                L.AveragePooling2D(2)(x), L.GlobalMaxPooling2D()(x), L.GlobalAveragePooling2D()(x),
                L.AdaptiveAveragePooling2D((2, 3))(x), L.AdaptiveMaxPooling2D((3, 2))(x)]  # fmt: skip

    return functional({"image": f32(2, 9, 8, 3)}, build, half=True)


def activations():
    names = "elu exponential gelu hard_sigmoid hard_swish leaky_relu linear mish relu relu6 selu sigmoid silu softmax " \
            "softplus softsign tanh hard_tanh log_sigmoid log_softmax squareplus tanh_shrink celu glu hard_shrink " \
            "soft_shrink sparse_plus sparse_sigmoid".split()  # fmt: skip

    def build(x):
        ways = [L.Activation(name)(x) for name in names if hasattr(keras.activations, name)]
        return [*ways, L.PReLU(alpha_initializer="random_uniform", shared_axes=[1, 2])(x), L.ReLU(6.0, 0.1, 0.2)(x),
                L.LeakyReLU(0.2)(x), L.Softmax(1)(x)]  # fmt: skip

    return functional({"image": f32(2, 4, 3, 6, low=-3, high=3)}, build, half=True)


def merges():
    def build(a, b):
        layers = (L.Add(), L.Subtract(), L.Multiply(), L.Average(), L.Maximum(), L.Minimum(), L.Concatenate(1))
        return [layer([a, b]) for layer in layers]

    return functional({"a": f32(2, 3, 4), "b": f32(2, 3, 4)}, build, half=True)


def preprocessing():
    def build(x):
        h = L.Rescaling(1 / 127.5, -1)(x)
        h = L.CenterCrop(8, 8)(L.Resizing(12, 10, crop_to_aspect_ratio=True)(h))
        return L.Conv2D(4, 3)(L.Normalization(mean=[0.1, 0.2, 0.3], variance=[0.9, 1.1, 1.2])(h))

    return functional({"image": f32(2, 16, 18, 3, low=0, high=255)}, build, half=True)


def features():
    """What a table of features goes through: buckets, one-hot, crossing, an embedding bag."""

    def build(age, kind):
        buckets = L.Discretization([20.0, 40.0, 60.0], output_mode="one_hot")(age)
        kinds = L.CategoryEncoding(6, output_mode="multi_hot")(kind)
        bag = keras.ops.sum(L.Embedding(6, 4)(kind), axis=1)
        return L.Dense(3)(L.Concatenate()([buckets, kinds, bag]))

    return functional({"age": f32(2, 1, low=0, high=80), "kind": ids(2, 3, high=6)}, build, half=True, keep=True)


def squeeze_excite():
    def build(x):
        h = L.Conv2D(8, 3, strides=2, padding="same")(x)
        h = L.Activation("hard_swish")(L.BatchNormalization()(h))
        s = L.Dense(8, activation="hard_sigmoid")(L.Dense(4, activation="relu")(L.GlobalAveragePooling2D(keepdims=True)(h)))
        return L.Conv2D(4, 1)(L.Multiply()([h, s]))

    return functional({"image": f32(2, 12, 12, 3)}, build, half=True, applications=True, keep=True)


# ---- whole pipelines ----


def anchors(rows, columns):
    y, x = np.meshgrid((np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns, indexing="ij")
    return np.stack([y, x], -1).reshape(-1, 2).astype(np.float32)


def detector_of(suppress, **how):
    """An SSD: boxes decoded from anchors, class scores, a suppression."""

    def make():
        classes, places = 3, anchors(4, 4)
        image = keras.Input((32, 32, 3), name="image")
        h = image
        for width in (8, 12, 16):
            h = L.ReLU()(L.BatchNormalization()(L.Conv2D(width, 3, strides=2, padding="same")(h)))
        boxes = L.Reshape((16, 4))(L.Conv2D(4, 3, padding="same")(h))
        scores = L.Reshape((16, classes))(L.Conv2D(classes, 3, padding="same", activation="sigmoid")(h))
        net = keras.Model(image, [boxes, scores])
        inputs = {"image": f32(1, 32, 32, 3)}
        settle(net, inputs)

        def detect(image):
            raw, scores = net(image, training=False)
            centre = raw[..., :2] * 0.1 + places
            half = tf.exp(raw[..., 2:] * 0.2) * 0.15
            return suppress(tf.concat([centre - half, centre + half], -1), scores)

        detect.net = net
        return Case(detect, inputs, open_batch=False, **how)

    return make


def suppress_v3(boxes, scores):
    results = []
    for k in range(2):
        chosen = tf.image.non_max_suppression(boxes[0], scores[0, :, k], 5, 0.5, 0.3)
        results += [chosen, tf.gather(boxes[0], chosen), tf.gather(scores[0, :, k], chosen)]
    return results


def suppress_v4(boxes, scores):
    chosen, count = tf.image.non_max_suppression_padded(boxes[0], tf.reduce_max(scores[0], -1), 6, 0.5, 0.2,
                                                        pad_to_max_output_size=True)  # fmt: skip
    return [chosen, count, tf.gather(boxes[0], chosen)]


def suppress_v5(boxes, scores):
    best = tf.reduce_max(scores[0], -1)
    chosen, kept = tf.image.non_max_suppression_with_scores(boxes[0], best, 6, 0.9, 0.1, 0.5)
    return [tf.gather(boxes[0], chosen), kept, tf.gather(tf.argmax(scores[0], -1), chosen)]


def suppress_combined(boxes, scores):
    return list(tf.image.combined_non_max_suppression(tf.expand_dims(boxes, 2), scores, 4, 7, 0.5, 0.2, clip_boxes=True))


def suppress_map(boxes, scores):
    """Each image by itself, as the object detection models of TensorFlow do."""

    def one(pair):
        chosen, count = tf.image.non_max_suppression_padded(pair[0], tf.reduce_max(pair[1], -1), 4, 0.5, 0.1,
                                                            pad_to_max_output_size=True)  # fmt: skip
        return tf.gather(pair[0], chosen), count

    return list(tf.map_fn(one, (boxes, scores), fn_output_signature=(tf.float32, tf.int32)))


def greedy_decoder():
    """A while loop that feeds each step's token back, writes a TensorArray, and stops at an end mark."""
    cell, embed, out = L.GRUCell(8), L.Embedding(11, 6), L.Dense(11)
    cell.build((None, 6))
    embed.build((None,))
    out.build((None, 8))

    def decode(state):
        batch = tf.shape(state)[0]
        array = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[None])

        def more(step, token, h, ended, array):
            return tf.logical_and(step < 9, tf.logical_not(tf.reduce_all(ended)))

        def body(step, token, h, ended, array):
            y, [h] = cell(embed(token), [h])
            token = tf.where(ended, 0, tf.argmax(out(y), -1, output_type=tf.int32))
            return step + 1, token, h, tf.logical_or(ended, tf.equal(token, 3)), array.write(step, token)

        first = (0, tf.ones([batch], tf.int32), state, tf.zeros([batch], tf.bool), array)
        shapes = (tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None, 8]), tf.TensorShape([None]), None)
        steps, _, h, _, array = tf.while_loop(more, body, first, shape_invariants=shapes)
        return [tf.transpose(array.stack()), h, steps]

    decode.net = [cell, embed, out]
    return Case(decode, {"state": f32(2, 8)}, loops=True, keep=True)


def scanning():
    """Functional loops: scan, map_fn, fold; and branches."""

    def run(x):
        cumulated = tf.scan(lambda a, row: a * 0.5 + row, x)
        mapped = tf.map_fn(lambda row: tf.reverse(row, [0]) * tf.reduce_max(row), x)
        folded = tf.foldl(lambda a, row: a + tf.square(row), x)
        chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1.0, lambda: x - 1.0)
        nested = tf.cond(tf.reduce_max(x) > 0.5, lambda: tf.cond(tf.reduce_min(x) < 0, lambda: x * 2, lambda: x), lambda: -x)
        return [cumulated, mapped, folded, chosen, nested]

    return Case(run, {"x": f32(4, 5)}, loops=True, keep=True)


def image_pipeline():
    """tf.image from raw bytes to what a network takes."""

    def run(image):
        x = tf.image.convert_image_dtype(image, tf.float32)
        x = tf.image.central_crop(x, 0.75)
        x = tf.image.resize(x, [14, 10], antialias=False)
        x = tf.image.resize_with_pad(x, 12, 12)
        x = tf.image.flip_up_down(tf.image.adjust_gamma(tf.maximum(tf.image.adjust_contrast(x, 1.3), 0.0), 0.8))
        y = tf.image.per_image_standardization(tf.image.adjust_saturation(x, 0.6))
        edges = tf.image.sobel_edges(x)
        return [y, tf.image.rgb_to_yuv(x), edges, tf.image.image_gradients(x)[0], tf.image.total_variation(x),
                tf.image.resize(x, [5, 6], "nearest"), tf.image.resize(x, [7, 20], "bicubic"),
                tf.cast(tf.clip_by_value(x * 255, 0, 255), tf.uint8)[:, ::-1, 1:-2]]  # fmt: skip

    image = RNG.integers(0, 256, (2, 16, 20, 3)).astype(np.uint8)
    return Case(run, {"image": image}, keep=True)


def spectrogram():
    """tf.signal: frames, window, Fourier transform, mel bands, cepstral coefficients."""

    def run(wave):
        frames = tf.signal.stft(wave, 64, 32)
        power = tf.square(tf.abs(frames))
        bands = tf.signal.linear_to_mel_weight_matrix(12, 33, 16000, 80.0, 7600.0)
        mel = tf.math.log(tf.tensordot(power, bands, 1) + 1e-3)
        return [power, mel, tf.signal.mfccs_from_log_mel_spectrograms(mel)[..., :6]]

    return Case(run, {"wave": f32(2, 512)}, keep=True, half=True)


def spectral():
    """A filter in the spectrum, back to the signal; phases, and arithmetic of complex numbers."""
    response = tf.constant(np.exp(-np.arange(17) / 8) * np.exp(1j * np.arange(17) / 5), tf.complex64)

    def run(wave):
        spectrum = tf.signal.rfft(wave, [32])
        filtered = tf.signal.irfft(spectrum * response, [32])
        shifted = spectrum + tf.complex(30.0, 5.0)
        ratio = (spectrum - 1.0) / shifted
        whole = tf.signal.fft(tf.cast(wave, tf.complex64) * tf.exp(tf.complex(0.0, wave)))
        back = tf.signal.ifft(tf.math.conj(-whole) + tf.square(whole))
        again = tf.signal.inverse_stft(tf.signal.stft(wave, 16, 8), 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8))
        return [filtered, tf.math.angle(shifted), tf.math.real(ratio), tf.math.imag(ratio), tf.math.real(back),
                tf.abs(tf.reverse(tf.transpose(whole), [0])[:7]), tf.cast(whole, tf.float32), again]  # fmt: skip

    return Case(run, {"wave": f32(2, 30)}, keep=True)


def resizings():
    """tf.image.resize by every method, with and without antialiasing, and to a ratio that is kept."""

    def run(image):
        methods = "bilinear lanczos3 lanczos5 bicubic gaussian nearest area mitchellcubic".split()
        ways = [tf.image.resize(image, [5, 9], m, antialias=a) for m in methods for a in (False, True)]
        return [*ways, tf.image.resize(image, [12, 20], "bicubic", preserve_aspect_ratio=True)]

    return Case(run, {"image": f32(2, 11, 7, 3, low=0)}, keep=True)


def fake_quantised():
    """Quantisation-aware training's graph: fake quantisation of weights a channel and of activations a tensor."""
    quantise = tf.quantization
    w1, w2, wd = (tf.Variable(f32(*s)) for s in ((3, 3, 3, 8), (1, 1, 8, 6), (3, 3, 8, 1)))
    dense = tf.Variable(f32(6, 5))
    low, high = tf.Variable(f32(8, low=-1.2, high=-0.8)), tf.Variable(f32(8, low=0.8, high=1.2))

    def run(image):
        x = quantise.fake_quant_with_min_max_vars(image, -1.0, 1.0)
        w = quantise.fake_quant_with_min_max_vars_per_channel(w1, low, high, narrow_range=True)
        x = tf.nn.relu6(tf.nn.conv2d(x, w, 2, "SAME") + 0.1)
        x = quantise.fake_quant_with_min_max_vars(x, 0.0, 6.0)
        x = tf.nn.relu6(tf.nn.depthwise_conv2d(x, quantise.fake_quant_with_min_max_vars(wd, -1.0, 1.0, narrow_range=True), [1, 1, 1, 1], "SAME"))
        x = quantise.fake_quant_with_min_max_vars(x, 0.0, 6.0)
        x = tf.nn.conv2d(x, quantise.fake_quant_with_min_max_vars(w2, -1.0, 1.0, narrow_range=True), 1, "VALID")
        x = quantise.fake_quant_with_min_max_args(x, -8.0, 8.0)
        x = tf.reduce_mean(x, [1, 2])
        return [tf.matmul(x, quantise.fake_quant_with_min_max_vars(dense, -1.0, 1.0))]

    run.net = [w1, w2, wd, dense, low, high]
    return Case(run, {"image": f32(2, 10, 10, 3)}, keep=True)


def recommender():
    """Two towers: embeddings gathered and pooled by segment sums, dot products, top-k."""
    table = tf.Variable(f32(40, 8))

    def run(user, history):
        u = tf.gather(table, user)
        h = tf.nn.embedding_lookup(table, history)
        mask = tf.cast(tf.not_equal(history, 0), tf.float32)[..., None]
        pooled = tf.math.divide_no_nan(tf.reduce_sum(h * mask, 1), tf.reduce_sum(mask, 1))
        scores = tf.matmul(tf.nn.l2_normalize(u + pooled, -1), table, transpose_b=True)
        values, which = tf.math.top_k(scores, 5)
        return [values, which, tf.one_hot(which[:, 0], 40), tf.nn.log_softmax(scores)]

    run.net = [table]
    history = ids(3, 6, high=40)
    history[:, 4:] = 0
    return Case(run, {"user": ids(3, high=40), "history": history}, keep=True)


MODELS = {
    "mobilenet_v1": application("MobileNet", 64, alpha=0.25),
    "mobilenet_v2": application("MobileNetV2", 64, alpha=0.35),
    "mobilenet_v3_small": application("MobileNetV3Small", 64),
    "mobilenet_v3_large_minimal": application("MobileNetV3Large", 64, alpha=0.75, minimalistic=True),
    "efficientnet_b0": application("EfficientNetB0", 64),
    "efficientnet_v2_b0": application("EfficientNetV2B0", 64),
    "resnet50": application("ResNet50", 64),
    "resnet50_v2": application("ResNet50V2", 64),
    "densenet121": application("DenseNet121", 64),
    "inception_v3": application("InceptionV3", 96),
    "xception": application("Xception", 96),
    "nasnet_mobile": application("NASNetMobile", 64),
    "vgg16": application("VGG16", 32, include_top=False),
    "convnext_tiny": application("ConvNeXtTiny", 32),
    "lstm": lstm,
    "gru": gru,
    "bidirectional": bidirectional,
    "masked_lstm": masked_lstm,
    "stacked_cells": stacked_cells,
    "unrolled_lstm": unrolled_lstm,
    "conv_lstm": conv_lstm,
    "time_distributed": time_distributed,
    "text_cnn": text_cnn,
    "masked_embedding": masked_embedding,
    "wavenet": wavenet,
    "encoder": encoder,
    "decoder_block": decoder_block,
    "simple_attention": simple_attention,
    "einsum_dense": einsum_dense,
    "vision_transformer": vision_transformer,
    "mixer": mixer,
    "separable": separable,
    "separable_1d": separable_1d,
    "volumes": volumes,
    "unet": unet,
    "aspp": aspp,
    "upsampling": upsampling,
    "shapes_2d": shapes_2d,
    "norms": norms,
    "poolings": poolings,
    "activations": activations,
    "merges": merges,
    "preprocessing": preprocessing,
    "features": features,
    "squeeze_excite": squeeze_excite,
    "detector_v3": detector_of(suppress_v3, keep=True),
    "detector_v4": detector_of(suppress_v4),
    "detector_v5": detector_of(suppress_v5),
    "detector_combined": detector_of(suppress_combined),
    "detector_map": detector_of(suppress_map, loops=True),
    "greedy_decoder": greedy_decoder,
    "scanning": scanning,
    "image_pipeline": image_pipeline,
    "spectrogram": spectrogram,
    "spectral": spectral,
    "resizings": resizings,
    "fake_quantised": fake_quantised,
    "recommender": recommender,
}
