"""Stream passes written in Python."""

from . import _core


class StreamPass:
    """A registered stream pass; `remove()` takes it out of the compilations that follow."""

    def __init__(self, name, function):
        if not isinstance(name, str) or not name or not callable(function):
            raise TypeError(f"a stream pass is a function with a name, not {function!r} named {name!r}")
        self.name = name
        self.function = function
        self._registration = _core.register_stream_pass(name, function)

    def remove(self):
        self._registration.remove()

    def __call__(self, context):
        return self.function(context)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()
        return False


def stream_pass(function=None, *, name=None):
    """Registers a function as a stream pass, run where passes of libraries run and checked as they are.

    The function takes a StreamContext (nodes, stream_of, set_stream, new_stream, option). What it raises ends the
    compilation with E13028, naming the pass; so does an order that does not hold.

    Examples
    --------
    >>> import pyasc
    >>> @pyasc.stream_pass
    ... def spread(context):
    ...     for node in context.nodes:
    ...         if node.name == "branch":
    ...             context.set_stream(node, context.new_stream())
    >>> spread.remove()
    """
    if function is None:
        return lambda f: stream_pass(f, name=name)
    return StreamPass(name or getattr(function, "__name__", type(function).__name__), function)
