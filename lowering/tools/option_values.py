"""The values of the tools' options: parsed and checked in one order, before the work."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from lowering.emit_c.syntax.c_source import MOST_THREADS
from lowering.runtime.shared_object import link_arguments
from lowering.support.target import find
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import read

Reader = Callable[[Any, str], Any]
"""Takes what argparse returns and the option's name; returns the value."""


def split_assignments(words: Sequence[str]) -> Iterator[str]:
    """Yield the assignments of `["n=7,m=2", "ids=0:9"]`; a name may have any character."""
    for word in words:
        yield from filter(None, re.sub(r"(=[-\d.:]+),", r"\1\n", word).split("\n"))


def parse_sizes(words: Sequence[str], option: str = "--random") -> dict[str, int]:
    """Parse `["n=7,m=2", "k=3"]` as sizes by their names."""
    sizes: dict[str, int] = {}
    form = "a name and a size of 0 or more, as in n=7"
    for word, name, text in _pairs(split_assignments(words), option, form):
        if not (text.isascii() and text.isdigit()):
            raise RelaxError(f"{option} {word}: expected {form}, found {text!r}; correct it")
        sizes[name] = int(text)
    return sizes


def parse_points(words: Sequence[str], option: str) -> list[dict[str, int]]:
    """Parse `["n=1,m=2", "n=64,m=2"]` as sizes by their names, once for each word."""
    return [parse_sizes([word], "--dim") for word in words] or [{}]


def at_least(least: int) -> Callable[[str], int]:
    """Return a parser of whole numbers of 63 bits that are not below another, for argparse."""

    def parse(text: str) -> int:
        with suppress(ValueError):
            if least <= (found := int(text)) < 2**63:
                return found
        raise argparse.ArgumentTypeError(
            f"expected a whole number, {least} or more and below 2^63, found {text}"
        )

    return parse


def number(least: float, most: float) -> Callable[[str], float]:
    """Return a parser of numbers within bounds, for argparse."""

    def parse(text: str) -> float:
        with suppress(ValueError):
            if least <= (found := float(text)) <= most:
                return found
        raise argparse.ArgumentTypeError(
            f"expected a number from {least:g} to {most:g}, found {text}"
        )

    return parse


UNITS = {"s": 1, "m": 60, "h": 3600}


def parse_budget(text: str, option: str) -> float:
    """Parse `"90s"`, `"5m"` or `"1h"` as seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text, re.ASCII)
    seconds = 0.0 if match is None else float(match[1]) * UNITS[match[2] or "s"]
    if not 0 < seconds < math.inf:
        raise RelaxError(
            f"{option} {text}: expected a time above 0, as in 90s, 5m or 1h, found {text!r}; correct it"
        )
    return seconds


def parse_bindings(words: Sequence[str], option: str) -> dict[str, np.ndarray]:
    """Parse `["axes=[0,1]", "x=x.npy"]` as arrays by the names of inputs."""
    form = "an input's name and a value, as in axes=[0,1]"
    return {name: _array(word, text, option) for word, name, text in _pairs(words, option, form)}


def parse_packed(words: Sequence[str], option: str) -> dict[str, str]:
    """Parse `["f=my_f"]` as C symbols by the names of packed functions."""
    form = "a name and a C symbol, as in f=my_f"
    return {name: symbol for _, name, symbol in _pairs(words, option, form)}


def _pairs(
    words: Sequence[str] | Iterator[str], option: str, form: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the words, each with the parts before and after its `=`."""
    seen: set[str] = set()
    for word in words:
        name, _, text = word.partition("=")
        if not (name and text):
            raise RelaxError(f"{option} {word}: expected {form}; correct it")
        if name in seen:
            raise RelaxError(f"{option} {word}: '{name}' occurs twice; leave one out")
        seen.add(name)
        yield word, name, text


