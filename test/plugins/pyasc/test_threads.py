"""Several threads, callbacks on streams, work that fails or is cancelled, contexts that go away meanwhile."""

import gc
import threading
import time
import unittest

import numpy as np
import pyasc
from references import origin

ONES = {"x": np.ones(4, np.float32)}


def make():
    ctx = origin()
    return ctx, ctx.relu(ctx.input("x", (None,)))


class Destroyed(unittest.TestCase):
    def test_every_method_says_so(self):
        for call in (
            lambda c, y: c.execute(ONES), lambda c, y: c.execute_async(ONES), lambda c, y: c.relu(y), lambda c, y: y + 1,
            lambda c, y: -y, lambda c, y: y[0], lambda c, y: c.conv2d(y, 1), lambda c, y: c.input("q", (1,)),
            lambda c, y: c.constant(1), lambda c, y: c.output(y), lambda c, y: c.graph(), lambda c, y: c.stages(),
            lambda c, y: c.dump(), lambda c, y: c.journal, lambda c, y: c.pass_counts, lambda c, y: c.compile(),
            lambda c, y: c.inputs, lambda c, y: c.save_optimized_graph("unused"), lambda c, y: c.set_dump_flag(None),
            lambda c, y: c.synchronize(), lambda c, y: c.add_dependency(c, c), lambda c, y: c.load_onnx("unused"),
            lambda c, y: c.__enter__(),
        ):  # fmt: skip
            ctx, y = make()
            result = ctx.execute(ONES)
            ctx.destroy()
            ctx.destroy()
            self.assertRaisesRegex(pyasc.DestroyedError, ctx.name, call, ctx, y)
            self.assertEqual(result[y].sum(), 4)

    def test_while_other_threads_use_it(self):
        unexpected = []
        for pause in range(8):
            ctx, y = make()

            def work(kind):
                try:
                    for _ in range(50):
                        if kind == 0:
                            ctx.execute(ONES)[y]
                        elif kind == 1:
                            ctx.execute_async(ONES).result()[y]
                        else:
                            ctx.compile({"x": (kind,)}), ctx.graph(), ctx.inputs
                except pyasc.DestroyedError:
                    pass
                except Exception as fault:
                    unexpected.append(fault)

            threads = [threading.Thread(target=work, args=(kind % 3,)) for kind in range(6)]
            for thread in threads:
                thread.start()
            time.sleep(0.005 * pause)
            ctx.destroy()
            for thread in threads:
                thread.join()
        self.assertEqual(unexpected, [])

    def test_in_a_callback_and_by_the_last_reference(self):
        ctx, y = make()
        run = ctx.execute_async(ONES)
        run.add_done_callback(lambda _: ctx.destroy())
        self.assertEqual(run.result()[y].sum(), 4)
        ctx, y = make()
        run = ctx.execute_async(ONES)
        del ctx, y  # the work that is queued holds the context
        gc.collect()
        self.assertEqual(run.result()[0].sum(), 4)

    def test_in_cycles(self):
        class Owner:
            pass

        gc.collect()
        before = pyasc._core.device_bytes()
        for k in range(20):
            owner = Owner()
            owner.ctx, owner.y = make()
            owner.ctx.owner = owner
            owner.ctx.execute(ONES) if k % 2 else owner.ctx.compile()
        del owner
        gc.collect()
        self.assertLessEqual(pyasc._core.device_bytes(), before)


