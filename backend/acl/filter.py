"""Writes the C source of the filters of libascendcl.so: all its symbols, each standing for a function that is never called,
since the loader takes it from the library itself.

usage: filter.py NM LIBRARY SOURCE
"""

import subprocess
import sys
from pathlib import Path


def main(nm, library, source):
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    lines = ["/* Made by filter.py. */", "static void filtered(void) { __builtin_trap(); }"]
    for name in sorted(line.split()[-1] for line in listing.splitlines()):
        lines.append(f'void {name}(void) __attribute__((alias("filtered")));')
    Path(source).write_text("\n".join(lines) + "\n")


main(*sys.argv[1:])
