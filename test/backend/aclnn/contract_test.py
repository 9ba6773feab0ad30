"""The contract of the two phases: codes, executor life, repeatable executors, addresses, workspace, views, asynchrony.

usage: contract_test.py LIBRARY SIGNATURES
"""

import ctypes as C
import os
import sys
import threading
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from device import (INNER, INNER_NULLPTR, INVALID, NULLPTR, RUNTIME, SUCCESS, Call, Device, Scalar, Tensor,  # noqa: E402
                    compute)

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def expect(got, want, what=""):
    if got != want:
        raise AssertionError(f"{what}: {got}, not {want}")


def floats(device, *shape):
    return Tensor(device, np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape) / 4)


@test
def codes_of_phase_1(device):
    x, y, out = floats(device, 2, 3), floats(device, 2, 3), floats(device, 2, 3)
    for args in ((None, y, 1, out), (x, None, 1, out), (x, y, None, out), (x, y, 1, None)):
        expect(Call(device, "Add", *args).code, NULLPTR, "an argument that is NULL")
    expect(Call(device, "Add", x, floats(device, 4), 1, out).code, INVALID, "shapes that do not broadcast")
    apart = Call(device, "Add", x, floats(device, 4), 1, out).text
    assert " broadcast: " in apart and ", at node" in apart and "., at" not in apart, apart
    expect(Call(device, "Add", x, y, 1, floats(device, 3, 2)).code, INVALID, "an output of another shape")
    expect(Call(device, "Add", x, y, 1, Tensor(device, np.zeros((2, 3), "int32"))).code, INVALID, "a float into an integer")
    expect(Call(device, "Add", x, y, 1, Tensor(device, np.zeros((2, 3), "float64"))).code, SUCCESS, "a float into a double")
    ints = Tensor(device, np.ones((2, 3), "int32"))
    expect(Call(device, "Add", ints, ints, 0.5, ints).code, INVALID, "a float alpha for integers")
    expect(Call(device, "Gelu", ints, ints).code, INVALID, "an activation of integers")
    expect(Call(device, "Permute", x, [0, 0], out).code, INVALID, "a dim named twice")
    expect(Call(device, "Softmax", x, 2, out).code, INVALID, "a dim beyond the rank")
    expect(Call(device, "Cat", [], 0, out).code, INVALID, "an empty list")
    places = {t: Tensor(device, np.zeros((2, 1), t)) for t in ("int64", "int32", "float32")}
    for name, args in (("Topk", (x, 1, 1, True, True, places["float32"])), ("ArgMax", (x, 1, True)), ("Nonzero", (x,))):
        for dtype, place in places.items():
            good = dtype == "int64" or (dtype == "int32" and name == "ArgMax")
            out_place = Tensor(device, np.zeros((6, 2), dtype)) if name == "Nonzero" else place
            expect(Call(device, name, *args, out_place).code, SUCCESS if good else INVALID, f"places of {name} as {dtype}")
    expect(Call(device, "Topk", x, 1, 1, True, False, floats(device, 2, 1), places["int64"]).code, INVALID, "the largest in no order")
    deep = Tensor(device, np.zeros((1,) * 9, "float32"))
    expect(Call(device, "Abs", deep, deep).code, INVALID, "9 dims")
    dead = floats(device, 2, 3)
    device.lib.aclDestroyTensor(C.c_void_p(dead.handle))
    call = Call(device, "Abs", dead, out)
    expect(call.code, NULLPTR, "a tensor that was destroyed")
    assert "argument self" in call.text, call.text
    function = device.lib.aclnnAbsGetWorkspaceSize
    size = C.c_uint64()
    expect(function(C.c_void_p(x.handle), C.c_void_p(out.handle), C.byref(size), None), NULLPTR, "no executor")
    expect(function(C.c_void_p(12345), C.c_void_p(out.handle), C.byref(size), C.byref(C.c_void_p())), NULLPTR, "no tensor of ours")
    mixed = Tensor(device, np.ones((2, 3), "uint32"))
    expect(Call(device, "Add", ints, mixed, 1, ints).code, INVALID, "types without a common one")


