"""The flows that users of the front end know: build, run, fuse, dump, save, order, destroy."""

import gc
import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pyasc
from references import conv2d, normal, origin

BUILD = Path(os.environ["OPENATC_BUILD"])


class Functional(unittest.TestCase):
    def test_conv_with_weight_as_second_input(self):
        x, w = normal(1, 3, 8, 8), normal(4, 3, 3, 3)
        with origin() as ctx:
            data = ctx.input("input", shape=(1, 3, 8, 8), dtype="float32")
            weight = ctx.input("weight", shape=(4, 3, 3, 3))
            conv = ctx.conv2d(data, weight, kernel_size=3, padding=1, stride=1)
            out = ctx.relu(conv)
            result = ctx.execute({"input": x, "weight": w})
            wanted = np.maximum(conv2d(x, w, padding=1), 0)
            np.testing.assert_allclose(result[out], wanted, rtol=1e-4, atol=1e-5)
            self.assertIs(result["output"], result[out])
            self.assertIs(result[out.name], result[out])
            with self.assertRaisesRegex(KeyError, "ctx.output"):
                result[conv]

    def test_default_precision_is_half(self):
        x = normal(2, 8)
        with pyasc.Context() as ctx:
            y = ctx.input("x", (2, 8)) * 3.0
            np.testing.assert_allclose(ctx.execute({"x": x})[y], 3 * x, rtol=2e-3)

    def test_several_outputs_and_names(self):
        with origin() as ctx:
            x = ctx.input("x", (3,))
            a, b = ctx.exp(x), x + 1.0
            ctx.output(b, "plus")
            ctx.output(a)
            result = ctx.execute({x: [0, 1, 2]})
            self.assertEqual(list(result), ["plus", a.name])
            np.testing.assert_allclose(result["plus"], [1, 2, 3])
            np.testing.assert_allclose(result["output_1"], np.exp([0, 1, 2]), rtol=1e-6)

    def test_other_shapes_compile_again_and_are_kept(self):
        with origin() as ctx:
            x = ctx.input("x", (None, 4))
            y = ctx.softmax(x)
            for rows in (1, 5, 1, 5):
                array = normal(rows, 4)
                wanted = np.exp(array) / np.exp(array).sum(-1, keepdims=True)
                np.testing.assert_allclose(ctx.execute({"x": array})[y], wanted, rtol=1e-5)
            self.assertEqual(len(ctx._programs), 2)
            with self.assertRaisesRegex(ValueError, "takes"):
                ctx.execute({"x": normal(2, 3)})

    def test_shapes_beyond_the_cache(self):
        with origin() as ctx:
            x = ctx.input("x", (None,))
            y = x + 1.0
            for n in list(range(1, 25)) + [1]:
                np.testing.assert_array_equal(ctx.execute({"x": np.zeros(n, np.float32)})[y], np.ones(n))

    def test_feeds_are_checked(self):
        with origin() as ctx:
            x = ctx.input("x", (2,))
            ctx.relu(x)
            with self.assertRaisesRegex(KeyError, "missing inputs: x"):
                ctx.execute({})
            with self.assertRaisesRegex(KeyError, "no input z"):
                ctx.execute({"x": [1, 2], "z": [1, 2]})
            with self.assertRaisesRegex(TypeError, "float32; complex128"):
                ctx.execute({"x": np.zeros(2, np.complex128)})

    def test_graph_grows_after_a_run(self):
        with origin() as ctx:
            x = ctx.input("x", (2,))
            y = x + 1.0
            np.testing.assert_array_equal(ctx.execute({"x": [1, 2]})[y], [2, 3])
            z = y * 2.0
            np.testing.assert_array_equal(ctx.execute({"x": [1, 2]})[z], [4, 6])


