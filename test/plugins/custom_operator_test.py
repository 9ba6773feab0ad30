"""Builds the example operators against an installed tree, as its README says, and runs their test.

usage: custom_operator_test.py BUILD
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # The build program that this tree was built with is there; the default one may not be.
    cache = (Path(sys.argv[1]) / "CMakeCache.txt").read_text()
    generator = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_GENERATOR:"))
    with tempfile.TemporaryDirectory() as folder:
        prefix, build = Path(folder) / "installed", Path(folder) / "build"
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        run("cmake", "-S", ROOT / "examples" / "custom_operator", "-B", build, "-G", generator,
            f"-DASCEND_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")  # fmt: skip
        run("cmake", "--build", build)
        print(run("ctest", "--test-dir", build, "--output-on-failure"))


main()
