"""Streams of contexts, and what is ordered between them.

Every piece of work on a stream has a number; a clock says, for each stream, up to which number everything is known to be
done before. A stream's clock grows with its own work and with add_dependency; the host's clock grows when it waits for a
result, and everything that is queued afterwards inherits it. Work that reads or writes what other work writes must have
that other work in its clock; if not, the two race, whatever the timing of this run, and DependencyError says so.
"""

import itertools
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor

from .errors import DependencyError

_lock = threading.Lock()
_ids = itertools.count(1)
_host_clock = {}
_accesses = []  # of work that the host has not waited for


def _merge(into, clock):
    for stream, number in clock.items():
        if into.get(stream, 0) < number:
            into[stream] = number


class _Access:
    """An array that queued work reads or writes."""

    __slots__ = ("array", "low", "high", "writes", "stream", "number", "what")

    def __init__(self, array, writes, stream, number, what):
        self.array = weakref.ref(array)
        self.low, self.high = _bounds(array)
        self.writes, self.stream, self.number, self.what = writes, stream, number, what


def _bounds(array):
    low = array.__array_interface__["data"][0]
    return low, low + array.nbytes


class RunFuture(Future):
    """The result of execute_async. `future[tensor]` stands for one of its arrays, as an input of another context."""

    def __init__(self, stream, number, clock):
        super().__init__()
        self.stream, self.number, self.clock = stream, number, clock

    def _seen(self):
        with _lock:
            _merge(_host_clock, self.clock)
            _accesses[:] = [a for a in _accesses if _host_clock.get(a.stream.id, 0) < a.number]

    def result(self, timeout=None):
        result = super().result(timeout)
        self._seen()
        return result

    def exception(self, timeout=None):
        exception = super().exception(timeout)
        self._seen()
        return exception

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
        self._last = None
        self._waits = []
        self._executor = None

    def __repr__(self):
        return f"<Stream {self.id} of {self.owner}>"

    def wait_for(self, other):
        """What is queued here from now on runs after everything that is queued on `other` now."""
        with _lock:
            _merge(self._clock, other._clock)
            if other._last is not None and not other._last.done():
                self._waits.append(other._last)

    def synchronize(self):
        """Waits for everything that is queued."""
        if self._last is not None:
            self._last.exception()

    def _check(self, clock, accesses, pending, what):
        """Under the lock. `accesses`: (array, writes?)."""
        for tensor in pending:
            future = tensor.future
            if future.stream is not self and clock.get(future.stream.id, 0) < future.number:
                raise DependencyError(self._message(what, "reads", "a result", future.stream, future.stream.owner))
        _accesses[:] = [a for a in _accesses if a.array() is not None]
        for array, writes in accesses:
            low, high = _bounds(array)
            for other in _accesses:
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
            clock = dict(self._clock)
            _merge(clock, _host_clock)
            self._check(clock, [(a, False) for a in reads] + [(a, True) for a in writes], pending, what)
            self._number += 1
            clock[self.id] = self._number
            self._clock = dict(clock)
            future = RunFuture(self, self._number, clock)
            for array, kind in itertools.chain(((a, False) for a in reads), ((a, True) for a in writes)):
                _accesses.append(_Access(array, kind, self, self._number, what))
            waits, self._waits = self._waits, []
            self._last = future
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, f"pyasc-stream-{self.id}")

        def run():
            if not future.set_running_or_notify_cancel():
                return
            try:
                for other in waits:
                    Future.exception(other)
                future.set_result(job())
            except BaseException as fault:  # the future carries it to whoever asks
                future.set_exception(fault)

        self._executor.submit(run)
        return future

    def enter(self, reads, pending, what):
        """Before a run on the calling thread: waits for what is queued here and for what this stream depends on."""
        if self._last is None and not self._waits and not _accesses and not pending:
            return
        with _lock:
            clock = dict(self._clock)
            _merge(clock, _host_clock)
            self._check(clock, [(a, False) for a in reads], pending, what)
            waits, self._waits = self._waits, []
            last = self._last
        for future in waits + ([last] if last is not None else []):
            Future.exception(future)

    def close(self):
        """Waits, and ends the stream's thread."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True)
