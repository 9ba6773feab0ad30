"""The compiler as Python sees it: fusion, config, formats, stages, passes, messages."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import pyasc
from references import normal, origin


def conv_relu(ctx, seed=0):
    x = ctx.input("input", (1, 16, 8, 8))
    conv = ctx.conv2d(x, normal(16, 16, 3, 3, seed=seed), padding=1, name="conv")
    return ctx.relu(conv, name="relu")


FEED = {"input": normal(1, 16, 8, 8)}


class Fusion(unittest.TestCase):
    def types(self, ctx):
        return set(ctx.graph().types())

    def test_fused_by_default(self):
        with origin() as ctx:
            conv_relu(ctx)
            self.assertNotIn("Relu", self.types(ctx))
            self.assertIn("Conv2D+Relu", ctx.graph()["conv"].why("fusion"))
            self.assertEqual([n.type for n in ctx.graph()["conv"].fused if n.type not in ("Data", "NetOutput", "Const")],
                             ["Conv2D", "Relu"])  # fmt: skip

    def test_scope_around_the_compilation(self):
        with origin() as ctx:
            out = conv_relu(ctx)
            with pyasc.FusionScope() as scope:
                scope.disable_fusion("Conv2dBiasAddReLU")
                apart = ctx.execute(FEED)[out]
                self.assertIn("Relu", self.types(ctx))
            with pyasc.FusionScope(pyasc.FUSION_MODE_AGGRESSIVE):
                together = ctx.execute(FEED)[out]
                self.assertNotIn("Relu", self.types(ctx))
            np.testing.assert_allclose(apart, together, rtol=1e-5, atol=1e-6)

    def test_scope_around_the_operators_binds_these_alone(self):
        with origin() as ctx:
            x = ctx.input("x", (1, 16, 8, 8))
            with pyasc.FusionScope() as scope:
                scope.disable_fusion("HeavyElementwiseFusionPass")
                first = ctx.relu(ctx.conv2d(x, normal(16, 16, 1, 1), name="a"), name="a_relu")
            ctx.relu(ctx.conv2d(first, normal(16, 16, 1, 1), name="b"), name="b_relu")
            graph = ctx.graph()
            self.assertIn("a_relu", graph)
            self.assertNotIn("b_relu", graph)

    def test_scopes_nest_and_restore_after_an_exception(self):
        depth = len(pyasc.fusion._stack())
        with self.assertRaises(KeyError):
            with pyasc.FusionScope(pyasc.FUSION_MODE_OFF):
                with pyasc.FusionScope() as inner:
                    inner.enable_fusion("Conv2dReLU")
                    switches, _ = pyasc.fusion.current()
                    self.assertEqual((switches["HeavyElementwiseFusionPass"], switches["BiasaddFusionPass"]), (True, False))
                raise KeyError
        self.assertEqual(len(pyasc.fusion._stack()), depth)
        self.assertEqual(pyasc.fusion.current(), ({}, {}))

    def test_names_are_checked(self):
        scope = pyasc.FusionScope()
        for call in (lambda: scope.set_mode("fast"), lambda: scope.disable_fusion("Nothing"),
                     lambda: scope.set_tensor_layout("x", "CHWN")):  # fmt: skip
            self.assertRaises(ValueError, call)


class Formats(unittest.TestCase):
    def test_forced_formats_show_in_the_graph(self):
        for layout in ("NC1HWC0", "NCHW"):
            with origin() as ctx:
                x = ctx.input("input", (1, 16, 8, 8))
                y = ctx.relu(ctx.exp(x, name="exp") + 1.0)
                with pyasc.FusionScope(pyasc.FUSION_MODE_OFF) as scope:
                    scope.set_tensor_layout("exp", layout)
                    result = ctx.execute(FEED)[y]
                node = ctx.graph()["exp"]
                self.assertEqual(node.outputs[0].format, layout)
                self.assertEqual(node.why("format"), [f"{layout}: asked for"])
                np.testing.assert_allclose(result, np.exp(FEED["input"]) + 1, rtol=1e-5)

    def test_forced_input(self):
        with origin() as ctx:
            y = ctx.exp(ctx.input("input", (1, 16, 8, 8)), name="exp")
            with pyasc.FusionScope(pyasc.FUSION_MODE_OFF) as scope:
                scope.set_tensor_layout("input", "NC1HWC0")
                result = ctx.execute(FEED)[y]
            self.assertEqual(ctx.graph()["exp"].outputs[0].format, "NC1HWC0")
            np.testing.assert_allclose(result, np.exp(FEED["input"]), rtol=1e-5)

    def test_impossible_formats_are_refused_by_name(self):
        with origin() as ctx:
            ctx.exp(ctx.input("x", (2, 3)), name="flat")
            with pyasc.FusionScope() as scope, self.assertRaisesRegex(pyasc.Error, "flat"):
                scope.set_tensor_layout("flat", "NC1HWC0")
                ctx.compile()
            with pyasc.FusionScope() as scope, self.assertRaisesRegex(KeyError, "nowhere"):
                scope.set_tensor_layout("nowhere", "ND")
                ctx.compile()


class Config(unittest.TestCase):
    def test_knobs_are_flags(self):
        config = pyasc.CompileConfig(graph_opt_level=3, enable_const_fold=True, enable_mem_reuse=False,
                                     precision_mode="force_fp32", buffer_optimize_level=2)  # fmt: skip
        flags = config.to_flags()
        for flag in ("--precision_mode=force_fp32", "--disable_reuse_memory=1", "--oo_constant_folding=true"):
            self.assertIn(flag, flags)

    def test_values_are_checked_as_atc_checks_them(self):
        for keywords, code in ((dict(precision_mode="fp17"), "E10001"), (dict(soc_version="Ascend1"), None),
                               (dict(multi_stream_parallel_mode="LoadBalance:99"), "E10001")):  # fmt: skip
            try:
                config = pyasc.CompileConfig(**keywords)
                with pyasc.Context(config=config) as ctx:
                    ctx.relu(ctx.input("x", (2,)))
                    ctx.compile()
                self.fail(f"{keywords} passed")
            except pyasc.Error as error:
                if code:
                    self.assertEqual(error.code, code)
                self.assertTrue(error.diagnostic.text)
                # A keyword, not an argument of atc.
                self.assertNotIn("--", str(error))
        self.assertRaises(ValueError, pyasc.CompileConfig, graph_opt_level=4)
        self.assertRaises(TypeError, pyasc.CompileConfig, enable_mem_reuse=1)

    def test_memory_reuse_and_buffer_fusion(self):
        sizes = {}
        for reuse in (True, False):
            with pyasc.Context(config=pyasc.CompileConfig(precision_mode="origin", enable_mem_reuse=reuse,
                                                          buffer_optimize_level=0)) as ctx:  # fmt: skip
                x = ctx.input("x", (1000,))
                for _ in range(6):
                    x = ctx.tanh(x)
                sizes[reuse] = ctx.compile()["memory_size"]
                self.assertEqual(ctx.graph().types()["Tanh"], 6)
        self.assertLess(sizes[True], sizes[False])

    def test_each_knob_has_its_effect(self):
        def compiled(build, **knobs):
            with pyasc.Context(config=pyasc.CompileConfig(**{"precision_mode": "origin", **knobs})) as ctx:
                build(ctx)
                return ctx.graph(), ctx.compile()

        def constants(ctx):
            ctx.output(ctx.input("x", (4,)) + ctx.exp(ctx.constant(np.ones(4, np.float32)), name="folded"))

        for fold in (True, False):
            self.assertEqual("folded" in compiled(constants, enable_const_fold=fold, buffer_optimize_level=0)[0], not fold)
        for level, fused in ((0, False), (1, False), (2, True), (3, True)):
            self.assertEqual("relu" not in compiled(conv_relu, graph_opt_level=level)[0], fused, level)
        for buffers, fused in ((0, False), (1, True), (2, True)):
            self.assertEqual("relu" not in compiled(conv_relu, buffer_optimize_level=buffers)[0], fused, buffers)

        def branches(ctx):
            x = ctx.input("x", (64, 64))
            ctx.concat([ctx.matmul(x, normal(64, 64, seed=k)) for k in range(2)], axis=0)

        wide = dict(multi_stream_parallel_mode="LoadBalance:2")
        self.assertGreater(compiled(branches, **wide)[1]["streams"], 1)
        self.assertEqual(compiled(branches, enable_single_stream=True)[1]["streams"], 1)
        graph, _ = compiled(branches, precision_mode="force_fp16")
        self.assertEqual({n.outputs[0].dtype for n in graph if n.type == "MatMulV2"}, {"float16"})
        graph, _ = compiled(branches, flags={"op_precision_mode": ""})
        self.assertEqual({n.outputs[0].dtype for n in graph if n.type == "MatMulV2"}, {"float32"})

    def test_every_fusion_pattern_can_be_switched(self):
        def chains(ctx):
            x = ctx.input("x", (1, 8, 6, 6))
            conv = ctx.conv2d(x, normal(8, 8, 3, 3), padding=1, name="conv")
            norm = ctx.batch_norm(conv, *(normal(8, seed=k) for k in range(3)), np.ones(8, np.float32))
            relu = ctx.relu(ctx.add(norm, normal(8, 1, 1), name="bias"), name="relu")
            flat = ctx.reshape(relu, (1, 288))
            product = ctx.add(ctx.matmul(flat, normal(288, 5)), normal(5), name="offset")
            # The softmax keeps the product from taking in what follows.
            ctx.tanh(ctx.sigmoid(ctx.softmax_v2(product), name="sigmoid"), name="tanh")

        feed = {"x": normal(1, 8, 6, 6)}
        with origin() as ctx:
            chains(ctx)
            wanted, made = ctx.execute(feed)["output"], ctx.pass_counts
        for pattern, passes in pyasc.fusion.PATTERNS.items():
            with self.subTest(pattern=pattern), origin() as ctx:
                chains(ctx)
                with pyasc.FusionScope() as scope:
                    scope.disable_fusion(pattern)
                    np.testing.assert_allclose(ctx.execute(feed)["output"], wanted, rtol=1e-4, atol=1e-5)
                    for name in passes:
                        self.assertGreater(made[name][1], 0)
                        self.assertEqual(ctx.pass_counts.get(name, (0, 0))[1], 0)

    def test_config_of_one_execution(self):
        with pyasc.Context() as ctx:
            y = ctx.input("x", (1,)) * 1.0 + 0.0
            x = np.array([1.0001], np.float32)
            exact = ctx.execute({"x": x}, config=pyasc.CompileConfig(precision_mode="origin"))[y]
            self.assertEqual(exact[0], x[0])


class Inspection(unittest.TestCase):
    def test_stages_and_dumps(self):
        with origin() as ctx:
            conv_relu(ctx)
            stages = ctx.stages(forms=("readable", "onnx", "ge_proto"))
            self.assertEqual([s.name for s in stages], pyasc.stage_names())
            by_name = {s.name: s for s in stages}
            self.assertIn("relu", by_name["PreRunBegin"].graph)
            self.assertNotIn("relu", by_name["Build"].graph)
            self.assertIn("ge:Conv2D", by_name["Build"].dumps["onnx"])
            self.assertIn("relu", ctx.dump("PreRunBegin"))
            self.assertRaisesRegex(KeyError, "PreRunBegin", ctx.graph, "Nowhere")

    def test_nodes_tell_streams_dtypes_origins(self):
        with pyasc.Context(config=pyasc.CompileConfig(multi_stream_parallel_mode="LoadBalance:2")) as ctx:
            x = ctx.input("x", (64, 64))
            ctx.concat([ctx.matmul(x, normal(64, 64, seed=k)) for k in range(2)], axis=0)
            graph = ctx.graph()
            self.assertGreater(len(graph.streams), 1)
            products = [n for n in graph if n.type == "MatMulV2"]
            self.assertEqual({n.outputs[0].dtype for n in products}, {"float16"})
            for node in products:
                self.assertTrue(node.why("dtype") and node.why("stream") and node.engine)

    def test_journal_and_counts(self):
        with origin() as ctx:
            conv_relu(ctx)
            ctx.compile()
            self.assertIn("Conv2D + elementwise", {entry["pattern"] for entry in ctx.journal})
            self.assertEqual(ctx.pass_counts["HeavyElementwiseFusionPass"], (1, 1))


class Messages(unittest.TestCase):
    def test_shape_faults_name_the_node_at_once(self):
        with origin() as ctx:
            x = ctx.input("x", (2, 3))
            with self.assertRaises(pyasc.Error) as caught:
                ctx.add(x, np.zeros((2, 4), np.float32), name="sum")
            self.assertIn("sum", str(caught.exception))
            self.assertNotIn("--", str(caught.exception))
            self.assertEqual(caught.exception.diagnostic.severity, "error")
            y = ctx.relu(x)  # the graph is as before
            self.assertEqual(ctx.execute({"x": np.ones((2, 3), np.float32)})[y].sum(), 6)

    def test_arguments_are_checked(self):
        with origin() as ctx, origin() as other:
            x = ctx.input("x", (2, 3))
            for call, text in (
                (lambda: ctx.relu(), "needs its input|takes"),
                (lambda: ctx.relu(x, x), "takes 1 tensors"),
                (lambda: ctx.leaky_relu(x, slope=1), "has no parameter 'slope'"),
                (lambda: ctx.leaky_relu(x, negative_slope="a"), "must be float"),
                (lambda: ctx.conv2d(x, normal(4, 3, 3, 3), kernel_size=5), "kernel_size"),
            ):
                self.assertRaisesRegex((TypeError, ValueError), text, call)
            with self.assertRaisesRegex(ValueError, "belongs to"):
                other.relu(x)
            with self.assertRaisesRegex(ValueError, "already"):
                ctx.input("x", (2,))

    def test_model_files_name_the_keyword_of_shapes(self):
        with origin() as ctx, self.assertRaises(pyasc.Error) as caught:
            ctx.load_onnx("m.onnx", input_shape="x:1,a")
        self.assertEqual(caught.exception.code, "E10002")
        self.assertRegex(str(caught.exception), r"(?m)^E10002: input_shape 'x:1,a'")
        self.assertNotIn("--", str(caught.exception))

    def test_atc_in_process(self):
        done = pyasc.atc(["--model=absent.onnx", "--framework=5", "--output=x", "--soc_version=Ascend910B3"])
        self.assertEqual(done.exit_code, 255)
        self.assertFalse(done.ok)
        self.assertEqual(done.diagnostics[0].code, "E10001")
        self.assertIn("--model cannot be 'absent.onnx'", done.diagnostics[0].text)
        self.assertIn("ATC run failed", done.text)


class StreamPasses(unittest.TestCase):
    def branches(self, ctx):
        x = ctx.input("x", (8, 8))
        return ctx.matmul(ctx.tanh(x, name="left"), ctx.sigmoid(x, name="right"), name="join")

    def test_moves_a_node(self):
        seen = []

        @pyasc.stream_pass
        def spread(context):
            for node in context.nodes:
                seen.append((node.name, node.type))
                if node.name == "right":
                    context.set_stream(node, context.new_stream())

        with spread, origin() as ctx:
            y = self.branches(ctx)
            x = normal(8, 8)
            result = ctx.execute({"x": x})[y]
            np.testing.assert_allclose(result, np.tanh(x) @ (1 / (1 + np.exp(-x))), rtol=1e-4, atol=1e-5)
            graph = ctx.graph()
            self.assertNotEqual(graph["right"].stream, graph["left"].stream)
            self.assertIn("Send", graph.types())
        self.assertIn(("left", "Tanh"), seen)
        with origin() as ctx:
            self.branches(ctx)
            self.assertEqual(len(ctx.graph().streams), 1)

    def test_faults_name_the_pass(self):
        def raises(context):
            raise ValueError("not today")

        def bad_stream(context):
            context.set_stream(context.nodes[-2], 99)

        for function, text in ((raises, "not today"), (bad_stream, "new_stream")):
            with pyasc.stream_pass(function, name="guilty_" + function.__name__), origin() as ctx:
                self.branches(ctx)
                with self.assertRaises(pyasc.Error) as caught:
                    ctx.compile()
                self.assertEqual(caught.exception.code, "E13028")
                self.assertIn("guilty_" + function.__name__, str(caught.exception))
                self.assertIn(text, str(caught.exception))


class OneOperatorSet(unittest.TestCase):
    def test_every_operator_has_a_method(self):
        types = {d["type"] for d in pyasc.operators.definitions()} - pyasc.operators._HIDDEN
        handwritten = {"Conv2D", "MatMulV2", "BatchMatMulV2", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Cast",
                       "BatchNorm", "Equal", "Split"}  # fmt: skip
        self.assertEqual(types - set(pyasc.OPERATORS.values()) - handwritten, set())
        for name in ("relu", "lstm", "softmax_v2", "gather_v2", "onnx_resize"):
            self.assertIn("Parameters", getattr(pyasc.Context, name).__doc__)


if __name__ == "__main__":
    unittest.main()
