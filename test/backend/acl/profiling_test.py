"""acl_prof.h and the dump of acl.json, from a program that runs a model through the C API.

usage: profiling_test.py LIBRARY BUILD
"""

import csv
import ctypes as C
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from onnx_wire import write_small_model  # noqa: E402
from programs import Programs  # noqa: E402

API, TASK_TIME, MSPROFTX = 1, 2, 0x80
NONE = 0xFF


def check(condition, what):
    if not condition:
        sys.exit(f"profiling_test: {what}")


class Acl:
    POINTERS = ("aclmdlCreateDesc aclmdlCreateDataset aclCreateDataBuffer aclprofCreateConfig aclprofCreateStamp "
                "aclprofCreateStepInfo aclprofCreateSubscribeConfig").split()  # fmt: skip

    def __init__(self, library):
        self.lib = C.CDLL(library)
        for name in self.POINTERS:
            getattr(self.lib, name).restype = C.c_void_p
        for name in ("aclprofGetOpStart", "aclprofGetOpEnd", "aclprofGetOpDuration"):
            getattr(self.lib, name).restype = C.c_uint64
        self.lib.aclprofGetModelId.restype = C.c_size_t
        self.lib.aclGetRecentErrMsg.restype = C.c_char_p

    def __call__(self, name, *arguments, expect=0):
        code = getattr(self.lib, name)(*[C.c_void_p(a) if isinstance(a, Handle) else a for a in arguments])
        if expect is not None and code != expect:
            sys.exit(f"profiling_test: {name} gives {code}: {(self.lib.aclGetRecentErrMsg() or b'').decode()}")
        return code

    def make(self, name, *arguments):
        return Handle(getattr(self.lib, name)(*arguments) or 0)


class Handle(int):
    """An opaque pointer, which ctypes must not cut down to 32 bits."""


class Model:
    def __init__(self, acl, om):
        self.acl, identifier = acl, C.c_uint32()
        acl("aclmdlLoadFromFile", str(om).encode(), C.byref(identifier))
        self.id = identifier.value
        desc = acl.make("aclmdlCreateDesc")
        acl("aclmdlGetDesc", desc, self.id)
        self.sets = []
        for count, size in (("aclmdlGetNumInputs", "aclmdlGetInputSizeByIndex"), ("aclmdlGetNumOutputs", "aclmdlGetOutputSizeByIndex")):
            dataset = acl.make("aclmdlCreateDataset")
            for i in range(getattr(acl.lib, count)(C.c_void_p(desc))):
                function = getattr(acl.lib, size)
                function.restype = C.c_size_t
                nbytes, address = function(C.c_void_p(desc), C.c_size_t(i)), C.c_void_p()
                acl("aclrtMalloc", C.byref(address), C.c_size_t(nbytes), 0)
                acl("aclrtMemset", address, C.c_size_t(nbytes), 0, C.c_size_t(nbytes))
                acl("aclmdlAddDatasetBuffer", dataset, acl.make("aclCreateDataBuffer", address, C.c_size_t(nbytes)))
            self.sets.append(dataset)

    def run(self):
        self.acl("aclmdlExecute", self.id, *self.sets)


