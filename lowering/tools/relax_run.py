"""`relax-run FILE`: run a function of a Relax program on arrays, compiled to C or interpreted."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Operation

from lowering.target import find
from lowering.tools.arguments import make_arguments
from lowering.tools.common import limit_recursion, run_tool
from lowering.tools.options import CACHE, COMPILING, EXTENSIONS, VERSION, add_options
from lowering.tools.program import IMPORTING, load_named
from lowering.tools.progress_bar import progress_bar
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.storage import as_codes
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ops.core import FuncOp
from relax_dialect.text.diagnostics import describe


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="relax-run", description=__doc__)
    parser.add_argument("file", help="the program, a .mlir file or an ONNX model")
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
        help="random arguments where no input is given, with these sizes for symbolic variables",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of --random (default: 0)")
    parser.add_argument(
        "--backend",
        choices=("c", "interpret"),
        default="c",
        help="compiled to C, which takes a C compiler, or by the numpy interpreter, as it is written "
        "(default: %(default)s)",
    )
    add_options(parser, IMPORTING, COMPILING, CACHE, EXTENSIONS, VERSION)
    parser.add_argument("--output", metavar="Y.npz", help="where the results are saved")
    return parser


# The function -------------------------------------------------------------------------------------


def find_entry(module: ModuleOp, name: str | None) -> FuncOp:
    """The function to run: the one named, else @main, else the only public one."""
    functions = {
        op.sym_name.data: op
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and (name is not None or not op.is_private)
    }
    if name is None:
        name = next(iter(functions)) if len(functions) == 1 else "main"
    name = name.removeprefix("@")
    if name not in functions:
        known = ", ".join(f"@{n}" for n in functions) or "none"
        raise RelaxError(
            f"entry @{name}: expected a function of the program, found {known}; pass one of them "
            "with --entry"
        )
    return functions[name]


# Backends --------------------------------------------------------------------------------------

WITHOUT_C = "note: --backend interpret runs a program without compiling it"


def interpreted(module: ModuleOp, function: FuncOp, args: argparse.Namespace) -> Callable[..., Any]:
    """The function on the numpy interpreter, as it is written."""
    from relax_dialect import interpret

    return partial(interpret.run, module, function.sym_name.data)


def compiled(module: ModuleOp, function: FuncOp, args: argparse.Namespace) -> Callable[..., Any]:
    """The function as C, compiled with what it calls and nothing else."""
    from lowering.driver import compile

    try:
        with progress_bar():
            model = compile(
                alone(module, function), opt_level=args.opt_level, cpu=args.cpu, cache=args.cache
            )
    except RelaxError as error:
        raise RelaxError(f"{describe(error)}\n{WITHOUT_C}") from None
    return model[function.sym_name.data]


def alone(module: ModuleOp, function: FuncOp) -> ModuleOp:
    """A new module of a function, made public, and all that it calls."""
    symbols = module_symbols(module)
    needed = {function.sym_name.data}
    work: list[Operation] = [function]
    while work:
        for op in ops_inside(work.pop()):
            for attribute in (*op.properties.values(), *op.attributes.values()):
                if not isinstance(attribute, SymbolRefAttr):
                    continue
                name = attribute.root_reference.data
                if name in symbols and name not in needed:
                    needed.add(name)
                    work.append(symbols[name])
    copies = {name: op.clone() for name, op in symbols.items() if name in needed}
    copies[function.sym_name.data].properties.pop("sym_visibility", None)
    return ModuleOp(list(copies.values()), attributes=dict(module.attributes))


# Results ---------------------------------------------------------------------------------------


def named_results(result: Any, name: str = "output") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of a result with the names they are saved under: output, or output_0, ..."""
    if isinstance(result, tuple):
        for index, part in enumerate(result):
            yield from named_results(part, f"{name}_{index}")
    elif result is not None:
        yield name, np.asarray(result)


def check_saved(path: str, results: dict[str, np.ndarray]) -> None:
    """Refuse to save what is no array."""
    for name, array in results.items():
        if array.dtype == object:
            raise RelaxError(
                f"--output {path}: expected results that are arrays, found {name}: {array.item()!r}; "
                "call the function from Python"
            )


def save(path: str, results: dict[str, np.ndarray]) -> None:
    """Save the results under their names."""
    try:
        with Path(path).open("wb") as file:
            arrays = {name: as_codes(array) for name, array in results.items()}
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    except OSError as error:
        raise RelaxError(
            f"--output {path}: expected a file that can be written, found none: {error.strerror}; name "
            "another one"
        ) from None


def run(args: argparse.Namespace) -> None:
    """Do what the command line asks for; print the results and save them if asked to."""
    find(args.cpu)
    if args.repeat is not None and args.repeat < 1:
        raise RelaxError(
            f"--repeat {args.repeat}: expected a number of calls, 1 or more; pass another one"
        )
    module, names = load_named(args)
    limit_recursion(module, args.recursion_limit)
    function = find_entry(module, args.entry)
    names = names if function.sym_name.data == "main" else None
    values = make_arguments(function, args.input, args.random, args.seed, names)
    backend = compiled if args.backend == "c" else interpreted
    call, times = backend(module, function, args), []
    try:
        for _ in range(args.repeat or 1):
            start = time.perf_counter()
            result = call(*values)
            times.append(time.perf_counter() - start)
        results = dict(named_results(result))
    except MemoryError:
        raise RelaxError(
            f"@{function.sym_name.data}: expected arrays that fit into memory, found larger ones; pass "
            "smaller sizes"
        ) from None
    if args.output is not None:
        check_saved(args.output, results)
    for name, array in results.items():
        print(f"{name}: {dims_text_of(array)} {array.dtype}")
        print(np.array2string(array, precision=6, threshold=60, edgeitems=3))
    if args.repeat is not None:
        print(time_text(times))
    if args.output is not None:
        save(args.output, results)
        print(f"saved to {args.output}")


def time_text(times: Sequence[float]) -> str:
    """How long calls took."""
    best = f"{1000 * min(times):.3f} ms"
    if len(times) == 1:
        return f"time: {best}"
    return (
        f"time: {best} at best, {1000 * median(times):.3f} ms in the middle of {len(times)} calls"
    )


def dims_text_of(array: np.ndarray) -> str:
    """The shape of an array as the types spell it."""
    return f"[{', '.join(map(str, array.shape))}]"


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-run`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: run(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
