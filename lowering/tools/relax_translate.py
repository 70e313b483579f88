"""`relax-translate --import-onnx MODEL -o FILE`: an ONNX model as a program, its weights beside it; with
`--import-torch MODEL` an exported program of PyTorch, with `--import-tvmscript SCRIPT` a program of TVM's.
`relax-translate --check-tvm PASS PROGRAM` runs a pass of TVM's and ours on a program, and compares the
results."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from lowering.support.whole_files import write_whole
from lowering.tools.common import STANDARD, check_output, report_stream, writing, written_text
from lowering.tools.inputs.onnx_program import OnnxProgram
from lowering.tools.inputs.program import check_importing, read_program, with_passes
from lowering.tools.options import (
    GENERAL,
    IMPORTING,
    VERBOSITY,
    add_options,
    command_line,
    start,
)
from lowering.tools.stages import Stages
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp
from relax_dialect.text.data_files import BesidePrinter

LEAST = 64
"""Constants of at least so many bytes are written to the file beside the program."""


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-translate", __doc__)
    given = parser.add_mutually_exclusive_group(required=True)
    add_options(given, "--import-onnx", dest="file")
    add_options(given, "--import-torch", dest="exported")
    add_options(given, "--import-tvmscript", dest="script")
    add_options(given, "--check-tvm")
    program = "the program of --check-tvm: .mlir, .py or .onnx, - for standard input"
    parser.add_argument("program", nargs="?", help=program)
    add_options(
        parser,
        "-o, --output",
        help="the program, a .mlir file, with its weights in a .safetensors file beside it; - for standard "
        "output, with the weights in the text",
    )
    add_options(parser, "-p, --passes", "--random", "--seed", "--tolerance", *IMPORTING)
    add_options(parser, *VERBOSITY, *GENERAL)
    return parser


def _imported(args: argparse.Namespace, stages: Stages) -> ModuleOp:
    """Import the program that the command line names."""
    if args.file == STANDARD:
        raise RelaxError(
            "--import-onnx -: expected a file, whose data files lie beside it, found standard input; "
            "name the file"
        )
    args.file = args.script or args.exported or args.file
    check_importing(args)
    if args.exported is not None:
        from relax_dialect.frontends import torch

        return with_passes(torch.load(args.exported), args)
    if args.script is None:
        return with_passes(OnnxProgram(args, None, stages).module, args)
    if args.script == STANDARD:
        return with_passes(tvmscript.loads(read_program(STANDARD), "stdin"), args)
    return with_passes(tvmscript.load(args.script), args)


def translate(args: argparse.Namespace) -> int | None:
    """Run the command line."""
    is_checking = args.check_tvm is not None
    if is_checking != (args.program is not None) or is_checking != (args.output is None):
        raise RelaxError(
            "relax-translate: expected -o PROGRAM after an import, and a program after --check-tvm PASS, "
            "found another command line; see relax-translate --help"
        )
    if is_checking:
        from lowering.tools.tvm_comparison.check_tvm import check_tvm

        args.file = args.program
        return check_tvm(args)
    check_output(args.output)
    stages = Stages(args, report_stream(args.output))
    module = _imported(args, stages)
    if args.output == STANDARD:
        Printer(sys.stdout).print_op(module)
        print()
        return
    path = Path(args.output)
    weights = path.with_suffix(".safetensors")
    text = io.StringIO()
    printer = BesidePrinter(text, weights.name, LEAST)
    for op in walk_ops(module):
        if isinstance(op, ConstantOp):
            printer.place(op.value, op.result.name_hint or "constant")
    printer.print_op(module)
    with writing(path, "file"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.getvalue() + "\n", "utf-8")
        if printer.placed:
            write_whole(weights, printer.contents())
    stages.say(written_text(path))
    if printer.placed:
        stages.say(written_text(weights))


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-translate`."""
    return start(arguments(), translate, args)


if __name__ == "__main__":
    sys.exit(main())
