"""The converter, in process, and oms as objects."""

import json
import os
from dataclasses import dataclass, field

from . import _core
from .errors import Diagnostic


@dataclass(frozen=True)
class Conversion:
    """What a run of atc came to.

    Attributes
    ----------
    exit_code : 0, or 255
    diagnostics : tuple of Diagnostic
    text : what atc prints
    """

    exit_code: int
    diagnostics: tuple
    text: str

    @property
    def ok(self):
        return self.exit_code == 0


def atc(arguments):
    """Runs the converter with a list of flags, as the program does; nothing is printed.

    Returns
    -------
    Conversion
    """
    if isinstance(arguments, (str, bytes)):
        raise TypeError("the flags are given as a list, one flag an element")
    code, text, messages = _core.run_atc([os.fspath(a) for a in arguments])
    return Conversion(code, tuple(Diagnostic.from_dict(m) for m in messages), text)


@dataclass(frozen=True)
class OmInfo:
    """What an om says of itself.

    Attributes
    ----------
    summary : sizes in bytes, streams, events, command line, versions
    model : its graphs, as --mode=1 writes them
    """

    summary: dict
    model: dict = field(repr=False)

    @property
    def nodes(self):
        """The nodes of the main graph, as dicts."""
        return self.model["graph"][0]["op"]


def inspect(path):
    """Reads an om, of this project's or of the vendor's making."""
    path = os.fspath(path)
    return OmInfo(_core.summary(path), json.loads(_core.om_json(path)))
