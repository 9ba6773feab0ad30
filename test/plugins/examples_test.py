"""Builds the example passes against an installed tree, converts with them, and runs what comes out.

usage: examples_test.py BUILD
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
import onnx_wire as wire  # noqa: E402
from programs import Programs  # noqa: E402

EXAMPLES = {"stream_fine_tuning": "fine_tuning_pass", "stream_allocation": "allocation_pass"}
RULES = {"FineTuningPass": (0, 0, 0), "ListSchedulingPass": (0, 0, 0)}  # streams of a, b, sum before the pass
RUNS = 3  # of each model under the profiler
MOVED = {"FineTuningPass": (0, 1, 0), "ListSchedulingPass": (1, 2, 1)}  # and after it, as the READMEs say


def must(done, what):
    if done.returncode != 0:
        sys.exit(f"{what} failed:\n{done.stdout}")
    return done.stdout


def run(*command):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def write_model(file):
    """x -> softmax over either axis (a, b) -> sum."""

    def axis(value):
        return wire.field(1, "axis") + wire.field(3, value) + wire.field(20, 2)

    nodes = [
        wire.node("Softmax", ["x"], ["ya"], axis(0), name="a"),
        wire.node("Softmax", ["x"], ["yb"], axis(1), name="b"),
        wire.node("Add", ["ya", "yb"], ["y"], name="sum"),
    ]
    graph = b"".join(wire.field(1, n) for n in nodes) + wire.field(2, "branches")
    graph += wire.field(11, wire.value_info("x", wire.FLOAT, [32, 32]))
    graph += wire.field(12, wire.value_info("y", wire.FLOAT, [32, 32]))
    file.write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))


def streams(dump):
    """{node: stream} of a ge_proto dump."""
    found = {}
    for block in re.split(r"\n  op \{\n", dump.read_text()):
        name = re.search(r'^    name: "([^"]*)"', block, re.M)
        stream = re.search(r"^    stream_id: (-?\d+)", block, re.M)
        if name:
            found[name[1]] = int(stream[1]) if stream else 0
    return found


def lanes(profile):
    """{task: stream} of the table that the profiler wrote, each task once a run; the trace has the same lanes."""
    with open(profile / "op_summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["Op Name"]: int(row["Stream ID"]) for row in rows}
    assert all(float(row["Task Duration(us)"]) > 0 for row in rows), rows
    assert len(rows) == RUNS * len(found), rows
    events = json.loads((profile / "trace.json").read_text())["traceEvents"]
    named = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {f"Stream {stream}" for stream in found.values()} <= named, named
    # Arrows between lanes are waits: there are some where there are several.
    assert (len(set(found.values())) > 1) == any(e["ph"] == "s" for e in events), events
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        prefix = folder / "installed"
        must(run("cmake", "--install", sys.argv[1], "--prefix", prefix), "installation")
        # The build program that this tree was built with is there; the default one may not be.
        cache = (Path(sys.argv[1]) / "CMakeCache.txt").read_text()
        generator = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_GENERATOR:"))
        programs = Programs(sys.argv[1])
        programs.bin = prefix / "bin"
        model = folder / "model.onnx"
        write_model(model)
        opp = folder / "opp"
        opp.mkdir()

        def convert(name, **environment):
            om = folder / f"{name}.om"
            done = programs.atc(model, om, "--precision_mode=must_keep_origin_dtype",
                                environment={"ASCEND_OPP_PATH": str(opp), **environment})  # fmt: skip
            if done.status != 0:
                sys.exit(f"conversion {name} failed:\n{done.text}")
            ran = programs.omrun(om, "--output", folder / name, "--seed", "7", f"--loop={RUNS}",
                                 "--profile", folder / f"{name}_profile")  # fmt: skip
            if ran.status != 0:
                sys.exit(f"omrun {name} failed:\n{ran.text}")
            return done.text, sorted(f.read_bytes() for f in (folder / name).glob("*.npy"))

        text, golden = convert("plain")
        assert "plugins under" not in text, text
        assert golden, "omrun wrote no outputs"
        before = lanes(folder / "plain_profile")
        assert before == {"a": 0, "b": 0, "sum": 0}, before
        for example, library in EXAMPLES.items():
            build = folder / example
            must(
                run("cmake", "-S", ROOT / "examples" / example, "-B", build, "-G", generator, f"-DASCEND_PATH={prefix}"),
                example,
            )
            must(run("cmake", "--build", build), example)
            shutil.rmtree(opp)
            place = opp / "vendors" / "mine" / "custom_fusion_passes"
            place.mkdir(parents=True)
            shutil.copy(build / f"{library}.so", place)
            dumps = folder / f"{example}_dumps"
            text, result = convert(example, STREAM_PASS_NODE="b", DUMP_GE_GRAPH="1", DUMP_GRAPH_FORMAT="ge_proto",
                                   DUMP_GRAPH_LEVEL="AssignLogicStream|AfterAssignResource",
                                   DUMP_GRAPH_PATH=str(dumps))  # fmt: skip
            name = re.search(r"(\w+) at kAfterAssignLogicStream ran: moved (\d+) node", text)
            assert name, text
            assert result == golden, f"{example}: another result than without the pass"
            for moment, wanted in (("Before", RULES), ("After", MOVED)):
                found = streams(next(dumps.rglob(f"*{moment}AssignLogicStream{name[1]}.txt")))
                assert tuple(found[n] for n in ("a", "b", "sum")) == wanted[name[1]], (example, moment, found)
            final = streams(next(dumps.rglob("*AfterAssignResource.txt")))
            kinds = [n for n in final if "_Send_" in n or "_Recv_" in n]
            assert len(kinds) == 2 and final["a"] == 0 and final["b"] == 1, final
            after = lanes(folder / f"{example}_profile")
            assert after == {n: final[n] for n in ("a", "b", "sum")}, after
    print("the example passes work")


main()
