"""Dumps of a run that go to a callback of the program, by acl_dump.h: the files that aclmdlSetDump would write, in pieces.

usage: acl_dump_test.py BUILD
"""

import ctypes as C
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from acl_models import write_model  # noqa: E402
from model_stress_test import Device  # noqa: E402

HEADER = 4116  # name, length, last, offset, flag


def operators(lib, check, folder):
    """aclDumpOpTensors: a view with strides and a plain tensor go into one file, as they are when the stream gets there."""
    lib.aclCreateTensor.restype = C.c_void_p
    memory, stream = C.c_void_p(), C.c_void_p()
    check(lib.aclrtMalloc(C.byref(memory), C.c_size_t(64), 0))
    check(lib.aclrtCreateStream(C.byref(stream)))
    values = np.arange(16, dtype="float32")

    def tensor(dims, strides, offset):
        array = lambda numbers: (C.c_int64 * len(numbers))(*numbers)
        return lib.aclCreateTensor(array(dims), C.c_uint64(len(dims)), 0, array(strides), C.c_int64(offset), 2, array([16]), C.c_uint64(1), memory)

    def dump(mode, tensors, expect=0):
        """The files of a dump in this mode."""
        out = folder / f"operators_{mode}"
        if mode != "off":
            out.mkdir()
            (folder / "acl.json").write_text(f'{{"dump": {{"dump_path": "{out}", "dump_mode": "{mode}", "dump_list": []}}}}')
            check(lib.aclmdlInitDump())
            check(lib.aclmdlSetDump(str(folder / "acl.json").encode()))
        # Queued before the dump: it must see what this copies.
        check(lib.aclrtMemcpyAsync(memory, C.c_size_t(64), C.c_void_p(values.ctypes.data), C.c_size_t(64), 1, stream))
        handles = (C.c_void_p * len(tensors))(*tensors)
        code = lib.aclDumpOpTensors(b"Add", b"my/add", handles, C.c_size_t(2), C.c_size_t(len(tensors) - 2), stream)
        assert code == expect, (code, lib.aclGetRecentErrMsg())
        for handle in tensors:
            lib.aclDestroyTensor(C.c_void_p(handle))
        check(lib.aclrtSynchronizeStream(stream))
        if mode != "off":
            check(lib.aclmdlFinalizeDump())
        return [(file, file.read_bytes()) for file in sorted(out.rglob("*")) if file.is_file()] if out.exists() else []

    three = lambda: [tensor([3, 2], [1, 3], 1), tensor([2], [1], 0), tensor([4], [1], 12)]
    turned, plain, last = (np.array(v, "float32").tobytes() for v in ([1, 4, 2, 5, 3, 6], [0, 1], [12, 13, 14, 15]))
    assert dump("off", three()) == []
    for mode, data in (("all", turned + plain + last), ("input", turned + plain), ("output", last)):
        ((file, content),) = dump(mode, three())
        name = file.name.split(".")
        assert name[:2] == ["Add", "my_add"] and len(name) == 5 and file.parent.name == "0", file
        described = int.from_bytes(content[:8], "little")
        assert content[8 + described :] == data, (mode, content)
        assert b"my/add" in content[:described + 8]
    assert lib.aclDumpOpTensors(None, b"a", (C.c_void_p * 1)(), C.c_size_t(0), C.c_size_t(0), stream) == 161001
    assert dump("off", [0, *three()[1:]], expect=161001) == []
    # Memory that is none is a fault of the stream.
    handles = (C.c_void_p * 1)(tensor([16], [1], 0))
    check(lib.aclrtFree(memory))
    (folder / "freed").mkdir()
    (folder / "acl.json").write_text(f'{{"dump": {{"dump_path": "{folder}/freed"}}}}')
    check(lib.aclmdlInitDump())
    check(lib.aclmdlSetDump(str(folder / "acl.json").encode()))
    check(lib.aclDumpOpTensors(b"Add", b"a", handles, C.c_size_t(0), C.c_size_t(1), stream))
    assert lib.aclrtSynchronizeStream(stream) == 507015
    check(lib.aclmdlFinalizeDump())
    assert not [f for f in (folder / "freed").rglob("*") if f.is_file()]
    check(lib.aclrtDestroyStream(stream))


def main(build):
    build, rng, files, whole = Path(build), np.random.default_rng(5), {}, set()
    device = Device(build / "lib/libascendcl.so")
    signature = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.c_int32)

    @signature
    def take(chunk, length):
        raw = C.string_at(chunk, length)
        name = raw[:4096].split(b"\0")[0].decode()
        size, last = np.frombuffer(raw[4096:4104], "uint32")
        offset = np.frombuffer(raw[4104:4112], "int64")[0]
        if offset != len(files.setdefault(name, b"")) or size != len(raw[HEADER : HEADER + int(size)]):
            return 1
        files[name] += raw[HEADER : HEADER + int(size)]
        if last:
            whole.add(name)
        return 0

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_model(folder / "m.onnx", rng.standard_normal((8, 3, 3, 3)).astype("float32"), rng.standard_normal((8, 10)).astype("float32"))
        subprocess.run([build / "bin/atc", f"--model={folder}/m.onnx", "--framework=5", "--soc_version=Ascend910B3", f"--output={folder}/m",
                        "--precision_mode_v2=origin"], check=True, capture_output=True)  # fmt: skip
        lib = device.lib
        lib.acldumpGetPath.restype = C.c_char_p
        device.check(lib.aclInit(None))
        device.check(lib.aclrtSetDevice(0))
        device.check(lib.acldumpRegCallback(take, 0))
        device.check(lib.aclmdlInitDump())
        model = device.load(folder / "m.om")
        code, result = device.run(model, rng.standard_normal((1, 3, 16, 16)).astype("float32"))
        device.check(code)
        assert lib.acldumpGetPath(4) is None
        device.check(lib.aclmdlFinalizeDump())
        lib.acldumpUnregCallback()
        count = len(files)
        assert count >= 3 and whole == set(files), files.keys()
        softmax = [data for name, data in files.items() if Path(name).name.startswith("Softmax")]
        assert len(softmax) == 1 and softmax[0].endswith(result.tobytes()), list(files)
        for name, data in files.items():
            described = int.from_bytes(data[:8], "little")
            assert 0 < described < len(data) - 8, name
            assert not Path(name).exists()
        device.check(device.run(model, np.zeros((1, 3, 16, 16), "float32"))[0])
        assert len(files) == count  # no more after the end
        # A path is told while files are written.
        (folder / "dump").mkdir()
        (folder / "acl.json").write_text(f'{{"dump": {{"dump_path": "{folder}/dump"}}}}')
        device.check(lib.aclmdlInitDump())
        device.check(lib.aclmdlSetDump(str(folder / "acl.json").encode()))
        path = Path(lib.acldumpGetPath(4).decode())
        assert path.parent == folder / "dump" and path.name.isdigit(), path
        device.check(device.run(model, np.zeros((1, 3, 16, 16), "float32"))[0])
        assert len(list(path.rglob("Softmax*"))) == len(list((folder / "dump").rglob("Softmax*"))) == 1
        device.check(lib.aclmdlFinalizeDump())
        device.check(lib.aclmdlUnload(C.c_uint32(model)))
        operators(lib, device.check, folder)
        device.check(lib.aclrtResetDevice(0))
        device.check(lib.aclFinalize())
    print(f"{count} files handed over")


main(*sys.argv[1:])
