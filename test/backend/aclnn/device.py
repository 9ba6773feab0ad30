"""libascendcl.so from Python, for tests: tensors from NumPy arrays, operator calls by their row in the table of signatures."""

import ctypes as C
from pathlib import Path

import numpy as np

TYPES = {  # aclDataType
    "float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8, "int64": 9,
    "uint64": 10, "float64": 11, "bool": 12, "complex64": 16, "complex128": 17,
}
FORMATS = {"NCHW": 0, "ND": 2, "NCDHW": 30, "NCL": 47}
SUCCESS, NULLPTR, INVALID, RUNTIME, INNER, INNER_NULLPTR = 0, 161001, 161002, 361001, 561000, 561103


def type_of(dtype):
    return TYPES[np.dtype(dtype).name]


class Device:
    def __init__(self, library, signatures):
        self.lib = C.CDLL(library)
        self.table = {}
        for line in Path(signatures).read_text().splitlines():
            if not line.startswith("#"):
                name, _, _, args = line.split("\t")
                self.table[name] = [a.split(":") for a in args.split()]
        for name in ("aclCreateTensor aclCreateScalar aclCreateIntArray aclCreateFloatArray aclCreateTensorList aclCreateScalarList "
                     "aclCreateDataBuffer aclCreateTensorDesc aclopCreateAttr").split():
            getattr(self.lib, name).restype = C.c_void_p
        self.lib.aclGetRecentErrMsg.restype = C.c_char_p
        self.check(self.lib.aclrtSetDevice(0))

    def check(self, code):
        if code != 0:
            raise RuntimeError(f"{code}: {self.message()}")

    def message(self):
        return (self.lib.aclGetRecentErrMsg() or b"").decode()

    def malloc(self, size):
        address = C.c_void_p()
        self.check(self.lib.aclrtMalloc(C.byref(address), C.c_size_t(max(size, 1)), 0))
        return address.value

    def free(self, address):
        self.check(self.lib.aclrtFree(C.c_void_p(address)))

    def to_device(self, array):
        array = np.ascontiguousarray(array)
        address = self.malloc(array.nbytes)
        if array.nbytes:
            self.check(self.lib.aclrtMemcpy(C.c_void_p(address), C.c_size_t(array.nbytes), C.c_void_p(array.ctypes.data),
                                            C.c_size_t(array.nbytes), 1))
        return address

    def from_device(self, address, like):
        out = np.empty(like.shape, like.dtype)
        if out.nbytes:
            self.check(self.lib.aclrtMemcpy(C.c_void_p(out.ctypes.data), C.c_size_t(out.nbytes), C.c_void_p(address),
                                            C.c_size_t(out.nbytes), 2))
        return out

    def synchronize(self, stream=None):
        return self.lib.aclrtSynchronizeStream(C.c_void_p(stream))


