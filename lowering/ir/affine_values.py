"""Values of index type as affine expressions of the dimensions and symbols around them.

%p = arith.muli %i, %c8              d0 * 8 + d1 + 3 over the dimensions %i, %j
%q = arith.addi %p, %j         ->
%r = arith.addi %q, %c3

MLIR's rules restrict the operands of a map. A dimension is the counter of an `affine` loop; a symbol is a
value at the top level of a function, or the size of such a memref.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from lowering.ir.constants import known_integer
from lowering.ir.integer_ranges import range_of
from lowering.ir.linear_forms import LinearForm, linear
from relax_dialect.ir.affine.affine_parallel import ParallelOp
from relax_dialect.ir.walk import defining_block

MOST_STEPS = 64
"""The most ops that one expression may come from: text of shared values doubles with every use."""
MOST_BOUNDS = 8
"""The most expressions that one bound may be the extreme of."""


class AffineOperands:
    """The dimensions and symbols of a map that is made of values."""

    def __init__(self) -> None:
        self._dims: list[SSAValue] = []
        self._symbols: list[SSAValue] = []
        self._steps = 0

    def map(self, exprs: Sequence[AffineExpr]) -> AffineMapAttr:
        """Return the map of expressions that were made of these operands."""
        return AffineMapAttr(AffineMap(len(self._dims), len(self._symbols), tuple(exprs)))

    @property
    def values(self) -> list[SSAValue]:
        """The dimensions, then the symbols."""
        return [*self._dims, *self._symbols]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of dimensions and of symbols."""
        return len(self._dims), len(self._symbols)

    def exprs(self, values: Sequence[SSAValue]) -> list[AffineExpr] | None:
        """Values as expressions, or None if one of them is not affine."""
        return self.sums([linear([(value, 1)]) for value in values])

    def sums(self, forms: Sequence[LinearForm]) -> list[AffineExpr] | None:
        """Sums of multiples as expressions, or None if a term of one is not affine."""
        found = [self._sum(form) for form in forms]
        return None if None in found else [each for each in found if each is not None]

    def bounds(self, value: SSAValue, extreme: type[Operation]) -> list[AffineExpr] | None:
        """Return a value as the extreme of expressions, by `arith.minsi` or `arith.maxsi`; None if it is
        not."""
        pending, found = [linear([(value, 1)])], list[LinearForm]()
        while pending:
            form = pending.pop()
            term = _extreme_term(form, extreme)
            if term is None or len(pending) + len(found) >= MOST_BOUNDS:
                found.append(form)
            else:
                pending += reversed(_alternatives(form, term))
        return self.sums(found)

    def _sum(self, form: LinearForm) -> AffineExpr | None:
        total: AffineExpr | None = None
        for value, times in reversed([*form.terms.items()]):
            if (expr := self._term(value)) is None:
                return None
            total = expr * times if total is None else total + expr * times
        return AffineConstantExpr(form.constant) if total is None else total + form.constant

    def _term(self, value: SSAValue) -> AffineExpr | None:
        """Return a value that is no sum, as an expression."""
        if not isinstance(value.type, IndexType):
            return None
        if _is_symbol(value):
            return AffineSymExpr(_position(self._symbols, value))
        if _is_counter(value):
            return AffineDimExpr(_position(self._dims, value))
        self._steps += 1
        owner = value.owner
        if isinstance(owner, Block) or self._steps > MOST_STEPS:
            return None
        if (combine := _COMBINED.get(type(owner))) is None:
            return None
        parts = self.exprs(owner.operands)
        return None if parts is None else combine(owner, *parts)


def _extreme_term(form: LinearForm, extreme: type[Operation]) -> SSAValue | None:
    """Return a term of a sum that is the extreme of two values, added and not subtracted."""
    return next((v for v, n in form.terms.items() if isinstance(v.owner, extreme) and n > 0), None)


def _alternatives(form: LinearForm, term: SSAValue) -> list[LinearForm]:
    """Split a sum by the operands of one of its terms, an extreme."""
    assert isinstance(term.owner, Operation)
    rest = [(value, times) for value, times in form.terms.items() if value is not term]
    return [
        linear([(form.constant, 1), (operand, form.terms[term]), *rest])
        for operand in term.owner.operands
    ]


def _position(known: list[SSAValue], value: SSAValue) -> int:
    if value not in known:
        known.append(value)
    return known.index(value)


def _is_counter(value: SSAValue) -> bool:
    """Return whether a value is the induction variable of an `affine` loop."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    if isinstance(loop, affine.ForOp):
        return value is loop.body.block.args[0]
    return isinstance(loop, ParallelOp)


def _is_symbol(value: SSAValue) -> bool:
    """Return whether a value is the same throughout a function, by MLIR's rules."""
    if _is_at_top_level(value):
        return True
    size = value.owner
    if not isinstance(size, memref.DimOp) or known_integer(size.index) is None:
        return False
    return _is_at_top_level(size.source)


def _is_at_top_level(value: SSAValue) -> bool:
    block = defining_block(value)
    return block is not None and isinstance(block.parent_op(), FuncOp)


Combined = Callable[..., AffineExpr | None]


def _by_constant(make: Combined, *, of_sizes: bool = False) -> Combined:
    """Return a quotient or remainder by a constant above 0, optionally of non-negative dividends only."""

    def combined(op: Operation, a: AffineExpr, b: AffineExpr) -> AffineExpr | None:
        if not isinstance(b, AffineConstantExpr) or b.value <= 0:
            return None
        return make(a, b) if not of_sizes or range_of(op.operands[0]).low >= 0 else None

    return combined


def _floor(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    return a // b


def _ceil(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    return a.ceil_div(b)


def _remainder(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    return a % b


def _applied(op: Operation, *operands: AffineExpr) -> AffineExpr:
    assert isinstance(op, affine.ApplyOp)
    dims, map = op.map.data.num_dims, op.map.data
    return map.results[0].replace_dims_and_symbols(operands[:dims], operands[dims:])


_COMBINED: Mapping[type[Operation], Combined] = {
    arith.FloorDivSIOp: _by_constant(_floor),
    arith.CeilDivSIOp: _by_constant(_ceil),
    arith.DivUIOp: _by_constant(_floor, of_sizes=True),
    arith.DivSIOp: _by_constant(_floor, of_sizes=True),
    arith.CeilDivUIOp: _by_constant(_ceil, of_sizes=True),
    arith.RemUIOp: _by_constant(_remainder, of_sizes=True),
    arith.RemSIOp: _by_constant(_remainder, of_sizes=True),
    affine.ApplyOp: _applied,
}
"""The expression of a result from those of its operands; None if it is not affine."""