@test
def no_context(device):
    x, out = floats(device, 2), floats(device, 2)
    codes = []
    thread = threading.Thread(target=lambda: codes.append(Call(device, "Abs", x, out).code))
    thread.start()
    thread.join()
    expect(codes, [RUNTIME], "a thread without a context")


@test
def executor_lives_once(device):
    x, out = floats(device, 3), floats(device, 3)
    call = Call(device, "Exp", x, out)
    expect(call.run(), SUCCESS)
    expect(call.run(), INNER_NULLPTR, "an executor that ran")
    expect(device.lib.aclDestroyAclOpExecutor(call.executor), INNER_NULLPTR)
    call = Call(device, "Exp", x, out)
    expect(device.lib.aclDestroyAclOpExecutor(call.executor), SUCCESS, "one that never ran")
    expect(device.lib.aclnnExp(None, C.c_uint64(0), None, None), NULLPTR)
    expect(device.lib.aclSetAclOpExecutorRepeatable(None), INNER_NULLPTR)
    other = Call(device, "Abs", x, out)
    expect(device.lib.aclnnExp(None, C.c_uint64(0), other.executor, None), INVALID, "the executor of another operator")


@test
def workspace(device):
    x = Tensor(device, np.arange(24, dtype="float32").reshape(4, 6), view=lambda a: a.T)
    y, out = floats(device, 6, 4), floats(device, 6, 4)
    call = Call(device, "Add", x, y, 2, out)
    assert call.size.value > 0
    expect(device.lib.aclnnAdd(None, call.size, call.executor, None), NULLPTR, "no workspace")
    expect(device.lib.aclnnAdd(None, call.size, call.executor, None), INNER_NULLPTR, "the executor is gone then")
    call = Call(device, "Add", x, y, 2, out)
    memory = device.malloc(call.size.value)
    expect(device.lib.aclnnAdd(C.c_void_p(memory), C.c_uint64(call.size.value - 1), call.executor, None), INVALID, "too small")
    call = Call(device, "Add", x, y, 2, out)
    host = C.create_string_buffer(call.size.value)
    expect(device.lib.aclnnAdd(host, call.size, call.executor, None), INVALID, "memory of the host")
    device.free(memory)
    call = Call(device, "Add", x, y, 2, out)
    expect(call.run(), SUCCESS)
    assert np.array_equal(out.read(), x.read() + 2 * y.read())


@test
def repeatable(device):
    x, y, out = floats(device, 8), floats(device, 8), floats(device, 8)
    call = Call(device, "Mul", x, y, out)
    expect(device.lib.aclSetInputTensorAddr(call.executor, C.c_size_t(0), C.c_void_p(x.handle), C.c_void_p(y.address)), INNER, "not repeatable yet")
    expect(device.lib.aclSetAclOpExecutorRepeatable(call.executor), SUCCESS)
    for _ in range(3):
        expect(call.run(), SUCCESS)
    other, target = Tensor(device, np.full(8, 3, "float32")), floats(device, 8)
    lib = device.lib
    expect(lib.aclSetInputTensorAddr(call.executor, C.c_size_t(1), C.c_void_p(y.handle), C.c_void_p(other.address)), SUCCESS)
    expect(lib.aclSetOutputTensorAddr(call.executor, C.c_size_t(0), C.c_void_p(out.handle), C.c_void_p(target.address)), SUCCESS)
    expect(call.run(), SUCCESS)
    assert np.array_equal(target.read(), 3 * x.read())
    expect(lib.aclSetTensorAddr(call.executor, C.c_size_t(2), C.c_void_p(out.handle), C.c_void_p(out.address)), SUCCESS)
    expect(call.run(), SUCCESS)
    assert np.array_equal(out.read(), 3 * x.read())
    expect(lib.AclSetInputTensorAddr(call.executor, C.c_size_t(2), C.c_void_p(y.handle), C.c_void_p(x.address)), INVALID, "no third input")
    expect(lib.aclSetInputTensorAddr(call.executor, C.c_size_t(0), None, C.c_void_p(x.address)), INNER_NULLPTR)
    expect(lib.aclSetInputTensorAddr(None, C.c_size_t(0), C.c_void_p(x.handle), C.c_void_p(x.address)), INNER_NULLPTR)
    expect(lib.aclDestroyAclOpExecutor(call.executor), SUCCESS)
    expect(call.run(), INNER_NULLPTR)


