"""Arguments that do not fit: always an exception, which names the operator and the node."""

import random
import subprocess
import sys
import time
import unittest

import numpy as np
import pyasc
from references import origin

SHAPES = [(), (0,), (1,), (3,), (2, 3), (1, 4, 5), (1, 2, 4, 4), (2, 1, 3, 2, 2)]
TYPES = ["float32", "float16", "int8", "int32", "int64", "bool", "float64", "complex64", "uint32"]
NUMBERS = [0, 1, 2, -1, 7, -(2**63), 2**63 - 1]  # none that asks for memory by the gigabyte
BY_KIND = {
    "int": lambda r: r.choice(NUMBERS),
    "float": lambda r: r.choice([0.0, -1.0, 1e30, float("nan"), float("inf")]),
    "bool": lambda r: r.random() < 0.5,
    "str": lambda r: r.choice(["", "NCHW", "NHWC", "SAME", "VALID", "no such word"]),
    "dtype": lambda r: r.choice(TYPES),
    "list of int": lambda r: [r.choice([0, 1, 1, 2, -1, 2**62]) for _ in range(r.choice([0, 1, 2, 4, 4, 6]))],
    "list of float": lambda r: [r.choice([0.0, 1.0, -1.0]) for _ in range(r.choice([0, 1, 3]))],
    "list of str": lambda r: [r.choice(["Relu", "Tanh", "no"]) for _ in range(r.choice([0, 1, 2]))],
}
JUNK = [None, "text", object(), {}, [[1], [2, 3]], b"bytes"]


def random_call(rng, values, method, definition):
    """Builds and runs one operator on random operands; the exception, or None."""
    feeds = {}
    shape, dtype = rng.choice(SHAPES), rng.choice(TYPES)

    def operand():
        own_shape = shape if rng.random() < 0.7 else rng.choice(SHAPES)
        own_type = dtype if rng.random() < 0.7 else rng.choice(TYPES)
        if rng.random() < 0.08:
            return rng.choice(JUNK)
        array = values.integers(-2, 4, own_shape).astype(own_type)
        if rng.random() < 0.3:
            return array
        name = f"x{len(feeds)}"
        feeds[name] = array
        return ctx.input(name, [d if rng.random() < 0.7 else None for d in own_shape], own_type)

    with origin() as ctx:
        operands = [[operand() for _ in range(rng.randint(0, 3))] if kind == "dynamic" else operand()
                    for _, kind, _ in definition["inputs"] if kind != "optional" or rng.random() < 0.5]  # fmt: skip
        if rng.random() < 0.1:
            operands = operands[:-1] if rng.random() < 0.5 else [*operands, None]
        keywords = {pyasc.operators._identifier(name): BY_KIND.get(kind, BY_KIND["list of int"])(rng)
                    for name, required, kind, _ in definition["attributes"] if required or rng.random() < 0.3}  # fmt: skip
        if any(kind == "dynamic" for _, kind, _ in definition["outputs"]) or rng.random() < 0.1:
            keywords["num_outputs"] = rng.choice([0, 1, 2, 5])
        try:
            getattr(ctx, method)(*operands, name="the_node", **keywords)
        except Exception as fault:
            return fault
        try:
            ctx.execute(feeds)
        except (RuntimeError, TypeError, ValueError):
            pass
    return None


class RandomCalls(unittest.TestCase):
    def test_operators_refuse_what_does_not_fit(self):
        """Many random calls, fewer on a slow machine; a fault of memory would end the process."""
        definitions = {d["type"]: d for d in pyasc.operators.definitions()}
        rng, values = random.Random(20), np.random.default_rng(20)
        methods = sorted(pyasc.OPERATORS.items())
        end = time.monotonic() + 20
        for _ in range(1500):
            if time.monotonic() > end:
                break
            method, type_ = rng.choice(methods)
            fault = random_call(rng, values, method, definitions[type_])
            if fault is not None:
                self.assertIn("the_node", str(fault), type_)
                self.assertTrue(method in str(fault) or type_ in str(fault), f"{type_}: {fault}")
                self.assertIsInstance(fault, (TypeError, ValueError, KeyError, IndexError, pyasc.Error), type_)


