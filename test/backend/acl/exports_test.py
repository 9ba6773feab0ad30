"""libascendcl.so exports the functions that the C headers declare, and nothing else; among them those that programs of the
samples and runners call, which required_names.txt lists. Every other name of the library is a link to it.

usage: exports_test.py NM LIBRARY NAMES HEADER_FOLDER...    NAMES: of the links, separated by ','
"""
import pathlib
import re
import subprocess
import sys


def main(nm, library, names, *folders):
    declared = set()
    for folder in folders:
        for header in pathlib.Path(folder).rglob("*.h"):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
            text = re.sub(r"^#.*", "", text, flags=re.M)
            declared |= set(re.findall(r"\b((?:[aA]cl|openatc)\w+)\(", text))
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in listing.splitlines()}
    required = set(pathlib.Path(__file__).with_name("required_names.txt").read_text().split())
    faults = [f"declared but not exported: {name}" for name in sorted(declared - exported)]
    faults += [f"exported but not declared: {name}" for name in sorted(exported - declared)]
    faults += [f"required but not there: {name}" for name in sorted(required - declared)]
    for name in names.split(","):
        link = pathlib.Path(library).with_name(f"lib{name}.so")
        if not link.exists() or not link.samefile(library):
            faults.append(f"{link} is no link to the library")
    print(*faults, sep="\n")
    print(f"{len(declared)} functions declared, {len(exported)} symbols exported, {len(required)} required")
    return 1 if faults or not declared else 0


sys.exit(main(*sys.argv[1:]))