class Tensor:
    """An array on the device. With `view`, a function of an array, the tensor is that view of the stored array."""

    def __init__(self, device, array, fmt="ND", view=None):
        self.device, self.stored = device, np.ascontiguousarray(array).reshape(np.shape(array))
        seen = view(self.stored) if view else self.stored
        item = self.stored.itemsize
        self.shape = seen.shape
        self.address = device.to_device(self.stored)
        offset = (seen.ctypes.data - self.stored.ctypes.data) // item if seen.size else 0
        longs = lambda values: (C.c_int64 * max(len(values), 1))(*values)
        strides = longs([s // item for s in seen.strides])
        storage = longs([self.stored.size])
        self.view = view
        self.handle = device.lib.aclCreateTensor(longs(seen.shape), C.c_uint64(seen.ndim), type_of(seen.dtype),
                                                 strides if view else None, C.c_int64(offset), FORMATS[fmt], storage,
                                                 C.c_uint64(1), C.c_void_p(self.address))
        if not self.handle:
            raise RuntimeError(device.message())

    def read(self):
        whole = self.device.from_device(self.address, self.stored)
        return self.view(whole) if self.view else whole

    def close(self):
        self.device.lib.aclDestroyTensor(C.c_void_p(self.handle))
        self.device.free(self.address)


class Scalar:
    def __init__(self, value, dtype=None):
        self.value = np.array(value, dtype or ("float32" if isinstance(value, float) else "bool" if isinstance(value, bool) else "int64"))


class Call:
    """One operator call: phase 1 on making, phase 2 by run()."""

    def __init__(self, device, name, *args):
        self.device, self.name, self.owned = device, name, []
        signature = device.table[name]
        assert len(args) == len(signature), (name, len(args), signature)
        values = [self.convert(kind.rstrip("?+"), arg) for (kind, _), arg in zip(signature, args)]
        self.size, self.executor = C.c_uint64(), C.c_void_p()
        function = getattr(device.lib, f"aclnn{name}GetWorkspaceSize")
        self.code = function(*values, C.byref(self.size), C.byref(self.executor))
        self.text = device.message() if self.code else ""

    def convert(self, kind, arg):
        lib = self.device.lib
        if arg is None:
            return C.c_void_p(None)
        if isinstance(arg, Tensor):
            return C.c_void_p(arg.handle)
        if kind in ("TL", "OL", "RL"):
            handles = (C.c_void_p * max(len(arg), 1))(*[t.handle for t in arg])
            return self.own("TensorList", lib.aclCreateTensorList(handles, C.c_uint64(len(arg))), arg)
        if kind == "S":
            scalar = arg if isinstance(arg, Scalar) else Scalar(arg)
            return self.own("Scalar", lib.aclCreateScalar(C.c_void_p(scalar.value.ctypes.data), type_of(scalar.value.dtype)), scalar)
        if kind == "SL":
            scalars = [Scalar(value) if not isinstance(value, Scalar) else value for value in arg]
            handles = [lib.aclCreateScalar(C.c_void_p(s.value.ctypes.data), type_of(s.value.dtype)) for s in scalars]
            return self.own("ScalarList", lib.aclCreateScalarList((C.c_void_p * len(handles))(*handles), C.c_uint64(len(handles))), scalars)
        if kind == "IA":
            return self.own("IntArray", lib.aclCreateIntArray((C.c_int64 * max(len(arg), 1))(*arg), C.c_uint64(len(arg))))
        if kind == "FA":
            return self.own("FloatArray", lib.aclCreateFloatArray((C.c_float * max(len(arg), 1))(*arg), C.c_uint64(len(arg))))
        if kind == "dt":
            return C.c_int(type_of(arg) if not isinstance(arg, int) else arg)
        if kind == "str":
            return C.c_char_p(arg.encode())
        ctype = {"i64": C.c_int64, "i32": C.c_int32, "i8": C.c_int8, "u64": C.c_uint64, "f64": C.c_double, "f32": C.c_float, "b": C.c_bool}[kind]
        return ctype(arg)

    def own(self, kind, handle, keep=None):
        self.owned.append((kind, handle, keep))
        return C.c_void_p(handle)

    def run(self, stream=None):
        workspace = self.device.malloc(self.size.value) if self.size.value else None
        code = getattr(self.device.lib, f"aclnn{self.name}")(C.c_void_p(workspace), self.size, self.executor, C.c_void_p(stream))
        if code == 0:
            code = self.device.synchronize(stream)
        self.text = self.device.message() if code else ""
        if workspace:
            self.device.free(workspace)
        return code

    def close(self):
        for kind, handle, keep in self.owned:
            if kind != "TensorList":  # a list's tensors are the test's own: only the list goes with the process
                getattr(self.device.lib, f"aclDestroy{kind}")(C.c_void_p(handle))


def compute(device, name, *args):
    """Runs a call and returns what its outputs hold."""
    call = Call(device, name, *args)
    if call.code:
        raise RuntimeError(f"aclnn{name}GetWorkspaceSize: {call.code}: {call.text}")
    code = call.run()
    call.close()
    if code:
        raise RuntimeError(f"aclnn{name}: {code}: {call.text}")
    results = []
    for (kind, _), arg in zip(device.table[name], args):
        if kind.rstrip("?+") in ("O", "R") and arg is not None:
            results.append(arg.read())
        elif kind.rstrip("?+") in ("OL", "RL") and arg is not None:
            results += [t.read() for t in arg]
    return results
