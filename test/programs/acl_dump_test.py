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
        device.check(lib.aclrtResetDevice(0))
        device.check(lib.aclFinalize())
    print(f"{count} files handed over")


main(*sys.argv[1:])