class Life(unittest.TestCase):
    def test_destroy_is_idempotent_and_final(self):
        ctx = origin()
        x = ctx.input("x", (2,))
        y = ctx.relu(x)
        array = ctx.execute({"x": [-1, 2]})[y]
        ctx.destroy()
        ctx.destroy()
        self.assertTrue(ctx.destroyed)
        np.testing.assert_array_equal(array, [0, 2])  # results outlive the context
        for call in (lambda: ctx.execute({"x": [1, 2]}), lambda: ctx.relu(x), lambda: ctx.input("y", (1,)),
                     ctx.graph, lambda: x + 1.0):  # fmt: skip
            with self.assertRaises(RuntimeError):
                call()

    def test_with_destroys_after_an_exception(self):
        with self.assertRaises(ZeroDivisionError):
            with origin() as ctx:
                ctx.input("x", (2,))
                raise ZeroDivisionError
        self.assertTrue(ctx.destroyed)

    def test_garbage_collector_frees(self):
        gc.collect()
        before = pyasc._core.device_bytes()
        ctx = origin()
        y = ctx.relu(ctx.input("x", (1000,)))
        ctx.execute({"x": np.zeros(1000, np.float32)})
        self.assertGreater(pyasc._core.device_bytes(), before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            del ctx, y
            gc.collect()
        self.assertEqual(pyasc._core.device_bytes(), before)


class DumpAndSave(unittest.TestCase):
    def test_dump_flag_writes_stages(self):
        with tempfile.TemporaryDirectory() as folder, origin() as ctx:
            ctx.set_dump_flag(dump_path=folder)
            ctx.relu(ctx.input("x", (2,)))
            ctx.compile()
            names = [f.name for f in Path(folder).rglob("*.pbtxt")]
            self.assertTrue(any(n.endswith("_Build.pbtxt") for n in names), names)
            self.assertTrue(any(n.endswith("_PreRunBegin.pbtxt") for n in names), names)

    def test_saved_graph_is_read_by_the_programs(self):
        with tempfile.TemporaryDirectory() as folder, origin() as ctx:
            x = ctx.input("x", (2, 3))
            y = ctx.relu(x) + 0.5
            om = Path(folder) / "graph.om"
            ctx.save_optimized_graph(om)
            array = normal(2, 3)
            np.save(Path(folder) / "x.npy", array)
            subprocess.run([BUILD / "bin/omrun", om, "--input", f"x={folder}/x.npy", "--output", folder], check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            np.testing.assert_array_equal(np.load(Path(folder) / "out_0.npy"), ctx.execute({"x": array})[y])
            done = subprocess.run([BUILD / "bin/atc", "--mode=6", f"--om={om}"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(subprocess.run([BUILD / "bin/atc", f"--check_om={om}"], stdout=subprocess.DEVNULL).returncode, 0)
            info = pyasc.inspect(om)
            self.assertEqual(info.summary["stream_num"], 1)
            self.assertIn("NetOutput", [node["type"] for node in info.nodes])
            self.assertEqual(sorted(p.name for p in Path(folder).glob("*.part")), [])


class TwoContexts(unittest.TestCase):
    def test_add_dependency_orders_two_streams(self):
        with origin() as first, origin() as second:
            x = first.input("x", (64, 64))
            y = x
            for _ in range(10):
                y = first.matmul(y, x) * 0.01
            z = second.input("z", (64, 64)) + 1.0
            array = normal(64, 64)
            run = first.execute_async({"x": array})
            second.add_dependency(stream=second.stream, depends_on=first.stream)
            after = second.execute_async({"z": run[y]})
            wanted = array.astype(np.float64)
            for _ in range(10):
                wanted = wanted @ array * 0.01
            np.testing.assert_allclose(after.result()[z], wanted + 1, rtol=1e-3, atol=1e-4)

    def test_future(self):
        with origin() as ctx:
            x = ctx.input("x", (4,))
            y = ctx.relu(x)
            futures = [ctx.execute_async({"x": np.full(4, k, np.float32)}) for k in range(20)]
            for k, future in enumerate(futures):
                np.testing.assert_array_equal(future.result(timeout=60)[y], np.full(4, k))
            self.assertTrue(futures[0].done())
            out = np.zeros(4, np.float32)
            ctx.execute_async({"x": np.ones(4, np.float32)}, out={y: out}).result()
            np.testing.assert_array_equal(out, 1)


class Loading(unittest.TestCase):
    def test_load_onnx(self):
        try:
            import onnx
            from onnx import helper, numpy_helper
        except ImportError:
            self.skipTest("SKIPPED: no python3-onnx")
        node = helper.make_node("Gemm", ["x", "w"], ["y"], name="product")
        weights = normal(3, 2)
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info("x", 1, ["n", 3])], [helper.make_tensor_value_info("y", 1, ["n", 2])],
            [numpy_helper.from_array(weights, "w")])  # fmt: skip
        with tempfile.TemporaryDirectory() as folder, origin() as ctx:
            file = Path(folder) / "m.onnx"
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), str(file))
            outputs = ctx.load_onnx(file)
            more = ctx.relu(outputs["y"])
            ctx.output(more, "relu")
            array = normal(5, 3)
            result = ctx.execute({"x": array})
            np.testing.assert_allclose(result["y"], array @ weights, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(result["relu"], np.maximum(array @ weights, 0), rtol=1e-4, atol=1e-5)
            with self.assertRaisesRegex(pyasc.Error, "E10001|No such file"):
                origin().load_onnx(Path(folder) / "absent.onnx")


    def test_load_tensorflow(self):
        text = """
            node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
                   attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
            node { name: "scope/relu" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
            """
        with tempfile.TemporaryDirectory() as folder, origin() as ctx:
            file = Path(folder) / "graph.pbtxt"
            file.write_text(text)
            outputs = ctx.load_tf(file)
            self.assertEqual(len(outputs), 1)
            array = normal(2, 3)
            np.testing.assert_array_equal(ctx.execute({"x": array})["output"], np.maximum(array, 0))


if __name__ == "__main__":
    unittest.main()
