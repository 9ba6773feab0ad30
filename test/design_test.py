"""Checks the tree against the design: who includes whom, where libraries are wrapped, layout, sizes, words.

usage: design_test.py ROOT

Prints one line for each finding, "file:line: what is wrong and what the rule is", and exits 1 if there is any.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

# A target's folders, and the targets whose headers its sources may include. A file belongs to the longest folder that
# holds it; a folder may always include itself. What is not listed is forbidden.
COMPILER = "ir io ops soc passes precision layout plan streams om dump pipeline"
TARGETS = {
    # target: (folders, may include)
    "acl": ("backend/acl", "acl_headers ir ops executor profile runtime"),
    "acl_headers": ("backend/acl/include", ""),
    "aclnn": ("backend/aclnn", "acl acl_headers ir ops kernels runtime operators"),
    "atc": ("cmd/atc", "docs pipeline parsers ir io operators"),
    "docs": ("cmd/docs", ""),
    "dump": ("compiler/dump", "ir io ops om"),
    "executor": ("backend/executor", "ir io ops plan om kernels runtime loader operators"),
    "install": ("cmd/install", "docs atc omrun"),
    "io": ("compiler/io", "ir"),
    "ir": ("compiler/ir", ""),
    "kernels": ("backend/kernels", "ir ops"),
    "layout": ("compiler/layout", "ir ops soc"),
    "loader": ("plugins/loader", ""),
    "npu": ("backend/npu", "ir io ops om acl_headers"),
    "om": ("compiler/om", "ir io ops"),
    "omrun": ("cmd/omrun", "docs acl_headers profile"),
    "operators": ("plugins/operators", "ir loader sdk plugin_headers"),
    "ops": ("compiler/ops", "ir"),
    "parsers": ("parsers", "ir io ops"),
    "passes": ("compiler/passes", "ir ops"),
    "pipeline": ("compiler", f"{COMPILER} sdk loader"),
    "plan": ("compiler/plan", "ir ops"),
    "plugin_headers": ("plugins/include", ""),
    "precision": ("compiler/precision", "ir ops soc"),
    "profile": ("backend/profile", ""),
    "pyasc": ("plugins/pyasc", "ir io ops layout dump om pipeline parsers operators atc acl_headers plugin_headers"),
    "runtime": ("backend/runtime", ""),
    "sdk": ("plugins/sdk", "ir ops streams loader plugin_headers"),
    "soc": ("compiler/soc", "ir ops"),
    "streams": ("compiler/streams", "ir ops soc plan"),
}

# Libraries that stay behind a wrapper or at the edges: the start of the header's name, and the folders that may
# include it (tests may as well).
WRAPPED = {
    ".pb.h": "compiler/io compiler/om compiler/dump parsers",
    "CLI/": "cmd",
    "catch2/": "",
    "dnnl": "backend/kernels/onednn",
    "google/protobuf": "compiler/io compiler/om compiler/dump parsers",
    "hwy/": "backend/kernels",
    "oneapi/dnnl": "backend/kernels/onednn",
    "onnx/": "parsers",
    "re2": "compiler/ops",
    "sleef": "backend/kernels compiler/ops",
}

TOP_LEVEL = """CHANGELOG.md CMakeLists.txt CMakePresets.json LICENSE README.md README.zh.md
               backend cmd compiler examples parsers plugins test""".split()
INCLUDE_ROOTS = ("", "backend/acl/include", "plugins/include")  # where a quoted name is looked up, after its own folder
SOURCES = {".cc", ".h", ".cpp", ".hpp"}
MAX_LINES = 700
TEXT = SOURCES | {".cmake", ".in", ".js", ".map", ".md", ".mjs", ".proto", ".py", ".sh", ".txt"}
SORTED_LISTS = ("examples/dependencies.txt", "examples/dependencies_tests.txt")

# Written in halves, so that this file does not hold them itself.
WORDS = {
    r"\b(?:TO" + r"DO|FIX" + r"ME)\b": "marks unfinished work",
    r"\bX" + r"XX": "marks unfinished work",
    r"(?i)\b(?:not |un)impl" + r"emented\b": "marks unfinished work: say what is unsupported and what to do",
    r"\bst" + r"ub\b": "marks unfinished work",
    r"\bplace" + r"holder\b(?!\(| = \d)": "marks unfinished work",  # a message's field may have this name
    r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me)/": "is a path of one machine",
}
INCLUDE = re.compile(r'\s*#\s*include\s+(["<])([^">]+)[">]')


def tracked(root):
    """Files of the project: those of git (with new ones that it does not ignore), else all outside build folders."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if git.returncode == 0:
        names = git.stdout.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
        names = [n for n in names if not re.match(r"build[^/]*/|\.git/|.*__pycache__", n)]
    return sorted(n for n in set(names) if (root / n).is_file())


def target_of(name):
    """The target whose folder holds the file, or None."""
    best = max((f for f, _ in TARGETS.values() if name.startswith(f + "/")), key=len, default=None)
    return next((t for t, (f, _) in TARGETS.items() if f == best), None)


def resolve(name, header, files):
    """The project's file that an #include "header" in `name` means, or None."""
    for folder in (os.path.dirname(name), *INCLUDE_ROOTS):
        candidate = os.path.normpath(os.path.join(folder, header))
        if candidate in files:
            return candidate
    return None


def check_include(name, header, quoted, files):
    """What is wrong with one #include, or None."""
    for start, folders in WRAPPED.items():
        if header.startswith(start) or (start == ".pb.h" and header.endswith(start)):
            if not any(name.startswith(f + "/") for f in folders.split()):
                return f"includes {header}, which only {folders or 'tests'} may"
            return None
    if not quoted:
        return None
    found = resolve(name, header, files)
    if found is None:
        return f'includes "{header}", which is no file of the project; names start at the root'
    user, used = target_of(name), target_of(found)
    if user is None:
        return "belongs to no target of the table"
    if used is None:
        return f"includes {found}, which belongs to no target"
    if used != user and used not in TARGETS[user][1].split():
        return f"includes {found}: {user} may include only {TARGETS[user][1] or 'itself'}"
    return None


def check_file(root, name, files):
    """(line, what is wrong) of one file."""
    suffix = Path(name).suffix
    if suffix not in TEXT and Path(name).name not in ("run",):
        return
    lines = (root / name).read_text(encoding="utf-8").splitlines()
    if suffix in SOURCES | {".py"} and len(lines) > MAX_LINES:
        yield len(lines), f"has more than {MAX_LINES} lines: does it hold more than one subject?"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line) if suffix in SOURCES and not name.startswith(("test/", "examples/")) else None
        if match:
            fault = check_include(name, match[2], match[1] == '"', files)
            if fault:
                yield number, fault
        for pattern, why in WORDS.items():
            if re.search(pattern, line):
                yield number, f"'{re.search(pattern, line)[0]}' {why}"


def findings(root):
    files = set(tracked(root))
    for entry in sorted({n.split("/")[0] for n in files}):
        if entry not in TOP_LEVEL and not entry.startswith("."):
            yield f"{entry}:1: is not in the agreed top-level layout"
    for name in SORTED_LISTS:
        lines = (root / name).read_text().splitlines()
        if lines != sorted(set(lines)):
            yield f"{name}:1: is not sorted, or has an entry twice"
    for name in sorted(files):
        for number, fault in check_file(root, name, files):
            yield f"{name}:{number}: {fault}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(findings(Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "the tree follows the design")
    sys.exit(1 if found else 0)


main()
