"""The program that a tool reads: a `.mlir` file, a `.onnx` or `.pt2` model, or a `.py` script of TVM's."""

from __future__ import annotations

import argparse
import sys
from functools import lru_cache
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from lowering.pipeline import lower
from lowering.tools.common import STANDARD
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, read


@lru_cache(maxsize=1)
def _text_of(stream: TextIO) -> str:
    """The text of a stream, which can be read only once."""
    return decoded(stream.buffer.read() if isinstance(stream, TextIOWrapper) else stream.read())


def decoded(content: bytes | str) -> str:
    """Decode standard input, without a byte order mark, and with the line ends of text files.

    Raises:
        RelaxError: the bytes are no UTF-8.
    """
    if isinstance(content, str):
        return content
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RelaxError(
            "standard input: expected a program as UTF-8 text, found bytes that are none (at offset "
            f"{error.start}); pass a .mlir file"
        ) from None
    return text.replace("\r\n", "\n")


_OTHER = {
    (
        ".json",
        ".so",
        ".c",
        ".h",
        ".weights",
    ): "a part of a compiled model; call it as docs/calling.md "
    "shows, or run its .json with relax-run",
    (
        ".pt",
        ".pth",
    ): "weights of PyTorch; export the model and save it as .pt2 with torch.export.save",
    (".pb", ".tflite", ".h5", ".keras"): "a model of TensorFlow; convert it to .onnx with tf2onnx",
    (".npy", ".npz", ".safetensors"): "arrays; pass them to relax-run with --input",
}
"""Kinds of files that newcomers pass as programs, with the mend."""


def check_program(path: str) -> None:
    """Refuse a file whose name ends as that of another kind."""
    ending = Path(path).suffix.lower()
    for endings, found in _OTHER.items():
        if ending in endings:
            raise RelaxError(
                f"{path}: expected a program, a .mlir, .onnx, .pt2 or .py file, found {found}"
            )


def read_program(path: str) -> str:
    """The text of a program file, or of standard input for `-`."""
    check_program(path)
    return _text_of(sys.stdin) if path == STANDARD else read(path)


def is_onnx(path: str) -> bool:
    return Path(path).suffix.lower() == ".onnx"


def is_torch(path: str) -> bool:
    return Path(path).suffix.lower() == ".pt2"


def load_program(args: argparse.Namespace) -> ModuleOp:
    """Load and verify the program in the file that a command line names."""
    check_importing(args)
    if is_torch(args.file):
        from relax_dialect.frontends import torch

        return torch.load(args.file)
    if not is_onnx(args.file):
        return parse_program(read_program(args.file), args.file)
    from relax_dialect.frontends import onnx

    return onnx.load(args.file, dims=args.dim, bind=args.bind)


def with_passes(module: ModuleOp, args: argparse.Namespace) -> ModuleOp:
    """Run the passes of a command line on a module in place, and return it."""
    return lower(module, args.passes) if args.passes else module


def parse_program(text: str, path: str) -> ModuleOp:
    """Parse the program of a text, which is TVM's if the file's name ends in `.py`."""
    if Path(path).suffix.lower() != ".py":
        return parse(text, path)
    from relax_dialect.frontends import tvmscript

    return tvmscript.loads(text, path)


def check_importing(args: argparse.Namespace) -> None:
    """Refuse options of the import for a program that is not imported."""
    for option, values in (("--dim", args.dim), ("--bind", args.bind)):
        if values and not is_onnx(args.file):
            raise RelaxError(
                f"{option} {next(iter(values))}: expected a .onnx file, which is imported, found "
                f"{args.file}; leave the option out"
            )
