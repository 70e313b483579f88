"""Damage by meaning: one change of a program's text or ops that keeps it readable.

Most results still verify, or fail at one rule, so that they reach further than a change of tokens.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from text_mutations import OF_TEXT
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    f16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import OBJECT, PrimType, ShapeType, TensorType, tuple_type
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.parsing import parse_unverified

Mutation = Callable[[list[Operation], random.Random], None]


def _values(op: Operation) -> list[SSAValue]:
    """All values of the function around an op."""
    top = op
    while (parent := top.parent_op()) is not None and not isinstance(parent, ModuleOp):
        top = parent
    inside = list(walk_ops(top))
    arguments = [a for o in inside for r in o.regions for b in r.blocks for a in b.args]
    return [*arguments, *(r for o in inside for r in o.results)]


def _like(op: Operation, value: SSAValue, rng: random.Random) -> SSAValue:
    """Another value of the function, mostly of the same type."""
    values = [v for v in _values(op) if v is not value and v.owner is not op]
    same = [v for v in values if v.type == value.type]
    pool = same if same and rng.random() < 0.8 else values
    return rng.choice(pool) if pool else value


def _with_operands(ops: list[Operation], rng: random.Random) -> Operation | None:
    found = [op for op in ops if op.operands]
    return rng.choice(found) if found else None


def swap_operands(ops: list[Operation], rng: random.Random) -> None:
    op = _with_operands(ops, rng)
    if op is not None:
        operands = list(op.operands)
        rng.shuffle(operands)
        op.operands = operands


def replace_operand(ops: list[Operation], rng: random.Random) -> None:
    op = _with_operands(ops, rng)
    if op is not None:
        at = rng.randrange(len(op.operands))
        op.operands[at] = _like(op, op.operands[at], rng)


def change_operand_count(ops: list[Operation], rng: random.Random) -> None:
    op = _with_operands(ops, rng)
    if op is not None:
        operands = list(op.operands)
        at = rng.randrange(len(operands))
        op.operands = operands[:at] + rng.choice(([], [operands[at]] * 2)) + operands[at + 1 :]


def delete_op(ops: list[Operation], rng: random.Random) -> None:
    """Its uses take another value."""
    op = rng.choice(ops)
    replacements = [_like(op, result, rng) for result in op.results]
    if op.parent is None or any(new in op.results for new in replacements):
        return
    for result, new in zip(op.results, replacements):
        result.replace_all_uses_with(new)
    if not any(_uses(op)):
        op.detach()
        op.erase(safe_erase=False)


def _uses(op: Operation) -> Iterator[Operation]:
    """The ops outside of an op that use what is defined in it."""
    inside = set(walk_ops(op))
    for inner in inside:
        arguments = [a for r in inner.regions for b in r.blocks for a in b.args]
        for value in (*inner.results, *arguments):
            yield from (use.operation for use in value.uses if use.operation not in inside)


def duplicate_op(ops: list[Operation], rng: random.Random) -> None:
    op = rng.choice(ops)
    if op.parent is not None:
        copy = op.clone()
        op.parent.insert_op_after(copy, op)
        if op.results and rng.random() < 0.5:
            for old, new in zip(op.results, copy.results):
                old.replace_uses_with_if(
                    new, lambda use: rng.random() < 0.5 and use.operation is not copy
                )


def _blocks(ops: list[Operation]) -> list[Block]:
    return [b for op in ops for r in op.regions for b in r.blocks]


def move_op(ops: list[Operation], rng: random.Random) -> None:
    """To any place of any block, its own more often."""
    op = rng.choice(ops)
    inside = set(walk_ops(op))
    blocks = [b for b in _blocks(ops) if b.parent_op() not in inside]
    if op.parent is None or not blocks:
        return
    block = op.parent if rng.random() < 0.5 else rng.choice(blocks)
    op.detach()
    others = list(block.ops)
    if others:
        block.insert_op_before(op, rng.choice(others))
    else:
        block.add_op(op)


def wrap_in_block(ops: list[Operation], rng: random.Random) -> None:
    """The contents of a block go one block further inside."""
    found = [op for op in ops if isinstance(op, BlockOp) and op.parent is not None]
    if not found:
        return
    op = rng.choice(found)
    copy = op.clone()
    kind = rng.choice((DataflowOp, BindingBlockOp, GraphOp))
    block = op.body.block
    inner = kind.create(regions=[copy.detach_region(0)], result_types=list(op.result_types))
    last = block.last_op
    olds = [o for o in block.ops if o is not last]
    if last is None or any(set(_uses(old)) - set(olds) - {last} for old in olds):
        return
    last.operands = list(inner.results)
    for old in reversed(olds):
        old.detach()
        old.erase(safe_erase=False)
    block.insert_op_before(inner, last)


def unwrap_block(ops: list[Operation], rng: random.Random) -> None:
    """The contents of a block go to where it stands."""
    found = [op for op in ops if isinstance(op, BlockOp) and op.parent is not None]
    if not found:
        return
    op = rng.choice(found)
    last = op.body.block.last_op
    if last is None or len(last.operands) != len(op.results):
        return
    assert op.parent is not None
    for inner in [o for o in op.body.block.ops if o is not last]:
        inner.detach()
        op.parent.insert_op_before(inner, op)
    for result, value in zip(op.results, last.operands):
        result.replace_all_uses_with(value)
    if not any(_uses(op)):
        op.detach()
        op.erase(safe_erase=False)


def swap_regions(ops: list[Operation], rng: random.Random) -> None:
    """Two regions change places: branches, bodies of blocks, closures and functions."""
    regions = [r for op in ops for r in op.regions]
    if not regions:
        return
    a, b = rng.choice(regions), rng.choice(regions)
    one, other = a.parent_op(), b.parent_op()
    assert one is not None and other is not None
    if a is b or (one is not other and (other in walk_ops(one) or one in walk_ops(other))):
        return
    a_blocks = [a.detach_block(block) for block in list(a.blocks)]
    b_blocks = [b.detach_block(block) for block in list(b.blocks)]
    a.add_block(b_blocks)
    b.add_block(a_blocks)


def change_callee(ops: list[Operation], rng: random.Random) -> None:
    """A call names another symbol of the module, or none."""
    names = [n.data for op in ops if isinstance(n := op.get_attr_or_prop("sym_name"), StringAttr)]
    calls = [op for op in ops if any(isinstance(p, SymbolRefAttr) for p in op.properties.values())]
    if calls:
        op = rng.choice(calls)
        key = next(k for k, p in op.properties.items() if isinstance(p, SymbolRefAttr))
        op.properties[key] = SymbolRefAttr(rng.choice([*names, *names, "nowhere"]))


def rename_symbol(ops: list[Operation], rng: random.Random) -> None:
    found = [op for op in ops if isinstance(op.get_attr_or_prop("sym_name"), StringAttr)]
    if found:
        op = rng.choice(found)
        op.properties["sym_name"] = StringAttr(rng.choice(("main", "f", "g", "cond", "int", "f_1")))


def change_visibility(ops: list[Operation], rng: random.Random) -> None:
    for op in ops:
        if isinstance(op, FuncOp):
            op.sym_visibility = None if op.is_private else StringAttr("private")


def change_attribute(ops: list[Operation], rng: random.Random) -> None:
    """An attribute is left out, or takes another value of its kind or of any."""
    found = [op for op in ops if op.properties and not isinstance(op, FuncOp)]
    if not found:
        return
    op = rng.choice(found)
    key = rng.choice(sorted(op.properties))
    others: list[Attribute] = [p for o in found for k, p in o.properties.items() if k == key]
    numbers = [rng.choice((-3, -1, 0, 1, 2, 3, 2**40)) for _ in range(rng.randrange(4))]
    others += [IntegerAttr(rng.choice((-2, -1, 0, 1, 2, 9)), i64), IntegerAttr(1, i1)]
    others += [DenseArrayBase.from_list(i64, numbers)] * 2
    kind = type(op.properties[key])
    same = [o for o in others if isinstance(o, kind)]
    if rng.random() < 0.1:
        del op.properties[key]
    else:
        op.properties[key] = rng.choice(same if same and rng.random() < 0.8 else others)


def change_result_type(ops: list[Operation], rng: random.Random) -> None:
    """A value takes the type of another one."""
    found = [r for op in ops for r in op.results]
    if found:
        rng.choice(found)._type = rng.choice(found).type  # pyright: ignore[reportPrivateUsage]


OF_OPS: tuple[Mutation, ...] = (
    swap_operands,
    replace_operand,
    replace_operand,
    change_operand_count,
    delete_op,
    duplicate_op,
    move_op,
    move_op,
    wrap_in_block,
    unwrap_block,
    swap_regions,
    change_callee,
    rename_symbol,
    change_visibility,
    change_attribute,
    change_attribute,
    change_result_type,
)


@lru_cache(maxsize=4096)
def _read(text: str) -> ModuleOp | None:
    try:
        return parse_unverified(text)
    except RelaxError:
        return None


def mutant(text: str, rng: random.Random) -> ModuleOp | None:
    """An unverified module that differs from the program by a few changes of meaning; None if one of
    them makes text that does not parse."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        text = rng.choice(OF_TEXT)(text, rng)
    original = _read(text)
    if original is None:
        return None
    module = original.clone()
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        ops = [op for op in walk_ops(module) if op is not module]
        if ops:
            rng.choice(OF_OPS)(ops, rng)
    return module


