"""Flags by what they change in the om and in what it computes, on models made for each.

usage: flag_effects_test.py BUILD
"""

import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import conversions  # noqa: E402
import onnx_wire as wire  # noqa: E402

ORIGIN = "--precision_mode_v2=origin"


def matrix(seed):
    return wire.tensor(f"w{seed}", wire.FLOAT, [4, 4], wire.floats(16, seed))


def write(suite, name, nodes, initializers=(), outputs=("y",)):
    """A model of x float32[4,4] whose outputs are float32[4,4]."""
    graph = b"".join(wire.field(1, node) for node in nodes) + wire.field(2, name)
    graph += b"".join(wire.field(5, tensor) for tensor in initializers)
    graph += wire.field(11, wire.value_info("x", wire.FLOAT, [4, 4]))
    graph += b"".join(wire.field(12, wire.value_info(o, wire.FLOAT, [4, 4])) for o in outputs)
    model = wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13))
    (suite.folder / f"{name}.onnx").write_bytes(model)


def product(name, operand, seed):
    return wire.node("MatMul", [operand, f"w{seed}"], [name], name=name)


def data():
    return numpy.random.default_rng(5).uniform(-1, 1, (4, 4)).astype(numpy.float32)


def check_order(suite):
    """Two branches, written across each other and joined the other way round: every mode has an order of its own."""
    join = [wire.node("Concat", ["b2", "a2"], ["c"], wire.field(1, "axis") + wire.field(3, 0) + wire.field(20, 2), name="c"),
            product("y", "x", 6), wire.node("Identity", ["c"], ["z"], name="z")]  # fmt: skip
    nodes = [product("split", "x", 1), product("a1", "split", 2), product("b1", "split", 3), product("b2", "b1", 4),
             product("a2", "a1", 5), *join]  # fmt: skip
    write(suite, "branches", nodes, [matrix(k) for k in range(1, 7)], ["y", "z"])
    wanted = {"0": "split y a1 b1 a2 b2 c", "1": "split a1 a2 b1 b2 c y", "2": "y split b1 b2 a1 a2 c",
              "3": "split a1 b1 b2 a2 c y"}  # fmt: skip
    results = {}
    for mode, order in wanted.items():
        om = suite.convert(f"order_{mode}", ORIGIN, f"--topo_sorting_mode={mode}", model="branches")
        names = [name for name in suite.ops(om) if name in order.split()]
        suite.check(f"topo_sorting_mode={mode}", names == order.split(), names)
        checked = suite.programs.run(suite.programs.bin / "atc", f"--check_om={om}")
        suite.check(f"topo_sorting_mode={mode} is sound", checked.status == 0, checked.text)
        results[mode] = suite.run(om, x=data())
    for mode, found in results.items():
        same = found and all(numpy.array_equal(a, b) for a, b in zip(found, results["1"]))
        suite.check(f"topo_sorting_mode={mode} computes the same", same)
    for flags, mode in (((), "1"), (("--oo_level=O1",), "3")):
        names = [name for name in suite.ops(suite.convert("order", ORIGIN, *flags, model="branches"))]
        suite.check(f"default {flags}", [n for n in names if n in wanted[mode].split()] == wanted[mode].split(), names)


def check_optimizations(suite):
    """What is folded and what is dropped, unless flags say otherwise."""
    nodes = [wire.node("MatMul", ["w1", "w2"], ["k"], name="constant"), wire.node("MatMul", ["x", "k"], ["y"], name="y"),
             wire.node("Sin", ["x"], ["nothing"], name="unread")]  # fmt: skip
    write(suite, "optimized", nodes, [matrix(1), matrix(2)])
    plain = suite.convert("folded", ORIGIN, model="optimized")
    suite.check("folding and pruning", not {"constant", "unread"} & set(suite.ops(plain)), list(suite.ops(plain)))
    want = suite.run(plain, x=data())
    for flag, kept, gone in (("--oo_constant_folding=false", "constant", "unread"),
                             ("--oo_dead_code_elimination=false", "unread", "constant")):  # fmt: skip
        om = suite.convert("unfolded", ORIGIN, flag, model="optimized")
        names = set(suite.ops(om))
        suite.check(flag, kept in names and gone not in names, names)
        found = suite.run(om, x=data())
        suite.check(f"{flag} computes the same", found and numpy.allclose(found[0], want[0], rtol=1e-5, atol=1e-6))


def check_framework(suite):
    """Where the model came from stands in the om."""
    om = suite.convert("framework")
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}")
    suite.check("framework_type", "framework_type[Onnx]" in shown.text, shown.text)


conversions.main((check_order, check_optimizations, check_framework), "every flag changes what it should")
