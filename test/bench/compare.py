"""Compares OpenATC with ONNX Runtime and OpenVINO, or two builds of OpenATC, on this machine.

usage: compare.py BUILD [--quick] [--models NAME,...] [--only PART,...] [--folder DIR] [--write README.md]
       compare.py --builds A B [...]

Run it with a Python that has numpy, onnx, onnxruntime and, if it is to be compared, openvino. Parts: latency (in-process,
at 1 and 2 threads), cold (load, first run, anonymous memory, whole process), half (an fp16 om against our fp32),
conversion. What is compared runs in turn, forwards and backwards, in processes that stay, pinned to as many cores as
they have threads; each figure is the smallest of all turns. Ratios are ours to the other's: below 1 is faster or
smaller. --write puts a summary, one row for each kind of figure, between the two marker comments of a file.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import bench_models  # noqa: E402
from programs import Programs, written_om  # noqa: E402

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- compare.py: begin -->", "<!-- compare.py: end -->"
PARTS = ["latency", "cold", "half", "conversion"]
PAUSE_S = 0.05  # threads of the engine before stop to spin meanwhile: ONNX Runtime's look for work for some 15 ms


class Contender:
    """An engine with its file, as often started as asked for."""

    def __init__(self, label, engine, file, build=None):
        self.label, self.engine, self.file, self.build = label, engine, file, build

    def start(self, threads, feed):
        return Worker(self, threads, feed)


class Worker:
    def __init__(self, contender, threads, feed):
        command = [sys.executable, HERE / "bench_worker.py", contender.engine, contender.file, threads, feed]
        command += [contender.build] if contender.build else []
        # NumPy's threads would turn on a core for a while after they are made.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        self.begin = time.perf_counter()
        self.process = subprocess.Popen([str(w) for w in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)  # fmt: skip

    def ask(self, *words):
        try:
            print(*words, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # what it said on stderr follows
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().strip().split("\n")[-1])
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        return (time.perf_counter() - self.begin) * 1e3


class Bench:
    def __init__(self, given):
        self.given, self.folder = given, Path(given.folder)
        self.builds = [Path(b).resolve() for b in given.builds or [given.build]]
        self.rounds, self.starts = (4, 1) if given.quick else (12, 4)
        self.budget_ms = 20 if given.quick else 60  # that one turn of a worker takes
        self.summary = []  # rows of what --write writes: what is measured, then a cell for each rival
        self.rivals = [] if given.builds else [e for e in ("ort", "openvino") if self.has(e)]

    @staticmethod
    def has(engine):
        module = {"ort": "onnxruntime", "openvino": "openvino"}[engine]
        return subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0

    def feed(self, model, file):
        feed = bench_models.make_feed(model, file)
        path = self.folder / f"{model}.npz"
        np.savez(path, *feed.values(), names=np.array(list(feed)))
        return path

    def convert(self, model, file, build, precision):
        """The om of `file` by `build`, made anew."""
        om = self.folder / f"{model}_{self.builds.index(build)}_{precision}.om"
        shapes = ";".join(f"{name}:{','.join(map(str, dims))}" for name, dims in model.dims.items())
        flags = [f"--input_shape={shapes}"] if model.open_file else []
        done = Programs(build).atc(file, om, f"--precision_mode_v2={precision}", *flags)
        if done.status != 0:
            raise RuntimeError(f"atc: {done.text}")
        return written_om(om)

    def contenders(self, model, file):
        """Ours first."""
        ours = [Contender("openatc" if len(self.builds) == 1 else f"build {'AB'[i]}", "openatc",
                          self.convert(model, file, build, "origin"), build)
                for i, build in enumerate(self.builds)]  # fmt: skip
        return ours + [Contender(engine, engine, file) for engine in self.rivals]

    def latency(self, contenders, threads, feed):
        """Smallest time of a steady run by label, and the largest difference of ours from the others' outputs."""
        workers = {}
        for contender in contenders:
            worker = contender.start(threads, feed)
            try:
                worker.ask("load")
                workers[contender.label] = worker
            except RuntimeError as error:
                print(f"    {contender.label}: {error}", file=sys.stderr)
        runs = {label: max(2, min(500, int(self.budget_ms / worker.ask("run", 3)["min_ms"]))) for label, worker in workers.items()}
        best = dict.fromkeys(workers, math.inf)
        for number in range(self.rounds):
            for label in list(workers)[:: -1 if number % 2 else 1]:
                time.sleep(PAUSE_S)
                best[label] = min(best[label], workers[label].ask("run", runs[label])["min_ms"])
        difference = self.difference(workers)
        for worker in workers.values():
            worker.end()
        return best, difference

    def difference(self, workers):
        """Of the second's outputs from the first's, against their largest value; None with one alone."""
        if len(workers) < 2:
            return None
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for worker in list(workers.values())[:2]:
                worker.ask("outputs", f"{folder}/o.npz")
                with np.load(f"{folder}/o.npz") as arrays:
                    found.append([arrays[key].ravel().astype(float) for key in arrays.files])
        worst = 0.0
        for ours, other in zip(*found):
            if other.size and np.isfinite(other).all():
                worst = max(worst, float(np.abs(ours[: other.size] - other).max() / max(np.abs(other).max(), 1e-6)))
        return worst

    def cold(self, contenders, threads, feed):
        """By label the smallest load, first run, memory and whole process (Python, engine, load, one run), in ms and bytes."""
        figures = {}
        for number in range(self.starts):
            for contender in contenders[:: -1 if number % 2 else 1]:
                worker = contender.start(threads, feed)
                try:
                    seen = worker.ask("load")
                except RuntimeError:
                    worker.end()
                    continue
                seen["whole_ms"] = worker.end()
                worker = contender.start(threads, feed)
                worker.ask("load")
                steady = [worker.ask("run", 8) for _ in range(3)]
                worker.end()
                seen["steady_ms"] = min(s["min_ms"] for s in steady)
                seen["running_bytes"] = max(s["running_bytes"] for s in steady)
                kept = figures.setdefault(contender.label, seen)
                figures[contender.label] = {key: min(kept[key], value) for key, value in seen.items()}
        return figures

    def conversion(self, file):
        """Seconds and most anonymous-or-not memory of whole processes: atc, and ONNX Runtime's optimise-and-save."""
        save = ("import sys, time, onnxruntime as o; b = time.perf_counter(); s = o.SessionOptions(); s.log_severity_level = 4;"
                "s.graph_optimization_level = o.GraphOptimizationLevel.ORT_ENABLE_ALL; s.optimized_model_filepath = sys.argv[2];"
                "o.InferenceSession(sys.argv[1], s, providers=['CPUExecutionProvider']); print(time.perf_counter() - b)")  # fmt: skip
        om = self.folder / "conversion.om"
        commands = {"openatc": Programs(self.builds[0]).atc_command(file, om, "--precision_mode_v2=origin")}
        if "ort" in self.rivals:
            commands["ort"] = [sys.executable, "-c", save, file, self.folder / "optimised.onnx"]
        found = {}
        for number in range(2 * self.starts):
            for label in list(commands)[:: -1 if number % 2 else 1]:
                begin = time.perf_counter()
                process = subprocess.Popen([str(w) for w in commands[label]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                text = process.stdout.read().decode()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = status
                seconds = time.perf_counter() - begin
                if status != 0:
                    raise RuntimeError(f"{label}: status {status}")
                seen = {"s": seconds, "bytes": usage.ru_maxrss * 1024, "inside_s": float(text) if label == "ort" else seconds}
                kept = found.setdefault(label, seen)
                found[label] = {key: min(kept[key], value) for key, value in seen.items()}
        return found


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


class Table:
    def __init__(self, columns):
        self.rows = [columns]

    def add(self, *cells):
        self.rows.append([f"{c:.3g}" if isinstance(c, float) and c < 1000 else f"{c:.0f}" if isinstance(c, float) else str(c) for c in cells])

    def text(self):
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in self.rows]
        return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


def summed_up(ratios):
    """A cell of the summary: the geometric mean, and the largest where there are several."""
    if not ratios:
        return ""
    return f"{mean(ratios):.2f}" + (f" (largest {max(ratios):.2f})" if len(ratios) > 1 else "")


def latency_table(bench, models):
    base = "openatc" if len(bench.builds) == 1 else "build A"
    others = bench.rivals or ["build B"]
    table = Table(["model", "threads", f"{base} ms", *[f"{o} ms" for o in others], *[f"ratio to {o}" for o in others], "difference"])
    ratios = {}
    for model, file, contenders, feed in models:
        for threads in (1, 2):
            if threads > len(os.sched_getaffinity(0)):
                continue
            best, difference = bench.latency(contenders, threads, feed)
            ours = best.get(base, math.nan)
            row = [ours / best[o] if o in best else math.nan for o in others]
            table.add(model, threads, ours, *[best.get(o, math.nan) for o in others], *row, difference if difference is not None else "")
            for other, ratio in zip(others, row):
                if not math.isnan(ratio):
                    ratios.setdefault((model.kind, threads, other), []).append(ratio)
            print(f"  {model} x{threads}: {' '.join(f'{k} {v:.3f}' for k, v in best.items())}", file=sys.stderr)
    for kind in dict.fromkeys(k for k, _, _ in ratios):
        for threads in (1, 2):
            means = [mean(ratios.get((kind, threads, o), [])) for o in others]
            table.add(f"geometric mean, {kind}", threads, "", *[""] * len(others), *means, "")
            cells = [summed_up(ratios.get((kind, threads, o), [])) for o in others]
            count = max(len(ratios.get((kind, threads, o), [])) for o in others)
            bench.summary.append([f"latency of {count} {kind} models, {threads} thread{'s' if threads > 1 else ''}", *cells])
    return "Latency of a steady run\n\n" + table.text()


def cold_table(bench, models):
    if len(bench.builds) > 1:
        return ""
    others = bench.rivals
    what = {"load_ms": "load", "first_ms": "first run", "whole_ms": "whole process", "peak_bytes": "peak memory to the first run",
            "running_bytes": "memory while running"}  # fmt: skip
    table = Table(["model", "load ms", "first / steady", "running MB", *[f"{w} / {o}" for o in others for w in what.values()]])
    ratios = {}
    for model, file, contenders, feed in models:
        figures = bench.cold(contenders, min(2, len(os.sched_getaffinity(0))), feed)
        ours = figures.get("openatc")
        if ours is None:
            continue
        row = [ours[key] / max(figures[o][key], 1e-9) if o in figures else math.nan for o in others for key in what]
        first = ours["first_ms"] / ours["steady_ms"]
        table.add(model, ours["load_ms"], first, ours["running_bytes"] / 1e6, *row)
        for i, ratio in enumerate([first, *row]):
            if not math.isnan(ratio):
                ratios.setdefault(i, []).append(ratio)
        print(f"  {model} cold", file=sys.stderr)
    table.add("geometric mean", "", mean(ratios.get(0, [])), "", *[mean(ratios.get(i + 1, [])) for i in range(len(what) * len(others))])
    for i, word in enumerate(what.values()):
        bench.summary.append([word, *[summed_up(ratios.get(1 + i + o * len(what), [])) for o in range(len(others))]])
    return "Load, first run and anonymous memory at 2 threads\n\n" + table.text()


def half_table(bench, models):
    if len(bench.builds) > 1:
        return ""
    table = Table(["model", "threads", "fp32 ms", "fp16 ms", "ratio"])
    ratios = []
    for model, file, contenders, feed in models:
        if model.kind != "fp32":
            continue
        build = bench.builds[0]
        pair = [contenders[0], Contender("half", "openatc", bench.convert(model, file, build, "fp16"), build)]
        for threads in (1, 2):
            best, _ = bench.latency(pair, threads, feed)
            if len(best) == 2:
                ratios.append(best["half"] / best["openatc"])
                table.add(model, threads, best["openatc"], best["half"], ratios[-1])
        print(f"  {model} half", file=sys.stderr)
    table.add("geometric mean", "", "", "", mean(ratios))
    bench.summary.append([f"an fp16 om over our own fp32: {summed_up(ratios)}"])
    return "fp16 om against our own fp32\n\n" + table.text()


def conversion_table(bench, models):
    table = Table(["model", "MB", "atc s", "atc MB", "optimise-and-save s", "without Python's start s", "its MB", "ratio", "ratio without start"])
    for model, file, _, _ in models:
        found = bench.conversion(file)
        ours, other = found["openatc"], found.get("ort")
        rest = [other["s"], other["inside_s"], other["bytes"] / 1e6, ours["s"] / other["s"], ours["s"] / other["inside_s"]] if other else [""] * 5
        table.add(model, file.stat().st_size / 1e6, ours["s"], ours["bytes"] / 1e6, *rest)
        if other:
            bench.summary.append([f"conversion of {model}, against optimise-and-save", f"{ours['s'] / other['s']:.2f}"])
    return "Conversion, whole process against ONNX Runtime's optimise-and-save; memory is the largest resident set\n\n" + table.text()


def conditions(given):
    versions = []
    for module in ("onnxruntime", "openvino"):
        done = subprocess.run([sys.executable, "-c", f"import {module}; print({module}.__version__)"], capture_output=True, text=True)
        versions += [f"{module} {done.stdout.strip()}"] if done.returncode == 0 else []
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown CPU")
    load = os.getloadavg()[0]
    limits = [f"{name}={os.environ[name]}" for name in ("DNNL_MAX_CPU_ISA",) if name in os.environ]
    return ", ".join([cpu, f"{len(os.sched_getaffinity(0))} cores", f"load average {load:.1f} at the start", *versions, *limits,
                      "quick" if given.quick else "minimum of many runs"])  # fmt: skip


def write_between(file, text):
    whole = Path(file).read_text()
    head, begin, rest = whole.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{file} has no lines {BEGIN} and {END}")
    Path(file).write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("build", nargs="?")
    parser.add_argument("--builds", nargs=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--models", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "openatc-bench"))
    parser.add_argument("--write")
    given = parser.parse_args()
    if (given.build is None) == (given.builds is None):
        parser.error("one BUILD, or --builds A B")
    return given


def keep_others_waiting():
    """Other work on the machine waits for what is measured, where that is allowed.

    A real-time policy, since with a share of the time alone a team waits for whichever of its members was put off.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    except PermissionError:
        pass


def main():
    given = parse()
    bench = Bench(given)
    keep_others_waiting()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    conditions_text = conditions(given)
    wanted = [name for name in given.models.split(",") if name]
    parts = [name for name in given.only.split(",") if name] or PARTS
    ready, convertible = [], []
    for model in bench_models.MODELS:
        if wanted and model.name not in wanted:
            continue
        try:
            file = bench_models.prepare(model, bench.folder)
            if model.kind == "conversion":
                convertible.append((model, file, None, None))
                continue
            if set(parts) != {"conversion"}:
                ready.append((model, file, bench.contenders(model, file), bench.feed(model, file)))
        except (FileNotFoundError, subprocess.CalledProcessError, RuntimeError) as error:
            print(f"{model} is left out: {error}", file=sys.stderr)
    makers = {"latency": latency_table, "cold": cold_table, "half": half_table, "conversion": conversion_table}
    texts = [makers[part](bench, convertible if part == "conversion" else ready) for part in parts]
    print("\n\n".join([f"Ratios below 1 are in OpenATC's favour. {conditions_text}.", *[t for t in texts if t]]))
    if given.write:
        names = {"ort": "ONNX Runtime", "openvino": "OpenVINO"}
        table = Table(["ours over theirs", *[names[rival] for rival in bench.rivals]])
        for row in bench.summary:
            table.add(*row, *[""] * (1 + len(bench.rivals) - len(row)))
        write_between(given.write, f"{table.text()}\n\n{conditions_text}.")


if __name__ == "__main__":
    main()
