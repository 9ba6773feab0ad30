"""libascendcl.so exports the functions that the C headers declare, and nothing else; among them those that programs of the
samples and runners call, which required_names.txt lists. The library under its other names is the same library: programs
that link them need them by those names, and their functions are those of libascendcl.so.

usage: exports_test.py NM CC LIBRARY NAMES HEADER_FOLDER...    NAMES: the other names, separated by ','
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = """
#include <dlfcn.h>
extern int aclInit(const char *), aclFinalize(void);
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  return aclInit(0) + aclFinalize() + (dlsym(library, "aclInit") != (void *)aclInit);
}
"""


def faults_of_names(cc, library, names):
    """Loads each name beside the library, and links a program with each alone."""
    library, functions = pathlib.Path(library), ("aclInit", "aclrtMalloc", "aclmdlExecute", "aclnnAdd", "aclblasGemmEx")
    main = ctypes.CDLL(str(library))
    address = lambda lib, name: ctypes.cast(getattr(lib, name), ctypes.c_void_p).value
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "p.c", pathlib.Path(folder) / "p"
        source.write_text(PROGRAM)
        for name in names:
            path = library.with_name(f"lib{name}.so")
            other = ctypes.CDLL(str(path))
            for function in functions:
                if address(other, function) != address(main, function):
                    yield f"{function} of {path.name} is not that of the library"
            built = subprocess.run([cc, str(source), "-o", str(program), f"-L{library.parent}", f"-l{name}", "-ldl",
                                    f"-Wl,-rpath,{library.parent}"], capture_output=True, text=True)  # fmt: skip
            if built.returncode != 0:
                yield f"-l{name} does not link: {built.stderr}"
                continue
            if path.name.encode() not in program.read_bytes():
                yield f"a program linked with -l{name} does not need {path.name}"
            environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
            code = subprocess.run([str(program), str(library)], env=environment).returncode
            if code != 0:
                yield f"a program linked with -l{name} ends with {code}"


def main(nm, cc, library, names, *folders):
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
    faults += faults_of_names(cc, library, names.split(","))
    print(*faults, sep="\n")
    print(f"{len(declared)} functions declared, {len(exported)} symbols exported, {len(required)} required")
    return 1 if faults or not declared else 0


sys.exit(main(*sys.argv[1:]))