def _array(word: str, text: str, option: str) -> np.ndarray[Any, Any]:
    """Return the array that a value denotes."""
    if text.lower().endswith(".npy"):
        from lowering.tools.inputs.array_files import read_arrays

        return read_arrays(text)[""]
    try:
        array = np.asarray(json.loads(text))
    except (ValueError, RecursionError):  # no JSON, or lists of different lengths
        array = None
    if array is None or array.dtype.kind not in "biuf":
        raise RelaxError(
            f"{option} {word}: expected a number, a list of numbers, or a .npy file, found {text!r}; "
            "correct it"
        )
    return array


def parse_passes(text: str, option: str) -> list[str]:
    """Parse `"a,b{c=1}"` as passes with their options."""
    try:
        return [str(spec) for spec in parse_pipeline(text)]
    except ArgSpecParseError as error:
        raise RelaxError(
            f"{option} {text}: expected passes with commas between them, found others: "
            f"{str(error).strip()}; correct the text"
        ) from None


def parse_flags(texts: Sequence[str], option: str) -> list[str]:
    """Split the words of flags as a shell does."""
    try:
        return [word for text in texts for word in shlex.split(text)]
    except ValueError as error:  # a quote that is not closed
        raise RelaxError(
            f"{option} {' '.join(texts)}: expected words as a shell reads them, found others: {error}; "
            "correct the quotes"
        ) from None


def read_schedules(file: str, _: str) -> str:
    """Return the checked text of a file of schedules."""
    from lowering.schedule.schedule import parse as parse_schedules

    text = read(file)
    parse_schedules(text, file)
    return text


def _known_cpu(name: str, _: str) -> str:
    find(name)
    return name


def _linked(files: Sequence[str], _: str) -> Sequence[str]:
    link_arguments(files)
    return files


def _pattern(text: str, option: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise RelaxError(
            f"{option} {text}: expected a regular expression, found a mistake: {error}; correct it"
        ) from None


def _between(least: float, most: float = math.inf) -> Reader:
    """Return the check of a finite number."""
    form = (
        f"a number of {least:g} or more"
        if most == math.inf
        else f"a number from {least:g} to {most:,.0f}"
    )

    def check(value: float, option: str) -> float:
        if not least <= value <= most or math.isinf(value):
            raise RelaxError(f"{option} {value}: expected {form}; pass another one")
        return value

    return check


READERS: Mapping[str, Reader] = {
    "repeat": _between(1),
    "threads": _between(1, MOST_THREADS),
    "seed": _between(0),
    "tolerance": _between(0),
    "prove_limit": _between(1),
    "seconds": _between(0.001, 1e6),
    "sidecar_threshold": _between(0),
    "cpu": _known_cpu,
    "dim": parse_sizes,
    "points": parse_points,
    "budget": parse_budget,
    "bind": parse_bindings,
    "sizes": parse_sizes,
    "passes": parse_passes,
    "schedules": read_schedules,
    "packed": parse_packed,
    "cflags": parse_flags,
    "link": _linked,
    "match": _pattern,
}
"""The readers of option values by the attribute of the command line, in the order of their errors."""


def check_files(args: argparse.Namespace) -> None:
    """Refuse an output that is the program itself, which would be lost."""
    given = vars(args)
    if "emit" in given:  # its output is a folder
        return
    for output in filter(None, (given.get("output"), given.get("output_file"))):
        for source in filter(None, map(given.get, ("file", "script", "program", "input_file"))):
            if (
                os.path.isfile(source)
                and os.path.exists(output)
                and os.path.samefile(source, output)
            ):
                raise RelaxError(
                    f"--output {output}: expected another file than the program, found the same one; "
                    "name another one"
                )


def read_values(args: argparse.Namespace, names: Iterable[str] = READERS) -> None:
    """Replace the values of a command line by checked ones.

    Raises:
        RelaxError: a value is none that the option takes.
    """
    check_files(args)
    for name in names:
        if (value := getattr(args, name, None)) is not None:
            setattr(args, name, READERS[name](value, f"--{name.replace('_', '-')}"))