class Arity(unittest.TestCase):
    def refused(self, call, text):
        with origin() as ctx:
            x = ctx.input("x", (4,))
            with self.assertRaisesRegex((TypeError, ValueError, IndexError, pyasc.Error), text):
                call(ctx, x)

    def test_lists_that_are_empty_or_have_holes(self):
        for call, text in (
            (lambda c, x: c.pack([]), "Pack takes 1 or more"),
            (lambda c, x: c.onnx_feature_vectorizer([]), "1 or more"),
            (lambda c, x: c.concat([x, None]), "None"),
            (lambda c, x: c.concat([]), "symbolic"),
            (lambda c, x: c.pack(x), "list of tensors"),
            (lambda c, x: c.split(x, 0), "0 were asked"),
            (lambda c, x: c.split(x, []), "0 were asked"),
            (lambda c, x: c.relu(x, num_outputs=2), "at most 1"),
            (lambda c, x: c.relu(x, num_outputs=-1), "num_outputs"),
            (lambda c, x: c.onnx_flex_attention(*[np.ones((1, 2, 2), "f")] * 3, []), "rank"),
        ):
            self.refused(call, text)

    def test_operands(self):
        for call, text in (
            (lambda c, x: c.conv2d("a", x), "conv2d"),
            (lambda c, x: c.relu(None, name="n"), "relu.* 'n'"),
            (lambda c, x: c.conv2d(None, x, name="n"), "conv2d.* 'n'.*None"),
            (lambda c, x: x + "a", "Add of x"),
            (lambda c, x: x @ None, "matmul"),
            (lambda c, x: x["a"], "indexed by"),
            (lambda c, x: x[4], "outside axis 0"),
            (lambda c, x: x[..., ...], "indexed by"),
            (lambda c, x: c.relu(x, name=5), "text"),
            (lambda c, x: c.constant(x), "symbolic"),
            (lambda c, x: c.constant(np.array(["a"])), "counterpart"),
        ):
            self.refused(call, text)

    def test_kinds_of_required_attributes(self):
        for call, text in (
            (lambda c, x: c.avg_pool_v2(x, ksize=1.5, strides=[1]), "'ksize' must be list of int"),
            (lambda c, x: c.reverse_sequence(x, [1], seq_dim="a"), "'seq_dim' must be int"),
            (lambda c, x: c.adds(x, value=[1]), "'value' must be float"),
        ):
            self.refused(call, text)
        with origin() as ctx:  # an int where a float is wanted is taken as one
            y = ctx.adds(ctx.input("x", (2,)), value=3)
            self.assertEqual(ctx.execute({"x": [1, 2]})[y].tolist(), [4, 5])

    def test_indices_are_int32_or_int64(self):
        for call in (
            lambda c, x: c.unique_with_counts_and_sorting(x, out_idx="int8"), lambda c, x: c.arg_max_v2(x, 0, dtype="int8"),
            lambda c, x: c.top_k_v2(x, 1, indices_dtype=2, num_outputs=2), lambda c, x: c.shape(x, dtype=2),
            lambda c, x: c.size(x, dtype=0), lambda c, x: c.onnx_conv(np.ones((1, 2, 3), "f"), np.ones((2, 2, 1), "f"), group=2**62),
        ):  # fmt: skip
            self.refused(call, "DT_INT32|groups is")

    def test_tensors_as_attributes(self):
        with origin() as ctx:
            y = ctx.onnx_label_encoder(ctx.input("x", (3,), "int64"), keys_tensor=np.array([1, 2]),
                                       values_tensor=np.array([10.0, 20.0], "f"),
                                       default_tensor=np.array([-1.0], "f"))  # fmt: skip
            self.assertEqual(ctx.execute({"x": [2, 1, 5]})[y].tolist(), [20, 10, -1])


