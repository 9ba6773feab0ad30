"""Runs one module of pyasc's tests, or the examples in the documentation of the package.

usage: run.py MODULE BUILD     MODULE: a file of this folder without .py, or "doctests"
"""

import doctest
import importlib
import os
import pkgutil
import resource
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def doctests():
    import pyasc

    suite = unittest.TestSuite()
    for module in [pyasc, *(importlib.import_module(f"pyasc.{m.name}") for m in pkgutil.iter_modules(pyasc.__path__)
                            if m.name != "_core")]:  # fmt: skip
        suite.addTests(doctest.DocTestSuite(module, optionflags=doctest.ELLIPSIS))
    return suite


# Address space of a test, in bytes: a call that asks for a huge tensor is told that there is no memory for it, and does
# not take that of the machine.
MEMORY = 8 << 30


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    module, build = sys.argv[1], Path(sys.argv[2]).resolve()
    sys.path[:0] = [str(build / "python"), str(HERE)]
    os.environ["OPENATC_BUILD"] = str(build)
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("SKIPPED: no python3-numpy")
        sys.exit(77)
    suite = doctests() if module == "doctests" else unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, why in result.skipped:
        print(f"{test}: {why}")
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)


if __name__ == "__main__":
    main()
