"""Writes the functions that headers of calls which are not offered declare: each says so and returns 200001, or what stands
for nothing in its type.

usage: unoffered.py SOURCE HEADER...
"""

import re
import sys
from pathlib import Path

NOTHING = {"aclDataType": "ACL_DT_UNDEFINED", "acltdtTensorType": "ACL_TENSOR_DATA_UNDEFINED", "size_t": "0"}


def main(source, *headers):
    lines = ["// Made by unoffered.py from the headers below.", '#include "acl/acl_rt.h"', '#include "backend/acl/guard.h"']
    lines += [f'#include "acl/{Path(header).name}"' for header in headers] + [""]
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.S)
        for prototype in re.findall(r"ACL_FUNC_VISIBILITY\s+(.*?);", text, flags=re.S):
            prototype = re.sub(r"\s+", " ", prototype)
            result, name = re.match(r"(.*?[ *])(\w+)\(", prototype).groups()
            call = f'atc::acl::Unoffered("{name}")'
            nothing = "nullptr" if "*" in result else NOTHING.get(result.strip())
            body = f"return {call};" if result.strip() == "aclError" else f"{call}; return {nothing};"
            lines.append(f"{prototype} {{ {body} }}")
    Path(source).write_text("\n".join(lines) + "\n")


main(*sys.argv[1:])
