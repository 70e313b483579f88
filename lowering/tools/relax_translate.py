"""`relax-translate --import-onnx MODEL -o FILE`: an ONNX model as a program, its weights beside it."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.printer import Printer

from lowering.tools.common import run_tool, writing, written_text
from lowering.tools.onnx_program import OnnxProgram
from lowering.tools.options import EXTENSIONS, VERSION, add_options
from lowering.tools.program import IMPORTING, check_importing
from lowering.tools.stages import QUIET, Stages
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ops.core import ConstantOp
from relax_dialect.text.data_files import BesidePrinter

LEAST = 64
"""Constants of so many bytes stand in the file beside the program."""


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="relax-translate", description=__doc__)
    parser.add_argument(
        "--import-onnx", dest="file", required=True, metavar="MODEL", help="the model, a .onnx file"
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="PROGRAM",
        help="the program, a .mlir file, with its weights in a .safetensors file beside it; - for standard "
        "output, with the weights in the text",
    )
    add_options(parser, IMPORTING, QUIET, EXTENSIONS, VERSION)
    return parser


def translate(args: argparse.Namespace) -> None:
    """Do what the command line asks for."""
    is_printed = args.output == "-"
    check_importing(args)
    stages = Stages(args, sys.stderr if is_printed else sys.stdout)
    module = OnnxProgram(args, None, stages).module
    if is_printed:
        Printer(sys.stdout).print_op(module)
        print()
        return
    path = Path(args.output)
    weights = path.with_suffix(".safetensors")
    text = io.StringIO()
    printer = BesidePrinter(text, weights.name, LEAST)
    for op in ops_inside(module):
        if isinstance(op, ConstantOp):
            printer.place(op.value, op.result.name_hint or "constant")
    printer.print_op(module)
    with writing(path, "file"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.getvalue() + "\n", "utf-8")
        if printer.placed:
            with weights.open("wb") as file:
                file.writelines(printer.contents())
    stages.say(written_text(path))
    if printer.placed:
        stages.say(written_text(weights))


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-translate`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: translate(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
