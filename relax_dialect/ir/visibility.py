"""Checks that xDSL leaves out: misplaced symbols, visibility in `func.func`, loop counters.

(M1) Functions hold no symbols: functions and globals are defined in the module.

(M2) Each symbol of a module is defined once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.order import describe_written as describe
from relax_dialect.ir.order import op_name
from relax_dialect.ir.traits import region_is_graph
from relax_dialect.ir.walk import defining_block, symbol_name


class VisibilityError(RelaxError, VerifyException):
    """A value or symbol used or defined where it is not visible."""


def check_visibility(module: ModuleOp) -> None:
    """Raise `VisibilityError` if an op uses a value that is not visible; `relax.func` checks its own
    body."""
    pending = [module]
    while pending:
        for op in pending.pop().ops:
            if isinstance(op, ModuleOp):
                pending.append(op)
            else:
                check_op_visibility(op)


def check_op_visibility(op: Operation) -> None:
    """Check one op of a module, and its body if it is a function or a pattern.

    Regions of other ops have rules of their own: some are graphs, some hold symbols.
    """
    for operand in op.operands:
        if defining_block(operand) is not op.parent:
            _fail(
                op,
                f"{op_name(op)}: expected operands that ops of the module define (V1), found "
                f"{_named(operand)} of a region in it; move the op into that region",
            )
    if isinstance(op, FuncOp) or op.name == "pdl.pattern":
        _check_body(op)


def _check_body(root: Operation) -> None:
    """Check a body without recursion over the depth: a walk yields the walks of inner regions."""
    visible: set[SSAValue] = set()
    walks = [_walk(root, root, False, visible)]
    while walks:
        inner = next(walks[-1], None)
        if inner is None:
            walks.pop()
        else:
            walks.append(inner)


def _walk(
    root: Operation, owner: Operation, in_graph: bool, visible: set[SSAValue]
) -> Iterator[Iterator[Any]]:
    """Check the regions of an op; the caller exhausts each yielded iterator before it continues.

    The blocks of a region with several may be in any order: the visibility of their values is not checked.
    """
    for region in owner.regions:
        arguments = [a for block in region.blocks for a in block.args]
        results = [r for block in region.blocks for op in block.ops for r in op.results]
        is_free = len(region.blocks) > 1 or region_is_graph(owner, in_graph)
        visible.update(arguments, results if is_free else ())
        for op in chain.from_iterable(block.ops for block in region.blocks):
            for operand in op.operands:
                if operand not in visible:
                    _refuse(root, op, operand)
            if (wrong := misplaced_symbol(op) or _missing_loop(op)) is not None:
                _fail(op, f"@{symbol_name(root)}: {wrong}")
            if op.regions:
                yield _walk(root, op, is_free, visible)
            visible.update(op.results)
        visible.difference_update(arguments, results)


def misplaced_symbol(op: Operation) -> str | None:
    """Return the fault of an op in a function that defines a symbol, which no call would find there."""
    if (name := symbol_name(op)) is None:
        return None
    return (
        f"{op_name(op)} @{name}: expected builtin.module around what has a symbol (M1), found a function; "
        "move it to the module"
    )


def _missing_loop(op: Operation) -> str | None:
    """Return the error of an op that queries the counter of a loop that does not exist."""
    around = op.parent_op()
    if not (isinstance(op, IndexOp) and isinstance(around, GenericOp)):
        return None
    loops, loop = len(around.iterator_types), op.dim.value.data
    if 0 <= loop < loops:
        return None
    known = f"0 to {loops - 1}" if loops else "of which there is none"
    return (
        f"{describe(op)}: expected a loop of the linalg.generic around it, {known}, found {loop}; correct "
        "the number"
    )


def _refuse(root: Operation, op: Operation, value: SSAValue) -> NoReturn:
    owner, name = value.owner, _named(value)
    if owner is op:
        found = f"its own result {name}; use another value"
    elif isinstance(owner, Operation) and owner.parent is op.parent:
        found = f"{name}, which {owner.name} defines further down; move the definition up"
    else:
        found = f"{name}, which is defined in another region; pass it out as a result"
    _fail(
        op,
        f"@{symbol_name(root)}: {describe(op)}: expected operands defined before it, in its region or "
        f"around it (V1), found {found}",
    )


def _fail(op: Operation, message: str) -> NoReturn:
    with blaming(op):
        raise VisibilityError(message)


def _named(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "a value"