def read_dump(path):
    """Fields of a dump by number, each a list; nested messages as bytes. And the data behind them."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    return read_message(raw[8 : 8 + size]), raw[8 + size :]


def read_message(raw):
    fields, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(raw):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        else:
            length = varint()
            value, at = raw[at : at + length], at + length
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def check_session(acl, model, folder):
    """A profile between aclprofStart and aclprofStop, with marks."""
    acl("aclprofStart", Handle(1), expect=100000)
    acl("aclprofInit", str(folder).encode(), C.c_size_t(1), expect=100000)
    acl("aclprofInit", b"/no/such/folder", C.c_size_t(15), expect=100003)
    acl("aclprofFinalize", expect=100043)
    path = str(folder).encode()
    acl("aclprofInit", path, C.c_size_t(len(path)))
    acl("aclprofInit", path, C.c_size_t(len(path)), expect=100042)
    devices = (C.c_uint32 * 1)(0)
    check(acl.make("aclprofCreateConfig", devices, 1, NONE, None, C.c_uint64(1 << 40)) == 0, "unknown data are taken")
    check(acl.make("aclprofCreateConfig", (C.c_uint32 * 1)(99), 1, NONE, None, C.c_uint64(TASK_TIME)) == 0, "device 99 is taken")
    config = acl.make("aclprofCreateConfig", devices, 1, 0, None, C.c_uint64(API | TASK_TIME | MSPROFTX))
    acl("aclprofSetConfig", 3, b"15", C.c_size_t(2))
    acl("aclprofStart", config)
    acl("aclprofStart", config, expect=100042)

    stamp = acl.make("aclprofCreateStamp")
    acl("aclprofSetStampTraceMessage", stamp, b"warm up", 7)
    acl("aclprofSetCategoryName", 5, b"phases")
    acl("aclprofSetStampCategory", stamp, 5)
    acl("aclprofPush", stamp)
    model.run()
    acl("aclprofPop")
    acl("aclprofPop", expect=100000)
    span = C.c_uint32()
    acl("aclprofRangeStart", stamp, C.byref(span))
    step = acl.make("aclprofCreateStepInfo")
    acl("aclprofGetStepTimestamp", step, 0, None)
    model.run()
    acl("aclprofGetStepTimestamp", step, 1, None)
    acl("aclrtSynchronizeStream", None)
    other = threading.Thread(target=lambda: acl("aclprofRangeStop", span.value))
    other.start()
    other.join()
    acl("aclprofMark", stamp)
    acl("aclprofMarkEx", b"between", C.c_size_t(7), None)
    acl("aclprofMarkEx", b"between", C.c_size_t(3), None, expect=100000)
    acl("aclrtSynchronizeStream", None)
    acl("aclprofStop", config)
    acl("aclprofStop", config, expect=100043)
    acl("aclprofDestroyConfig", config)
    acl("aclprofFinalize")
    model.run()  # tells nobody

    out = folder / "PROF_000001"
    check(sorted(p.name for p in folder.iterdir()) == ["PROF_000001"], f"files {list(folder.iterdir())}")
    check(sorted(p.name for p in out.iterdir()) == ["op_statistic.csv", "op_summary.csv", "streams.txt", "trace.json"], "files of the profile")
    rows = list(csv.DictReader((out / "op_summary.csv").open()))
    names = {row["Op Name"] for row in rows}
    check(len(rows) == 2 * len(names) and {row["Infer ID"] for row in rows} == {"0", "1"}, f"{len(rows)} rows of {names}")
    check(all(float(row["Task Duration(us)"]) > 0 for row in rows), "tasks without a time")
    events = json.loads((out / "trace.json").read_text())["traceEvents"]
    host = {e["name"]: e for e in events if e.get("pid") == 0 and "cat" in e}
    for name in ("aclmdlExecute", "warm up", "step 0", "between"):
        check(name in host, f"no '{name}' in {sorted(host)}")
    check(host["warm up"]["cat"] == "phases", f"{host['warm up']}")
    check(not any(name.startswith("aclprof") for name in host), "the profiler's own calls are there")
    check("mostly" in (out / "streams.txt").read_text(), "no sentence of streams")
    return names


def check_subscription(acl, model, names):
    """Records of operators through a pipe."""
    reading, writing = os.pipe()
    descriptor = C.c_int(writing)
    config = acl.make("aclprofCreateSubscribeConfig", C.c_int8(1), NONE, C.byref(descriptor))
    acl("aclprofModelSubscribe", model.id, config)
    acl("aclprofModelSubscribe", model.id, config, expect=148046)
    acl("aclprofInit", b"/tmp", C.c_size_t(4), expect=148047)
    model.run()
    acl("aclprofModelUnSubscribe", model.id)
    acl("aclprofModelUnSubscribe", model.id, expect=100000)
    acl("aclprofDestroySubscribeConfig", config)
    data = b""
    while piece := os.read(reading, 65536):  # ends: the pipe was closed
        data += piece
    os.close(reading)
    size, number, length = C.c_size_t(), C.c_uint32(), C.c_size_t()
    acl("aclprofGetOpDescSize", C.byref(size))
    acl("aclprofGetOpNum", data, C.c_size_t(len(data)), C.byref(number))
    check(number.value == len(names) and size.value * number.value == len(data), f"{number.value} records of {len(names)}")
    found = set()
    for i in range(number.value):
        acl("aclprofGetOpNameLen", data, C.c_size_t(len(data)), i, C.byref(length))
        text = C.create_string_buffer(length.value)
        acl("aclprofGetOpName", data, C.c_size_t(len(data)), i, text, length)
        acl("aclprofGetOpName", data, C.c_size_t(len(data)), i, text, C.c_size_t(1), expect=100000)
        found.add(text.value.decode())
        start, end = (getattr(acl.lib, f"aclprofGetOp{w}")(data, C.c_size_t(len(data)), i) for w in ("Start", "End"))
        check(0 < start < end, f"times {start} {end}")
        check(acl.lib.aclprofGetModelId(data, C.c_size_t(len(data)), i) == model.id, "the model's number")
    check(found == names, f"names {found}, not {names}")
    acl("aclprofGetOpNum", data, C.c_size_t(len(data) - 1), C.byref(number), expect=100000)


def check_dump(acl, model, names, folder):
    """aclmdlSetDump: a file for each operator of each run, of CANN's form."""
    config, out = folder / "dump.json", folder / "dump"
    out.mkdir()
    acl("aclmdlSetDump", str(config).encode(), expect=100045)
    acl("aclmdlInitDump")
    acl("aclmdlInitDump", expect=100044)
    acl("aclmdlSetDump", str(folder / "none.json").encode(), expect=100003)
    for text in ('{"dump": {}', '{"dump": {"dump_path": "/no/such"}}', '{"dump": {"dump_path": "%s", "dump_mode": "both"}}' % out,
                 '{"dump": {"dump_path": "%s", "dump_list": [{"layer": []}]}}' % out):  # fmt: skip
        config.write_text(text)
        check(acl("aclmdlSetDump", str(config).encode(), expect=None) in (100006, 100009), f"{text} is taken")
    config.write_text(json.dumps({"dump": {"dump_path": str(out), "dump_mode": "all", "dump_op_switch": "off", "dump_list": []}}))
    acl("aclmdlSetDump", str(config).encode())
    model.run()
    model.run()
    acl("aclmdlFinalizeDump")
    acl("aclmdlFinalizeDump", expect=100045)
    model.run()
    runs = sorted(out.glob("*/0/*/*/*"))
    check([run.name for run in runs] == ["0", "1"], f"runs {runs}")
    files = sorted(runs[0].iterdir())
    check(len(files) == len(names), f"{len(files)} files of {len(names)} operators")
    for file in files:
        parts = file.name.split(".")
        check(len(parts) == 5 and parts[2].isdigit() and parts[3].isdigit() and parts[4].isdigit(), f"name {file.name}")
        fields, data = read_dump(file)
        check(fields[6][0].decode() in names, f"operator {fields[6]}")
        inputs, outputs = ([read_message(m) for m in fields.get(n, [])] for n in (4, 3))
        check(len(outputs) >= 1, "no output")
        sizes = [m[5][0] for m in inputs] + [m[6][0] for m in outputs]
        check(sum(sizes) == len(data), f"{sizes} bytes of {len(data)}")
        check(all(m[1][0] == 1 for m in outputs), "outputs are float32")  # DT_FLOAT of the dump's numbers
    # The last one's output is the model's: for an input of zeros it is what NumPy says of the biases.
    last = max(files, key=lambda f: int(f.name.split(".")[2]))
    fields, data = read_dump(last)
    output = read_message(fields[3][-1])
    shape = read_message(output[3][0])[1]
    check(shape == [1, 10], f"shape {shape}")
    return np.frombuffer(data[-output[6][0] :], "<f4")


