"""A relax.func as values: the terms of its results in terms of its parameters.

Operators on elements, views and slices are computed; every other pure operator is an uninterpreted
function of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp as Call
from xdsl.dialects.func import FuncOp as PrimFunc
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.type_variables import bare_variables, free_variables
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallTirOp, SymbolCallOp
from relax_dialect.ops.core import (
    FuncOp,
    MatchCastOp,
    MatchShapeOp,
    ReturnOp,
    ShapeOfOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.prove.index_maps import IndexMaps
from relax_dialect.prove.operators import OPERATORS, is_elementwise, on_elements, spread
from relax_dialect.prove.prim_func_terms import results_of
from relax_dialect.prove.reduction_terms import is_reduction, reduced
from relax_dialect.prove.slice_terms import sliced
from relax_dialect.prove.value_terms import (
    Fields,
    Keys,
    ShapeTerm,
    TensorTerm,
    Value,
    unknown_value,
)
from relax_dialect.prove.verdicts import Outside

Equal = Callable[[Value, Value], bool]


@dataclass
class Opaque:
    """Applications of operators of which nothing is known, as other functions may have them too."""

    calls: dict[object, list[tuple[Sequence[Value], Sequence[Value]]]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    """The operator that produces a value, by its key."""
    bindings: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The key and the type of the value that defines a symbolic variable."""

    def results(
        self, header: object, operands: Sequence[Value], is_equal: Equal
    ) -> Sequence[Value] | None:
        """Return the results of the same operator of equal operands."""
        for known, results in self.calls.get(header, ()):
            if all(map(is_equal, known, operands)):
                return results
        return None


