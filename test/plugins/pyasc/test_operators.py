"""Operators and operator overloading against NumPy."""

import unittest

import numpy as np
import pyasc
from references import conv2d, normal, origin


class Overloading(unittest.TestCase):
    def check(self, expression, dtype=np.float32, rtol=1e-5):
        x = (np.arange(12).reshape(3, 4) % 5 + 1).astype(dtype)
        with origin() as ctx:
            y = expression(ctx.input("x", (3, 4), dtype))
            found = ctx.execute({"x": x})[y]
        wanted = expression(x)
        self.assertEqual(found.shape, np.shape(wanted))
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-6)

    def test_arithmetic(self):
        other = (np.arange(4) + 1).astype(np.float32)
        for expression in (lambda x: x + 1, lambda x: 1 - x, lambda x: x * other, lambda x: other * x, lambda x: x / 2,
                           lambda x: 2 / x, lambda x: -x, lambda x: abs(x - 3), lambda x: x**2, lambda x: x @ x.T
                           if isinstance(x, np.ndarray) else x @ x.context.transpose(x, [1, 0]),
                           lambda x: x // 2, lambda x: x % 2):  # fmt: skip
            self.check(expression)

    def test_comparison_and_logic(self):
        for expression in (lambda x: x > 2, lambda x: x <= 2, lambda x: (x > 1) & (x < 4), lambda x: ~(x > 2),
                           lambda x: (x > 1) | (x < 0), lambda x: (x > 1) ^ (x > 3)):  # fmt: skip
            self.check(expression)
            self.check(expression, np.int32)

    def test_indexing(self):
        for key in (0, -1, slice(1, None), (slice(None), 2), (slice(None), slice(None, None, 2)), (..., 1),
                    (None, slice(0, 2)), (slice(None, None, -1), slice(3, 0, -1)), (1, 2), (..., None),
                    (0, None, slice(1, 3))):  # fmt: skip
            with self.subTest(key=key):
                self.check(lambda x: x[key])

    def test_truth_value_is_refused(self):
        with origin() as ctx:
            x = ctx.input("x", (2,))
            self.assertRaises(TypeError, bool, x > 1)
            self.assertRaises(IndexError, lambda: x[0, 0])


class Functions(unittest.TestCase):
    def run_one(self, build, *arrays):
        with origin() as ctx:
            tensors = [ctx.input(f"x{k}", a.shape, a.dtype) for k, a in enumerate(arrays)]
            out = build(ctx, *tensors)
            result = ctx.execute({f"x{k}": a for k, a in enumerate(arrays)})
            return [result[o] for o in out] if isinstance(out, tuple) else result[out]

    def test_convolutions(self):
        x, w, b = normal(2, 3, 9, 9), normal(5, 3, 3, 3), normal(5)
        for stride, padding in ((1, 0), (2, 1)):
            found = self.run_one(lambda c, t: c.conv2d(t, w, b, stride=stride, padding=padding), x)
            np.testing.assert_allclose(found, conv2d(x, w, b, stride, padding), rtol=1e-4, atol=1e-4)

    def test_transposed_convolution_is_the_gradient(self):
        x, w = normal(1, 2, 3, 3), normal(2, 4, 2, 2)
        found = self.run_one(lambda c, t: c.conv_transpose2d(t, w, stride=2), x)
        wanted = np.einsum("nchw,cmij->nmhiwj", x, w).reshape(1, 4, 6, 6)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)

    def test_pooling(self):
        x = normal(1, 2, 4, 6)
        windows = x.reshape(1, 2, 2, 2, 3, 2)
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.max_pool2d(t, 2), x), windows.max((3, 5)))
        np.testing.assert_allclose(self.run_one(lambda c, t: c.avg_pool2d(t, 2), x), windows.mean((3, 5)), rtol=1e-5, atol=1e-6)

    def test_normalisation(self):
        x = normal(2, 3, 4)
        gamma, beta = normal(4), normal(4, seed=1)
        wanted = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gamma + beta
        np.testing.assert_allclose(self.run_one(lambda c, t: c.layer_norm(t, gamma, beta), x), wanted, rtol=1e-3, atol=1e-5)
        y, scale, offset, mean, var = normal(1, 3, 2, 2), normal(3), normal(3, seed=1), normal(3, seed=2), np.ones(3, "f") * 2
        column = (1, 3, 1, 1)
        wanted = ((y - mean.reshape(column)) / np.sqrt(2 + 1e-5)) * scale.reshape(column) + offset.reshape(column)
        found = self.run_one(lambda c, t: c.batch_norm(t, scale, offset, mean, var), y)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)

    def test_movement(self):
        x = normal(2, 3, 4)
        self.assertEqual(self.run_one(lambda c, t: c.reshape(t, (4, -1)), x).shape, (4, 6))
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.transpose(t, [2, 0, 1]), x), x.transpose(2, 0, 1))
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.concat([t, t], 1), x), np.concatenate([x, x], 1))
        parts = self.run_one(lambda c, t: c.split(t, 2, axis=2), x)
        np.testing.assert_array_equal(parts[1], x[..., 2:])
        parts = self.run_one(lambda c, t: c.split(t, [1, 2], axis=1), x)
        np.testing.assert_array_equal(parts[1], x[:, 1:])
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.gather(t, [1, 0], axis=1), x), x[:, [1, 0]])
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.unsqueeze(c.squeeze(t[:1], [0]), [1]), x), x[0][:, None])

    def test_reductions_and_choice(self):
        x = normal(2, 3, 4)
        np.testing.assert_allclose(self.run_one(lambda c, t: c.sum(t, (0, 2)), x), x.sum((0, 2)), rtol=1e-4)
        np.testing.assert_allclose(self.run_one(lambda c, t: c.mean(t, -1, keepdims=True), x), x.mean(-1, keepdims=True), rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.max(t), x), x.max())
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.where(t > 0, t, 0.0), x), np.where(x > 0, x, 0))
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.clip(t, -0.5), x), np.clip(x, -0.5, None))
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.equal(t, t), x), True)
        np.testing.assert_array_equal(self.run_one(lambda c, t: c.cast(t, "int32"), x), x.astype(np.int32))

    def test_products(self):
        a, b = normal(2, 3, 4), normal(2, 4, 5)
        np.testing.assert_allclose(self.run_one(lambda c, s, t: c.matmul(s, t), a, b), a @ b, rtol=1e-4, atol=1e-5)
        x, w, bias = normal(3, 4), normal(5, 4), normal(5)
        np.testing.assert_allclose(self.run_one(lambda c, t: c.linear(t, w, bias), x), x @ w.T + bias, rtol=1e-4, atol=1e-5)

    def test_generated_methods(self):
        x = normal(3, 4)
        cases = ((lambda c, t: c.tanh(t), np.tanh(x)), (lambda c, t: c.softmax(t), np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
                 (lambda c, t: c.leaky_relu(t, negative_slope=0.1), np.where(x > 0, x, 0.1 * x)),
                 (lambda c, t: c.cumsum(t, 1), np.cumsum(x, 1)), (lambda c, t: c.tile(t, [2, 1]), np.tile(x, (2, 1))),
                 (lambda c, t: c.maximum(t, np.zeros((3, 4), "f")), np.maximum(x, 0)))  # fmt: skip
        for build, wanted in cases:
            np.testing.assert_allclose(self.run_one(build, x), wanted, rtol=1e-5, atol=1e-6)
        values, indices = self.run_one(lambda c, t: c.top_k_v2(t, 2, num_outputs=2), x)
        np.testing.assert_array_equal(indices, np.argsort(-x, -1, kind="stable")[:, :2])
        found = self.run_one(lambda c, t: c.non_zero(t), np.array([[0, 1], [1, 0]], np.float32))
        np.testing.assert_array_equal(np.sort(found.reshape(-1)), [0, 0, 1, 1])


if __name__ == "__main__":
    unittest.main()
