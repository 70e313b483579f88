"""The program that a tool reads: a `.mlir` file, or an imported `.onnx` model or TVM `.py` script."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from lowering.tools.inputs.array_files import read_arrays
from lowering.tools.options import Options
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, read

IMPORTING: Options = {
    "--dim": {
        "nargs": "+",
        "action": "extend",
        "default": [],
        "metavar": "NAME=N",
        "help": "sizes that an ONNX model names, fixed as it is imported",
    },
    "--bind": {
        "nargs": "+",
        "action": "extend",
        "default": [],
        "metavar": "INPUT=VALUE",
        "help": "inputs of an ONNX model that become constants: a number, a list as in axes=[0,1], or a "
        ".npy file",
    },
}
"""Options of the import of other formats."""


STDIN = "-"
"""The file name that means standard input."""


@lru_cache(maxsize=1)
def _text_of(stream: TextIO) -> str:
    """The text of a stream, which can be read only once."""
    return stream.read()


def read_program(path: str) -> str:
    """The text of a program file, or of standard input for `-`."""
    return _text_of(sys.stdin) if path == STDIN else read(path)


def is_onnx(path: str) -> bool:
    return Path(path).suffix.lower() == ".onnx"


def load_program(args: argparse.Namespace) -> ModuleOp:
    """Load and verify the program in the file that a command line names."""
    check_importing(args)
    if not is_onnx(args.file):
        return parse_program(read_program(args.file), args.file)
    from relax_dialect.frontends import onnx

    return onnx.load(args.file, dims=parse_dims(args.dim), bind=parse_bindings(args.bind))


def parse_program(text: str, path: str) -> ModuleOp:
    """Parse the program of a text, which is TVM's if the file's name ends in `.py`."""
    if Path(path).suffix.lower() != ".py":
        return parse(text, path)
    from relax_dialect.frontends import tvmscript

    return tvmscript.loads(text, path)


def check_importing(args: argparse.Namespace) -> None:
    """Refuse options of the import for a program that is not imported."""
    for option, words in (("--dim", args.dim), ("--bind", args.bind)):
        if words and not is_onnx(args.file):
            raise RelaxError(
                f"{option} {words[0]}: expected a .onnx file, which is imported, found {args.file}; "
                "leave the option out"
            )


def parse_dims(words: Sequence[str]) -> Mapping[str, int]:
    """Parse `["batch=1"]` as sizes by their names, in which any character may be."""
    sizes: dict[str, int] = {}
    for word, name, text in _pairs(words, "--dim", "a size's name and a number, as in batch=1"):
        if not (text.isascii() and text.isdigit()):
            raise RelaxError(
                f"--dim {word}: expected a number, 0 or more, found {text!r}; correct it"
            )
        sizes[name] = int(text)
    return sizes


def parse_bindings(words: Sequence[str]) -> Mapping[str, np.ndarray]:
    """Parse `["axes=[0,1]", "x=x.npy"]` as arrays by the names of inputs."""
    form = "an input's name and a value, as in axes=[0,1]"
    return {name: _array(word, text) for word, name, text in _pairs(words, "--bind", form)}


def _pairs(words: Sequence[str], option: str, form: str) -> Iterator[tuple[str, str, str]]:
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


def _array(word: str, text: str) -> np.ndarray[Any, Any]:
    """Return the array that a value denotes."""
    if text.lower().endswith(".npy"):
        return read_arrays(text)[""]
    try:
        array = np.asarray(json.loads(text))
    except (ValueError, RecursionError):  # no JSON, or lists of different lengths
        array = None
    if array is None or array.dtype.kind not in "biuf":
        raise RelaxError(
            f"--bind {word}: expected a number, a list of numbers, or a .npy file, found {text!r}; "
            "correct it"
        )
    return array
