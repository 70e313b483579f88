"""relax-combine-parallel-matmul: products of one tensor with several matrices become one product.

```mlir
%q = relax.matmul %x, %wq : ([n, 64], [64, 64]) -> [n, 64]
%k = relax.matmul %x, %wk : ([n, 64], [64, 16]) -> [n, 16]
%v = relax.matmul %x, %wv : ([n, 64], [64, 16]) -> [n, 16]
    ->
%w = relax.concat %wq, %wk, %wv {axis = -1} : ... -> [64, 96]
%y = relax.matmul %x, %w : ([n, 64], [64, 96]) -> [n, 96]
%q, %k, %v = relax.split %y {indices = [64, 80], axis = -1} : ...
```

`relax.linear` is combined likewise, with matrices joined at their first axis, and so is a product whose
only user adds a bias with one element for each column: the biases are joined too. All products of a group
become one, separately with and without a bias. The pieces are cut by `relax.split`, or by
`relax.strided_slice` if widths are symbolic. Constant matrices are joined by relax-fold-constant; others
are copied at run time, once for each call. A group has at least `{min-branches=n}` products, by default 2.

Products of a group are in one block and independent of each other. That is determined by levels: the level
of a product is one above the highest level of its inputs, through other products of any group and through
symbolic variables. Only products of one level are joined, so two groups never depend on each other
cyclically. In an ordered block effects separate the groups too. A `relax.graph` with branches in it is
skipped: values used by only one branch would be computed for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect import symbolic
from relax_dialect.dpl.search.aliases import source
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.purity import ModuleSymbols, is_pure, module_by_module
from relax_dialect.ir.symbol_scopes import escaping_symbols, free_symbols
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.joining import ConcatOp, SplitOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.slicing import StridedSliceOp
from relax_dialect.symbolic import Expr
from relax_dialect.transform.regions import Body, bodies, erase, functions, reorder, replace_uses

LEAST = 2
"""The minimum number of products to combine."""


@dataclass(eq=False)
class BiasedMatmul:
    """A product, with the bias that is added to it."""

    product: MatmulOp | LinearOp
    add: AddOp | None = None
    bias: SSAValue | None = None

    @property
    def root(self) -> Operation:
        return self.add or self.product

    @property
    def x(self) -> SSAValue:
        return self.product.operands[0]

    @property
    def matrix(self) -> SSAValue:
        return self.product.operands[1]

    @property
    def inputs(self) -> list[SSAValue]:
        return [self.x, self.matrix, *([] if self.bias is None else [self.bias])]

    @property
    def axis(self) -> int:
        """The axis of the matrix that becomes the last one of the result."""
        return 0 if isinstance(self.product, LinearOp) else -1

    def width(self) -> Expr | None:
        """Return the size of that axis, for a matrix of known shape and a result of known rank."""
        shape, result = _shape(self.matrix), _shape(self.root.results[0])
        if result is None or shape is None or len(shape) < 2:
            return None
        return shape[self.axis]

    def kind(self) -> tuple[object, ...] | None:
        """Return the properties that products of a group share; None for a product that joins no group."""
        shape, type = _shape(self.matrix), self.matrix.type
        if self.width() is None or shape is None or not isinstance(type, TensorType):
            return None
        others = tuple(size for i, size in enumerate(shape) if i != self.axis % len(shape))
        if None in others or type.dtype is None or _shape(self.x) is None:
            return None
        if self.bias is not None and _shape(self.bias) != (self.width(),):
            return None
        bias = None if self.bias is None else self.bias.type.dtype  # pyright: ignore
        return (
            source(self.x),
            type.dtype,
            others,
            self.product.name,
            self.product.out_dtype,
            self.add is not None,
            bias,
        )


def _shape(value: SSAValue) -> Dims | None:
    return value.type.shape if isinstance(value.type, TensorType) else None


@dataclass
class _Levels:
    """The maximum number of products on the paths to each value of a block."""

    values: dict[SSAValue, int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)

    def before(self, op: Operation) -> int:
        """Return the highest level of the operands of an op, and of those of the ops inside it."""
        inner = list(walk_ops(op)) if op.regions else []
        found = 0
        for each in (op, *inner):
            found = max(found, *(self.values.get(v, 0) for v in each.operands), 0)
        return max(found, *(self.symbols.get(s, 0) for s in free_symbols(op)), 0)

    def note(self, op: Operation, level: int) -> None:
        for result in op.results:
            self.values[result] = level
        for name in escaping_symbols(op):
            self.symbols.setdefault(name, level)


def _branch(product: MatmulOp | LinearOp) -> BiasedMatmul:
    """Return a product with the bias that its only user adds to it."""
    if isinstance(product, LinearOp) and product.bias is not None:
        return BiasedMatmul(product, bias=product.bias)  # one of unknown length joins no group
    found = list(product.result.uses)
    add = found[0].operation if len(found) == 1 else None
    if not isinstance(add, AddOp) or add.parent is not product.parent:
        return BiasedMatmul(product)
    bias = add.rhs if add.lhs is product.result else add.lhs
    with_bias = BiasedMatmul(product, add, bias)
    width = with_bias.width()
    fits = width is not None and _shape(bias) == (width,) and source(bias) is not product.result
    return with_bias if fits else BiasedMatmul(product)


def _groups(body: Body, lookup: ModuleSymbols) -> Iterator[list[BiasedMatmul]]:
    """Yield the products of a block that may become one."""
    ops = body.ops()
    if body.is_graph and any(op.regions for op in ops):
        return
    if sum(isinstance(op, MatmulOp | LinearOp) for op in ops) < 2:
        return
    groups: dict[object, list[BiasedMatmul]] = {}
    levels, run = _Levels(), 0
    adds: dict[Operation, tuple[BiasedMatmul, int]] = {}
    for op in ops:
        branch, began = adds.get(op, (None, run))
        if isinstance(op, MatmulOp | LinearOp):
            branch = _branch(op)
            if branch.add is not None:
                adds[branch.add] = branch, run
        level = levels.before(op)
        if branch is not None and branch.root is op:
            level += 1
            if began == run and (kind := branch.kind()) is not None:
                groups.setdefault((run, level, kind), []).append(branch)
        levels.note(op, level)
        if not body.is_graph and (escaping_symbols(op) or not is_pure(op, lookup)):
            run += 1
    yield from groups.values()


def _pieces(joined: SSAValue, widths: Sequence[Expr]) -> list[Operation]:
    """Ops whose results are the parts of the last axis."""
    if all(width is widths[0] for width in widths):
        return [SplitOp(joined, len(widths), -1)]
    ends = [symbolic.total(widths[: i + 1]) for i in range(len(widths))]
    numbers = [end.value for end in ends if end.value is not None]
    if len(numbers) == len(ends):
        return [SplitOp(joined, numbers[:-1], -1)]
    starts = [symbolic.const(0), *ends[:-1]]
    return [
        StridedSliceOp(joined, [-1], [start], [end], assume_inbound=True)
        for start, end in zip(starts, ends)
    ]


def _computed(branches: Sequence[BiasedMatmul], made: list[Operation]) -> list[SSAValue]:
    """Compute all products at once, by ops that are added to `made`; returns their values."""

    def make(op: Operation) -> Operation:
        made.extend(v.owner for v in op.operands if _is_new(v) and v.owner not in made)  # pyright: ignore
        made.append(op)
        return op

    first = branches[0]
    matrix = make(ConcatOp([b.matrix for b in branches], first.axis))
    biases = [b.bias for b in branches if b.bias is not None]
    bias = make(ConcatOp(biases, 0)) if biases else None
    dtype = first.product.out_dtype
    if isinstance(first.product, MatmulOp):
        joined = make(MatmulOp(first.x, matrix, dtype))
    else:
        joined = make(LinearOp(first.x, matrix, None if first.add else bias, dtype))
    if first.add is not None and bias is not None:
        joined = make(AddOp(joined, bias))
    widths = [width for b in branches if (width := b.width()) is not None]
    pieces = [make(op) for op in _pieces(joined.results[0], widths)]
    return [result for piece in pieces for result in piece.results]


def _is_new(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.parent is None


def _replace(branches: Sequence[BiasedMatmul]) -> bool:
    """Compute the products of a group at once; returns whether their types allow it."""
    made: list[Operation] = []
    olds = [branch.root.results[0] for branch in branches]
    with suppress(RelaxError):  # sizes too large to add up
        values = _computed(branches, made)
        if all(is_subtype(new.type, old.type) for new, old in zip(values, olds)):
            _place(branches, made, dict(zip(olds, values)))
            return True
    for op in reversed(made):
        op.drop_all_references()
    return False


def _place(
    branches: Sequence[BiasedMatmul], made: Sequence[Operation], values: dict[SSAValue, SSAValue]
) -> None:
    """Insert the new ops before the first product, and replace the old values."""
    first = branches[0].root
    block, name = first.parent, first.results[0].name_hint
    assert block is not None
    for op in made:
        op.location = first.location
        block.insert_op_before(op, first)
        for result in op.results:
            result.name_hint = name
    for old, new in list(values.items()):
        new.name_hint = old.name_hint
        if new.type != old.type:
            let = LetOp.create(operands=[new], result_types=[old.type])
            let.result.name_hint = old.name_hint
            block.insert_op_before(let, first)
            values[old] = let.result
    replace_uses(values)
    for branch in branches:
        if branch.add is not None:
            erase(branch.add)
        erase(branch.product)


def combine_parallel_matmuls(module: ModuleOp, min_branches: int = LEAST) -> int:
    """Combine at least `min_branches` products that share an input; returns the number of products
    created."""
    if min_branches < LEAST:
        raise RelaxError(
            f"relax-combine-parallel-matmul: expected min-branches of at least {LEAST}, found "
            f"{min_branches}; leave the option out to combine every two"
        )
    count = 0
    for function, lookup in module_by_module(functions(module)):
        for body in list(bodies(function)):
            groups = [g for g in _groups(body, lookup) if len(g) >= min_branches]
            made = sum(_replace(group) for group in groups)
            if made:
                reorder(body.block, topological_order(body.block))
            count += made
    return count


@dataclass(frozen=True)
class CombineParallelMatmulPass(ModulePass):
    """Combine products that share an input."""

    name = "relax-combine-parallel-matmul"

    min_branches: int = LEAST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        combine_parallel_matmuls(op, self.min_branches)
