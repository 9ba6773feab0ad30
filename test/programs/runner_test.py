"""omrun on the simulated device: threads, streams and devices in flight, time limits, lists of tasks and operators.

usage: runner_test.py BUILD
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from onnx_wire import write_small_model  # noqa: E402
from programs import Programs  # noqa: E402

SAMPLES = 7


def check(condition, what):
    if not condition:
        sys.exit(f"runner_test: {what}")


def files_of(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def main():
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def omrun(*flags, status=0, **how):
            result = programs.omrun(folder / "m.om", *flags, **how)
            check(result.status == status, f"{flags} ended with {result.status}:\n{result.text}")
            return result.text

        write_small_model(folder / "m.onnx")
        converted = programs.atc(folder / "m.onnx", folder / "m.om", "--precision_mode_v2=origin")
        check(converted.status == 0, converted.text)
        (folder / "in").mkdir()
        random = np.random.default_rng(3)
        for i in range(SAMPLES):
            np.save(folder / "in" / f"s{i}.npy", random.standard_normal((1, 3, 8, 8), "f4"))
        (folder / "two.json").write_text('{"device_count": 2}')

        # What comes out does not depend on how many runs are in flight, nor where.
        omrun("--input", folder / "in", "--output", folder / "one")
        one = files_of(folder / "one")
        check(len(one) == SAMPLES + 1, f"files {sorted(one)}")
        ways = [
            ["--threads=2", "--streams=2", "--loop=5", "--check_runs"],
            ["--streams=3", "--duration=0.3", "--warmup_ms=10", "--spin"],
            ["--device=0,1", "--acl_config", folder / "two.json", "--threads=2", "--loop=3", "--transfers"],
            ["--timeout=60000", "--percentile=50,95"],
        ]
        for number, way in enumerate(ways):
            out = folder / f"way{number}"
            omrun("--input", folder / "in", "--output", out, "--json", folder / "r.json", *way)
            check(files_of(out) == one, f"{way} gives other outputs")
            report = json.loads((folder / "r.json").read_text())
            check(report["samples"] == SAMPLES and report["runs"] >= SAMPLES, f"{report}")
            check(report["throughput_per_s"] > 0 and report["latency_ms"]["p99"] > 0, f"{report}")
        report = json.loads((folder / "r.json").read_text())
        check(report["percentiles_ms"].keys() == {"50.0", "95.0"}, f"{report['percentiles_ms']}")
        text = omrun("--threads=2", "--streams=2", "--loop=8")
        check("4 runs at a time: 1 device x 2 threads x 2 streams" in text, text)

        # Limits of time, and devices that are not there, leave nothing.
        late = omrun("--timeout=50", "--output", folder / "late", environment={"ATC_FAULT": "slow=600"}, status=1)
        check("did not end within 50 ms" in late and not (folder / "late").exists(), late)
        late = omrun("--timeout=50", "--spin", environment={"ATC_FAULT": "slow=600"}, status=1)
        check("did not end within 50 ms" in late, late)
        check("there is 1 device," in omrun("--device=3", status=1), "device 3")
        check("507015: " in omrun("--threads=2", "--loop=8", "--output", folder / "late",
                                             environment={"ATC_FAULT": "kernel@3"}, status=1), "a kernel that fails")  # fmt: skip
        check(not (folder / "late").exists(), "a failed run left files")

        # What a failed run worked on. The one fault is over when the run is repeated, the other is not.
        for fault, again in [("kernel@3", False), ("kernel", True)]:
            place = folder / f"fault {again}"
            text = omrun("--loop=8", "--streams=2", "--dumpOnError", place, environment={"ATC_FAULT": fault}, status=1)
            error = json.loads((place / "error.json").read_text())
            nodes = json.loads((place / "nodes/index.json").read_text())["tensors"]
            check(error["fails_again"] is again and bool(nodes) is not again, f"{error} {nodes}")
            check(error["fault"]["code"] == 507015 and "507015" in error["message"] and "--dump_on_error" in text, f"{error}\n{text}")
            check(np.load(place / "input_0.npy").shape == (1, 3, 8, 8), "the input of the failed run")
        # Another library that is not there.
        gone = ["--backend", folder / "none.so"]
        check("cannot be opened" in omrun(*gone, status=1), "a library that is not there")
        text = omrun(*gone, "--fallback=cpu")
        check("(--fallback cpu)" in text and "simulated Ascend device on the host" in text, text)
        text = omrun("--display_all_summary")
        check("\n[INFO] NPU_compute_time (ms): min = " in text and "those of this CPU, not of an NPU" in text, text)

        # A model that computes in half precision is compared as such, though its output is float32.
        half = folder / "half.om"
        done = programs.atc(folder / "m.onnx", half, "--precision_mode_v2=fp16", "--output_type=FP32")
        check(done.status == 0, done.text)
        omrun("--output", folder / "full")
        for flags, status, tolerance in [([], 0, "float16"), (["--rtol=float32=1e-6"], 2, None)]:
            result = programs.omrun(half, "--compare", folder / "full", "--json", folder / "r.json", *flags)
            report = json.loads((folder / "r.json").read_text())["compare"][0]
            check(result.status == status and report["tolerance_of"] == tolerance, f"{flags} {report}\n{result.text}")
        check("ok for float16, in which it is computed" in programs.omrun(half, "--compare", folder / "full").text, "the reason")
        own = json.loads((folder / "r.json").read_text()) if omrun("--compare", folder / "full", "--json", folder / "r.json") else {}
        check(own["compare"][0]["tolerance_of"] == "float32", f"{own}")

        # Operators and tasks.
        text = omrun("--loop=3", "--print_profile", "--export_profile", folder / "ops.json", "--dumpLayerInfo",
                     f"--exportLayerInfo={folder / 'layers.json'}")  # fmt: skip
        ops = json.loads((folder / "ops.json").read_text())
        layers = json.loads((folder / "layers.json").read_text())["layers"]
        check(ops[0] == {"count": 3} and len(ops) > 1, f"{ops}")
        check(abs(sum(op["percentage"] for op in ops[1:]) - 100) < 1e-6, f"{ops}")
        check({op["name"] for op in ops[1:]} == {layer["name"] for layer in layers if layer["event"] is None}, f"{layers}")
        convolution = next(layer for layer in layers if layer["type"] == "Conv2D")
        check(convolution["inputs"][0]["dtype"] == "FLOAT" and convolution["kernel"] != "reference", f"{convolution}")
        check("Total of" in text and "name: inputs -> outputs" in text, text)
        check("need --output" in omrun("--profiler=true", status=1), "--profiler alone")
        omrun("--output", folder / "all", "--profiler", "--dump=1", "--output_dirname=run")
        check(sorted(p.name for p in (folder / "all" / "run").iterdir()) == ["dump", "out_0.npy", "outputs.json", "profiler"], "files below --output")
    print("runner_test: passed")


if __name__ == "__main__":
    main()