def other_type(type: Attribute, rng: random.Random) -> Attribute:
    """A type unlike that of a parameter: of another rank, size, element type or kind, or less known."""
    shape: Sequence[Any] = (3,)
    dtype: Attribute | None = f32
    if isinstance(type, TensorType):
        shape, dtype = (3,) if type.shape is None else type.shape, type.dtype
    axis = rng.randrange(len(shape) + 1)
    size = rng.choice((0, 1, 3, 7, 2**40, "n", "m", "q", "q - 5", None))
    return rng.choice(
        (
            TensorType((*shape[:axis], size, *shape[axis + 1 :]), dtype),
            TensorType((*shape[:axis], size, *shape[axis + 1 :]), dtype),
            TensorType((*shape[:axis], size, *shape[axis:]), dtype),
            TensorType((*shape[:axis], *shape[axis + 1 :]), dtype),
            TensorType([None] * len(shape), dtype),
            TensorType(None, rng.choice((dtype, None))),
            TensorType(
                shape, rng.choice((f32, f16, i64, i1, IntegerType(8, Signedness.UNSIGNED), None))
            ),
            rng.choice((f32, i64, i1, OBJECT, ShapeType(shape), ShapeType(None), PrimType("n"))),
            tuple_type(rng.choice(([], [type], [type, type]))),
        )
    )
