"""What goes wrong in practice: contexts that pile up, layouts that disagree, streams that race."""

import gc
import resource
import subprocess
import sys
import unittest
import warnings

import numpy as np
import pyasc
from references import normal, origin


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def run_once(ctx, size=1 << 12):
    y = ctx.relu(ctx.input("x", (size,)))
    return ctx.execute({"x": np.zeros(size, np.float32)})[y]


class Memory(unittest.TestCase):
    def test_dropped_contexts_do_not_grow_and_warn_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pyasc.programs._warned.discard("dropped")
            device = pyasc._core.device_bytes()
            for _ in range(30):
                run_once(origin())
            gc.collect()
            self.assertLessEqual(pyasc._core.device_bytes(), device + (1 << 14))
        self.assertEqual([str(w.message).count("destroy") for w in caught], [1])

    def test_contexts_that_are_kept_are_unloaded(self):
        pyasc.programs._warned.discard("many")
        kept = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(pyasc.programs._MAX_LOADED + 20):
                kept.append(origin())
                run_once(kept[-1], 64)
            self.assertLessEqual(len(pyasc.programs._loaded), pyasc.programs._MAX_LOADED)
        self.assertEqual(len([w for w in caught if "alive" in str(w.message)]), 1)
        # The one that was used longest ago works as before.
        np.testing.assert_array_equal(kept[0].execute({"x": np.full(64, 2, np.float32)})["output"], np.full(64, 2))
        for ctx in kept:
            ctx.destroy()

    def test_many_contexts_leave_memory_flat(self):
        for k in range(300):
            with origin() as ctx:
                run_once(ctx, 256)
        gc.collect()
        before = resident()
        for k in range(2000):
            with origin() as ctx:
                if k % 4 == 0:
                    run_once(ctx, 256)
                else:
                    ctx.input("x", (2,))
        gc.collect()
        self.assertLess(resident() - before, 8 << 20)


class Layout(unittest.TestCase):
    def test_conflict_names_both_nodes_and_the_cure(self):
        with origin() as ctx:
            x = ctx.input("x", (1, 3, 8, 8))
            fused = ctx.relu(ctx.conv2d(x, normal(4, 3, 3, 3), padding=1), name="fused_relu")
            with self.assertRaises(pyasc.LayoutError) as caught:
                ctx.conv2d_custom(fused, normal(2, 4, 1, 1), expected_format="NHWC", name="custom")
            for part in ("custom", "fused_relu", "NHWC", "NCHW", "transpose", "[0, 2, 3, 1]"):
                self.assertIn(part, str(caught.exception))

    def test_inserted_transpose_cures_it(self):
        x, w1, w2 = normal(1, 3, 8, 8), normal(4, 3, 1, 1), normal(2, 4, 1, 1)
        with origin() as ctx:
            fused = ctx.relu(ctx.conv2d(ctx.input("x", x.shape), w1))
            y = ctx.conv2d_custom(ctx.transpose(fused, perm=[0, 2, 3, 1]), w2, expected_format="NHWC")
            self.assertEqual((y.layout, y.shape), ("NHWC", (1, 8, 8, 2)))
            wanted = np.maximum(np.einsum("nchw,mc->nhwm", x, w1[:, :, 0, 0]), 0) @ w2[:, :, 0, 0].T
            np.testing.assert_allclose(ctx.execute({"x": x})[y], wanted, rtol=1e-4, atol=1e-5)


class Races(unittest.TestCase):
    def test_result_of_another_stream_needs_a_dependency(self):
        with origin() as first, origin() as second:
            y = first.relu(first.input("x", (4,)))
            second.input("z", (4,)) + 1.0
            run = first.execute_async({"x": np.ones(4, np.float32)})
            with self.assertRaisesRegex(pyasc.DependencyError, "add_dependency"):
                second.execute_async({"z": run[y]})
            with self.assertRaises(pyasc.DependencyError):
                second.execute({"z": run[y]})
            second.add_dependency(stream=second.stream, depends_on=first.stream)
            self.assertEqual(float(second.execute({"z": run[y]})["output"][0]), 2)

    def test_waiting_for_the_result_orders_too(self):
        with origin() as first, origin() as second:
            y = first.relu(first.input("x", (4,)))
            second.input("z", (4,)) + 1.0
            run = first.execute_async({"x": np.ones(4, np.float32)})
            run.result()
            self.assertEqual(float(second.execute_async({"z": run[y]}).result()["output"][0]), 2)

    def test_memory_that_another_stream_writes(self):
        shared = np.zeros(4, np.float32)
        with origin() as first, origin() as second, origin() as third:
            y = first.relu(first.input("x", (4,)))
            second.input("z", (4,)) + 1.0
            third.input("z", (2,)) + 1.0
            first.execute_async({"x": np.ones(4, np.float32)}, out={y: shared})
            with self.assertRaisesRegex(pyasc.DependencyError, first.name):
                second.execute_async({"z": shared})
            with self.assertRaises(pyasc.DependencyError):
                third.execute({"z": shared[2:]})  # a view of it
            with self.assertRaises(pyasc.DependencyError):
                second.execute_async({"z": np.zeros(4, np.float32)}, out={"output": shared})
            second.execute_async({"z": np.zeros(4, np.float32)}).result()  # other memory is free
            second.add_dependency(stream=second.stream, depends_on=first.stream)
            self.assertEqual(float(second.execute_async({"z": shared}).result()["output"][3]), 2)

    def test_dependencies_carry_over(self):
        shared = np.zeros(4, np.float32)
        with origin() as first, origin() as second, origin() as third:
            y = first.relu(first.input("x", (4,)))
            for ctx in (second, third):
                ctx.input("z", (4,)) + 1.0
            first.execute_async({"x": np.ones(4, np.float32)}, out={y: shared})
            second.add_dependency(second.stream, first.stream)
            second.execute_async({"z": np.zeros(4, np.float32)})
            third.add_dependency(third.stream, second.stream)  # and so after the first
            self.assertEqual(float(third.execute_async({"z": shared}).result()["output"][0]), 2)


class Exit(unittest.TestCase):
    def test_a_process_that_destroys_nothing_ends_well(self):
        code = ("import numpy as np, pyasc\nc = pyasc.Context()\ny = c.relu(c.input('x', (4,)))\n"
                "f = c.execute_async({'x': np.ones(4, np.float32)})\nprint(f.result()[y].sum())")  # fmt: skip
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                              env={"PYTHONPATH": ":".join(sys.path)})  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (0, "4.0\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
