"""Views of a program on its way from Relax to C: a few characteristic lines of every level."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp

WIDTH = 96


def fit(lines: Iterable[str]) -> Iterator[str]:
    """Cut lines to the width of the view, without the types of operands."""
    for line in lines:
        line = re.sub(r" : \(.*\) -> ", " : … -> ", line)
        yield line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"


def function_lines(module: ModuleOp) -> list[str]:
    """Return the `relax.func` of a module, without its constants."""
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    return [line for line in str(function).splitlines() if "relax.constant" not in line]


def deepest_nest(function: Operation) -> list[str]:
    """Return the deepest loop nest of a function: a matmul's, if there is one."""
    nests = [str(op).splitlines() for op in function.regions[0].block.ops if is_loop(op)]
    return max(nests, key=lambda lines: max(len(line) - len(line.lstrip()) for line in lines))


def is_loop(op: Operation) -> bool:
    return isinstance(op, scf.ForOp | scf.ParallelOp)


def c_function(text: str, name: str) -> list[str]:
    """Return the definition of a function in C text."""
    found = re.search(
        rf"^(?:static|\w+_LOCAL) \w+ {name}\([^;{{]*\)\n{{\n.*?^}}", text, re.M | re.S
    )
    return found[0].splitlines() if found else []


def until(name: str) -> tuple[str, ...]:
    """Return the passes of the pipeline up to and including one."""
    names = tuple(PASSES)
    return names[: names.index(name) + 1]


def views(module: ModuleOp, c: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a title and lines for the program, its calls after fusion, one kernel's loops and its C."""
    yield "The program: a dataflow block of operators, the batch n symbolic", function_lines(module)

    fused = lower(module.clone(), until("relax-fuse-elementwise"))
    calls = [op for op in fused.walk() if isinstance(op, CallTirOp)]
    yield "Legalized and fused: one call per kernel", [str(call) for call in calls]

    kernel = calls[0].callee.string_value()
    loops = lower(module.clone(), until("relax-linalg-to-loops"))
    function = next(
        op
        for op in loops.body.block.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data == kernel
    )
    yield f"Bufferized and lowered to loops: the matmul of @{kernel}", deepest_nest(function)
    yield f"The C of @{kernel}", c_function(c, kernel)
