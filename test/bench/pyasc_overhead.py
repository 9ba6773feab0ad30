"""What Python costs: a 20-operator graph called through pyasc and through the C API, and 10,000 contexts.

usage: pyasc_overhead.py BUILD

Prints the time per call by pyasc.execute and by omrun (whose loop calls aclmdlExecute and nothing else), both the
fastest of rounds that take turns, their difference, and the resident memory while contexts are made and destroyed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(BUILD / "python"))
import numpy as np  # noqa: E402
import pyasc  # noqa: E402

ROUNDS, CALLS, CONTEXTS = 7, 2000, 10_000


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def by_omrun(om):
    """Microseconds of one run: the fastest of a loop."""
    report = f"{om}.json"
    subprocess.run([BUILD / "bin/omrun", om, "--loop", str(CALLS), "--json", report], check=True, capture_output=True)
    return json.loads(Path(report).read_text())["latency_ms"]["min"] * 1000


def calls():
    with pyasc.Context(config=pyasc.CompileConfig(precision_mode="origin", buffer_optimize_level=0)) as ctx:
        y = ctx.input("x", (16, 64))
        for k in range(20):
            y = ctx.tanh(y) if k % 2 else ctx.softmax(y)
        feed = {"x": np.ones((16, 64), np.float32)}
        tasks = ctx.compile()["tasks"]
        with tempfile.TemporaryDirectory() as folder:
            ctx.save_optimized_graph(f"{folder}/graph.om")
            python, c = [], []
            for _ in range(ROUNDS):
                for _ in range(CALLS):
                    begin = time.perf_counter()
                    ctx.execute(feed)
                    python.append((time.perf_counter() - begin) * 1e6)
                c.append(by_omrun(f"{folder}/graph.om"))
    print(f"{tasks} tasks: pyasc {min(python):.1f} us, C API {min(c):.1f} us a call; Python adds {min(python) - min(c):.1f} us")


def contexts():
    sizes = []
    for k in range(CONTEXTS):
        with pyasc.Context() as ctx:
            y = ctx.relu(ctx.input("x", (64,)))
            ctx.execute({"x": np.zeros(64, np.float32)})[y]
        if k % (CONTEXTS // 10) == CONTEXTS // 10 - 1:
            sizes.append(resident() / 2**20)
    print(f"{CONTEXTS} contexts, each compiled and run: resident MB after each tenth: "
          + " ".join(f"{s:.1f}" for s in sizes))  # fmt: skip


calls()
contexts()
