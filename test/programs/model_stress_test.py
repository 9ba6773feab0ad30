"""64 threads over 8 models: results are bit-equal to those of one thread, nothing leaks, models come and go in between.
Device memory is back where it was afterwards and gone once the models are; the process's memory no longer grows after the
first third of a longer run.

usage: model_stress_test.py BUILD [SECONDS]    SECONDS: how long, 4 by default
"""

import ctypes as C
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from acl_models import write_model  # noqa: E402

THREADS, MODELS, INPUTS = 64, 8, 3


class Device:
    def __init__(self, library):
        self.lib = C.CDLL(str(library))
        for name in "aclmdlCreateDesc aclmdlCreateDataset aclCreateDataBuffer".split():
            getattr(self.lib, name).restype = C.c_void_p
        self.lib.aclGetRecentErrMsg.restype = C.c_char_p

    def check(self, code):
        if code != 0:
            raise RuntimeError(f"{code}: {(self.lib.aclGetRecentErrMsg() or b'').decode()}")

    def load(self, path):
        model = C.c_uint32()
        self.check(self.lib.aclmdlLoadFromFile(str(path).encode(), C.byref(model)))
        return model.value

    def memory(self):
        stats = (C.c_uint64 * 6)()
        self.check(self.lib.openatcGetMemoryStats(C.byref(stats), C.c_size_t(48)))
        return stats[0], stats[2]

    def buffers(self, sizes):
        made = []
        dataset = C.c_void_p(self.lib.aclmdlCreateDataset())
        for size in sizes:
            address = C.c_void_p()
            self.check(self.lib.aclrtMalloc(C.byref(address), C.c_size_t(size), 0))
            buffer = C.c_void_p(self.lib.aclCreateDataBuffer(address, C.c_size_t(size)))
            self.check(self.lib.aclmdlAddDatasetBuffer(dataset, buffer))
            made.append((address, buffer, size))
        return dataset, made

    def release(self, dataset, made):
        for address, buffer, _ in made:
            self.lib.aclrtFree(address)
            self.lib.aclDestroyDataBuffer(buffer)
        self.lib.aclmdlDestroyDataset(dataset)

    def run(self, model, data, stream=None):
        """One run, synchronous or on a stream, with memory of its own."""
        inputs, given = self.buffers([data.nbytes])
        outputs, taken = self.buffers([40])
        result = np.empty(10, "float32")
        try:
            self.check(self.lib.aclrtMemcpy(given[0][0], C.c_size_t(data.nbytes), C.c_void_p(data.ctypes.data), C.c_size_t(data.nbytes), 1))
            if stream is None:
                code = self.lib.aclmdlExecute(C.c_uint32(model), inputs, outputs)
            else:
                code = self.lib.aclmdlExecuteAsync(C.c_uint32(model), inputs, outputs, stream) or self.lib.aclrtSynchronizeStream(stream)
            if code == 0:
                self.check(self.lib.aclrtMemcpy(C.c_void_p(result.ctypes.data), C.c_size_t(40), taken[0][0], C.c_size_t(40), 2))
            return code, result
        finally:
            self.release(inputs, given)
            self.release(outputs, taken)


def work(device, paths, models, data, golden, seed, until, faults, counts):
    chance = random.Random(seed)
    device.check(device.lib.aclrtSetDevice(0))
    stream = C.c_void_p()
    device.check(device.lib.aclrtCreateStream(C.byref(stream)))
    runs = 0
    while time.monotonic() < until and not faults:
        m, i = chance.randrange(MODELS), chance.randrange(INPUTS)
        own = chance.random() < 0.05  # loads a model of its own in between
        model = device.load(paths[m]) if own else models[m]
        code, result = device.run(model, data[i], stream if chance.random() < 0.5 else None)
        if own:
            device.check(device.lib.aclmdlUnload(C.c_uint32(model)))
        if code != 0 or result.tobytes() != golden[m][i].tobytes():
            faults.append(f"thread {seed}, model {m}, input {i}: code {code}, {result} is not {golden[m][i]}")
        runs += 1
    device.check(device.lib.aclrtDestroyStream(stream))
    counts.append(runs)


def resident():
    """Megabytes that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def main(build, seconds="4"):
    build = Path(build)
    device = Device(build / "lib/libascendcl.so")
    rng = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        folder, paths = Path(folder), []
        for i in range(MODELS):
            w, fc = rng.standard_normal((8 + i, 3, 3, 3)).astype("float32"), rng.standard_normal((8 + i, 10)).astype("float32")
            write_model(folder / f"m{i}.onnx", w, fc)
            done = subprocess.run([str(build / "bin/atc"), f"--model={folder}/m{i}.onnx", "--framework=5", "--soc_version=Ascend910B3",
                                   f"--output={folder}/m{i}", "--precision_mode_v2=origin"], capture_output=True, text=True)  # fmt: skip
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
            paths.append(folder / f"m{i}.om")
        device.check(device.lib.aclInit(None))
        device.check(device.lib.aclrtSetDevice(0))
        models = [device.load(path) for path in paths]
        data = [rng.standard_normal((1, 3, 16, 16)).astype("float32") for _ in range(INPUTS)]
        golden = [[device.run(model, d)[1] for d in data] for model in models]
        before = device.memory()
        faults, counts = [], []
        until = time.monotonic() + float(seconds)
        threads = [threading.Thread(target=work, args=(device, paths, models, data, golden, i, until, faults, counts)) for i in range(THREADS)]
        for thread in threads:
            thread.start()
        held = [resident()]
        while any(thread.is_alive() for thread in threads):
            time.sleep(float(seconds) / 30)
            held.append(resident())
        for thread in threads:
            thread.join()
        after = device.memory()
        print(f"{sum(counts)} runs on {THREADS} threads in {seconds} s; device memory {before[0]} bytes before, {after[0]} after; "
              f"MB held by the process over time: {' '.join(f'{mb:.0f}' for mb in held)}")  # fmt: skip
        if float(seconds) >= 60:
            early, late = max(held[: len(held) // 3]), max(held[len(held) // 3 :])
            if late > 1.05 * early + 8:
                faults.append(f"the process grows: {early:.0f} MB in the first third, {late:.0f} MB afterwards")
        if len(counts) != THREADS:
            faults.append(f"{THREADS - len(counts)} threads ended early")
        if before != after:
            faults.append(f"device memory leaks: {before} before, {after} after")
        for model in models:
            device.check(device.lib.aclmdlUnload(C.c_uint32(model)))
        if device.memory() != (0, 0):
            faults.append(f"device memory is left without models: {device.memory()}")
        for _ in range(THREADS + 1):
            device.check(device.lib.aclrtResetDevice(0))
        device.check(device.lib.aclFinalize())
        print(*faults[:10], sep="\n")
        return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
