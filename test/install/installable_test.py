"""Everything that is installed from the build folder is made by the target `installable`: the quick start builds no more.

usage: installable_test.py BUILD
"""

import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    if not (build / "build.ninja").exists():
        print("skipped: only ninja tells what a target builds")
        sys.exit(SKIPPED)
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", "installable"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    words = re.split(r"[\s'\"]+", done.stdout)
    made = {Path(word) if word.startswith("/") else build / word for word in words if word}
    made |= {folder for file in made for folder in file.parents}

    text = "".join(script.read_text() for script in sorted(build.rglob("cmake_install.cmake")))
    rules = re.findall(r'TYPE (\w+)(?: OPTIONAL)? FILES "([^"]+)"', text)
    installed = {Path(path): kind for kind, path in rules if Path(path).is_relative_to(build)}
    assert installed, f"{build} installs nothing"
    # Of folders that one command fills, the command may name the folder above them.
    missing = [
        path for path, kind in sorted(installed.items())
        if path not in made and not (kind == "DIRECTORY" and path.parent != build and path.parent in made)
    ]  # fmt: skip
    if missing:
        sys.exit("installed, but not built by the target installable:\n" + "\n".join(map(str, missing)))
    print(f"installable makes all of {len(installed)} files and folders")


main()