@test
def lists(device):
    parts = [floats(device, 2, 2), floats(device, 2, 2)]
    out, other = floats(device, 4, 2), Tensor(device, np.full((2, 2), 9, "float32"))
    call = Call(device, "Cat", parts, 0, out)
    expect(device.lib.aclSetAclOpExecutorRepeatable(call.executor), SUCCESS)
    handle = call.owned[0][1]
    expect(device.lib.aclSetDynamicInputTensorAddr(call.executor, C.c_size_t(0), C.c_size_t(1), C.c_void_p(handle), C.c_void_p(other.address)), SUCCESS)
    expect(device.lib.aclSetDynamicInputTensorAddr(call.executor, C.c_size_t(0), C.c_size_t(2), C.c_void_p(handle), C.c_void_p(other.address)), INVALID)
    expect(call.run(), SUCCESS)
    assert np.array_equal(out.read(), np.concatenate([parts[0].read(), other.read()]))
    expect(device.lib.aclDestroyAclOpExecutor(call.executor), SUCCESS)
    # Destroying a list destroys its tensors.
    expect(device.lib.aclDestroyTensorList(C.c_void_p(handle)), SUCCESS)
    expect(device.lib.aclDestroyTensor(C.c_void_p(parts[0].handle)), NULLPTR)


@test
def views(device):
    base = np.arange(60, dtype="float32").reshape(5, 12)
    for view in (lambda a: a.T, lambda a: a[1:4, 2:9], lambda a: a[::2, ::3], lambda a: a[:, 5], lambda a: np.broadcast_to(a[:, :1], (5, 12))):
        x = Tensor(device, base, view=view)
        seen = view(base)
        want = np.exp(-seen)
        for target in (lambda a: a, lambda a: a.T):
            shape = seen.shape if target(np.empty(seen.shape)).shape == seen.shape else seen.shape[::-1]
            out = Tensor(device, np.zeros(shape, "float32"), view=target)
            negative = Tensor(device, np.zeros(seen.shape, "float32"))
            compute(device, "Neg", x, negative)
            result = compute(device, "Exp", negative, out)[0]
            assert np.allclose(result, want, rtol=1e-6), (result, want)
    # The storage around a view stays as it was.
    out = Tensor(device, np.full((4, 6), 7, "float32"), view=lambda a: a[1:3, 1:4])
    compute(device, "Abs", Tensor(device, np.ones((2, 3), "float32")), out)
    whole = device.from_device(out.address, out.stored)
    assert whole.sum() == 7 * 18 + 6, whole
    # In place over a view of itself: read before written.
    x = Tensor(device, np.arange(16, dtype="float32").reshape(4, 4))
    transposed = x.stored.T.copy()
    longs = lambda v: (C.c_int64 * len(v))(*v)
    handle = device.lib.aclCreateTensor(longs([4, 4]), C.c_uint64(2), 0, longs([1, 4]), C.c_int64(0), 2, longs([16]), C.c_uint64(1), C.c_void_p(x.address))
    alias = Tensor.__new__(Tensor)
    alias.handle = handle
    call = Call(device, "InplaceAdd", x, alias, 1)
    expect(call.code, SUCCESS)
    expect(call.run(), SUCCESS)
    assert np.array_equal(x.read(), x.stored + transposed)


