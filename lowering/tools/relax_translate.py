"""`relax-translate --import-onnx MODEL -o FILE`: an ONNX model as a program, its weights beside it; with
`--import-tvmscript SCRIPT` a program of TVM's. `relax-translate --check-tvm PASS PROGRAM` runs a pass of
TVM's and ours on a program, and compares what they make of it."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from lowering.support.whole_files import check_target
from lowering.tools.common import run_tool, writing, written_text
from lowering.tools.inputs.onnx_program import OnnxProgram
from lowering.tools.inputs.program import IMPORTING, check_importing
from lowering.tools.options import EXTENSIONS, VERSION, add_options
from lowering.tools.stages import QUIET, Stages
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp
from relax_dialect.text.data_files import BesidePrinter

LEAST = 64
"""Constants of at least so many bytes are written to the file beside the program."""


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = argparse.ArgumentParser(prog="relax-translate", description=__doc__)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument(
        "--import-onnx", dest="file", metavar="MODEL", help="the model, a .onnx file"
    )
    given.add_argument(
        "--import-tvmscript",
        dest="script",
        metavar="SCRIPT",
        help="the text of a module of TVM's, a .py file, which is not run",
    )
    given.add_argument(
        "--check-tvm",
        metavar="PASS",
        help="a pass by our name or TVM's, relax-fold-constant or FoldConstant, with our options: both run "
        "on a program, which is named last; 0 if they produce the same module, or the same values",
    )
    parser.add_argument(
        "program", nargs="?", help="the program of --check-tvm: .mlir, .py or .onnx"
    )
    parser.add_argument(
        "--random",
        action="append",
        metavar="n=7,m=2",
        help="the sizes of symbolic variables in the random arguments of --check-tvm, instead of several",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="the seed of these arguments (default: 0)"
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        help="the difference of floats that --check-tvm takes, as a part of the largest (default: by type)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="PROGRAM",
        help="the program, a .mlir file, with its weights in a .safetensors file beside it; - for standard "
        "output, with the weights in the text",
    )
    add_options(parser, IMPORTING, QUIET, EXTENSIONS, VERSION)
    return parser


def _imported(args: argparse.Namespace, stages: Stages) -> ModuleOp:
    """Import the program that the command line names."""
    args.file = args.script or args.file
    check_importing(args)
    return tvmscript.load(args.script) if args.script else OnnxProgram(args, None, stages).module


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
    is_printed = args.output == "-"
    if not is_printed:
        check_target(Path(args.output), "file", "--output")
    stages = Stages(args, sys.stderr if is_printed else sys.stdout)
    module = _imported(args, stages)
    if is_printed:
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
