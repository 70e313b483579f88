"""Random `affine` programs: interpreter, C and MLIR compute the same to the bit.

The compiled program was lowered, raised, printed and read: `relax-raise-to-affine` has to find every loop,
branch and access that was affine before, and MLIR has to accept its operands.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from affine_programs import arguments, program
from mlir_oracle import Oracle, check_accepted, lower_and_load, mlir_opt
from optional import MLIR
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering.pipeline import lower
from relax_dialect import interpret
from relax_dialect.parsing import parse

from .cases import Fault
from .schedules import cpus

CALLS = 2
SEMI_AFFINE = 0.3
"""The share of programs with products of indices and sizes, which are lowered but not raised."""

MLIRS_FAULT = "bound map to have at least one result"
"""MLIR 22 simplifies the bounds of a loop in a branch that is never taken to none."""

CAME_BACK = ("for", "parallel", "if", "load", "store", "vector_load", "vector_store")
"""The ops that are affine after raising as often as before; indices are left as arithmetic."""

Run = Callable[[str, Sequence[np.ndarray], Sequence[int]], Any]
"""Calls a function on arrays, which it writes to, and scalars."""


def batch(rng: random.Random, count: int) -> int:
    """Try so many functions, all in one C module. Raises `Fault`."""
    semi_affine = rng.random() < SEMI_AFFINE
    text = program(rng, count, semi_affine)
    module, raised = parse(text), round_trip(text, in_full=not semi_affine)
    model = lowering.compile(raised, cpu=rng.choice(cpus()))
    runs: dict[str, Run] = {
        "interpreter": lambda name, a, s: interpret.run(module, name, *a, *_typed(s)),
        "raised": lambda name, a, s: interpret.run(raised, name, *a, *_typed(s)),
        "C": lambda name, a, s: model[name](*a, *_typed(s)),
    }
    if MLIR.found and (oracle := by_mlir(text)) is not None:
        runs["MLIR"] = lambda name, a, s: oracle.call(name, s, a)[0]
    for function in module.ops:
        assert isinstance(function, FuncOp)
        for _ in range(CALLS):
            check(function, runs, *arguments(rng))
    return count


def by_mlir(text: str) -> Oracle | None:
    """The program compiled by MLIR; None if a fault of its own stops it."""
    try:
        return lower_and_load(mlir_opt(text, "--convert-vector-to-scf"))
    except RuntimeError as error:
        if MLIRS_FAULT not in str(error):
            raise
        return None


def _typed(scalars: Sequence[int]) -> Sequence[Any]:
    n, m, x = scalars
    return n, m, np.int32(x)


def check(
    function: FuncOp, runs: dict[str, Run], arrays: Sequence[np.ndarray], scalars: Sequence[int]
) -> None:
    """One call by all. Raises `Fault`."""
    found: dict[str, list[Any]] = {}
    for by, run in runs.items():
        own = [array.copy() for array in arrays]
        found[by] = [run(function.sym_name.data, own, scalars), *own]
    first, *others = found
    for other in others:
        if not all(map(np.array_equal, found[first], found[other])):
            sizes = arrays[2].shape
            what = f"{first} and {other} differ for {scalars}, sizes {sizes}: {found}"
            raise Fault(what, str(function))


def round_trip(text: str, *, in_full: bool) -> ModuleOp:
    """A program that was lowered, raised (`in_full`), printed and read again. Raises `Fault`."""
    module = parse(text)
    before = _affine_ops(module)
    try:
        lower(module, ["relax-lower-affine"], verify_each=True)
        left = _affine_ops(module)
        lower(module, ["relax-raise-to-affine"], verify_each=True)
        if MLIR.found:
            check_accepted(module)
        again = parse(str(module))
    except Exception as error:
        raise Fault(f"{type(error).__name__}: {error}", text) from error
    if left or (in_full and _affine_ops(again) != before):
        raise Fault(f"affine ops: {before}, lowered {left}, raised {_affine_ops(again)}", text)
    return again


def _affine_ops(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk() if op.name.removeprefix("affine.") in CAME_BACK)
