"""NumPy references and helpers of the tests."""

import numpy as np
import pyasc

ORIGIN = dict(precision_mode="origin")


def origin():
    """A context that keeps float32, so that results can be compared closely."""
    return pyasc.Context(config=pyasc.CompileConfig(**ORIGIN))


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def conv2d(x, w, bias=None, stride=1, padding=0):
    """Direct convolution of NCHW data in float64."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, _, height, width = x.shape
    m, _, kh, kw = w.shape
    rows, columns = (height - kh) // stride + 1, (width - kw) // stride + 1
    y = np.zeros((n, m, rows, columns))
    for i in range(rows):
        for j in range(columns):
            window = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            y[:, :, i, j] = np.tensordot(window, w.astype(np.float64), axes=([1, 2, 3], [1, 2, 3]))
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)