@test
def tensors(device):
    lib = device.lib
    longs = lambda *v: (C.c_int64 * len(v))(*v)
    make = lambda dims, strides, offset, storage: lib.aclCreateTensor(dims, C.c_uint64(len(dims)), 0, strides, C.c_int64(offset), 2, storage, C.c_uint64(len(storage)), None)
    assert make(longs(2, 3), None, 0, longs(6))
    assert not make(longs(2, 3), None, 1, longs(6)), "reaches out of its storage"
    assert not make(longs(2, 3), longs(4, 1), 0, longs(6))
    assert not make(longs(2, -3), None, 0, longs(6))
    assert not make(longs(*[1] * 26), None, 0, longs(1))
    assert not lib.aclCreateTensor(None, C.c_uint64(2), 0, None, C.c_int64(0), 2, longs(1), C.c_uint64(1), None)
    scalar = lib.aclCreateTensor(None, C.c_uint64(0), 0, None, C.c_int64(0), 2, None, C.c_uint64(0), None)
    assert scalar
    dims, count = C.POINTER(C.c_int64)(), C.c_uint64(9)
    expect(lib.aclGetViewShape(C.c_void_p(scalar), C.byref(dims), C.byref(count)), SUCCESS)
    expect(count.value, 0)
    for kind in ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"):
        expect(getattr(lib, f"aclDestroy{kind}")(None), SUCCESS, kind)
        expect(getattr(lib, f"aclDestroy{kind}")(C.c_void_p(77)), NULLPTR, kind)


@test
def faults_come_at_synchronisation(device):
    x, out = floats(device, 4), floats(device, 4)
    device.free(out.address)
    call = Call(device, "Exp", x, out)
    expect(call.code, SUCCESS)
    expect(device.lib.aclnnExp(None, C.c_uint64(0), call.executor, None), SUCCESS, "phase 2 queues")
    expect(device.synchronize(), 507015, "the fault is told here")
    assert "argument out" in device.message()
    expect(device.synchronize(), 0, "and once")
    table = floats(device, 3, 2)
    result = floats(device, 1, 2)
    call = Call(device, "GatherV2", table, 0, Tensor(device, np.array([5], "int64")), result)
    expect(call.run(), 507015, "an index out of range")


@test
def exception_callback(device):
    heard = []
    lib = device.lib
    getters = ("Task", "Stream", "Thread", "Device")

    def listen(info):
        ids = [getattr(lib, f"aclrtGet{g}IdFromExceptionInfo")(C.c_void_p(info)) for g in getters]
        name = C.create_string_buffer(64)
        ins, outs, n, m = C.c_void_p(), C.c_void_p(), C.c_size_t(), C.c_size_t()
        code = lib.aclmdlCreateAndGetOpDesc(ids[3], ids[1], ids[0], name, C.c_size_t(64), C.byref(ins), C.byref(n), C.byref(outs), C.byref(m))
        lib.aclGetTensorDescByIndex.restype = C.c_void_p
        second = lib.aclGetTensorDescByIndex(ins, C.c_size_t(1))
        lib.aclGetTensorDescAddress.restype = C.c_void_p
        heard.append((code, name.value.decode(), n.value, m.value, lib.aclGetTensorDescAddress(C.c_void_p(second))))
        lib.aclDestroyTensorDesc(ins)
        lib.aclDestroyTensorDesc(outs)

    callback = C.CFUNCTYPE(None, C.c_void_p)(listen)
    expect(lib.aclrtSetExceptionInfoCallback(callback), 0)
    x, y, out = floats(device, 4), floats(device, 4), floats(device, 4)
    device.free(out.address)
    call = Call(device, "Mul", x, y, out)
    expect(call.run(), 507015)
    lib.aclrtSetExceptionInfoCallback(None)
    expect(heard, [(0, "aclnnMul", 2, 1, y.address)])


