"""Latency of OpenATC and ONNX Runtime on a machine whose cores have other work.

usage: loaded.py BUILD [BUILD ...] [--load N,...] [--threads N] [--seconds S] [--pause MS] [--models NAME,...] [--folder DIR]

Run it with a Python that has numpy, onnx and onnxruntime. Beside each run of a model N processes keep a core busy each, of
the niceness that the engines have; the engines take turns, each in a process that stays, for S seconds. Printed are the
percentiles of the time of a run and runs in a second. Threads that wait for each other without sleeping meet only when
both are scheduled at the same time, which the high percentiles show. --pause: a sleep between runs, as a service has.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "support"))
import bench_models  # noqa: E402
from programs import Programs, written_om  # noqa: E402

TINY = ("mlp", "transformer")
DEFAULT = "mlp,transformer,blazeface,silero_v5,shufflenet,resnet50"
BUSY = "while True: pass"


def tiny(name, file):
    """A perceptron with 4 layers of 256, or an encoder block over 64 places of 128."""
    import onnx
    from onnx import helper, numpy_helper

    random = np.random.default_rng(0)
    nodes, constants = [], []

    def constant(*dims):
        constants.append(numpy_helper.from_array((random.standard_normal(dims) / np.sqrt(dims[0])).astype(np.float32), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind, *inputs, **attributes):
        nodes.append(helper.make_node(kind, list(inputs), [f"n{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def linear(x, width, out):
        return node("Add", node("MatMul", x, constant(width, out)), constant(out))

    def norm(x, width):
        return node("LayerNormalization", x, constant(width), constant(width), axis=-1)

    dims, x = ([16, 256], "x") if name == "mlp" else ([1, 64, 128], "x")
    if name == "mlp":
        for _ in range(4):
            x = node("Relu", linear(x, 256, 256))
    else:
        constants.append(numpy_helper.from_array(np.array([1, 64, 4, 32], np.int64), "heads"))
        constants.append(numpy_helper.from_array(np.array([1, 64, 128], np.int64), "whole"))
        constants.append(numpy_helper.from_array(np.array(32**-0.5, np.float32), "scale"))
        for _ in range(2):
            q, k, v = (node("Transpose", node("Reshape", linear(x, 128, 128), "heads"), perm=perm)
                       for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))  # fmt: skip
            scores = node("Softmax", node("Mul", node("MatMul", q, k), "scale"), axis=-1)
            joined = node("Reshape", node("Transpose", node("MatMul", scores, v), perm=[0, 2, 1, 3]), "whole")
            x = norm(node("Add", x, linear(joined, 128, 128)), 128)
            x = norm(node("Add", x, linear(node("Relu", linear(x, 128, 512)), 512, 128)), 128)
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", 1, dims)],
                              [helper.make_tensor_value_info(x, 1, None)], constants)  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), file)
    return file


def serve(engine, file, threads, feed, build):
    """A worker: for each line "SECONDS PAUSE_MS" the times of its runs in microseconds, as JSON."""
    from bench_engines import ENGINES

    with np.load(feed) as arrays:
        feed = {str(name): arrays[f"arr_{i}"] for i, name in enumerate(arrays["names"])}
    made = ENGINES[engine](file, int(threads), build)
    made.load()
    made.bind(feed)
    for _ in range(20):
        made.run()
    clock = time.perf_counter_ns
    for line in sys.stdin:
        seconds, pause_ms = map(float, line.split())
        times, end = [], clock() + seconds * 1e9
        while not times or clock() < end:
            begin = clock()
            made.run()
            times.append(clock() - begin)
            if pause_ms:
                time.sleep(pause_ms / 1e3)
        print(json.dumps([t / 1e3 for t in times]), flush=True)


class Worker:
    def __init__(self, *arguments):
        command = [sys.executable, __file__, "--serve", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def times(self, seconds, pause_ms):
        print(seconds, pause_ms, file=self.process.stdin, flush=True)
        return np.array(json.loads(self.process.stdout.readline()))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(given, name, folder, loads):
    known = {m.name: m for m in bench_models.MODELS + bench_models.MORE_MODELS}
    model = known.get(name) or bench_models.Model(name, "fp32", ("tiny", name))
    file = tiny(name, folder / f"{name}.onnx") if name in TINY else bench_models.prepare(model, folder)
    feed = bench_models.make_feed(model, file)
    np.savez(folder / f"{name}.npz", *feed.values(), names=np.array(list(feed)))
    shapes = ";".join(f"{key}:{','.join(map(str, dims))}" for key, dims in model.dims.items())
    flags = [f"--input_shape={shapes}"] if model.open_file else []
    workers = {}
    for i, build in enumerate(given.builds):
        om = folder / f"{name}_{i}.om"
        done = Programs(Path(build)).atc(file, om, "--precision_mode_v2=origin", *flags)
        if done.status != 0:
            raise RuntimeError(f"atc: {done.text}")
        workers[f"build {i}"] = Worker("openatc", written_om(om), given.threads, folder / f"{name}.npz", build)
    workers["onnxruntime"] = Worker("ort", file, given.threads, folder / f"{name}.npz", "-")
    for load in loads:
        busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(load)]
        try:
            found = {label: [] for label in workers}
            for _ in range(given.rounds):
                for label, worker in workers.items():
                    found[label].append(worker.times(given.seconds / given.rounds, given.pause))
            for label, turns in found.items():
                times = np.concatenate(turns)
                marks = " ".join(f"{v:10.0f}" for v in np.percentile(times, [50, 90, 99, 99.9, 100]))
                print(f"{name:12} {load:4} {label:12} {marks} {len(times) / given.seconds:10.0f}", flush=True)
        finally:
            for process in busy:
                process.kill()
                process.wait()
    for worker in workers.values():
        worker.end()


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(*sys.argv[2:])
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("builds", nargs="+")
    parser.add_argument("--load", default="0,2,4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--models", default=DEFAULT)
    parser.add_argument("--folder", default="loaded_models")
    given = parser.parse_args()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'model':12} {'load':>4} {'engine':12} {'p50 us':>10} {'p90':>10} {'p99':>10} {'p99.9':>10} {'max':>10} {'runs/s':>10}")
    for name in given.models.split(","):
        measure(given, name, folder, [int(n) for n in given.load.split(",")])


main()
