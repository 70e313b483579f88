"""The insertion state of a lowered function: a block, its symbolic variables and its run-time checks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.ir import Block, Operation, SSAValue

from lowering.memory.functions.lowered_signature import INDEX, LoweredTensor, ShapeSizes
from relax_dialect import symbolic
from relax_dialect.ir.facts import Facts
from relax_dialect.prim.run_time_checks import (
    NOT_NEGATIVE,
    check,
    large_size,
    literal,
    no_size,
    unsolved_size,
    wrong_size,
)
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import MAX_EXTENT, MAX_SUM, Affine, Expr

Told: TypeAlias = LoweredTensor | ShapeSizes | SSAValue
"""A value that sizes are read from: a tensor, a shape, or a scalar that is a size itself."""


class Emission:
    """A block to be filled, and the facts about sizes at its end."""

    def __init__(self, where: str):
        self.where = where
        """The function, as messages call it."""
        self.block = Block()
        self.place = ""
        """The op that is being lowered, as messages call it."""
        self.symbols: dict[str, SSAValue] = {}
        self.sizes = SizeEmitter.of_known(self.add, self.symbols, self.require_size)
        self.matched = ""
        """The value whose size is being computed to compare it, as messages call it with its function."""
        self.facts = Facts()
        """The equalities of sizes that were checked before the point of insertion."""

    def add(self, op: Operation) -> SSAValue:
        """Append an op; its (first) result."""
        self.block.add_op(op)
        return op.results[0]

    @contextmanager
    def region(self) -> Iterator[Block]:
        """Lower into a block of its own, whose values and symbolic variables end with it."""
        outer, self.block = self.block, Block()
        bound = len(self.symbols)
        with self.sizes.scope(), self.facts.scope():
            yield self.block
        while len(self.symbols) > bound:
            self.symbols.popitem()
        self.block = outer

    def actual_size(self, value: Told, index: int) -> SSAValue:
        """Return the size of a dimension as a value: computed from symbols where possible, else read."""
        if isinstance(value, ShapeSizes):
            return value.sizes[index]
        if isinstance(value, SSAValue):
            return self.add(arith.IndexCastOp(value, INDEX))
        assert value.type.shape is not None
        dim = value.type.shape[index]
        if dim is not None and all(v in self.symbols for v in dim.free_variables):
            return self.sizes.size(dim)
        return self.add(memref.DimOp(value.memref, self.sizes.constant(index)))

    def check(
        self,
        what: str,
        index: int | None,
        pattern: Expr,
        expected: SSAValue,
        actual: SSAValue,
        definition: str = "",
        solved: str = "",
    ) -> None:
        """Stop the function with an error at run time unless the size of a dimension, of a value that
        messages name with its function, is that of the pattern, which may be solved for a variable."""
        if expected is actual:
            return
        holds = self.add(arith.CmpiOp(actual, expected, "eq"))
        if solved:
            found = unsolved_size(pattern, solved, "{%1}", index, "{%0}")
        else:
            found = wrong_size(pattern, "{%1}", index, "{%0}", literal(definition))
        message = f"{literal(what)}: {found}"
        self.block.add_op(check(holds, message, shows=True))

    def require(self, condition: SSAValue, message: str) -> None:
        """Stop the function with an error at run time unless a condition holds."""
        self.block.add_op(check(condition, f"{self.where}: {message}"))

    def require_size(self, condition: SSAValue, message: str, place: str = "") -> None:
        """Require a condition on sizes, which fill the holes of the message, at an op: by default the one
        that is being lowered."""
        place = place or self.place
        what = self.matched or (f"{self.where}: {place}" if place else self.where)
        self.block.add_op(check(condition, f"{literal(what)}: {message}", shows=True))

    def require_not_negative(self, size: SSAValue, place: str) -> None:
        """Stop the function with an error at run time if a size is negative."""
        holds = self.add(arith.CmpiOp(size, self.sizes.constant(0), "sge"))
        self.require_size(holds, NOT_NEGATIVE, place)

    def require_extent(self, what: str, index: int, size: SSAValue) -> None:
        """Check that a computed size is not too large."""
        if not isinstance(size.owner, Block | memref.DimOp | arith.ConstantOp):
            holds = self.add(arith.CmpiOp(size, self.sizes.constant(MAX_EXTENT), "sle"))
            message = f"{literal(what)}: {large_size('{%0}', index)}"
            self.block.add_op(check(holds, message, shows=True))

    def require_size_of(self, what: str, number: SSAValue) -> None:
        """Check that a number that defines a symbolic variable is a valid size."""
        from_zero = self.add(arith.CmpiOp(number, self.sizes.constant(0), "sge"))
        to_limit = self.add(arith.CmpiOp(number, self.sizes.constant(MAX_EXTENT), "sle"))
        holds = self.add(arith.AndIOp(from_zero, to_limit))
        self.block.add_op(check(holds, f"{literal(what)}: {no_size('{%0}')}", shows=True))

    def solution(self, affine: Affine, rest: SSAValue, size: SSAValue, is_number: bool) -> SSAValue:
        """Return the variable that a size, or a number of 64 bits, is solved for, with the value of the
        rest."""
        if is_number:  # the difference does not overflow
            size = self.add(arith.MinSIOp(size, self.sizes.constant(MAX_SUM - 1)))
            size = self.add(arith.MaxSIOp(size, self.sizes.constant(1 - MAX_SUM)))
        multiple = self.add(arith.SubiOp(size, rest))
        if affine.coefficient != 1:
            coefficient = self.sizes.constant(affine.coefficient)
            multiple = self.add(arith.FloorDivSIOp(multiple, coefficient))
        return self.add(arith.MaxSIOp(multiple, self.sizes.constant(0)))


def never_negative(dim: Expr) -> bool:
    return symbolic.maximum(dim, 0) is dim