def expected():
    """The small model on zeros: relu of the bias in each channel, times the matrix, plus the vector."""
    import random  # as onnx_wire.floats draws

    def floats(count, seed):
        generator = random.Random(seed)
        return np.array([generator.uniform(-1, 1) for _ in range(count)], "f4")

    flat = np.repeat(np.maximum(floats(4, 2), 0), 64)
    return flat.astype("f8") @ floats(2560, 3).reshape(256, 10).astype("f8") + floats(10, 4)


def run_configured(library, om, config):
    """A process of its own, as aclInit reads the configuration once."""
    acl = Acl(library)
    acl("aclInit", str(config).encode())
    acl("aclrtSetDevice", 0)
    Model(acl, om).run()
    acl("aclrtResetDevice", 0)
    acl("aclFinalize")


def check_configuration(library, folder, names):
    """"dump" and "profiler" of acl.json."""
    for name in ("configured", "profiled"):
        (folder / name).mkdir()
    config = folder / "acl.json"
    config.write_text(json.dumps({"dump": {"dump_path": str(folder / "configured"), "dump_list": [{"model_name": "none"}]},
                                  "profiler": {"switch": "on", "output": str(folder / "profiled")}}))  # fmt: skip
    for listed in (False, True):
        done = subprocess.run([sys.executable, __file__, library, "--configured", folder / "m.om", config], capture_output=True, text=True)
        check(done.returncode == 0, done.stdout + done.stderr)
        dumped = list((folder / "configured").glob("*/0/*/*/0/*"))
        check(len(dumped) == (len(names) if listed else 0), f"{len(dumped)} files of a model that is{' ' if listed else ' not '}listed")
        document = json.loads(config.read_text())
        document["dump"]["dump_list"] = []
        config.write_text(json.dumps(document))
    profiles = sorted(p.name for p in (folder / "profiled").iterdir())
    check(profiles == ["PROF_000001", "PROF_000002"], f"profiles {profiles}")
    rows = list(csv.DictReader((folder / "profiled" / "PROF_000001" / "op_summary.csv").open()))
    check({row["Op Name"] for row in rows} == names, "the profile of the configuration")


def main():
    library, build = sys.argv[1:3]
    if build == "--configured":
        return run_configured(library, *sys.argv[3:5])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_small_model(folder / "m.onnx")
        converted = Programs(build).atc(folder / "m.onnx", folder / "m.om", "--precision_mode_v2=origin")
        check(converted.status == 0, converted.text)
        acl = Acl(library)
        acl("aclInit", None)
        acl("aclrtSetDevice", 0)
        model = Model(acl, folder / "m.om")
        (folder / "prof").mkdir()
        names = check_session(acl, model, folder / "prof")
        check_subscription(acl, model, names)
        value = check_dump(acl, model, names, folder)
        check(np.allclose(value, expected(), rtol=1e-4, atol=1e-5), f"{value}, not {expected()}")
        acl("aclrtResetDevice", 0)
        acl("aclFinalize")
        check_configuration(library, folder, names)
    print("profiling_test: passed")


if __name__ == "__main__":
    main()