class FunctionTerms:
    """The values of one function; readers of functions to be compared share keys, views and operators."""

    def __init__(
        self, function: FuncOp, keys: Keys, views: IndexMaps, opaque: Opaque, is_equal: Equal
    ):
        self.function, self.keys, self.views = function, keys, views
        self.opaque, self.is_equal = opaque, is_equal
        self.symbols = ModuleSymbols(function)
        self._values: dict[SSAValue, Value] = {}

    def result(self) -> Value:
        """Return the value that the function returns."""
        last = self.function.body.block.last_op
        assert isinstance(last, ReturnOp)
        for op in _ops_in_blocks(self.function):
            if isinstance(op, MatchShapeOp | MatchCastOp):
                self._bind(op)
            elif not is_pure(op, self.symbols):
                raise Outside(op.name)
        return self.value(last.value)

    def _bind(self, op: Operation) -> None:
        """Record the definitions of a match: a variable is one size in all compared functions."""
        given = {name for arg in self.function.body.block.args for name in free_variables(arg.type)}
        of = self.value(op.operands[0]).key, str(op.results[0].type)
        for name in bare_variables(op.results[0].type):
            if name not in given and self.opaque.bindings.setdefault(name, of) != of:
                raise Outside(f"the variable {name}, which is defined in several ways")

    def value(self, value: SSAValue) -> Value:
        """Return the value of an SSA value, computed once."""
        if value not in self._values:
            self._values[value] = self._computed(value)
        return self._values[value]

    def _computed(self, value: SSAValue) -> Value:
        if isinstance(value, BlockArgument):
            if value.block is not self.function.body.block:
                raise Outside("a parameter of a region")
            return unknown_value(self.keys, self.keys.of("parameter", value.index), value.type)
        assert isinstance(value, OpResult)
        match value.op:
            case LetOp() as op:
                return self.value(op.operands[0])
            case BlockOp() as op:
                return self.value(op.output.operands[value.index])
            case op:
                results = self._result_values(op)
                for result, found in zip(op.results, results, strict=True):
                    self._values.setdefault(result, found)
                return self._values[value]

    def _result_values(self, op: Operation) -> Sequence[Value]:
        operands = [self.value(operand) for operand in op.operands]
        key = self.keys.of(_header(op), *(operand.key for operand in operands))
        match op:
            case TupleOp():
                return [Fields(key, operands)]
            case TupleGetItemOp():
                found = operands[0]
                return (
                    [found.fields[op.index]]
                    if isinstance(found, Fields)
                    else self._opaque(op, operands)
                )
            case ShapeOp():
                sizes = tuple(size for size in op.result.type.shape or () if size is not None)  # pyright: ignore
                return [ShapeTerm(self.keys.of("shape", sizes), sizes)]
            case ShapeOfOp() if isinstance(operands[0], TensorTerm):
                return [ShapeTerm(self.keys.of("shape", operands[0].shape), operands[0].shape)]
            case MatchShapeOp() | MatchCastOp():
                return [self._matched(op, operands[0])]
            case CallTirOp():
                return self._called(op, operands)
            case _ if is_reduction(op):
                return self._reduced(op, key, operands)
            case _ if op.name in OPERATORS and _has_ranks(op):
                return [OPERATORS[op.name](op, key, operands, self.views)]
            case _ if is_elementwise(op) and _has_ranks(op):
                return [on_elements(op, key, operands, self.views)]
            case AttentionOp():
                return self._opaque(op, self._with_whole_bias(operands))
            case _:
                return sliced(op, operands, key, self.keys) or self._opaque(op, operands)

    def _matched(self, op: Operation, value: Value) -> Value:
        """Return the value of a checked cast: the same elements, under the sizes that are declared."""
        type = op.results[0].type
        key = self.keys.of("cast", str(type), value.key)
        if (
            isinstance(value, TensorTerm)
            and isinstance(type, TensorType)
            and type.shape is not None
        ):
            shape = tuple(old if s is None else s for s, old in zip(type.shape, value.shape))
            return TensorTerm(key, shape, value.dtype, value.at)
        return unknown_value(self.keys, key, type)

    def _called(self, op: CallTirOp, operands: Sequence[Value]) -> Sequence[Value]:
        callee = self.symbols(op.callee_name)
        assert isinstance(callee, PrimFunc)
        try:
            return results_of(callee, operands, self._callee_text(op), self.keys, self.views)
        except Outside:
            return self._opaque(op, operands)

    def _with_whole_bias(self, operands: Sequence[Value]) -> Sequence[Value]:
        """Return the operands of attention with the bias of every score, which it broadcasts itself."""
        tensors = [x for x in operands if isinstance(x, TensorTerm)]
        if not len(tensors) == len(operands) == 4:
            return operands
        query, key, _, bias = tensors
        shape = (query.shape[0], query.shape[2], query.shape[1], key.shape[1])
        return [*operands[:3], spread(bias, shape, self.keys, self.views)]

    def _reduced(self, op: Operation, key: int, operands: Sequence[Value]) -> Sequence[Value]:
        """Return the result of a reduction: equal for the same reduction of equal operands, or of the
        same terms."""
        header = (_header(op), "")
        known = self.opaque.results(header, operands, self.is_equal)
        if known is not None:
            return known
        if (result := reduced(op, key, operands, self.views)) is None:
            return self._opaque(op, operands)
        self.opaque.calls.setdefault(header, []).append((operands, [result]))
        return [result]

    def _opaque(self, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
        if op.regions:
            raise Outside(op.name)
        header = (_header(op), self._callee_text(op))
        known = self.opaque.results(header, operands, self.is_equal)
        if known is not None:
            return known
        results: list[Value] = []
        for number, result in enumerate(op.results):
            key = self.keys.of(header, number, *(operand.key for operand in operands))
            self.opaque.names[key] = op.name
            results.append(unknown_value(self.keys, key, result.type))
        self.opaque.calls.setdefault(header, []).append((operands, results))
        return results

    def _callee_text(self, op: Operation) -> str:
        """Return the text of an op's callee; calls of different functions are different operators."""
        if not isinstance(op, SymbolCallOp):
            return ""
        callee = self.symbols(op.callee_name)
        if not isinstance(callee, PrimFunc):
            raise Outside(f"{op.name} of a relax.func")
        if any(isinstance(inner, Call) for inner in callee.walk()):
            raise Outside(f"{op.name} of a function that calls others")
        copy = callee.clone()
        copy.sym_name = type(copy.sym_name)("callee")
        return str(copy)


def _ops_in_blocks(function: FuncOp) -> Iterator[Operation]:
    """Yield the ops of a function and of its blocks, but not of other regions."""
    work = list(function.body.block.ops)
    while work:
        op = work.pop()
        if isinstance(op, BlockOp):
            work += op.body.block.ops
        else:
            yield op


def _header(op: Operation) -> Hashable:
    """Return the identity of an operator besides its operands: its name, attributes, and result types."""
    given = sorted({**op.attributes, **op.properties}.items())
    attributes = tuple(pair for pair in given if not isinstance(pair[1], SymbolRefAttr))
    return op.name, attributes, tuple(op.result_types)


def _has_ranks(op: Operation) -> bool:
    """Return whether all tensors of an operator are of known rank."""
    return all(_has_rank(value.type) for value in (*op.operands, *op.results))


def _has_rank(type: Attribute) -> bool:
    return not isinstance(type, TensorType) or type.shape is not None
