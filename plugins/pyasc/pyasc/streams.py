"""Streams of contexts, and what is ordered between them.

Every piece of work on a stream has a number; a clock says, for each stream, up to which number everything is known to be
done before. A stream's clock grows with its own work and with add_dependency; the host's clock grows when it waits for a
result, and everything that is queued afterwards inherits it. Work that reads or writes what other work writes must have
that other work in its clock; if not, the two race, whatever the timing of this run, and DependencyError says so.
"""

import itertools
import os
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np

from .errors import DependencyError, DestroyedError

# Reentrant, as all locks here: the garbage collector may end a context at any allocation.
_lock = threading.RLock()
_ids = itertools.count(1)
_open = set()  # ids of streams that are not closed; what closed ones made is done
_host_clock = {}
_accesses = {}  # by place and kind: of work that the host has not waited for, the last of each stream
_working = threading.local()  # the stream and number of the work that this thread does


def _after_fork():
    global _lock
    _lock = threading.RLock()  # a thread that is not here may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _merge(into, clock):
    for stream, number in clock.items():
        if stream in _open and into.get(stream, 0) < number:
            into[stream] = number


class _Access:
    """An array that queued work reads or writes."""

    __slots__ = ("memory", "low", "high", "writes", "stream", "number", "what")

    def __init__(self, array, writes, stream, number, what):
        self.memory = weakref.ref(_owner(array))
        self.low, self.high = _bounds(array)
        self.writes, self.stream, self.number, self.what = writes, stream, number, what


