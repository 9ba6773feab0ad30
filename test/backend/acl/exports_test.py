"""libascendcl.so exports the functions that the C headers declare, and nothing else.

usage: exports_test.py NM LIBRARY HEADER_FOLDER
"""
import pathlib
import re
import subprocess
import sys


def main(nm, library, folder):
    declared = set()
    for header in pathlib.Path(folder).rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        declared |= set(re.findall(r"\b((?:acl|openatc)\w+)\(", text))
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in listing.splitlines()}
    for name in sorted(declared - exported):
        print(f"declared but not exported: {name}")
    for name in sorted(exported - declared):
        print(f"exported but not declared: {name}")
    print(f"{len(declared)} functions declared, {len(exported)} symbols exported")
    return 0 if declared == exported and declared else 1


sys.exit(main(*sys.argv[1:]))