@test
def destroyed_between_phases(device):
    x, out = Tensor(device, np.ones(3, "float32")), floats(device, 3)
    call = Call(device, "Exp", x, out)
    expect(device.lib.aclDestroyTensor(C.c_void_p(x.handle)), SUCCESS)
    expect(call.run(), SUCCESS, "the executor holds what it needs")
    assert np.allclose(out.read(), np.e)


@test
def cached_calls_differ(device):
    x, out = floats(device, 5), floats(device, 5)
    for value in (1, 2, 3.5, 2, 1):
        result = compute(device, "Muls", x, value, out)[0]
        assert np.array_equal(result, x.stored * np.float32(value)), value
    for alpha in (1, -1, 1):
        assert np.array_equal(compute(device, "Add", x, x, alpha, out)[0], x.stored + alpha * x.stored)


@test
def many_threads(device):
    faults = []

    def work(seed):
        device.check(device.lib.aclrtSetDevice(0))
        stream = C.c_void_p()
        device.check(device.lib.aclrtCreateStream(C.byref(stream)))
        generator = np.random.default_rng(seed)
        for _ in range(12):
            a, b = generator.standard_normal((2, 6, 7)).astype("float32")
            x, y, out = Tensor(device, a), Tensor(device, b), Tensor(device, np.zeros((6, 7), "float32"))
            call = Call(device, "Add", x, y, 2, out)
            if call.code or call.run(stream.value) or not np.array_equal(out.read(), a + 2 * b):
                faults.append((seed, call.code, call.text))
            for tensor in (x, y, out):
                tensor.close()
        device.lib.aclrtDestroyStream(stream)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(faults, [])


@test
def made_faults(device):
    x, out = floats(device, 3), floats(device, 3)
    lib = device.lib
    table = ((b"kernel:aclnnExp@2=507018", [0, 507018, 0]), (b"kernel@1", [507015, 0, 0]), (b"lost:aclnnExp@2", [0, 507010, 361001]))
    for text, wants in table:
        lib.aclrtResetDeviceForce(0)
        os.environ["ATC_FAULT"] = text.decode()
        C.CDLL(None).setenv(b"ATC_FAULT", text, 1)
        device.check(lib.aclrtSetDevice(0))
        x, out = floats(device, 3), floats(device, 3)
        expect([Call(device, "Exp", x, out).run() for _ in wants], wants, text)
    lib.aclrtResetDeviceForce(0)
    C.CDLL(None).setenv(b"ATC_FAULT", b"alloc@2", 1)
    device.check(lib.aclrtSetDevice(0))
    address = C.c_void_p()
    expect([lib.aclrtMalloc(C.byref(address), C.c_size_t(64), 0) for _ in range(3)], [0, 207001, 0])
    lib.aclrtResetDeviceForce(0)
    C.CDLL(None).setenv(b"ATC_FAULT", b"slow:aclnnExp=150", 1)
    device.check(lib.aclrtSetDevice(0))
    x, out = floats(device, 3), floats(device, 3)
    call = Call(device, "Exp", x, out)
    expect(lib.aclnnExp(None, C.c_uint64(0), call.executor, None), 0)
    expect(lib.aclrtSynchronizeStreamWithTimeout(None, 20), 507046, "the host waits no longer")
    expect(lib.aclrtSynchronizeStream(None), 0, "the stream goes on")
    expect(lib.aclrtSetOpExecuteTimeOutWithMs(C.c_uint32(50)), 0)
    C.CDLL(None).unsetenv(b"ATC_FAULT")
    lib.aclrtSetOpExecuteTimeOutWithMs(C.c_uint32(0))
    lib.aclrtResetDeviceForce(0)
    device.check(lib.aclrtSetDevice(0))


def main(library, signatures):
    device = Device(library, signatures)
    failed = 0
    for function in TESTS:
        try:
            function(device)
            device.synchronize()
            device.message()
        except Exception as error:  # each case is told, whatever ends it
            failed += 1
            print(f"FAILED {function.__name__}: {type(error).__name__}: {error}")
    print(f"{len(TESTS)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
