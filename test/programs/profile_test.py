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


WAYS = ["works", "waits for data", "waits for cores", "waits for the host", "is done before the others"]


def shares(text):
    """Of each stream its verdict and the percentages, in the order of WAYS."""
    found = re.findall(r"stream (\d+) mostly ([a-z ]+): it worked (\d+) % of the time, waited (\d+) % for data, (\d+) % for cores, "
                       r"(\d+) % for the host, and was done (\d+) % before", text)  # fmt: skip
    check(found, f"no sentence about streams:\n{text}")
    return {int(stream): (verdict, [int(n) for n in numbers]) for stream, verdict, *numbers in found}


def spans_of(trace):
    """The tasks of the device, by run and stream, in their order."""
    runs = {}
    for e in json.loads(Path(trace).read_text())["traceEvents"]:
        if e["ph"] == "X" and e["pid"] == 1:
            runs.setdefault(e["args"]["run"], {}).setdefault(e["tid"], []).append(e)
    return runs


def end(event):
    return event["ts"] + event["dur"]


def whole(run):
    events = [e for stream in run.values() for e in stream]
    return min(e["ts"] for e in events), max(end(e) for e in events)


def busy(run, start, stop):
    """How long any kernel of the run was at work between two times, found instant by instant."""
    edges = sorted({start, stop} | {t for s in run.values() for e in s for t in (e["ts"], end(e)) if start < t < stop})
    kernels = [e for s in run.values() for e in s if e["cat"] == "kernel"]
    return sum(b - a for a, b in zip(edges, edges[1:]) if any(e["ts"] <= (a + b) / 2 < end(e) for e in kernels))


def times_of(trace):
    """What the sentences must say: of each stream the microseconds in the order of WAYS, worked out from the trace. The
    times are those that the run had, so that they agree however busy the machine was."""
    runs = spans_of(trace)
    streams = {stream for run in runs.values() for stream in run}
    times = {stream: [0.0] * len(WAYS) for stream in streams}
    last = None
    for number in sorted(runs):
        run = runs[number]
        first, over = whole(run)
        recorded = {e["args"]["event"]: end(e) for s in run.values() for e in s if e["cat"] == "record"}
        for stream, own in times.items():
            own[3] += first - last if last is not None else 0
            at = first
            for e in run.get(stream, []):
                if e["cat"] == "wait":
                    until = min(recorded[e["args"]["event"]], end(e))
                    own[1] += max(0, until - at)
                    at = max(at, until)
                    continue
                if e["ts"] > at:
                    others = busy(run, at, e["ts"])
                    own[2] += others
                    own[3] += e["ts"] - at - others
                if e["cat"] == "kernel":
                    own[0] += e["dur"]
                at = max(at, end(e))
            own[4] += max(0, over - at)
        last = over
    return times


def check_sentences(result, trace):
    """The sentences are what the trace says; gives the times."""
    times = times_of(trace)
    said = shares(result.text)
    check(said.keys() == times.keys(), f"streams {said.keys()} of {times.keys()}")
    for stream, own in times.items():
        verdict, percents = said[stream]
        # Numbers are rounded to whole percents, and times in the trace to nanoseconds.
        wanted = [100 * t / sum(own) for t in own]
        check(all(abs(p - w) <= 1 for p, w in zip(percents, wanted)), f"stream {stream}: {wanted} by the trace\n{result.text}")
        check(wanted[WAYS.index(verdict)] >= max(wanted) - 0.1, f"stream {stream} mostly {verdict}: {wanted}")
    return times


def check_verdicts(programs, towers, folder):
    """Each way of waiting, from a run that has it whatever else the machine does."""
    place = folder / "waits"
    # The fault sleeps before each run: no less than that lies between two of them.
    slow = run(programs.omrun(towers, "--profile", place, "--loop=3", environment={"ATC_FAULT": "slow=300"}), "the run with a slow host")
    for own in check_sentences(slow, place / "trace.json").values():
        check(own[3] >= 2 * 300_000, f"not the host: {own}\n{slow.text}")
    # On one core kernels of two streams never overlap: while the one works the other waits, for that core or for data.
    one = run(programs.omrun(towers, "--profile", place, "--loop=5", "--cores=1"), "the run on one core")
    times = check_sentences(one, place / "trace.json")
    for number, tasks in spans_of(place / "trace.json").items():
        kernels = sorted((e for s in tasks.values() for e in s if e["cat"] == "kernel"), key=lambda e: e["ts"])
        for before, after in zip(kernels, kernels[1:]):
            check(end(before) <= after["ts"] + 0.002, f"run {number}: {before} and {after} overlap on one core")
    works = {stream: own[0] for stream, own in times.items()}
    for stream, own in times.items():
        others = sum(works.values()) - works[stream]
        check(own[1] + own[2] + own[4] >= 0.99 * others, f"stream {stream} did not wait while the other worked: {own} {works}")
    check(max(own[2] for own in times.values()) > 0, f"nobody waited for the core: {times}\n{one.text}")
    fork = folder / "fork.om"
    write_fork(folder / "fork.onnx")
    run(programs.atc(folder / "fork.onnx", fork, "--multi_stream_parallel_mode=LoadBalance:2", "--precision_mode_v2=origin"), "the fork")
    data = run(programs.omrun(fork, "--profile", place, "--loop=5"), "the run of the fork")
    times = check_sentences(data, place / "trace.json")
    # The stream of one branch alone has nothing to do until the trunk has ended: it waits for as long as the trunk works.
    branch = next(s for s in times if not any(e["name"].startswith("trunk") for e in spans_of(place / "trace.json")[0][s]))
    trunk = sum(e["dur"] for r in spans_of(place / "trace.json").values() for s in r.values() for e in s if e["name"].startswith("trunk"))
    check(times[branch][1] >= 0.99 * trunk > 0, f"not data: {times[branch]} of {trunk}\n{data.text}")


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
