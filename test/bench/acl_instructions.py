"""Instructions that the host spends in the C API: on the launch of an empty kernel, and on runs of models over those of
the executor itself, which the runs are made of. Counted by callgrind, so that they do not depend on the machine's load.

usage: acl_instructions.py BUILD [MODEL.om ...]    MODEL: others than ShuffleNet (where the corpus is) and a toy of 16 x 16 pixels

All are differences between many calls and few, so that what is done once does not count. A launch may take 3,000
instructions, a run 5 % more than its executor; exit status 1 above.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
import bench_models  # noqa: E402
from acl_models import write_model  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FEW, MANY = 20, 220
LAUNCH_LIMIT, EXECUTE_LIMIT = 3000, 0.05


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def counted(folder, program, function, what, count, argument):
    """Instructions within `function`, and by function how many of these are within it and what it calls."""
    out = folder / "callgrind.out"
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--toggle-collect={function}", program, what, count, argument)
    table = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", out)
    total = int(re.search(r"([\d,]+) \(100\.0%\)  PROGRAM TOTALS", table)[1].replace(",", ""))
    by_function = {}
    for number, name in re.findall(r"^ *([\d,]+) \([ \d.]+%\)  \S*?:(.*?)(?: \[[^\]]*\])?$", table, re.M):
        by_function.setdefault(name, int(number.replace(",", "")))
    return total, by_function


def convert(build, model, om):
    run(build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3", f"--output={om.with_suffix('')}", "--precision_mode_v2=origin")
    return om


def toy(build, folder):
    rng = np.random.default_rng(1)
    write_model(folder / "toy.onnx", rng.standard_normal((8, 3, 3, 3)).astype("float32"), rng.standard_normal((8, 10)).astype("float32"))
    return convert(build, folder / "toy.onnx", folder / "toy.om")


def execution(folder, program, model, few, many):
    """Instructions of one aclmdlExecute, and of the executor within it."""
    runs = [counted(folder, program, "aclmdlExecute", "execute", n, model) for n in (few, many)]
    name = next(name for name in runs[1][1] if re.match(r"atc::(Static|Dynamic)Model::Execute\(", name))
    per_run = lambda of: (of(runs[1]) - of(runs[0])) / (many - few)
    return per_run(lambda r: r[0]), per_run(lambda r: r[1][name])


def main(build, *models):
    build = Path(build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program, kernels = folder / "acl_calls", folder / "kernels.so"
        run("cc", "-O2", "-g", ROOT / "test/bench/acl_calls.c", "-I", ROOT / "backend/acl/include", f"-L{build / 'lib'}", "-lascendcl",
            f"-Wl,-rpath,{build / 'lib'}", "-o", program)  # fmt: skip
        (folder / "kernels.c").write_text("void nothing(void *unused) { (void)unused; }\n")
        run("cc", "-O2", "-shared", "-fPIC", folder / "kernels.c", "-o", kernels)
        launches = [counted(folder, program, "aclrtLaunchKernel", "launch", n, kernels)[0] for n in (FEW, MANY)]
        launch = (launches[1] - launches[0]) / (MANY - FEW)
        print(f"launch of an empty kernel: {launch:.0f} instructions (at most {LAUNCH_LIMIT})")
        jobs = [(Path(model), 1, 2) for model in models]
        if not models:
            jobs = [(toy(build, folder), FEW, MANY)]
            if bench_models.corpus().is_dir():
                model = next(m for m in bench_models.MODELS if m.name == "shufflenet")
                jobs.append((convert(build, bench_models.prepare(model, folder), folder / "shufflenet.om"), 1, 2))
        good = launch <= LAUNCH_LIMIT
        for model, few, many in jobs:
            whole, direct = execution(folder, program, model, few, many)
            good &= whole / direct - 1 <= EXECUTE_LIMIT
            print(f"{model.stem}: aclmdlExecute {whole:.0f}, the executor within it {direct:.0f} instructions, {whole - direct:.0f} more: {100 * (whole / direct - 1):.4f} %")
        return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