class Feeds(unittest.TestCase):
    def test_arrays_of_all_kinds(self):
        x = np.arange(4, dtype=np.float32)
        read_only = x.copy()
        read_only.flags.writeable = False
        with origin() as ctx:
            y = ctx.input("x", (4,)) + 1.0
            for good in (x.astype(">f4"), x.astype(np.float64), x.astype(np.int8), read_only, x.tolist(), [0, 1, 2, 3],
                         np.repeat(x, 2)[::2], x[::-1].copy()[::-1]):  # fmt: skip
                np.testing.assert_array_equal(ctx.execute({"x": good})[y], x + 1)
            for bad in ("abcd", x.astype(object), x * 1j, [1j] * 4, None, {}, [[1], [2, 3]], x.astype("M8[s]"),
                        np.array(list("abcd")), [2**70] * 4, x.astype([("a", "f4")])):  # fmt: skip
                self.assertRaisesRegex(TypeError, "'x'", ctx.execute, {"x": bad})
            for bad in (np.float32(3), np.zeros((4, 1), "f"), np.zeros(3, "f"), []):
                self.assertRaisesRegex(ValueError, "'x' takes \\[4\\]", ctx.execute, {"x": bad})
            for bad in (5, [1], "x"):
                self.assertRaises(TypeError, ctx.execute, bad)
            self.assertRaisesRegex(KeyError, "twice", ctx.execute, {"x": x, ctx.inputs["x"]: x})

    def test_integers_are_never_wrapped_around(self):
        with origin() as ctx:
            y = ctx.relu(ctx.input("x", (2,), "int32"))
            self.assertEqual(ctx.execute({"x": [1.0, 2.0]})[y].tolist(), [1, 2])
            for bad in ([1.5, 2], [2**40, 1], np.array([2**40, 1])):
                self.assertRaisesRegex(TypeError, "'x'", ctx.execute, {"x": bad})

    def test_empty_and_scalar_results(self):
        with origin() as ctx:
            empty, scalar = ctx.relu(ctx.input("e", (0, 3))), ctx.relu(ctx.input("s", ()))
            longest = ctx.arg_max_v2(ctx.input("z", (0, 3)), 1)
            result = ctx.execute({"e": np.zeros((0, 3), "f"), "s": 2.0, "z": np.zeros((0, 3), "f")})
            self.assertEqual((result[empty].shape, float(result[scalar]), result[longest].shape), ((0, 3), 2, (0,)))

    def test_outputs_that_are_inputs_or_constants(self):
        with origin() as ctx:
            x = ctx.output(ctx.input("x", (2,)))
            constant = ctx.output(ctx.constant([1, 2]), "c")
            twice = ctx.output(ctx.concat([x, x]), "twice")
            result = ctx.execute({"x": [3, 4]})
            self.assertEqual([result[t].tolist() for t in (x, constant, twice)], [[3, 4], [1, 2], [3, 4, 3, 4]])
            self.assertRaisesRegex(ValueError, "already", ctx.output, ctx.relu(x), "twice")
            self.assertRaisesRegex(ValueError, "already", ctx.output, twice, "another")

    def test_shapes(self):
        for dims in ((2**63,), (-5,), ("a",), (2.5,), 3.5, "ab"):
            with origin() as ctx:
                self.assertRaisesRegex(ValueError, "'x'", ctx.input, "x", dims)
        for dims in ((-1,), (2**40, 2**40)):
            self.assertRaises(ValueError, pyasc.empty, dims)
        with origin() as ctx, self.assertRaisesRegex(pyasc.Error, "huge"):
            x = ctx.input("x", (2**22, 2**22))
            ctx.tile(x, [2**10, 2**10], name="huge")
            ctx.compile()

    def test_names(self):
        for name in ("a b", "a:0", "é😀", "../up", "x" * 10000, "Node_Output", "a;b,c=d"):
            with origin() as ctx:
                y = ctx.relu(ctx.input(name, (1,)), name=name + "!")
                self.assertEqual(ctx.execute({name: [1]})[name + "!"].tolist(), [1], y)
        for name in ("", 5, None):
            with origin() as ctx:
                self.assertRaises(TypeError, ctx.input, name, (1,))


