"""Builds the examples of the C interface against an installed tree, as their READMEs say, and runs them.

usage: acl_examples_test.py BUILD
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from acl_models import write_model  # noqa: E402
from onnx_wire import FLOAT, field, node, value_info, varint  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def build(example, prefix, folder, *flags):
    run("cmake", "-S", ROOT / "examples" / example, "-B", folder, f"-DASCEND_PATH={prefix}", *flags)
    run("cmake", "--build", folder)


def invocation(prefix, folder):
    out = run(ROOT / "examples/aclnn_invocation/run.sh", env={**os.environ, "ASCEND_HOME_PATH": str(prefix), "WORK": str(folder), "PYTHON": sys.executable})
    assert out.count("test pass") == 4, out
    # The generated project's own test, as it was written.
    env = {**os.environ, "ASCEND_HOME_PATH": str(prefix)}
    run(prefix / "bin/atc", f"--gen_op_project={ROOT / 'examples/aclnn_invocation/add_custom.json'}", f"--output={folder / 'fresh'}", env=env)
    run("cmake", "-S", folder / "fresh", "-B", folder / "fresh/build", f"-DASCEND_PATH={prefix}")
    run("cmake", "--build", folder / "fresh/build")
    assert "AddCustom ran" in run("ctest", "--test-dir", folder / "fresh/build", "-V")


def pipeline(prefix, folder):
    build("aclnn_pipeline", prefix, folder)
    out = run(folder / "pipeline", 60, 2)
    rows = re.findall(r"^(one by one|overlapping|kept) +(\d+) +([\d.]+) +([\d.]+) +(\d+)$", out, re.M)
    assert [r[0] for r in rows] == ["one by one", "overlapping", "kept"], out


def classify_golden(x, w, fc):
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    c = np.array([[[(padded[:, 2 * i:2 * i + 3, 2 * j:2 * j + 3] * k).sum() for j in range(8)] for i in range(8)] for k in w])
    m = np.maximum(c, 0).mean((1, 2)) @ fc
    e = np.exp(m - m.max())
    return e / e.sum()


def classification(prefix, folder):
    build("classify", prefix, folder)
    rng = np.random.default_rng(3)
    w, fc = rng.standard_normal((8, 3, 3, 3)).astype("float32"), rng.standard_normal((8, 10)).astype("float32")
    write_model(folder / "model.onnx", w, fc)
    run(prefix / "bin/atc", f"--model={folder / 'model.onnx'}", "--framework=5", "--soc_version=Ascend910B3",
        f"--output={folder / 'model'}", "--precision_mode_v2=origin")  # fmt: skip
    images = [rng.standard_normal((1, 3, 16, 16)).astype("float32") for _ in range(3)]
    for i, image in enumerate(images):
        image.tofile(folder / f"image{i}.bin")
    out = run(folder / "classify", folder / "model.om", *(folder / f"image{i}.bin" for i in range(3)))
    rows = re.findall(r"class (\d+)  ([\d.]+)", out)
    assert len(rows) == 15, out
    for i, image in enumerate(images):
        golden = classify_golden(image, w, fc)
        best = np.argsort(-golden)[:5]
        for (got, score), want in zip(rows[5 * i:5 * i + 5], best):
            assert int(got) == want and abs(float(score) - golden[want]) < 1e-5, (out, golden)


def gears(prefix, folder):
    """Seven samples through gears of 1, 2 and 4."""
    build("gears", prefix, folder)
    rng = np.random.default_rng(4)
    w, fc = rng.standard_normal((8, 3, 3, 3)).astype("float32"), rng.standard_normal((8, 10)).astype("float32")
    write_model(folder / "model.onnx", w, fc)
    run(prefix / "bin/atc", f"--model={folder / 'model.onnx'}", "--framework=5", "--soc_version=Ascend910B3", f"--output={folder / 'model'}",
        "--precision_mode_v2=origin", "--input_shape=x:-1,3,16,16", "--dynamic_batch_size=1,4,2")  # fmt: skip
    samples = rng.standard_normal((7, 3, 16, 16)).astype("float32")
    samples.tofile(folder / "in.bin")
    out = run(folder / "batches", folder / "model.om", folder / "in.bin", folder / "out.bin")
    assert re.findall(r"gear (\d)", out) == ["4", "2", "1"], out
    wanted = np.array([classify_golden(sample[None], w, fc) for sample in samples])
    assert np.allclose(np.fromfile(folder / "out.bin", "float32").reshape(7, 10), wanted, atol=1e-5), out


KERNEL = """
#include "scaled_difference.h"

