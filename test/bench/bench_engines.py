"""One model in one engine, behind one interface: load(), run(), outputs().

run() is one inference into buffers that stay bound, so that what is timed is the engine and one call from Python.
"""

import ctypes
import os
from pathlib import Path


class OnnxRuntime:
    def __init__(self, file, threads, build=None):
        import onnxruntime

        self.api, self.file, self.threads = onnxruntime, file, threads

    def options(self):
        options = self.api.SessionOptions()
        options.graph_optimization_level = self.api.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.log_severity_level = 4
        return options

    def load(self):
        self.session = self.api.InferenceSession(str(self.file), self.options(), providers=["CPUExecutionProvider"])

    def bind(self, feed):
        self.binding = self.session.io_binding()
        for name, array in feed.items():
            self.binding.bind_cpu_input(name, array)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()


class OpenVino:
    def __init__(self, file, threads, build=None):
        import openvino

        self.api, self.file, self.threads = openvino, file, threads

    def load(self):
        core = self.api.Core()
        # fp32 as the others compute it; the default would be bf16 where the processor has it.
        hints = {"INFERENCE_NUM_THREADS": self.threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1,
                 "INFERENCE_PRECISION_HINT": "f32"}  # fmt: skip
        self.model = core.compile_model(str(self.file), "CPU", hints)
        self.request = self.model.create_infer_request()

    def bind(self, feed):
        for name, array in feed.items():
            self.request.set_tensor(name, self.api.Tensor(array, shared_memory=True))

    def run(self):
        self.request.infer()

    def outputs(self):
        return [self.request.get_output_tensor(i).data.copy() for i in range(len(self.model.outputs))]


class OpenAtc:
    """libascendcl.so of a build, through ctypes; the file is an om."""

    OPEN_BYTES = 1 << 22  # of an output whose size only a run tells
    DTYPES = {0: "float32", 1: "float16", 2: "int8", 3: "int32", 4: "uint8", 6: "int16", 9: "int64", 12: "bool"}

    def __init__(self, file, threads, build):
        # Symbols of the library must not meet those of the other engines.
        self.acl = ctypes.CDLL(str(Path(build) / "lib" / "libascendcl.so"), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.file, self.model = file, ctypes.c_uint32()
        for name in ("aclmdlCreateDataset", "aclmdlCreateDesc", "aclCreateDataBuffer", "aclCreateTensorDesc"):
            getattr(self.acl, name).restype = ctypes.c_void_p
        self.acl.aclmdlGetOutputSizeByIndex.restype = ctypes.c_size_t
        self.acl.aclmdlGetNumOutputs.restype = ctypes.c_size_t
        self.acl.aclmdlGetInputNameByIndex.restype = ctypes.c_char_p
        self.check(self.acl.aclInit(None))
        self.check(self.acl.aclrtSetDevice(0))
        self.check(self.acl.openatcSetCores(threads))

    def check(self, status):
        if status != 0:
            self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
            raise RuntimeError(f"ACL gave {status}: {(self.acl.aclGetRecentErrMsg() or b'').decode()}")

    def load(self):
        self.check(self.acl.aclmdlLoadFromFile(str(self.file).encode(), ctypes.byref(self.model)))

    def allocate(self, size):
        address = ctypes.c_void_p()
        self.check(self.acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)), 0))
        return address.value

    def dataset(self, buffers):
        dataset = ctypes.c_void_p(self.acl.aclmdlCreateDataset())
        for address, size in buffers:
            buffer = ctypes.c_void_p(self.acl.aclCreateDataBuffer(ctypes.c_void_p(address), ctypes.c_size_t(size)))
            self.check(self.acl.aclmdlAddDatasetBuffer(dataset, buffer))
        return dataset

    def bind(self, feed):
        desc = self.desc = ctypes.c_void_p(self.acl.aclmdlCreateDesc())
        self.check(self.acl.aclmdlGetDesc(desc, self.model))
        arrays = list(feed.values())
        inputs = [(self.allocate(a.nbytes), a.nbytes) for a in arrays]
        for (address, size), array in zip(inputs, arrays):
            ctypes.memmove(address, array.ctypes.data, size)
        self.inputs = self.dataset(inputs)
        sizes = [self.acl.aclmdlGetOutputSizeByIndex(desc, ctypes.c_size_t(i)) or self.OPEN_BYTES
                 for i in range(self.acl.aclmdlGetNumOutputs(desc))]  # fmt: skip
        self.buffers = [(self.allocate(size), size) for size in sizes]
        self.results = self.dataset(self.buffers)
        self.arguments = (self.model, self.inputs, self.results)
        self.execute = self.acl.aclmdlExecute  # looked up here, as the methods of the others are

    def run(self):
        status = self.execute(*self.arguments)
        if status != 0:
            self.check(status)

    def outputs(self):
        import numpy

        found = []
        for i, (address, size) in enumerate(self.buffers):
            buffer = numpy.frombuffer((ctypes.c_uint8 * size).from_address(address), "uint8").copy()
            kind = self.acl.aclmdlGetOutputDataType(self.desc, ctypes.c_size_t(i))
            found.append(buffer.view(self.DTYPES[kind]) if kind in self.DTYPES else buffer)
        return found


ENGINES = {"ort": OnnxRuntime, "openvino": OpenVino, "openatc": OpenAtc}
