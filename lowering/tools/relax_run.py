"""`relax-run FILE`: run a function of a Relax program on arrays, compiled to C or interpreted."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lowering.support.target import find
from lowering.support.whole_files import check_target
from lowering.tools.checking import TOLERANCE, check_checking, checked
from lowering.tools.common import run_tool
from lowering.tools.entry import entry_of
from lowering.tools.inputs.arguments import make_arguments
from lowering.tools.inputs.program import IMPORTING, check_importing
from lowering.tools.options import CACHE, COMPILING, EXTENSIONS, VERSION, add_options
from lowering.tools.results import (
    check_saved,
    dims_text_of,
    labelled,
    named_results,
    save,
    time_text,
)
from lowering.tools.stages import QUIET, Stages
from relax_dialect.errors import RelaxError


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = argparse.ArgumentParser(prog="relax-run", description=__doc__)
    parser.add_argument(
        "file",
        help="the program: .mlir, .onnx or .py of TVM's, - for standard input; or a compiled model's .json",
    )
    parser.add_argument(
        "--entry", help="the function to run (default: @main, or the only public one)"
    )
    parser.add_argument(
        "--input",
        nargs="+",
        action="extend",
        default=[],
        metavar="[NAME=]FILE",
        help="its arguments: .npy files, .npz and .safetensors with arrays called as parameters are, "
        "images (.png, .ppm; others with Pillow); in order, or by name as in x=x.npy",
    )
    parser.add_argument(
        "--repeat",
        type=int,
        metavar="N",
        help="call it so often, and print the shortest and the median time",
    )
    parser.add_argument(
        "--random",
        nargs="*",
        metavar="n=7",
        help="random arguments for missing inputs, with these sizes for symbolic variables; values "
        "are normally distributed, integers 0 to 9, or in an interval as in ids=0:100, without 100",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of --random (default: 0)")
    parser.add_argument(
        "--backend",
        choices=("c", "interpret"),
        default="c",
        help="compiled to C, which takes a C compiler, or by the numpy interpreter, as it is written "
        "(default: %(default)s)",
    )
    add_options(parser, IMPORTING, COMPILING, CACHE, QUIET, EXTENSIONS, VERSION)
    parser.add_argument(
        "--check",
        choices=("onnxruntime",),
        help="run ONNX Runtime on the same inputs and compare the results of the model; where they differ, "
        "name the first node whose value does",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        metavar="T",
        help="the difference that --check takes, as a part of max|reference| (default: %(default)s)",
    )
    parser.add_argument("--output", metavar="Y.npz", help="where the results are saved")
    return parser


def run(args: argparse.Namespace) -> None:
    """Run the command line; print the results and save them on request."""
    find(args.cpu)
    check_importing(args)
    if args.output is not None:
        check_target(Path(args.output), "file", "--output", is_made=False)
    if args.repeat is not None and args.repeat < 1:
        raise RelaxError(
            f"--repeat {args.repeat}: expected a number of calls, 1 or more; pass another one"
        )
    if args.check is not None:
        check_checking(args)
    is_watched = args.verbose or sys.stderr.isatty()
    args.quiet = args.quiet or not is_watched
    stages = Stages(args, sys.stderr)
    entry = entry_of(args, stages)
    where = f"@{entry.name}"
    values = make_arguments(
        where, entry.parameters, entry.types, args.input, args.random, args.seed
    )
    call, times = entry.prepare(), []
    try:
        for _ in range(args.repeat or 1):
            start = time.perf_counter()
            result = call(*values)
            times.append(time.perf_counter() - start)
        results = labelled(dict(named_results(result)), call, entry.results)
    except MemoryError:
        raise RelaxError(
            f"{where}: expected arrays that fit into memory, found larger ones; pass smaller sizes"
        ) from None
    stages.finish("run", min(times))
    if args.output is not None:
        check_saved(args.output, results)
    for name, array in results.items():
        print(f"{name}: {dims_text_of(array)} {array.dtype}")
        print(np.array2string(array, precision=6, threshold=60, edgeitems=3))
    if args.repeat is not None:
        print(time_text(times))
    if args.check is not None:
        for line in checked(args, entry, values, result):
            print(line)
    if args.output is not None:
        save(args.output, results)
        print(f"saved to {args.output}")


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-run`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: run(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
