"""Writes the headers and the entry points of the operator calls from their table of signatures.

usage: generate.py TABLE HEADER_FOLDER SOURCE

HEADER_FOLDER/aclnnop/aclnn_<header>.h    both phases of each call of that header
HEADER_FOLDER/aclnnop/level2/    the same by the paths of older toolkits
HEADER_FOLDER/aclnnop/aclnn_ops_<package>.h, aclnn_ops.h    all of a package, all
SOURCE    the C functions: each hands its arguments to the two functions of argument.h
"""

import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

# type in the table: C type, kind in argument.h
TYPES = {
    "T": ("const aclTensor *", "kInput"),
    "O": ("aclTensor *", "kOutput"),
    "R": ("aclTensor *", "kInOut"),
    "TL": ("const aclTensorList *", "kInputs"),
    "OL": ("aclTensorList *", "kOutputs"),
    "RL": ("aclTensorList *", "kInOuts"),
    "S": ("const aclScalar *", "kScalar"),
    "SL": ("const aclScalarList *", "kScalars"),
    "IA": ("const aclIntArray *", "kInts"),
    "FA": ("const aclFloatArray *", "kFloats"),
    "BA": ("const aclBoolArray *", "kBools"),
    "str": ("const char *", "kText"),
    "i64": ("int64_t ", "kInt"),
    "i32": ("int32_t ", "kInt"),
    "i8": ("int8_t ", "kInt"),
    "u64": ("uint64_t ", "kInt"),
    "f64": ("double ", "kReal"),
    "f32": ("float ", "kReal"),
    "b": ("bool ", "kFlag"),
    "dt": ("aclDataType ", "kType"),
}


@dataclass
class Arg:
    type: str
    name: str
    optional: bool
    const: bool  # in C, although the call writes it

    def c_type(self):
        return ("const " if self.const else "") + TYPES[self.type][0]


@dataclass
class Call:
    name: str
    package: str
    header: str
    args: list

    def phase_1(self):
        args = [f"{a.c_type()}{a.name}" for a in self.args]
        return (f"aclnnStatus aclnn{self.name}GetWorkspaceSize(" +
                ", ".join([*args, "uint64_t *workspaceSize", "aclOpExecutor **executor"]) + ")")

    def phase_2(self):
        return (f"aclnnStatus aclnn{self.name}(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, "
                "aclrtStream stream)")


def read(table):
    calls = []
    for line in Path(table).read_text().splitlines():
        if line.startswith("#"):
            continue
        name, package, header, args = line.split("\t")
        parsed = []
        for arg in args.split():
            kind, arg_name = arg.split(":")
            parsed.append(Arg(kind.rstrip("?+"), arg_name, "?" in kind, "+" in kind))
        calls.append(Call(name, package, header, parsed))
    return calls


def wrap(declaration):
    """The declaration in lines of at most 120 characters."""
    lines, line = [], "ACL_FUNC_VISIBILITY "
    for word in declaration.split(" "):
        if len(line) + len(word) > 119:
            lines.append(line.rstrip())
            line = "    "
        line += word + " "
    return "\n".join([*lines, line.rstrip()])


def header_of(name, calls):
    guard = f"ACLNNOP_ACLNN_{name.upper()}_H_"
    body = [f"/* Operator calls in two phases: {', '.join('aclnn' + c.name for c in calls)}.",
            " * Phase 1 checks the arguments and gives the size of the workspace and an executor; phase 2 queues the run. */",
            f"#ifndef {guard}", f"#define {guard}", "", '#include "../aclnn/aclnn_base.h"', "", "#ifdef __cplusplus",
            'extern "C" {', "#endif", ""]
    for call in calls:
        optional = [a.name for a in call.args if a.optional]
        if optional:
            body.append(f"/* May be NULL: {', '.join(optional)}. */")
        body += [wrap(call.phase_1() + ";"), wrap(call.phase_2() + ";"), ""]
    return "\n".join([*body, "#ifdef __cplusplus", "}", "#endif", f"#endif /* {guard} */", ""])


def source_of(calls):
    lines = ["// Made by generate.py from signatures.tsv.", '#include "backend/aclnn/argument.h"', "",
             '#include "aclnnop/aclnn_ops.h"', "", "namespace {", "", "using atc::aclnn::Arg;", "using atc::aclnn::ArgInfo;",
             "using atc::aclnn::ArgKind;", "using atc::aclnn::Signature;", ""]
    for call in calls:
        infos = ", ".join(f'{{"{a.name}", ArgKind::{TYPES[a.type][1]}, {str(a.optional).lower()}}}' for a in call.args)
        lines.append(f"constexpr ArgInfo k{call.name}Args[] = {{{infos}}};")
        lines.append(f'constexpr Signature k{call.name} = {{"aclnn{call.name}", k{call.name}Args}};')
    lines += ["", "}  // namespace", ""]
    for call in calls:
        args = ", ".join(f"Arg({a.name})" for a in call.args)
        lines += [call.phase_1() + " {", f"  const Arg args[] = {{{args}}};",
                  f"  return atc::aclnn::GetWorkspaceSize(k{call.name}, args, workspaceSize, executor);", "}",
                  call.phase_2() + " {",
                  f"  return atc::aclnn::Run(k{call.name}.name, workspace, workspaceSize, executor, stream);", "}"]
    return "\n".join(lines) + "\n"


def umbrella(name, headers):
    guard = f"ACLNNOP_ACLNN_{name.upper()}_H_"
    return "\n".join([f"/* All operator calls of this package. */", f"#ifndef {guard}", f"#define {guard}", "",
                      *(f'#include "aclnn_{h}.h"' for h in headers), "", f"#endif /* {guard} */", ""])


def main(table, folder, source):
    calls = read(table)
    target = Path(folder, "aclnnop")
    target.mkdir(parents=True, exist_ok=True)
    by_header, by_package = defaultdict(list), defaultdict(set)
    for call in calls:
        by_header[call.header].append(call)
        by_package[f"ops_{call.package}"].add(call.header)
        by_package["ops"].add(call.header)
    for name, group in by_header.items():
        (target / f"aclnn_{name}.h").write_text(header_of(name, group))
    for name, headers in by_package.items():
        (target / f"aclnn_{name}.h").write_text(umbrella(name, sorted(headers)))
    level2 = target / "level2"
    level2.mkdir(exist_ok=True)
    for name in by_header:
        (level2 / f"aclnn_{name}.h").write_text(
            f"/* The place of this header in older toolkits. */\n#include \"../aclnn_{name}.h\"\n")
    Path(source).write_text(source_of(calls))


main(*sys.argv[1:])
