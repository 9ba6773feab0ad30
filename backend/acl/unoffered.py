"""Writes the functions that acl_rt_unoffered.h declares: each says so and returns 200001.

usage: unoffered.py HEADER SOURCE
"""

import re
import sys
from pathlib import Path


def main(header, source):
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.S)
    lines = ['// Made by unoffered.py from acl_rt_unoffered.h.', '#include "acl/acl_rt.h"', '#include "backend/acl/guard.h"', '']
    for prototype in re.findall(r"ACL_FUNC_VISIBILITY\s+(.*?);", text, flags=re.S):
        prototype = re.sub(r"\s+", " ", prototype)
        name = re.search(r"(\w+)\(", prototype)[1]
        lines.append(f'{prototype} {{ return atc::acl::Unoffered("{name}"); }}')
    Path(source).write_text("\n".join(lines) + "\n")


main(*sys.argv[1:])