class Queues(unittest.TestCase):
    def test_cancelled_work_keeps_the_order(self):
        first, y = make()
        second, z = make()
        with first, second:
            out = np.zeros(1 << 16, np.float32)
            runs = [first.execute_async({"x": np.full(1 << 16, k, np.float32)}, out={y: out}) for k in range(8)]
            cancelled = runs[-1].cancel()
            second.add_dependency(second, first)
            # What is ordered after the cancelled run is after those before it as well.
            seen = second.execute_async({"x": out}).result()[z]
            self.assertEqual(seen[-1], 6 if cancelled else 7)
            first.synchronize()
            self.assertEqual(first.execute(ONES)[y].sum(), 4)

    def test_work_that_failed_is_over_once_seen(self):
        reader, z = make()
        with origin() as ctx, reader:
            ctx.gather(ctx.input("x", (4,)), ctx.input("i", (1,), "int32"), name="pick")
            out = np.zeros(1, np.float32)
            run = ctx.execute_async({"x": ONES["x"], "i": [9]}, out={"output": out})
            self.assertRaisesRegex(RuntimeError, "'pick' \\(GatherV2\\)", run.result)
            self.assertEqual(reader.execute({"x": out})[z].sum(), 0)

    def test_waiting_on_the_own_thread_is_refused(self):
        ctx, y = make()
        said = []

        def wait(_):
            try:
                ctx.execute(ONES)
            except RuntimeError as fault:
                said.append(str(fault))

        with ctx:
            gate = threading.Event()
            run = ctx.execute_async(ONES)
            run.add_done_callback(lambda _: gate.wait(10))
            run.add_done_callback(wait)
            more = ctx.execute_async(ONES)
            gate.set()
            more.result()
        self.assertTrue(not said or "callback" in said[0])  # nothing where the run had ended before the callback was added

    def test_targets_are_checked_at_once(self):
        ctx, y = make()
        read_only = np.zeros(4, np.float32)
        read_only.flags.writeable = False
        with ctx:
            for out, kind in (({"q": np.zeros(4, "f")}, KeyError), ({y: read_only}, TypeError), ({y: 5}, TypeError)):
                self.assertRaises(kind, ctx.execute_async, ONES, out)
            for array in (np.zeros(3, np.float32), np.zeros(4, np.int32)):
                self.assertRaisesRegex(ValueError, y.name, ctx.execute_async(ONES, out={y: array}).result)

    def test_bookkeeping_does_not_grow(self):
        ctx, y = make()
        with ctx:
            runs = [ctx.execute_async(ONES) for _ in range(500)]
            self.assertLessEqual(len(pyasc.streams._accesses), 4)
            runs[-1].result()
        for _ in range(20):
            ctx, y = make()
            with ctx:
                ctx.execute_async(ONES).result()
        gc.collect()
        self.assertLessEqual(len(pyasc.streams._host_clock), len(pyasc.streams._open))

    def test_scopes_reach_work_that_is_compiled_later(self):
        first, y = make()
        with first, origin() as second:
            z = second.exp(second.input("x", (1, 16, 8, 8)), name="exp")
            source = first.reshape(first.input("a", (1024,)), (1, 16, 8, 8))
            run = first.execute_async({"x": ONES["x"], "a": np.zeros(1024, np.float32)})
            second.add_dependency(second, first)
            with pyasc.FusionScope(pyasc.FUSION_MODE_OFF) as scope:
                scope.set_tensor_layout("exp", "NC1HWC0")
                later = second.execute_async({"x": run[source]})
            self.assertEqual(later.result()[z].sum(), 1024)
            self.assertEqual(second.graph()["exp"].outputs[0].format, "NC1HWC0")


class Passes(unittest.TestCase):
    def graph(self, ctx):
        x = ctx.input("x", (8, 8))
        return ctx.matmul(ctx.tanh(x, name="left"), ctx.sigmoid(x, name="right"), name="join")

    def test_what_a_pass_keeps_says_that_the_pass_is_over(self):
        kept = []

        def keep(context):
            kept.extend([context, *context.nodes])

        with pyasc.stream_pass(keep), origin() as ctx:
            self.graph(ctx)
            ctx.compile()
        gc.collect()
        self.assertRaisesRegex(RuntimeError, "ended", lambda: kept[0].nodes)
        for node in kept[1:]:
            self.assertRaisesRegex(RuntimeError, "ended", lambda: node.name)
            self.assertEqual((node.inputs, node.outputs), ([], []))
        with pyasc.stream_pass(lambda context: context.set_stream(kept[1], 0), name="foreign"), origin() as ctx:
            self.graph(ctx)
            with self.assertRaisesRegex(pyasc.Error, "ended"):
                ctx.compile()

    def test_a_pass_cannot_run_its_own_graph(self):
        with origin() as ctx:
            self.graph(ctx)
            with pyasc.stream_pass(lambda _: ctx.compile(), name="again"):
                with self.assertRaisesRegex(pyasc.Error, "being compiled"):
                    ctx.compile()
            ctx.compile()


if __name__ == "__main__":
    unittest.main()
