"""Scalar expressions as `arith`, `math`, `tensor.extract` and `scf.if` operations."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import check, literal
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.te import dtypes
from relax_dialect.te.dtypes import INDEX, DType, Number
from relax_dialect.te.emit.access import access_map
from relax_dialect.te.emit.bounds import Bounds, Facts
from relax_dialect.te.operations import ARITHMETIC, COMPARISONS, DIVISIONS
from relax_dialect.te.scalar import (
    Apply,
    Cast,
    Choice,
    Element,
    IterVar,
    Reinterpret,
    Scalar,
    ScalarConstant,
    Size,
    span,
)
from relax_dialect.te.tensor import Load, Tensor

_SUFFIX = re.compile(r"(_\d+)+$")

AccessKey: TypeAlias = tuple[Tensor, tuple[AffineExpr, ...]]


def name_hint(name: str) -> str:
    """Return a name that prints as text which parses back: no odd characters, no trailing numbers."""
    name = _SUFFIX.sub("", re.sub(r"\W", "_", name, flags=re.ASCII))
    return f"v{name}" if not name or name[0].isdigit() else name


@dataclass
class EmittedOps:
    """A growing list of operations, and the values known in it (by the node they compute)."""

    ops: list[Operation] = field(default_factory=list)
    values: ChainMap[Any, SSAValue] = field(default_factory=lambda: ChainMap())

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        self.ops.append(op)
        result = op.results[0]
        if hint is not None:
            result.name_hint = name_hint(hint)
        return result

    def constant(self, value: Number, dtype: DType) -> SSAValue:
        key = (repr(value), dtype)
        if key not in self.values:
            hint = f"c{value}" if dtype == INDEX and value >= 0 else None
            self.values[key] = self.add(dtypes.constant(value, dtype), hint)
        return self.values[key]

    def inner(self) -> EmittedOps:
        return EmittedOps([], self.values.new_child())


def tensor_type(shape: tuple[symbolic.Expr, ...], dtype: DType) -> TensorType:
    """Return the builtin tensor type: a size that is no constant is `?`."""
    sizes = [DYNAMIC_INDEX if dim.value is None else dim.value for dim in shape]
    return TensorType(dtype, sizes)


class FunctionEmitter:
    """The body of a prim func outside of its linalg operations: sizes, constants and tensors."""

    def __init__(self, name: str = "main", given: Iterable[symbolic.Expr] = ()) -> None:
        """Create an emitter for a function of a name whose parameter tensors have the sizes `given`."""
        self.name = name
        self.given = frozenset(given)
        self.top = self.scope = EmittedOps()
        """The function's own operations, and those of the loop that is being filled."""
        self.sizes = SizeEmitter(self.top.add, self._symbol)
        self.extents = SizeEmitter(self.top.add, self._symbol, self._require)
        """Sizes of memory, which are checked; `sizes` are part of indices."""
        self.tensors: dict[Tensor, SSAValue] = {}
        self.elements: dict[Element, SSAValue] = {}
        """The counters of the loops around `scope`."""
        self.around: tuple[symbolic.Expr, ...] = ()
        """The extents of the loops around `scope`."""
        self.bounds: Bounds | None = None
        """The facts about indices; without them no access is checked."""
        self.symbols: dict[str, SSAValue | tuple[SSAValue, int]] = {}
        """A symbol as the value that holds it, or the tensor and dimension to read it from."""

    def empty(self, shape: tuple[symbolic.Expr, ...], dtype: DType, hint: str) -> SSAValue:
        sizes = [self.extent(dim) for dim in shape if dim.value is None]
        return self.scope.add(tensor.EmptyOp(sizes, tensor_type(shape, dtype)), hint)

    def extent(self, dim: symbolic.Expr) -> SSAValue:
        """Return a size of memory; the stages that use it require that its sizes broadcast."""
        known = dim in self.given
        is_safe = known or all(d.kind == "broadcast" for d in symbolic.demands(dim, str))
        return (self.sizes if is_safe else self.extents).size(dim)

    def _require(self, condition: SSAValue, message: str) -> None:
        self.top.ops.append(check(condition, f"@{literal(self.name)}: {message}", shows=True))

    def constant(self, value: Number, dtype: DType) -> SSAValue:
        if dtype == INDEX:
            return self.sizes.constant(int(value))
        return self.scope.constant(value, dtype)

    def memory_constant(self, value: Number, dtype: DType) -> SSAValue:
        """Return a constant in the type that it has in memory."""
        return converted(self.constant(value, dtype), dtype, self.scope)

    def _symbol(self, name: str) -> SSAValue:
        source = self.symbols[name]
        if isinstance(source, tuple):
            argument, dimension = source
            source = self.top.add(tensor.DimOp(argument, self.sizes.constant(dimension)), name)
            self.symbols[name] = source
        return source


