"""omrun --profile: the table of tasks, the trace, and the way back into the allocation of streams.

usage: profile_test.py BUILD
"""

import csv
import io
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from onnx_wire import FLOAT, field, floats, node, tensor, value_info  # noqa: E402
from programs import Programs  # noqa: E402

WIDTH, DEPTH = 256, 4
RUNS = 3
READ_BACK = ["Op Name", "Task Type", "Task Duration(us)", "Block Num", "Mix Block Num"]


def write_towers(file):
    """Two chains of matrix products from one input each, multiplied with each other at the end."""
    nodes, weights, ends = [], [], []
    for tower in range(2):
        at = f"x{tower}"
        for step in range(DEPTH):
            name = f"tower{tower}/step{step}"
            weights.append(tensor(f"w{tower}{step}", FLOAT, [WIDTH, WIDTH], floats(WIDTH * WIDTH, 10 * tower + step)))
            nodes.append(node("MatMul", [at, f"w{tower}{step}"], [f"{name},product"], name=f"{name},product"))
            nodes.append(node("Tanh", [f"{name},product"], [name], name=name))
            at = name
        ends.append(at)
    nodes.append(node("Mul", ends, ["y"], name="join"))
    graph = b"".join(field(1, n) for n in nodes) + field(2, "towers") + b"".join(field(5, w) for w in weights)
    graph += b"".join(field(11, value_info(f"x{i}", FLOAT, [4, WIDTH])) for i in range(2))
    graph += field(12, value_info("y", FLOAT, [4, WIDTH]))
    Path(file).write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def write_fork(file):
    """A long chain of matrix products, then two short ones from its end, added at the end."""
    nodes, weights = [], []

    def product(at, name):
        weights.append(tensor("w_" + name, FLOAT, [WIDTH, WIDTH], floats(WIDTH * WIDTH, len(weights))))
        nodes.append(node("MatMul", [at, "w_" + name], [name + "p"], name=name + "p"))
        nodes.append(node("Tanh", [name + "p"], [name], name=name))
        return name

    at = "x0"
    for step in range(3 * DEPTH):
        at = product(at, f"trunk{step}")
    ends = [product(product(at, f"branch{b}a"), f"branch{b}b") for b in range(2)]
    nodes.append(node("Mul", ends, ["y"], name="join"))
    graph = b"".join(field(1, n) for n in nodes) + field(2, "fork") + b"".join(field(5, w) for w in weights)
    graph += field(11, value_info("x0", FLOAT, [4, WIDTH])) + field(12, value_info("y", FLOAT, [4, WIDTH]))
    Path(file).write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def shares(text):
    """Of each stream its verdict and the percentages: work, data, cores, host."""
    found = re.findall(r"stream \d+ mostly ([a-z ]+): it worked (\d+) % of the time, waited (\d+) % for data, "
                       r"(\d+) % for cores, (\d+) % for the host", text)  # fmt: skip
    check(found, f"no sentence about streams:\n{text}")
    return [(words[0], *map(int, words[1:])) for words in found]


def check_verdicts(programs, towers, folder):
    """Each way of waiting, from a run that has it."""
    profile = ["--profile", folder / "waits", "--loop=5"]
    slow = run(programs.omrun(towers, "--profile", folder / "waits", "--loop=3", environment={"ATC_FAULT": "slow=300"}), "the run with a slow host")
    check(all(verdict == "waits for the host" for verdict, *_ in shares(slow.text)), f"not the host:\n{slow.text}")
    one = run(programs.omrun(towers, *profile, "--cores=1"), "the run on one core")
    check(max(cores for _, _, _, cores, _ in shares(one.text)) >= 10, f"not the cores:\n{one.text}")
    fork = folder / "fork.om"
    write_fork(folder / "fork.onnx")
    run(programs.atc(folder / "fork.onnx", fork, "--multi_stream_parallel_mode=LoadBalance:2", "--precision_mode_v2=origin"), "the fork")
    data = run(programs.omrun(fork, *profile), "the run of the fork")
    check(any(verdict == "waits for data" for verdict, *_ in shares(data.text)), f"not data:\n{data.text}")


