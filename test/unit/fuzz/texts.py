"""Damaged text: reading a program ends in a verified module or in one clear error, never in a crash."""

from __future__ import annotations

import random
import re
from pathlib import Path

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import deep_recursion, parse

from .cases import Fault

FOLDER = Path(__file__).parents[2] / "filecheck"
TOKEN = re.compile(r'"[^"\n]*"|[%@!#^]?[\w.$]+|->|\s+|.')
_REFUSED = re.compile(r"^// RUN:.*--verify-diagnostics", re.MULTILINE)
_DECLARATION = re.compile(r"func\.func private @\w+\(%[^{}]*\{relax\.dims.*\)$", re.MULTILINE)
"""A prim func without a body: xDSL prints none of the attributes that tell its sizes."""
NUMBERS = ("0", "1", "-1", "2", "7", "9223372036854775807", "9223372036854775808", "1.5", "?")
NAMES = (
    "n",
    "m",
    "%x",
    "%y",
    "@f",
    "f32",
    "i1",
    "relax.add",
    "relax.output",
    "!relax.object",
    "mod",
)


def programs(*folders: str) -> list[str]:
    """The programs of the tests in some folders, without comments; none that a test expects errors of."""
    paths = [path for folder in folders for path in sorted((FOLDER / folder).rglob("*.mlir"))]
    files = [path.read_text(encoding="utf-8") for path in paths]
    texts = [_program(t) for f in files if not _REFUSED.search(f) for t in f.split("// -----")]
    return [text for text in texts if text.strip() and not _DECLARATION.search(text)]


def _program(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip() + "\n"


def mutate(
    text: str, others: list[str], rng: random.Random, numbers: tuple[str, ...] = NUMBERS
) -> str:
    """The text with one piece deleted, repeated, swapped or replaced, a number by one of `numbers`."""
    by_line = rng.random() < 0.3
    pieces = text.splitlines(keepends=True) if by_line else TOKEN.findall(text)
    if len(pieces) < 2:
        return text
    at, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    kind = rng.choice(("delete", "repeat", "swap", "replace", "replace", "borrow"))
    if kind == "delete":
        del pieces[at]
    elif kind == "repeat":
        pieces.insert(other, pieces[at])
    elif kind == "swap":
        pieces[at], pieces[other] = pieces[other], pieces[at]
    elif kind == "borrow" or by_line:
        donor = rng.choice(others)
        given = donor.splitlines(keepends=True) if by_line else TOKEN.findall(donor)
        pieces[at] = rng.choice(given or [""])
    else:
        pieces[at] = rng.choice(numbers if pieces[at][:1].isdigit() else NAMES)
    return "".join(pieces)


def printed(text: str) -> str:
    module = parse(text)
    with deep_recursion():
        return str(module)


PROGRAMS = programs("dialect", "ops")
REFUSED = programs("errors")


def case(rng: random.Random) -> bool:
    """Read one damaged program; whether it is a program all the same. Raises `Fault`."""
    text = rng.choice(PROGRAMS if rng.random() < 0.7 else REFUSED)
    for _ in range(rng.choice((1, 1, 2, 4))):
        text = mutate(text, PROGRAMS, rng)
    try:
        once = printed(text)
    except RelaxError as error:
        if "Traceback" in str(error) or len(str(error)) > 5000:
            raise Fault(f"an error that is no clear one: {error}", text) from None
        return False
    except Exception as error:
        raise Fault(f"{type(error).__name__}: {error}", text) from error
    try:
        again = printed(once)
    except RelaxError as error:
        raise Fault(f"the printed text does not parse: {error}", text) from None
    if again != once:
        raise Fault("the printed text is read as another program", text)
    return True
