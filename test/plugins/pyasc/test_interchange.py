"""Arrays of other libraries, element types, threads."""

import threading
import unittest

import numpy as np
import pyasc
from references import normal, origin


class Arrays(unittest.TestCase):
    def test_dlpack_and_array_protocol(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **keywords):
                return self.array.__dlpack__(**keywords)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        class ByProtocol:
            def __init__(self, array):
                self.array = array

            def __array__(self, dtype=None):
                return self.array

        x = normal(2, 3)
        self.assertTrue(np.shares_memory(pyasc.as_numpy(Foreign(x)), x))
        self.assertTrue(np.shares_memory(pyasc.as_numpy(ByProtocol(x)), x))
        with origin() as ctx:
            y = ctx.input("x", (2, 3)) + 1.0
            for given in (Foreign(x), ByProtocol(x), x.tolist()):
                np.testing.assert_allclose(ctx.execute({"x": given})[y], x + 1, rtol=1e-6)
            result = ctx.execute({"x": x})[y]
            self.assertTrue(np.shares_memory(np.from_dlpack(result), result))

    def test_results_feed_on_without_a_copy(self):
        with origin() as ctx:
            y = ctx.relu(ctx.input("x", (1000,)))
            first = ctx.execute({"x": np.arange(1000, dtype=np.float32)})[y]
            staged = pyasc._core.device_bytes()
            with origin() as other:
                z = other.input("x", (1000,)) * 2.0
                np.testing.assert_array_equal(other.execute({"x": first})[z], np.arange(1000) * 2)
                # The result, and nothing that the input was copied to.
                self.assertLessEqual(pyasc._core.device_bytes() - staged, 4096)

    def test_arrays_of_the_device_are_not_copied(self):
        array = pyasc.empty((1000,), "float32")
        array[:] = np.arange(1000)
        with origin() as ctx:
            y = ctx.input("x", (1000,)) + 1.0
            ctx.compile()
            before = pyasc._core.device_bytes()
            result = ctx.execute({"x": array})[y]
            np.testing.assert_array_equal(result, np.arange(1000) + 1)
            self.assertEqual(pyasc._core.device_bytes(), before + result.nbytes)

    def test_aligned_arrays_are_not_copied(self):
        room = np.empty((1 << 16) + 16, np.float32)
        first = -room.__array_interface__["data"][0] % 64 // 4
        array = room[first : first + (1 << 16)]
        array[:] = np.arange(1 << 16)
        with origin() as ctx:
            y = ctx.input("x", (1 << 16,)) + 1.0
            before = pyasc._core.device_bytes()
            result = ctx.execute({"x": array})[y]
            self.assertEqual(pyasc._core.device_bytes() - before, result.nbytes)
            np.testing.assert_array_equal(result, array + 1)
            odd = room[first + 1 : first + 1 + (1 << 16)] if first + 1 + (1 << 16) <= room.size else array
            np.testing.assert_array_equal(ctx.execute({"x": odd})[y], odd + 1)

    def test_strided_arrays(self):
        x = normal(6, 8)
        with origin() as ctx:
            y = ctx.input("x", (3, 4)) * 2.0
            np.testing.assert_allclose(ctx.execute({"x": x[::2, ::2]})[y], x[::2, ::2] * 2)

    def test_pytorch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        self.assertTrue(np.shares_memory(pyasc.as_numpy(tensor), tensor.numpy()))
        with origin() as ctx:
            y = ctx.input("x", (2, 3)) + 1.0
            result = ctx.execute({"x": tensor})[y]
            back = pyasc.to_torch(result)
            self.assertTrue(torch.equal(back, tensor + 1))
            self.assertEqual(back.data_ptr(), result.__array_interface__["data"][0])


class Types(unittest.TestCase):
    def test_every_plain_type_goes_through(self):
        for dtype in ("float32", "float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                      "uint64", "bool"):  # fmt: skip
            with self.subTest(dtype=dtype), origin() as ctx:
                x = ctx.input("x", (4,), dtype)
                y = ctx.concat([x, x])
                array = np.array([0, 1, 1, 0], dtype)
                found = ctx.execute({"x": array})[y]
                self.assertEqual((y.dtype, found.dtype), (dtype, np.dtype(dtype)))
                np.testing.assert_array_equal(found, np.concatenate([array, array]))

    def test_bfloat16(self):
        with origin() as ctx:
            x = ctx.input("x", (3,), "float32")
            y = ctx.cast(x, "bfloat16")
            found = ctx.execute({"x": np.array([1, -2, 0.5], np.float32)})[y]
            bits = found if found.dtype == np.uint16 else found.view(np.uint16)
            np.testing.assert_array_equal(bits, [0x3F80, 0xC000, 0x3F00])

    def test_unknown_types_are_named(self):
        with origin() as ctx:
            self.assertRaisesRegex(TypeError, "float31", ctx.input, "x", (1,), "float31")
            self.assertRaises(TypeError, ctx.input, "x", (1,), np.dtype("U3"))


class Threads(unittest.TestCase):
    def test_one_context_from_many_threads(self):
        with origin() as ctx:
            y = ctx.matmul(ctx.input("x", (32, 32)), normal(32, 32)) + 1.0
            inputs = [normal(32, 32, seed=k) for k in range(8)]
            wanted = [ctx.execute({"x": x})[y].copy() for x in inputs]
            faults = []

            def work(k):
                for _ in range(20):
                    if not np.array_equal(ctx.execute({"x": inputs[k]})[y], wanted[k]):
                        faults.append(k)

            threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(faults, [])

    def test_other_threads_run_while_a_graph_does(self):
        with origin() as ctx:
            x = ctx.input("x", (512, 512))
            y = x
            for _ in range(12):
                y = ctx.matmul(y, x) * 0.001
            array = normal(512, 512)
            ctx.execute({"x": array})
            future = ctx.execute_async({"x": array})
            steps = 0
            while not future.done():
                steps += 1
            self.assertGreater(steps, 100)
            future.result()


if __name__ == "__main__":
    unittest.main()
