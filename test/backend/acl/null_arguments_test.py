"""Every function of the C headers called with nothing but zeros, on a thread with a device and on one without: none may crash,
and all but those of which NULL_IS_FINE says so refuse, with a code that is not 0 or a result that stands for none, and a text.

usage: null_arguments_test.py LIBRARY HEADER_FOLDER...
"""

import ctypes as C
import os
import re
import sys
from pathlib import Path

# What zeros mean something for: defaults, NULL as the default stream, the device 0, nothing to destroy.
NULL_IS_FINE = set("""
aclDestroyBoolArray
aclDestroyFloatArray
aclDestroyIntArray
aclDestroyScalar
aclDestroyScalarList
aclDestroyTensor
aclDestroyTensorList
aclnnInit
aclopSetCompileFlag
aclrtDeviceDisablePeerAccess
aclrtDeviceEnablePeerAccess
aclrtDeviceGetStreamPriorityRange
aclrtSetDevice
aclrtSetExceptionInfoCallback
aclrtSetOpExecuteTimeOut
aclrtSetOpExecuteTimeOutV2
aclrtSetOpExecuteTimeOutWithMs
aclrtSetOpWaitTimeout
aclrtSetStreamOverflowSwitch
aclrtSetSysParamOpt
aclrtStreamAbort
aclrtStreamStop
aclrtSubscribeHostFunc
aclrtSynchronizeDeviceWithTimeout
aclrtSynchronizeStream
aclrtSynchronizeStreamWithTimeout
aclrtUnSubscribeHostFunc
openatcSetCores
""".split())
# They end or wait for something, or start what the rest needs.
NOT_CALLED = {"aclInit", "aclFinalize", "aclFinalizeReference", "aclrtResetDevice", "aclrtResetDeviceForce",
              "aclrtGetLastError", "aclrtPeekAtLastError"}  # the last two tell of earlier calls


def functions(folders):
    """{name: (what it returns, number of parameters)} of the headers."""
    found = {}
    for folder in folders:
        for header in sorted(Path(folder).rglob("*.h")):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
            text = re.sub(r"^\s*#.*(\\\n.*)*", "", text, flags=re.M)
            for result, name, parameters in re.findall(r"(?:ACL_FUNC_VISIBILITY|ACL_OPAPI|extern)?\s*\b((?:const )?\w+[ *]+)((?:acl|Acl|openatc)\w+)\(([^;{]*?)\)\s*;", text):
                depth, count = 0, 0 if parameters.strip() in ("", "void") else 1
                for char in parameters:
                    depth += char in "([" and 1 or char in ")]" and -1 or 0
                    count += char == "," and depth == 0
                found[name] = (re.sub(r"\s+", " ", result).strip(), count)
    return found


def call(lib, name, result, count):
    """The result as a number, and the text that the thread's log holds afterwards."""
    function = getattr(lib, name)
    function.restype = C.c_void_p if "*" in result else C.c_size_t if result == "size_t" else None if result == "void" else C.c_int
    lib.aclGetRecentErrMsg()
    value = function(*[C.c_void_p(0)] * count)
    return value or 0, lib.aclGetRecentErrMsg() or b""


def sweep(lib, found, names):
    faults = []
    for name in names:
        result, count = found[name]
        print(name, file=sys.stderr, flush=True)  # the last line names what crashed
        value, text = call(lib, name, result, count)
        if result in ("aclError", "aclnnStatus", "int", "int32_t"):
            if value == 0 and name not in NULL_IS_FINE and count > 0:
                faults.append(f"{name} takes zeros")
            if value != 0 and not text:
                faults.append(f"{name} gives {value} and says nothing")
    return faults


def main(library, *folders):
    lib = C.CDLL(library)
    lib.aclGetRecentErrMsg.restype = C.c_char_p
    found = functions(folders)
    names = [name for name in sorted(found) if name not in NOT_CALLED]
    without = sweep(lib, found, [n for n in names if n.startswith(("aclrt", "aclmdl", "aclnn"))])
    if lib.aclrtSetDevice(0) != 0:
        sys.exit("no device")
    faults = sweep(lib, found, names)
    print(*faults, sep="\n")
    print(f"{2 * len(names)} cases, {len(faults)} failed")
    sys.stdout.flush()
    os._exit(1 if faults else 0)


main(*sys.argv[1:])
