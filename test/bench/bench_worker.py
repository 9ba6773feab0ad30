"""Serves one model in one engine to compare.py: commands on stdin, one JSON object a line on stdout.

usage: bench_worker.py ENGINE FILE THREADS FEED.npz [BUILD]

FEED.npz: "names" and, in their order, arr_0, ...
load            {"load_ms", "first_ms", "peak_bytes"}: reading and preparing the model, the first run, anonymous memory
run N           {"min_ms", "running_bytes"}
outputs FILE    writes them as .npz
Anonymous memory is that above what the process had before the engine's library came in.
"""

import json
import os
import sys
import threading
import time

import numpy as np


def anonymous():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class Watch:
    """The most anonymous memory since the last look, sampled."""

    def __init__(self):
        self.base = self.peak = anonymous()
        threading.Thread(target=self.sample, daemon=True).start()

    def sample(self):
        while True:
            self.peak = max(self.peak, anonymous())
            time.sleep(0.002)

    def look(self):
        peak, self.peak = max(self.peak, anonymous()), anonymous()
        return peak - self.base


def milliseconds(call):
    begin = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begin) / 1e6


def serve(engine, watch, feed):
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "load":
            load = milliseconds(engine.load)
            engine.bind(feed)
            answer = {"load_ms": load, "first_ms": milliseconds(engine.run), "peak_bytes": watch.look()}
        elif command == "run":
            answer = {"min_ms": min(milliseconds(engine.run) for _ in range(int(rest[0])))}
            answer["running_bytes"] = watch.look()
        else:
            np.savez(rest[0], *engine.outputs())
            answer = {}
        print(json.dumps(answer), flush=True)


def main():
    name, file, threads, feed, *build = sys.argv[1:]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    with np.load(feed) as arrays:
        feed = {str(name): arrays[f"arr_{i}"] for i, name in enumerate(arrays["names"])}
    watch = Watch()
    from bench_engines import ENGINES

    serve(ENGINES[name](file, int(threads), *build), watch, feed)


main()
