"""Builds the examples of the C interface against an installed tree, as their READMEs say, and runs them.

usage: acl_examples_test.py BUILD
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from acl_models import write_model  # noqa: E402

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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run("cmake", "--install", sys.argv[1], "--prefix", folder / "installed")
        for example in (invocation, pipeline, classification):
            (folder / example.__name__).mkdir()
            example(folder / "installed", folder / example.__name__)
            print(f"{example.__name__}: passed")


main()
