"""Reductions, which make a program smaller: each lists its sites, and changes some of them in a copy.

    %1 = relax.exp %x : (T) -> T                     relax.func @f(%x: T) -> T {
    %2 = relax.tanh %1 : (T) -> T           ->         %2 = relax.tanh %x : (T) -> T      (bypass)
    relax.return %2 : T                                relax.return %2 : T
                                                     }

A result need not mean what the program meant, nor even verify: the caller tries it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from lowering.pipeline import lower
from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import FuncOp, ReturnOp

Places = Callable[[ModuleOp], int]
Change = Callable[[ModuleOp, Sequence[int]], ModuleOp]


@dataclass(frozen=True)
class ProgramReduction:
    """A reduction: `places` counts the sites where it applies; `change` applies it at some of them."""

    name: str
    places: Places
    change: Change


# On ops ---------------------------------------------------------------------------------------


def _on_ops(
    name: str, sites: Callable[[ModuleOp], Iterator[Operation]], apply: Callable[[Operation], None]
) -> ProgramReduction:
    """Build a reduction of ops, the last ones first, so that users are removed before their operands."""

    def places(module: ModuleOp) -> int:
        return sum(1 for _ in sites(module))

    def change(module: ModuleOp, chosen: Sequence[int]) -> ModuleOp:
        found = list(sites(module))
        for index in sorted(chosen, reverse=True):
            if found[index].parent is not None:
                apply(found[index])
        return module

    return ProgramReduction(name, places, change)


def _inner(module: ModuleOp) -> Iterator[Operation]:
    """Yield the ops of all functions except their terminators."""
    for op in walk_ops(module):
        if op.parent_op() not in (None, module) and not has_trait(op, IsTerminator):
            yield op


def _erase(op: Operation) -> None:
    """Remove an op that nothing outside of it uses; leave another one alone."""
    if all(result.first_use is None for result in op.results):
        op.detach()
        op.erase()


def _functions(module: ModuleOp) -> Iterator[Operation]:
    yield from module.body.block.ops


def _remove_function(op: Operation) -> None:
    op.detach()
    op.erase(safe_erase=False)


def _before(op: Operation) -> Iterator[SSAValue]:
    """Yield the values that can replace the results of an op: its operands, enclosing block arguments,
    results of ops before it in its block."""
    yield from op.operands
    block: Block | None = op.parent
    while block is not None:
        yield from block.args
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    if op.parent is not None:
        for other in op.parent.ops:
            if other is op:
                return
            yield from other.results


def _bypass(op: Operation) -> None:
    """Replace the results of an op by earlier values of the same types."""
    found: list[SSAValue] = []
    for result in op.results:
        same = next((v for v in _before(op) if v.type == result.type and v.owner is not op), None)
        if same is None:
            return
        found.append(same)
    for result, value in zip(op.results, found):
        result.replace_all_uses_with(value)
    _erase(op)


def _to_parameters(op: Operation) -> None:
    """Replace the results of an op by new parameters of the enclosing function."""
    function = op
    while not isinstance(function, FuncOp):
        parent = function.parent_op()
        if parent is None:
            return
        function = parent
    block = function.body.block
    for result in op.results:
        if result.first_use is not None:
            argument = block.insert_arg(result.type, len(block.args))
            result.replace_all_uses_with(argument)
    _retype(function)
    _erase(op)


def _retype(function: FuncOp) -> None:
    """Make a function's type that of its parameters and its returned value."""
    block = function.body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    made = FuncOp(function.sym_name.data, block.arg_types, last.operands[0].type, None)
    function.properties["function_type"] = made.function_type


def _drop_parameters(op: Operation) -> None:
    """Drop the unused parameters of a function."""
    assert isinstance(op, FuncOp)
    block = op.body.block
    for argument in block.args:
        if argument.first_use is None:
            block.erase_arg(argument)
    _retype(op)


def _return_less(op: Operation) -> None:
    """Return an operand of the op that made the returned value."""
    (value,) = op.operands
    owner = value.owner
    if isinstance(owner, Operation) and owner.operands:
        op.operands = [owner.operands[-1]]
        function = op.parent_op()
        assert isinstance(function, FuncOp)
        _retype(function)
        _erase(owner)


