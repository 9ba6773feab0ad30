"""Exceptions of pyasc."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """One message of the converter, as data.

    Attributes
    ----------
    severity : "error" or "warning"
    code : the catalogue code, such as "E14001"
    text : the message
    arguments : the values in it, by their names in the catalogue
    context : where it happened, innermost first ("node 'conv1' (Conv2D)", "file m.onnx")
    cure : what to do
    """

    severity: str
    code: str
    text: str
    arguments: dict = field(default_factory=dict)
    context: tuple = ()
    cure: str = ""

    @classmethod
    def from_dict(cls, message):
        return cls(message["severity"], message["code"], message["text"], dict(message["arguments"]),
                   tuple(message["context"]), message["cure"])  # fmt: skip

    def __str__(self):
        parts = [f"{self.code}: {self.text}", *self.context]
        return "\n  at ".join(parts) + (f"\n  {self.cure}" if self.cure else "")


class Error(RuntimeError):
    """A graph or a flag that the compiler refuses; `diagnostic` has the message as data."""

    def __init__(self, message):
        self.diagnostic = message if isinstance(message, Diagnostic) else Diagnostic.from_dict(message)
        super().__init__(str(self.diagnostic))

    @property
    def code(self):
        return self.diagnostic.code


class LayoutError(RuntimeError):
    """Two operators disagree on how a tensor is laid out."""


class DependencyError(RuntimeError):
    """Work on one stream uses what work on another stream makes, with nothing to order the two."""


class DestroyedError(RuntimeError):
    """A context was used after it had been destroyed."""
