"""Converts models with the operators of this plugin and runs them, against results computed here.

usage: custom_operator_test.py ASCEND_PATH custom_operator.so

Needs python3-numpy. Models are written byte by byte, so that no other package is needed.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def value_info(name, dtype, dims):
    """A dim is a number, or a text for one that stays open."""
    shape = b"".join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def attribute(name, value):
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + field(4, value) + field(20, 3)


def node(kind, inputs, outputs, **attributes):
    parts = [field(1, i) for i in inputs] + [field(2, o) for o in outputs] + [field(3, kind.lower()), field(4, kind)]
    parts += [field(5, attribute(k, v)) for k, v in attributes.items()]
    return b"".join(parts) + field(7, "com.example")


def write_model(file, version, rows, **attributes):
    """steps = CoarseSteps(x); index, score = NearestRows(steps, table)."""
    nodes = [
        node("CoarseSteps", ["x"], ["steps"], step=0.25),
        node("NearestRows", ["steps", "table"], ["index", "score"], **attributes),
    ]
    graph = b"".join(field(1, n) for n in nodes) + field(2, "g")
    graph += field(11, value_info("x", FLOAT, [rows, 3])) + field(11, value_info("table", FLOAT, ["m", 3]))
    graph += field(12, value_info("index", INT64, [rows, 2])) + field(12, value_info("score", FLOAT, [rows, 2]))
    imports = field(8, field(1, "") + field(2, 17)) + field(8, field(1, "com.example") + field(2, version))
    file.write_bytes(field(1, 8) + field(7, graph) + imports)


def nearest(x, table, count, city):
    """NumPy's own answer."""
    steps = np.float32(0.25) * np.round(x / np.float32(0.25))
    difference = steps[:, None, :].astype(np.float64) - table[None, :, :]
    distance = (np.abs(difference) if city else difference**2).sum(-1)
    order = np.argsort(distance, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(distance, order, 1).astype(np.float32)


class Tools:
    def __init__(self, prefix, opp):
        self.bin, self.opp = Path(prefix) / "bin", opp

    def run(self, program, *arguments, custom=None):
        environment = {**os.environ, "ASCEND_OPP_PATH": str(self.opp)}
        environment.pop("ASCEND_CUSTOM_OPP_PATH", None)
        if custom:
            environment["ASCEND_CUSTOM_OPP_PATH"] = str(custom)
        done = subprocess.run([str(self.bin / program), *map(str, arguments)], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        return done.returncode, done.stdout

    def atc(self, model, om, *flags, **how):
        return self.run("atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3", f"--output={om}",
                        *flags, **how)  # fmt: skip


def check(condition, what, text):
    if not condition:
        sys.exit(f"{what}:\n{text}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    generator = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        opp = folder / "opp"
        place = opp / "vendors" / "mine" / "custom_operators"
        place.mkdir(parents=True)
        tools = Tools(sys.argv[1], opp)

        model = folder / "model.onnx"
        write_model(model, 2, "n", count=2, metric="city")
        # Without the plugin the message says what is missing and where it was looked for.
        code, text = tools.atc(model, folder / "none", "--input_shape=x:-1,3;table:-1,3")
        check(code != 0, "converted without the plugin", text)
        for part in ("com.example::2::NearestRows", "com.example::2::CoarseSteps", f"{opp}/vendors/*/custom_operators/*.so"):
            check(part in text, f"the message lacks {part}", text)

        shutil.copy(sys.argv[2], place / "custom_operator.so")
        runs = [
            ("dynamic", 2, "n", {"count": 2, "metric": "city"}, ["--input_shape=x:-1,3;table:-1,3"], (1, 4, 9)),
            ("static", 2, 4, {"count": 2}, ["--input_shape=x:4,3;table:5,3"], (4,)),
            ("half", 1, 4, {"count": 2, "l1": 1}, ["--input_shape=x:4,3;table:5,3"], (4,)),
        ]
        last = None
        for name, version, rows, attributes, flags, sizes in runs:
            write_model(model, version, rows, **attributes)
            precision = "fp16" if name == "half" else "origin"
            code, text = tools.atc(model, folder / name, *flags, f"--precision_mode_v2={precision}")
            check(code == 0, f"the conversion {name} failed", text)
            check("custom_operator.so: brings" in text, "atc does not name the plugin", text)
            last = next(folder.glob(f"{name}*.om"))
            for size in sizes:
                # Sixteenths, which half precision holds exactly.
                x = generator.integers(-32, 32, (size, 3)).astype(np.float32) / 16
                table = generator.integers(-32, 32, (5, 3)).astype(np.float32) / 16
                np.save(folder / "x.npy", x)
                np.save(folder / "table.npy", table)
                out = folder / f"{name}_{size}"
                code, text = tools.run("omrun", last, "--input", f"x={folder}/x.npy", "--input",
                                       f"table={folder}/table.npy", "--output", out)  # fmt: skip
                check(code == 0, f"omrun of {name} failed", text)
                found = {f.stem: np.load(f) for f in out.glob("*.npy")}
                city = attributes.get("metric") == "city" or attributes.get("l1") == 1
                index, score = nearest(x, table, 2, city)
                by_type = {value.dtype.kind: value for value in found.values()}
                check(np.array_equal(by_type["i"], index), f"{name}: index", f"{by_type['i']}\n{index}")
                check(np.allclose(by_type["f"], score, atol=1e-2 if name == "half" else 1e-6), f"{name}: score",
                      f"{by_type['f']}\n{score}")  # fmt: skip

        # A wrong attribute is told by the plugin's own words, with node and operator.
        write_model(model, 2, 4, count=2, metric="sphere")
        code, text = tools.atc(model, folder / "wrong", "--input_shape=x:4,3;table:5,3")
        check(code != 0 and "metric is 'sphere', euclid or city is wanted" in text and "nearestrows" in text, "metric", text)

        # The om needs the plugin where it runs: from another folder it does as well, without it the message tells.
        (folder / "elsewhere").mkdir()
        shutil.move(place, folder / "elsewhere" / "custom_operators")
        code, text = tools.run("omrun", last, custom=folder / "elsewhere")
        check(code == 0, "omrun does not find the plugin by ASCEND_CUSTOM_OPP_PATH", text)
        code, text = tools.run("omrun", last)
        check(code != 0, "omrun ran without the plugin", text)
        for part in ("CoarseSteps", "com.example::1::CoarseSteps", "custom_operator.so", "custom_operators/*.so"):
            check(part in text, f"omrun's message lacks {part}", text)
    print("the operators of the plugin convert and run")


main()
