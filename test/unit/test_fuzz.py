"""Damaged programs: reading one ends in a verified module or in one clear error, never in a crash."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import deep_recursion, parse

FOLDER = Path(__file__).parent.parent / "filecheck"
CASES = int(os.environ.get("RELAX_FUZZ_CASES", "500"))
SEED = int(os.environ.get("RELAX_FUZZ_SEED", "0"))
TOKEN = re.compile(r'"[^"\n]*"|[%@!#^]?[\w.$]+|->|\s+|.')
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
    """The programs of the tests in some folders, without comments."""
    paths = [path for folder in folders for path in sorted((FOLDER / folder).rglob("*.mlir"))]
    texts = [_program(t) for p in paths for t in p.read_text(encoding="utf-8").split("// -----")]
    return [text for text in texts if text.strip() and not _DECLARATION.search(text)]


def _program(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip() + "\n"


def mutate(text: str, others: list[str], rng: random.Random) -> str:
    """The text with one piece deleted, repeated, swapped or replaced."""
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
        pieces[at] = rng.choice(
            donor.splitlines(keepends=True) if by_line else TOKEN.findall(donor)
        )
    else:
        pieces[at] = rng.choice(NUMBERS if pieces[at][:1].isdigit() else NAMES)
    return "".join(pieces)


def printed(text: str) -> str:
    module = parse(text)
    with deep_recursion():
        return str(module)


PROGRAMS = programs("dialect", "ops")
REFUSED = programs("errors")


@pytest.mark.parametrize("part", range(4))
def test_a_damaged_program_is_read_or_refused(part: int):
    rng = random.Random(f"{SEED} {part}")
    accepted = 0
    for _ in range(CASES // 4):
        text = rng.choice(PROGRAMS if rng.random() < 0.7 else REFUSED)
        for _ in range(rng.choice((1, 1, 2, 4))):
            text = mutate(text, PROGRAMS, rng)
        try:
            once = printed(text)
        except RelaxError as error:
            assert "Traceback" not in str(error) and len(str(error)) < 5000, text
            continue
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error}\n{text}")
        accepted += 1
        try:
            again = printed(once)
        except RelaxError as error:
            pytest.fail(f"the printed text does not parse: {error}\n{text}")
        assert again == once
    assert accepted, "all of the mutations are refused, which tests no printing"
