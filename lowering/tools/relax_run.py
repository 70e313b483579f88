"""`relax-run FILE`: run a function of a Relax program on arrays, interpreted or compiled to C."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    ModuleOp,
    TupleType,
)
from xdsl.ir import Attribute

from lowering.tools.common import run_tool
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.values import numpy_dtype
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import load
from relax_dialect.types import Dims, ShapeType, TensorType


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="relax-run", description=__doc__)
    parser.add_argument("file", help="the program, a .mlir file")
    parser.add_argument(
        "--entry", help="the function to run (default: @main, or the only public one)"
    )
    parser.add_argument(
        "--input", nargs="+", action="extend", default=[], metavar="X.npy", help="its arguments"
    )
    parser.add_argument(
        "--random",
        nargs="*",
        metavar="n=7",
        help="random arguments where no input is given, with these sizes for symbolic variables",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of --random (default: 0)")
    parser.add_argument("--backend", choices=("interpret", "c"), default="interpret")
    parser.add_argument("--output", metavar="Y.npz", help="where the results are saved")
    return parser


# Arguments -------------------------------------------------------------------------------------


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


def read_array(path: str) -> np.ndarray:
    """The array in a .npy file."""
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        reason = error.strerror or "it is no .npy file"
        raise RelaxError(f"{path}: expected a .npy file, found none: {reason}") from None
    except (ValueError, EOFError) as error:
        raise RelaxError(f"{path}: expected a .npy file with numbers: {error}") from None
    if not isinstance(array, np.ndarray):
        raise RelaxError(f"{path}: expected one array, found an archive; pass a .npy file")
    return array


def parse_sizes(assignments: Sequence[str]) -> dict[str, int]:
    """`["n=7", "m=3"]` as sizes by the names of their variables."""
    sizes: dict[str, int] = {}
    for assignment in (a for text in assignments for a in text.split(",") if a):
        match = re.fullmatch(r"([A-Za-z_]\w*)=(\d+)", assignment)
        if match is None:
            raise RelaxError(
                f"--random {assignment}: expected a variable and its size, as in n=7; correct it"
            )
        sizes[match[1]] = int(match[2])
    return sizes


class ArgumentMaker:
    """Makes the arguments of a function: arrays from files first, then random ones."""

    def __init__(self, arrays: Sequence[np.ndarray], sizes: dict[str, int] | None, seed: int):
        self.arrays = list(arrays)
        self.sizes = sizes
        self.random = np.random.default_rng(seed)
        self.given = len(self.arrays)
        self.needed = 0

    def make(self, name: str, type: Attribute) -> Any:
        """An argument of a type; tuples take one array per tensor in them."""
        if isinstance(type, TupleType):
            return tuple(self.make(f"{name}.{i}", t) for i, t in enumerate(type.types))
        if isinstance(type, ShapeType):
            return self._shape(name, type.shape, str(type))
        self.needed += 1
        if self.arrays:
            array = self.arrays.pop(0)
            return array if isinstance(type, TensorType) else array[()]
        if self.sizes is None:
            raise RelaxError(
                f"argument '{name}': expected an array for {type}, found no --input left; pass one, or "
                "let --random make it"
            )
        if isinstance(type, TensorType):
            if type.dtype is None:
                raise RelaxError(
                    f"argument '{name}': expected a known element type to make a random one, found "
                    f"{type}; pass it with --input"
                )
            return self._numbers(type.dtype, self._shape(name, type.shape, str(type)))
        return self._numbers(type, ())[()]

    def _shape(self, name: str, dims: Dims | None, text: str) -> tuple[int, ...]:
        sizes = self.sizes or {}
        for dim in dims or (None,):
            missing = ["?"] if dim is None else [v for v in dim.free_variables if v not in sizes]
            if dims != () and missing:
                raise RelaxError(
                    f"argument '{name}': expected a size for '{missing[0]}' in {text}, found none; "
                    "pass it as in --random n=7"
                    + ("" if missing[0] != "?" else ", or the array with --input")
                )
        return tuple(d.evaluate(sizes) for d in dims or () if d is not None)

    def _numbers(self, dtype: Attribute, shape: tuple[int, ...]) -> np.ndarray:
        wanted = numpy_dtype(dtype)
        if isinstance(dtype, AnyFloat):
            return self.random.standard_normal(shape).astype(wanted)
        if isinstance(dtype, IntegerType | IndexType):
            high = 2 if wanted == np.bool_ else 10
            return self.random.integers(0, high, shape).astype(wanted)
        raise RelaxError(f"--random: expected a numeric element type, found {dtype}")


def make_arguments(function: FuncOp, args: argparse.Namespace) -> list[Any]:
    """The arguments of the entry, from the command line's files and sizes."""
    sizes = None if args.random is None else parse_sizes(args.random)
    maker = ArgumentMaker([read_array(p) for p in args.input], sizes, args.seed)
    values = [maker.make(a.name_hint or f"arg{a.index}", a.type) for a in function.body.block.args]
    if maker.arrays:
        raise RelaxError(
            f"@{function.sym_name.data}: expected {maker.needed} input arrays, found {maker.given}; "
            "leave out the others"
        )
    return values


