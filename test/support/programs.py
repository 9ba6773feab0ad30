"""Runs the built programs for the tests in this tree."""

import os
import signal
import subprocess
from pathlib import Path

TIMEOUT_S = 120


class Result:
    """What a finished program left: status, text (both streams), and the signal that ended it, or None."""

    def __init__(self, status, text):
        self.status, self.text = status, text
        self.signal = signal.Signals(-status).name if status < 0 else None


class Programs:
    def __init__(self, build):
        self.bin = Path(build).resolve() / "bin"

    def run(self, *command, environment=None, folder=None, before=None):
        """Runs a command to its end; `before` is called in the child. A hang is an error of its own."""
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, **(environment or {})}, cwd=folder, preexec_fn=before,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)  # fmt: skip
        return Result(done.returncode, done.stdout.decode("utf-8", "replace"))

    def atc_command(self, model, om, *flags):
        """The command that converts; `om` with its suffix, which atc appends itself."""
        return [self.bin / "atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
                f"--output={Path(om).with_suffix('')}", *flags]  # fmt: skip

    def atc(self, model, om, *flags, **how):
        return self.run(*self.atc_command(model, om, *flags), **how)

    def omrun(self, om, *flags, **how):
        return self.run(self.bin / "omrun", om, *flags, **how)


def written_om(om):
    """The file that atc wrote for --output=`om`: operating system and processor are in its name when shapes are open."""
    uname = os.uname()
    named = Path(om).with_name(f"{Path(om).stem}_{uname.sysname.lower()}_{uname.machine}.om")
    return named if named.is_file() else Path(om)


def corpus_model(name):
    """A model of the corpus where its fetch.sh puts it, or None."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    file = cache / "openatc-corpus" / f"{name}.onnx"
    return file if file.is_file() else None