class BodyEmitter:
    """The body of one `linalg.generic`: a scalar expression over its block arguments."""

    def __init__(
        self,
        function: FunctionEmitter,
        positions: Mapping[IterVar, int],
        elements: Mapping[AccessKey, BlockArgument],
        where: str,
    ):
        self.function = function
        self.where = where
        """The location that errors name."""
        self.facts: Facts = ()
        """The facts about indices here."""
        self.certain = True
        """Whether every point of the loops comes along here."""
        self.positions = positions
        self.elements = elements
        self.prelude = EmittedOps()
        self.body = EmittedOps()

    @property
    def ops(self) -> list[Operation]:
        return [*self.prelude.ops, *self.body.ops]

    def emit(self, node: Scalar, scope: EmittedOps | None = None) -> SSAValue:
        """Return the value of a node, computed once in its scope, or outside if no element changes it."""
        scope = scope or self.body
        if node.invariant and node.operands:
            scope = self.function.scope
        if node not in scope.values:
            scope.values[node] = self._emit(node, scope)
        return scope.values[node]

    def _emit(self, node: Scalar, scope: EmittedOps) -> SSAValue:
        match node:
            case Element():
                if node not in self.function.elements:
                    raise self.out_of_place(node.name)
                return self.function.elements[node]
            case ScalarConstant():
                outside = self.function.scope is scope or self.function.scope is self.prelude
                home = self.function if outside else self.prelude
                return home.constant(node.value, node.dtype)
            case Size():
                return self.function.sizes.size(node.expr)
            case IterVar():
                return self._index(node)
            case Load():
                return self._load(node, scope)
            case Cast():
                source = node.operands[0]
                value = self.emit(source, scope)
                steps = dtypes.cast(value, source.dtype, node.dtype)
                return [value, *map(scope.add, steps)][-1]
            case Reinterpret():
                value = self.emit(node.operands[0], scope)
                return [value, *map(scope.add, dtypes.reinterpreted(value, node.dtype))][-1]
            case Choice():
                return self._choice(node, scope)
            case Apply():
                operands = [self.emit(operand, scope) for operand in node.operands]
                if self.function.bounds is not None and may_divide_by_zero(node):
                    return self._total_division(node, operands, scope)
                return scope.add(_operation(node, operands))
        raise AssertionError(f"no rule to emit a {type(node).__name__}")

    def _total_division(self, node: Apply, operands: list[SSAValue], scope: EmittedOps) -> SSAValue:
        """Emit a division of indices that yields 0 if the divisor is 0, as that of other integers does."""
        dividend, divisor = operands
        around = self.function.scope if node.operands[1].invariant else scope
        zero, one = (self.function.constant(value, INDEX) for value in (0, 1))
        is_zero = around.add(arith.CmpiOp(divisor, zero, "eq"))
        safe = around.add(arith.SelectOp(is_zero, one, divisor))
        result = scope.add(_operation(node, [dividend, safe]))
        return result if node.name == "rem" else scope.add(arith.SelectOp(is_zero, zero, result))

    @staticmethod
    def out_of_place(name: str) -> RelaxError:
        return RelaxError(
            f"te: '{name}' is used outside of the loop, branch or reduction that it belongs to; keep "
            "the value in a variable (ib.var) or a tensor"
        )

    def _index(self, axis: IterVar) -> SSAValue:
        if axis not in self.prelude.values:
            index = self.prelude.add(IndexOp(self.positions[axis]), axis.name)
            self.prelude.values[axis] = index
        return self.prelude.values[axis]

    def _load(self, load: Load, scope: EmittedOps) -> SSAValue:
        results = access_map(load, self.positions) if self.elements else None
        if results is not None and (load.tensor, results) in self.elements:
            return self.read(self.elements[load.tensor, results])
        indices = [self.emit(index, scope) for index in load.operands]
        source = self.function.tensors[load.tensor]
        self.check_bounds(load.tensor, load.operands, indices, scope)
        element = scope.add(tensor.ExtractOp(source, indices, load.dtype))
        return converted(element, dtypes.register_type(load.dtype), scope)

    def check_bounds(
        self, accessed: Any, nodes: Sequence[Scalar], indices: Sequence[SSAValue], scope: EmittedOps
    ) -> None:
        """Emit an error for an index of a tensor or buffer that is out of bounds, unless it is proved in
        bounds."""
        if (bounds := self.function.bounds) is None:
            return
        extents = (*self.function.around, *(axis.extent for axis in self.positions))
        for d, (node, dim) in enumerate(zip(nodes, accessed.shape)):
            if self.certain and bounds.reached(node):
                continue  # the function has checked the sizes
            if bounds.is_within(node, dim, self.facts, extents):
                continue
            self.facts = (*self.facts, *bounds.within(node, dim))
            size, zero = map(self.function.sizes.size, (dim, symbolic.const(0)))
            comparisons = (
                arith.CmpiOp(indices[d], zero, "sge"),
                arith.CmpiOp(indices[d], size, "slt"),
            )
            from_zero, below = map(scope.add, comparisons)
            within = scope.add(arith.AndIOp(from_zero, below))
            message = (
                f"{self.where}: expected every index to be within 0..size-1 of axis {d} of "
                f"'{accessed.name}'"
            )
            scope.ops.append(cf.AssertOp(within, message))

    def read(self, element: BlockArgument) -> SSAValue:
        """Return an element passed to the body, in its register type."""
        if element not in self.prelude.values:
            register = dtypes.register_type(element.type)
            self.prelude.values[element] = converted(element, register, self.prelude)
        return self.prelude.values[element]

    def known(self, condition: Scalar, holds: bool = True) -> Facts:
        """Return the facts about indices that follow from a condition that holds, or does not."""
        bounds = self.function.bounds
        return () if bounds is None else bounds.facts(condition, holds)

    def written(self, value: SSAValue, dtype: DType) -> SSAValue:
        """Return a value in the type of the tensor that it is yielded to."""
        return converted(value, dtype, self.body)

    def _choice(self, node: Choice, scope: EmittedOps) -> SSAValue:
        condition, *branches = node.operands
        c = self.emit(condition, scope)
        if not node.lazy:
            return scope.add(arith.SelectOp(c, *(self.emit(value, scope) for value in branches)))
        then, otherwise = (
            self._branch(value, scope, condition, holds)
            for value, holds in zip(branches, (True, False))
        )
        result = dtypes.register_type(node.dtype)
        return scope.add(scf.IfOp(c, [result], then, otherwise))

    def _branch(self, value: Scalar, scope: EmittedOps, condition: Scalar, holds: bool) -> Region:
        inner, outside = scope.inner(), (self.facts, self.certain)
        self.facts, self.certain = (*self.facts, *self.known(condition, holds)), False
        result = self.emit(value, inner)
        self.facts, self.certain = outside
        return Region(Block([*inner.ops, scf.YieldOp(result)]))


def may_divide_by_zero(node: Apply) -> bool:
    """Return whether a division of indices may have a divisor of 0."""
    if node.dtype != INDEX or node.name not in DIVISIONS:
        return False
    return span(node.operands[1]).holds(0)


def converted(value: SSAValue, dtype: DType, scope: EmittedOps) -> SSAValue:
    """Return the bits of a value as another type of the same width; the value itself if it has that
    type."""
    if value.type == dtype:
        return value
    return scope.add(dtypes.converted(value, dtype), value.name_hint)


def _operation(node: Apply, operands: list[SSAValue]) -> Operation:
    """Return the operation of the tables for a node."""
    kind = dtypes.kind(node.operands[0].dtype)
    if node.name in COMPARISONS:
        predicate = COMPARISONS[node.name].on(kind)
        comparison: Any = arith.CmpfOp if kind == "float" else arith.CmpiOp
        return comparison(*operands, predicate)
    operation: Any = ARITHMETIC[node.name].on(kind)
    return operation(*operands)