def check(condition, what):
    if not condition:
        sys.exit(f"profile_test: {what}")


def run(result, what):
    check(result.status == 0, f"{what} ended with {result.status}:\n{result.text}")
    return result


def check_table(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    check(rows and all(title in rows[0] for title in READ_BACK), f"columns are {list(rows[0]) if rows else None}")
    names = {row["Op Name"] for row in rows}
    check(len(rows) == RUNS * len(names), f"{len(rows)} rows of {len(names)} names in {RUNS} runs")
    check(len({row["Stream ID"] for row in rows}) == 2, "not two streams")
    for row in rows:
        check(float(row["Task Duration(us)"]) > 0, f"no time: {row}")
        check(int(row["Block Num"]) >= 1, f"no cores: {row}")
        check(row["Task Type"] in ("AI_CORE", "AI_VECTOR_CORE"), f"type of {row}")
    first = next(row for row in rows if row["Op Name"].startswith("tower0/step0"))
    check(first["Input Shapes"] == f'"4,{WIDTH};{WIDTH},{WIDTH}"', f"shapes {first['Input Shapes']}")
    check(first["Input Data Types"] == "FLOAT;FLOAT", f"types {first['Input Data Types']}")
    return names


def check_trace(text):
    events = json.loads(text)["traceEvents"]
    lanes = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 1}
    check(lanes == {"Stream 0", "Stream 1"}, f"lanes {lanes}")
    host = [e["name"] for e in events if e["ph"] == "X" and e["cat"] == "host"]
    check("aclmdlLoadFromFile" in host and "aclmdlExecute" in host, f"host calls {host}")
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    check(len(starts) >= RUNS and starts.keys() == ends.keys(), f"{len(starts)} arrows begin, {len(ends)} end")
    for arrow, start in starts.items():
        check(start["ts"] <= ends[arrow]["ts"], f"an arrow points back: {start} {ends[arrow]}")
        check(start["tid"] != ends[arrow]["tid"], f"an arrow within a stream: {start}")
    # A stream does one thing after the other.
    for stream in (0, 1):
        spans = [e for e in events if e["ph"] == "X" and e["pid"] == 1 and e["tid"] == stream]
        for before, after in zip(spans, spans[1:]):
            check(before["ts"] + before["dur"] <= after["ts"] + 0.002, f"{before} and {after} overlap")


def main():
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        model, om, out = folder / "towers.onnx", folder / "towers.om", folder / "profile"
        write_towers(model)
        flags = ["--multi_stream_parallel_mode=LoadBalance:2", "--precision_mode_v2=origin"]
        run(programs.atc(model, om, *flags), "the conversion")
        run(programs.omrun(om, f"--loop={RUNS}", "--profile", out), "the run")
        check(sorted(p.name for p in out.iterdir()) == ["op_statistic.csv", "op_summary.csv", "trace.json"], "other files")
        names = check_table((out / "op_summary.csv").read_text())
        check_trace((out / "trace.json").read_text())
        check_verdicts(programs, om, folder)
        # Measured times lead the next conversion, a broken table is refused.
        again = folder / "again.om"
        environment = {"MINIDAG_PROFILING_PATH": str(out / "op_summary.csv")}
        result = run(programs.atc(model, again, *flags, "--stream_report", environment=environment), "the second conversion")
        wanted = f"{len(names)} of {len(names)} tasks have a measured time"
        check(wanted in result.text, f"times not used:\n{result.text}")
        run(programs.omrun(again), "the second model")
        (out / "op_summary.csv").write_text("Op Name,Task Type\na,b\n")
        refused = programs.atc(model, again, *flags, environment=environment)
        check(refused.status != 0 and "Task Duration(us)" in refused.text, f"a table without times passed:\n{refused.text}")
    print("profile_test: passed")


if __name__ == "__main__":
    main()