class Settings(unittest.TestCase):
    def test_values_of_other_kinds(self):
        for call in (
            lambda: pyasc.Context("a"), lambda: pyasc.Context(-1), lambda: pyasc.Context(config=5),
            lambda: pyasc.CompileConfig(flags=5), lambda: pyasc.CompileConfig(graph_opt_level=True),
            lambda: pyasc.CompileConfig(soc_version=None), lambda: pyasc.CompileConfig(precision_mode=5),
            lambda: pyasc.atc("--help"), lambda: pyasc.stream_pass(5), lambda: pyasc.FusionScope(5),
            lambda: pyasc.FusionScope().set_tensor_layout(5, "ND"), lambda: pyasc.FusionScope().disable_fusion(5),
        ):  # fmt: skip
            self.assertRaises((TypeError, ValueError), call)
        self.assertRaises(pyasc.Error, pyasc.CompileConfig, flags={"model": "x"})

    def test_misspelt_names_get_a_hint(self):
        with self.assertRaisesRegex(ValueError, "did you mean Conv2dBiasAddReLU"):
            pyasc.FusionScope().disable_fusion("Conv2dBiasAddRelu")
        with origin() as ctx, pyasc.FusionScope() as scope:
            ctx.exp(ctx.input("x", (2, 3)), name="exponent")
            scope.set_tensor_layout("exponet", "ND")
            self.assertRaisesRegex(KeyError, "Did you mean 'exponent'", ctx.compile)


class Documentation(unittest.TestCase):
    def test_docstrings_of_generated_methods(self):
        text = pyasc.Context.leaky_relu.__doc__
        for part in ("AscendIR operator LeakyRelu.", "Parameters\n----------\nx : tensor",
                     "negative_slope : float, default 0", "Returns\n-------\ny : SymbolicTensor", "Notes\n-----"):  # fmt: skip
            self.assertIn(part, text)
        self.assertIn("ksize : list of int, required", pyasc.Context.avg_pool_v2.__doc__)
        self.assertIn("num_outputs : int\n", pyasc.Context.split_d.__doc__)
        for method in pyasc.OPERATORS:
            self.assertIn("Returns\n-------\n", getattr(pyasc.Context, method).__doc__)
            self.assertNotIn("None, required", getattr(pyasc.Context, method).__doc__)


class Process(unittest.TestCase):
    def run_code(self, code, *flags):
        setup = (f"import sys; sys.path[:0] = {sys.path!r}\nimport numpy as np, pyasc, os\nc = pyasc.Context()\n"
                 "y = c.relu(c.input('x', (-1,)))\nrun = lambda n=4: c.execute({'x': np.ones(n, 'f')})\n"
                 "queue = lambda n=4: c.execute_async({'x': np.ones(n, 'f')})\n")  # fmt: skip
        return subprocess.run([sys.executable, *flags, "-c", setup + code], capture_output=True, text=True, timeout=120)

    def test_exit_codes(self):
        for code, wanted in (("queue(); queue()", 0), ("[queue(1 << 18) for _ in range(20)]", 0), ("run(); sys.exit(5)", 5),
                             ("kept = run()", 0), ("run(); 1 / 0", 1)):  # fmt: skip
            for flags in ((), ("-X", "dev", "-W", "error")):
                done = self.run_code(code, *flags)
                self.assertEqual(done.returncode, wanted, (code, flags, done.stderr))

    def test_a_forked_process_is_told(self):
        code = ("run(); queue().result()\npid = os.fork()\nif pid:\n    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
                "said = []\nfor call in (run, queue, lambda: pyasc.empty((2,)), c.destroy):\n    try:\n        call()\n"
                "    except RuntimeError as fault:\n        said.append(str(fault))\nsys.exit(sum('fork' in s for s in said))")  # fmt: skip
        done = self.run_code(code)
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    unittest.main()