def _splice(op: Operation, block: Block, values: Sequence[SSAValue]) -> None:
    """Replace an op by the ops of a block inside it."""
    outer = op.parent
    assert outer is not None
    terminator = block.last_op
    for inner in list(block.ops):
        if inner is not terminator:
            inner.detach()
            outer.insert_op_before(inner, op)
    for result, value in zip(op.results, values):
        result.replace_all_uses_with(value)
    op.detach()
    op.erase(safe_erase=False)


def _unwrap(op: Operation) -> None:
    assert isinstance(op, BlockOp)
    _splice(op, op.body.block, list(op.output.operands))


def _take_branch(index: int) -> Callable[[Operation], None]:
    def take(op: Operation) -> None:
        block = op.regions[index].block
        last = block.last_op
        assert last is not None
        _splice(op, block, list(last.operands))

    return take


def _drop_attributes(op: Operation) -> None:
    """Drop the optional parts of an op."""
    for name in list(op.properties):
        kept = op.properties.pop(name)
        try:
            op.verify(verify_nested_ops=False)
        except Exception:
            op.properties[name] = kept
    op.attributes.clear()


def _to_splat(op: Operation) -> None:
    """Make all elements of a constant its first one."""
    for name, value in op.properties.items():
        if isinstance(value, DenseIntOrFPElementsAttr) and len(value) > 1:
            first = next(iter(value.get_values()))
            op.properties[name] = DenseIntOrFPElementsAttr.from_list(
                value.type,
                [first],  # pyright: ignore[reportArgumentType]
            )


def _of(*kinds: type[Operation]) -> Callable[[ModuleOp], Iterator[Operation]]:
    return lambda module: (op for op in walk_ops(module) if isinstance(op, kinds))


def _dense(module: ModuleOp) -> Iterator[Operation]:
    for op in _inner(module):
        values = (v for v in op.properties.values() if isinstance(v, DenseIntOrFPElementsAttr))
        if any(len(v) > 1 and not v.is_splat() for v in values):
            yield op


# By passes, and on text -----------------------------------------------------------------------


def _by_pass(name: str) -> ProgramReduction:
    def change(module: ModuleOp, chosen: Sequence[int]) -> ModuleOp:
        with suppress(RelaxError, InternalError):
            lower(module, [name])
        return module

    return ProgramReduction(name, lambda module: 1, change)


_SIZE = re.compile(r"(?<![\w.%@#\"-])(?:[a-z]\w?|[3-9]|\d\d+)(?=[,\]x])")


def sizes(text: str) -> list[str]:
    """Return the sizes in the types of a program that could be smaller: variables, and numbers above 2."""
    return sorted({m[0] for m in _SIZE.finditer(text)}, key=lambda s: (s.isdigit(), s))


def with_size(text: str, old: str, new: str) -> str:
    """Replace a size in all types of the text."""
    return _SIZE.sub(lambda m: new if m[0] == old else m[0], text)


REDUCTIONS: Sequence[ProgramReduction] = (
    _on_ops("functions", _functions, _remove_function),
    _by_pass("relax-dce"),
    _on_ops("results", _of(ReturnOp), _return_less),
    _on_ops("unused ops", _inner, _erase),
    _on_ops("bypassed ops", _inner, _bypass),
    _on_ops("ops as parameters", _inner, _to_parameters),
    _on_ops("parameters", _of(FuncOp), _drop_parameters),
    _on_ops("then branches", _of(IfOp), _take_branch(0)),
    _on_ops("else branches", _of(IfOp), _take_branch(1)),
    _on_ops("blocks", _of(BlockOp), _unwrap),
    _by_pass("relax-inline-private-functions"),
    _by_pass("relax-canonicalize-bindings"),
    _on_ops("attributes", _inner, _drop_attributes),
    _on_ops("constants", _dense, _to_splat),
)
"""The reductions, in descending order of what they remove."""
