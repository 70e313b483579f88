"""Reproducers: a pass that fails because of a bug leaves a file that shows it.

    // relax-opt FILE -p 'relax-to-a-normal-form,relax-legalize'
    // KeyError: 'n' (lowering/legalize/prim_func_bodies.py:88)
    // relax-xdsl 0.2.0, xdsl 0.75.0, numpy 2.2.1, Python 3.11.7, Linux x86_64
    builtin.module { ... }

The file is in the folder `$RELAX_REPRODUCERS`, or in that of temporary files; its name is derived from its
content, so that the same bug leaves one file.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from xdsl.passes import ModulePass
from xdsl.utils.exceptions import (
    DiagnosticException,
    InterpretationError,
    PassFailedException,
    VerifyException,
)

from relax_dialect.errors import InternalError, RelaxError

FOLDER = "RELAX_REPRODUCERS"
"""The environment variable that names the folder of the files."""

_OF_THE_PROGRAM = (
    RelaxError,
    InternalError,
    DiagnosticException,
    InterpretationError,
    PassFailedException,
    VerifyException,
    MemoryError,
    BrokenPipeError,
)
"""Errors caused by the program, the machine or the reader of the output, not by a pass."""

_BELOW = {"xdsl", "numpy", *sys.stdlib_module_names}
"""The modules this project is built on."""


@contextmanager
def reproducible(started: Sequence[ModulePass], program: Callable[[], str]) -> Iterator[None]:
    """Convert an error caused by a bug to an `InternalError`, and leave a reproducer.

    `started` are the passes begun so far, the last one at fault; `program` returns the text that the first
    one began with.
    """
    try:
        yield
    except _OF_THE_PROGRAM:
        raise
    except Exception as error:
        if not started:
            raise
        is_xdsl = type(started[-1]).__module__.startswith("xdsl.")
        if is_xdsl and isinstance(error, NotImplementedError):
            raise RelaxError(
                f"{started[-1].name}: expected a program that this pass of xDSL supports, found one that "
                f"it does not: {error}; run other passes before it, or leave it out"
            ) from error
        what = f"{type(error).__name__}: {error} ({_place(error)})"
        command = ",".join(str(p.pipeline_pass_spec()) for p in started)
        try:
            path = _write(f"// relax-opt FILE -p '{command}'", what, program())
            shown = f"{path} shows it"
        except Exception as second:
            shown = f"no reproducer could be written ({type(second).__name__}: {second})"
        owner = "xDSL" if is_xdsl else "the compiler"
        raise InternalError(
            f"{started[-1].name}: expected the pass to succeed or to refuse the program, found a fault "
            f"of {owner}: {what}; {shown}: please report it"
        ) from error


def _place(error: Exception) -> str:
    """Return the file and line that an error comes from, outside of the modules this project is built
    on."""
    frames = list(traceback.walk_tb(error.__traceback__))
    modules = [frame.f_globals.get("__name__", "") for frame, _ in frames]
    above = [i for i, name in enumerate(modules) if name.partition(".")[0] not in _BELOW]
    (frame, line), module = frames[above[-1]], modules[above[-1]]
    path = Path(frame.f_code.co_filename)
    depth = module.count(".") + (2 if path.stem == "__init__" else 1)
    return f"{'/'.join(path.parts[-depth:])}:{line}"


def _write(command: str, what: str, program: str) -> Path:
    lines = "\n".join(f"// {line}" for line in f"{what}\n{_versions()}".splitlines())
    text = f"{command}\n{lines}\n{program}\n"
    folder = Path(os.environ.get(FOLDER) or tempfile.gettempdir())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"relax-reproducer-{hashlib.sha256(text.encode()).hexdigest()[:12]}.mlir"
    path.write_text(text, encoding="utf-8")
    return path


def _versions() -> str:
    found = []
    for package in ("relax-xdsl", "xdsl", "numpy"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:  # run from a checkout
            found.append(package)
    python = f"Python {platform.python_version()}"
    return ", ".join([*found, python, f"{platform.system()} {platform.machine()}"])