# Backends --------------------------------------------------------------------------------------


def run_interpreted(module: ModuleOp, function: FuncOp, values: Sequence[Any]) -> Any:
    """Run the function on the numpy interpreter."""
    from relax_dialect import interpret

    return interpret.run(module, function.sym_name.data, *values)


def run_compiled(module: ModuleOp, function: FuncOp, values: Sequence[Any]) -> Any:
    """Run the function as C: nested tuples are passed part by part, shapes as numbers."""
    from lowering.driver import compile

    compiled = compile(module)[function.sym_name.data]
    types = [a.type for a in function.body.block.args]
    tensors, symbols, unnamed = _flatten(types, values)
    arguments: list[Any] = []
    for param in compiled.entry.params:
        if param.kind == "scalar" and param.name in symbols:
            arguments.append(symbols[param.name])
        else:
            source = tensors if param.kind == "tensor" or not unnamed else unnamed
            arguments.append(source.pop(0))
    return compiled(*arguments)


def _flatten(
    types: Sequence[Attribute], values: Sequence[Any]
) -> tuple[list[Any], dict[str, int], list[int]]:
    """Arrays and scalars in order, the sizes of variables, and sizes that have no name."""
    flat: list[Any] = []
    symbols: dict[str, int] = {}
    unnamed: list[int] = []
    stack = list(reversed(list(zip(types, values))))
    while stack:
        type, value = stack.pop()
        if isinstance(type, TupleType):
            stack.extend(reversed(list(zip(type.types, value))))
        elif isinstance(type, ShapeType):
            for dim, size in zip(type.shape or (), value):
                if dim is not None and dim.name is not None:
                    symbols.setdefault(dim.name, size)
                elif dim is None:
                    unnamed.append(size)
        else:
            flat.append(value)
    return flat, symbols, unnamed


# Results ---------------------------------------------------------------------------------------


def named_results(result: Any, name: str = "output") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of a result with the names they are saved under: output, or output_0, ..."""
    if isinstance(result, tuple):
        for index, part in enumerate(result):
            yield from named_results(part, f"{name}_{index}")
    elif result is not None:
        yield name, np.asarray(result)


def run(args: argparse.Namespace) -> None:
    """Do what the command line asks for; print the results and save them if asked to."""
    module = load(args.file)
    function = find_entry(module, args.entry)
    values = make_arguments(function, args)
    backend = run_compiled if args.backend == "c" else run_interpreted
    results = dict(named_results(backend(module, function, values)))
    for name, array in results.items():
        print(f"{name}: {dims_text_of(array)} {array.dtype}")
        print(np.array2string(array, precision=6, threshold=60, edgeitems=3))
    if args.output is not None:
        path = Path(args.output)
        with path.open("wb") as file:
            np.savez(file, **results)  # pyright: ignore[reportArgumentType]
        print(f"saved to {path}")


def dims_text_of(array: np.ndarray) -> str:
    """The shape of an array as the types spell it."""
    return f"[{', '.join(map(str, array.shape))}]"


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-run`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: run(parsed))


if __name__ == "__main__":
    sys.exit(main())
