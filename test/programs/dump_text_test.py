"""Dumps of every stage: ge_proto_*.txt is byte for byte what protobuf's own printer makes of it; mode 5 reads it.

usage: dump_text_test.py BUILD

protoc reads each file by the schema into bytes and prints these again. Exits with 77 where protoc is missing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
import onnx_wire  # noqa: E402

SCHEMA = "compiler/om/proto/ge_model.proto"


def protoc(verb, data):
    command = ["protoc", f"--proto_path={ROOT}", f"--{verb}=openatc.ge.ModelDef", SCHEMA]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def main():
    build = Path(sys.argv[1])
    if shutil.which("protoc") is None:
        print("SKIPPED: needs protoc")
        return 77
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        for name, write in (("small", onnx_wire.write_small_model), ("choice", onnx_wire.write_choice_model)):
            model = scratch / f"{name}.onnx"
            write(model)
            for detail in "12":
                dumps = scratch / f"{name}{detail}"
                environment = {"DUMP_GE_GRAPH": detail, "DUMP_GRAPH_LEVEL": "1", "DUMP_GRAPH_PATH": str(dumps)}
                subprocess.run(
                    [build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
                     f"--output={scratch / name}"],
                    env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)  # fmt: skip
                texts = sorted(dumps.glob("*/ge_proto_*.txt"))
                if len(texts) < 20:
                    print(f"{name}: only {len(texts)} stages are dumped")
                    faults += 1
                for path in {path.stat().st_ino: path for path in texts}.values():  # those that hold the same are one
                    text = path.read_bytes()
                    if protoc("decode", protoc("encode", text)) != text:
                        print(f"{path.name} of {name} at detail {detail} is not as protobuf prints it")
                        faults += 1
                json = scratch / "dump.json"
                subprocess.run([build / "bin/atc", "--mode=5", f"--om={texts[-1]}", f"--json={json}"], check=True,
                               stdout=subprocess.DEVNULL)  # fmt: skip
                if not json.read_text().startswith("{"):
                    print(f"mode 5 makes no JSON of {texts[-1].name}")
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
