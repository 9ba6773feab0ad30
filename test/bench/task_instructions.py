"""Instructions that the executor spends beside its kernels, for each task of a run. Counted by callgrind, so that they do
not depend on the machine's load.

usage: task_instructions.py BUILD MODEL.om...

Of one run of the executor: all instructions, those within the kernels of its tasks, and what is left over the number of
tasks: walking the plan, finding addresses, taking inputs and giving outputs. Differences between two runs and one, so that
what is done once does not count. Callgrind knows no AVX-512: the kernels are those for AVX2, what is beside them is the same.
"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import om_wire  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
ASIDE = {"Const", "Data", "NetOutput"}


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def counted(folder, program, runs, model):
    """Instructions of so many runs of the executor, and those of them within kernels."""
    out = folder / f"callgrind.{runs}.out"
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=atc::StaticModel::Run(*", program, "execute", runs, model)
    table = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", out)
    whole = int(re.search(r"([\d,]+) \(100\.0%\)  PROGRAM TOTALS", table)[1].replace(",", ""))
    # Parts that a team runs are within the kernel that starts it.
    kernels = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  \S*?:(atc::kernels::[^\[\n]*Kernel::Run\([^\[\n]*)(?:\[(?!clone)|$)", table, re.M)
    return whole, sum(int(number.replace(",", "")) for number, _ in kernels)


def main(build, *models):
    build = Path(build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = folder / "acl_calls"
        run("cc", "-O2", "-g", ROOT / "test/bench/acl_calls.c", "-I", ROOT / "backend/acl/include", f"-L{build / 'lib'}", "-lascendcl",
            f"-Wl,-rpath,{build / 'lib'}", "-o", program)  # fmt: skip
        print(f"{'model':<32} {'tasks':>6} {'instructions':>14} {'in kernels':>14} {'a task beside':>14}")
        for model in map(Path, models):
            graph = om_wire.read(model)[0]["graph"][0]
            tasks = sum(op["type"] not in ASIDE and op.get("stream_id", 0) >= 0 for op in graph["op"])
            # Loading takes nearly all of the time under callgrind: both at once.
            with ThreadPoolExecutor() as pool:
                (more, kernels_more), (one, kernels_one) = pool.map(lambda runs: counted(folder, program, runs, model), (2, 1))
            whole, kernels = more - one, kernels_more - kernels_one
            print(f"{model.stem:<32} {tasks:>6} {whole:>14} {kernels:>14} {(whole - kernels) / max(tasks, 1):>14.0f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