ge::Status InferScaledDifference(ge::OperatorInferContext& ctx) {
  ctx.SetOutput(0, ctx.InputType(0), ctx.InputShape(0));
  return ge::SUCCESS;
}

ge::Status ComputeScaledDifference(ge::OperatorKernelContext& ctx) {
  float scale = 1;
  ctx.GetAttr("scale", scale);
  const auto* a = static_cast<const float*>(ctx.InputData(0));
  const auto* b = static_cast<const float*>(ctx.InputData(1));
  auto* z = static_cast<float*>(ctx.MakeOutput(0, ctx.InputType(0), ctx.InputShape(0)));
  for (int64_t i = 0; i < ctx.InputShape(0).GetShapeSize(); ++i) z[i] = (a[i] - b[i]) * scale;
  return ge::SUCCESS;
}
"""
PROTOTYPE = """[{"op": "ScaledDifference",
  "input_desc": [{"name": "a", "param_type": "required", "format": ["ND"], "type": ["float"]},
                 {"name": "b", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "output_desc": [{"name": "z", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "attr": [{"name": "scale", "param_type": "optional", "type": "float", "default_value": "2.0"}]}]
"""
BY_CALL = """
import ctypes as C, sys
import numpy as np
lib, acl = C.CDLL(sys.argv[1]), C.CDLL(sys.argv[2])
acl.aclCreateTensor.restype = C.c_void_p
check = lambda code: code == 0 or sys.exit(f"{code}")
check(acl.aclrtSetDevice(0))
arrays = [np.fromfile(f"{name}.bin", "float32") for name in "ab"] + [np.empty(12, "float32")]
tensors, memory, dims = [], [], (C.c_int64 * 2)(3, 4)
for array in arrays:
    address = C.c_void_p()
    check(acl.aclrtMalloc(C.byref(address), C.c_size_t(48), 0))
    check(acl.aclrtMemcpy(address, C.c_size_t(48), C.c_void_p(array.ctypes.data), C.c_size_t(48), 1))
    memory.append(address)
    tensors.append(C.c_void_p(acl.aclCreateTensor(dims, C.c_uint64(2), 0, None, C.c_int64(0), 2, dims, C.c_uint64(2), address)))
size, executor = C.c_uint64(), C.c_void_p()
check(lib.aclnnScaledDifferenceGetWorkspaceSize(tensors[0], tensors[1], C.c_double(0.5), tensors[2], C.byref(size), C.byref(executor)))
workspace = C.c_void_p()
if size.value:
    check(acl.aclrtMalloc(C.byref(workspace), size, 0))
check(lib.aclnnScaledDifference(workspace, size, executor, None))
check(acl.aclrtSynchronizeStream(None))
check(acl.aclrtMemcpy(C.c_void_p(arrays[2].ctypes.data), C.c_size_t(48), memory[2], C.c_size_t(48), 2))
arrays[2].tofile("z.bin")
"""
BY_PYASC = """
import numpy as np, pyasc
with pyasc.Context(config=pyasc.CompileConfig(precision_mode="origin")) as ctx:
    z = ctx.scaled_difference(ctx.input("a", (3, 4)), ctx.input("b", (3, 4)), scale=0.5)
    feeds = {name: np.fromfile(f"{name}.bin", "float32").reshape(3, 4) for name in "ab"}
    np.asarray(ctx.execute(feeds)[z]).tofile("z.bin")
"""


# Names that stand in the generated code too, or have a meaning for CMake.
HARD_NAMES = """{"op": "%s",
  "input_desc": [{"name": "inputs"}, {"name": "stream"}, {"name": "std"}, {"name": "MakeTensor"}, {"name": "xs", "param_type": "dynamic"}],
  "output_desc": [{"name": "outputs"}, {"name": "status"}],
  "attr": [{"name": "attr", "type": "int"}, {"name": "size", "type": "list_int"}, {"name": "Check", "type": "float", "default_value": "1.5"},
           {"name": "k_max", "type": "string", "default_value": "a \\"b\\""}]}
"""


def hard_names(prefix, folder):
    """Projects whose names are close to those of the generated code build, and their calls run."""
    for op in ("Test", "AclMeta"):
        (folder / "op.json").write_text(HARD_NAMES % op)
        run(prefix / "bin/atc", f"--gen_op_project={folder / 'op.json'}", f"--output={folder / op}")
        run("cmake", "-S", folder / op, "-B", folder / op / "build", f"-DASCEND_PATH={prefix}")
        run("cmake", "--build", folder / op / "build")
        assert f"{op} ran" in run("ctest", "--test-dir", folder / op / "build", "-V")


def own_operator(prefix, folder):
    """A generated project whose kernel subtracts and scales, used by its calls, in a model, and from Python."""
    (folder / "op.json").write_text(PROTOTYPE)
    run(prefix / "bin/atc", f"--gen_op_project={folder / 'op.json'}", f"--output={folder / 'project'}")
    (folder / "project/op_kernel/scaled_difference.cc").write_text(KERNEL)
    run("cmake", "-S", folder / "project", "-B", folder / "project/build", f"-DASCEND_PATH={prefix}")
    run("cmake", "--build", folder / "project/build")
    a, b = (np.random.default_rng(i).standard_normal((3, 4)).astype("float32") for i in range(2))
    a.tofile(folder / "a.bin")
    b.tofile(folder / "b.bin")
    env = {**os.environ, "ASCEND_CUSTOM_OPP_PATH": str(folder / "project/build/opp"), "PYTHONPATH": str(prefix / "python/site-packages")}

    def expect(way):
        result = folder / "z.bin"
        assert np.array_equal(np.fromfile(result, "float32").reshape(3, 4), (a - b) * np.float32(0.5)), way
        result.unlink()

    (folder / "call.py").write_text(BY_CALL)
    run(sys.executable, folder / "call.py", folder / "project/build/op_api/libcust_opapi.so", prefix / "lib64/libascendcl.so", env=env, cwd=folder)
    expect("by its calls")

    scale = field(1, "scale") + varint(2 << 3 | 5) + struct.pack("<f", 0.5) + field(20, 1)
    own = node("ScaledDifference", ["a", "b"], ["z"], scale) + field(7, "custom")
    graph = field(1, own) + field(2, "g") + b"".join(field(11, value_info(n, FLOAT, (3, 4))) for n in "ab") + field(12, value_info("z", FLOAT, (3, 4)))
    model = field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)) + field(8, field(1, "custom") + field(2, 1))
    (folder / "own.onnx").write_bytes(model)
    run(prefix / "bin/atc", f"--model={folder / 'own.onnx'}", "--framework=5", "--soc_version=Ascend910B3", f"--output={folder / 'own'}",
        "--precision_mode_v2=origin", env=env)  # fmt: skip
    run(prefix / "bin/omrun", folder / "own.om", "--input", f"a={folder / 'a.bin'}", "--input", f"b={folder / 'b.bin'}", "--output", folder / "out",
        "--outfmt", "BIN", env=env)  # fmt: skip
    next((folder / "out").rglob("*.bin")).rename(folder / "z.bin")
    expect("in a model")

    (folder / "by_pyasc.py").write_text(BY_PYASC)
    run(sys.executable, folder / "by_pyasc.py", env=env, cwd=folder)
    expect("from Python")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run("cmake", "--install", sys.argv[1], "--prefix", folder / "installed")
        for example in (invocation, own_operator, hard_names, pipeline, classification, gears):
            (folder / example.__name__).mkdir()
            example(folder / "installed", folder / example.__name__)
            print(f"{example.__name__}: passed")


main()