def _owner(array):
    """The array whose life is that of the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _bounds(array):
    """[low, high) of the addresses of its elements."""
    low = high = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, low
    for length, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + array.itemsize


def _wait_for(job, timeout=None):
    """Waits for queued work. Raises RuntimeError on a thread of a stream for work that waits for that thread."""
    here = getattr(_working, "place", None)
    if here is not None and not Future.done(job) and job.clock.get(here[0], 0) > here[1]:
        raise RuntimeError("a callback on a stream's thread waits for work that is queued behind it")
    wait([job], timeout)


class RunFuture(Future):
    """The result of execute_async. `future[tensor]` stands for one of its arrays, as an input of another context."""

    def __init__(self, stream, number, clock):
        super().__init__()
        self.stream, self.number, self.clock = stream, number, clock

    def _seen(self):
        with _lock:
            _merge(_host_clock, self.clock)
            for key in [k for k, a in _accesses.items() if _host_clock.get(a.stream.id, 0) >= a.number]:
                _accesses.pop(key, None)

    def done(self):
        done = super().done()
        if done and not super().cancelled():
            self._seen()
        return done

    def _ended(self, timeout):
        _wait_for(self, timeout)
        self.done()

    def result(self, timeout=None):
        self._ended(timeout)
        return super().result(0)

    def exception(self, timeout=None):
        self._ended(timeout)
        return super().exception(0)

    def __getitem__(self, key):
        return PendingTensor(self, key)


class PendingTensor:
    """One array of a run that may not have ended."""

    def __init__(self, future, key):
        self.future, self.key = future, key


class Stream:
    """An ordered queue of one context's runs."""

    def __init__(self, owner):
        self.id = next(_ids)
        self.owner = owner  # a name for messages
        self._number = 0
        self._clock = {}
        self._last = None  # what the queue does for the work queued last: it ends in its turn, cancelled or not
        self._waits = []
        self._executor = None
        self._closed = False
        self._process = os.getpid()
        _open.add(self.id)

    def __del__(self):
        _open.discard(self.id)

    def __repr__(self):
        return f"<Stream {self.id} of {self.owner}>"

    def wait_for(self, other):
        """What is queued here from now on runs after everything that is queued on `other` now."""
        with _lock:
            self._check_open()
            _merge(self._clock, other._clock)
            if other._last is not None and not other._last.done():
                self._waits.append(other._last)

    def synchronize(self):
        """Waits for everything that is queued."""
        last = self._last
        if last is not None:
            _wait_for(last)
            with _lock:
                _merge(_host_clock, last.clock)

    def _check_open(self):
        if self._closed:
            raise DestroyedError(f"{self.owner} was destroyed; make another Context")
        if self._process != os.getpid():
            raise RuntimeError(f"{self.owner} belongs to the process that this one was forked from; make another Context")

    def _check(self, clock, accesses, pending, what):
        """Under the lock. `accesses`: (array, writes?)."""
        for tensor in pending:
            future = tensor.future
            if future.stream.id in _open and future.stream is not self and clock.get(future.stream.id, 0) < future.number:
                raise DependencyError(self._message(what, "reads", "a result", future.stream, future.stream.owner))
        for key in [k for k, a in _accesses.items() if a.memory() is None or a.stream.id not in _open]:
            _accesses.pop(key, None)
        for array, writes in accesses:
            low, high = _bounds(array)
            for other in list(_accesses.values()):
                if other.stream is self or not (writes or other.writes) or high <= other.low or other.high <= low:
                    continue
                if clock.get(other.stream.id, 0) < other.number:
                    verb = "writes" if writes else "reads"
                    raise DependencyError(self._message(what, verb, "memory", other.stream, other.what))

    def _message(self, what, verb, object_, other, maker):
        return (f"{what} {verb} {object_} that {maker} may still be using: nothing orders {self} after {other}. Call "
                f"add_dependency(stream=<this context>.stream, depends_on=<the other context>.stream) first, or "
                f"wait for the other's result()")  # fmt: skip

    def submit(self, job, reads, writes, pending, what):
        """Queues job(); returns its RunFuture. Raises DependencyError."""
        with _lock:
            self._check_open()
            clock = {}
            _merge(clock, self._clock)
            _merge(clock, _host_clock)
            accesses = [(a, False) for a in reads if a.size] + [(a, True) for a in writes if a.size]
            self._check(clock, accesses, pending, what)
            self._number += 1
            number = clock[self.id] = self._number
            self._clock = dict(clock)
            future = RunFuture(self, number, clock)
            for array, kind in accesses:
                access = _Access(array, kind, self, number, what)
                _accesses[self.id, access.low, access.high, kind] = access
            waits, self._waits = self._waits, []
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, f"pyasc-stream-{self.id}")
            self._last = self._executor.submit(self._work, future, job, waits)
            self._last.clock = clock
        return future

    def _work(self, future, job, waits):
        _working.place = (self.id, future.number)
        try:
            if waits:
                wait(waits)
            if not future.set_running_or_notify_cancel():
                self._forget(future.number)
                return
            try:
                result = job()
            except BaseException as fault:  # the future carries it to whoever asks
                future.set_exception(fault)
            else:
                future.set_result(result)
        finally:
            _working.place = None

    def _forget(self, number):
        """What cancelled work would have used."""
        with _lock:
            for key in [k for k, a in _accesses.items() if a.stream is self and a.number == number]:
                _accesses.pop(key, None)

    def enter(self, reads, pending, what):
        """Before a run on the calling thread: waits for what is queued here and for what this stream depends on."""
        if self._last is None and not self._waits and not _accesses and not pending:
            return
        with _lock:
            self._check_open()
            clock = {}
            _merge(clock, self._clock)
            _merge(clock, _host_clock)
            self._check(clock, [(a, False) for a in reads if a.size], pending, what)
            waits, self._waits = self._waits, []
            last = self._last
        for job in waits + ([last] if last is not None else []):
            _wait_for(job)

    def close(self):
        """Waits, and ends the stream's thread. On the thread of a stream it cannot wait: what is still queued fails."""
        with _lock:
            self._closed = True
            executor, self._executor = self._executor, None
        if executor is not None and self._process == os.getpid():
            executor.shutdown(wait=not threading.current_thread().name.startswith("pyasc-stream-"))
        with _lock:
            _open.discard(self.id)
            _host_clock.pop(self.id, None)
