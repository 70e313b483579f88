"""Emission: expressions, numbers and tensor expressions become ops at the insertion point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import BaseAttr, IRDLOperation, VariadicDef

from relax_dialect.builder import constant_values
from relax_dialect.builder.open_regions import BuildError, OpenRegion, OpenRegions
from relax_dialect.builder.te_calls import PrimFuncBuilder
from relax_dialect.builder.values import Expression, Value, unwrap
from relax_dialect.ir.locations import call_site
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.core import ConstantOp, ShapeOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.manipulate import ReshapeOp, resolved_sizes
from relax_dialect.ops.number_operands import Number
from relax_dialect.ops.operator import plan_of
from relax_dialect.ops.shape_value import SymbolicValueOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.emit.scalar_emitter import name_hint as clean_hint
from relax_dialect.te.tensor import Tensor

Parts = dict[int, SSAValue | Operation]
"""The emitted parts of expressions, by identity: a value, or an op with several results or none."""

_CHOOSE = "e[0] is its first result, or emit it and use one"


@dataclass
class _Common:
    """The shared parts of expressions that are emitted in a region."""

    region: OpenRegion
    parts: Parts = field(default_factory=dict)
    alive: list[Expression] = field(default_factory=list)
    """The expressions, whose parts are remembered by identity."""


class Emitter:
    """Inserts ops into the innermost open region, after the ops they depend on."""

    notes_call_sites = True
    """Whether ops get the location of the line of Python that builds them."""

    shares_numbers = False
    """Whether a number in several expressions is one constant."""
    _location: LocationAttr | None = None
    """The location of new ops that have none, instead of the call site."""

    def __init__(self, module: ModuleOp | None = None):
        self.module = ModuleOp([]) if module is None else module
        self._symbols = module_symbols(self.module)
        self._scopes = OpenRegions(self._symbols)
        self._prim_funcs = PrimFuncBuilder(self._symbols, self._add)
        self._common: _Common | None = None
        self._has_result_type = False
        """Whether the result type of the open function is known."""

    def _add(self, function: func.FuncOp) -> None:
        self.module.body.block.add_op(function)

    @property
    def defined_variables(self) -> AbstractSet[str]:
        """The symbolic variables that are defined here and now."""
        return self._scopes.defined

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Emit a subexpression shared by several expressions once, within the context, in the open
        region."""
        outer, self._common = self._common, _Common(self._scopes.top)
        try:
            yield
        finally:
            self._common = outer

    def emit(self, value: object, name_hint: str | None = None) -> Any:
        """Emit an expression, an op, a computed te.Tensor, an array or a tuple of values.

        Returns its `Value`: a tuple of values for several results, None for an op without results.
        """
        found = self._resolve(value)
        if isinstance(found, SSAValue):
            return value if isinstance(value, Value) else Value(found)
        placed = self._place(found, name_hint)
        if self._common is not None and isinstance(value, Expression) and len(found.results) == 1:
            self._shared()[id(value)] = placed
        return _values(found)

    def emit_all(self, values: Sequence[object]) -> list[Any]:
        """Emit several values as `emit` does; shared parts are emitted once."""
        with self.sharing():
            return [self.emit(value) for value in values]

    @contextmanager
    def at(self, location: LocationAttr) -> Iterator[None]:
        """Set the location of ops that are emitted inside and have none."""
        outer, self._location = self._location, location
        try:
            yield
        finally:
            self._location = outer

    @contextmanager
    def recorded(self) -> Iterator[list[Operation]]:
        """Record the ops that are emitted inside, in order."""
        outer, placed = self._scopes.placed, []
        self._scopes.placed = placed
        try:
            yield placed
        finally:
            self._scopes.placed = outer
            if outer is not None:
                outer.extend(placed)

    def normalize(self, value: object) -> Operation:
        """Return the op of an expression, not inserted, with types inferred; its operands are emitted."""
        found = self._resolve(value)
        if isinstance(found, SSAValue):
            raise BuildError(
                "normalize: expected an expression or an op that is not inserted, found a value; "
                "lookup_binding returns its op"
            )
        return found

    def operand(self, value: object) -> SSAValue:
        """Return the value to use as an operand, emitting it if necessary."""
        found = self._resolve(value)
        if isinstance(found, SSAValue):
            return found
        if len(found.results) != 1:
            text = describe(found)
            found.drop_all_references()
            raise BuildError(
                f"{text}: expected an op with one result as an operand, found {len(found.results)}; "
                f"{_CHOOSE}"
            )
        placed = self._place(found)
        if isinstance(value, Expression):
            self._shared()[id(value)] = placed
        return placed

    def _place(self, op: Operation, name_hint: str | None = None) -> Any:
        """Insert an op and name its results; return the first one."""
        self._scopes.place(op)
        if isinstance(op.location, UnknownLoc):
            if self._location is not None:
                op.location = self._location
            elif self.notes_call_sites:
                op.location = call_site()
        if op.results:
            default = "lv" if self._scopes.top.is_graph else "gv"
            if isinstance(op, ConstantOp):
                default = "c"
            for result in op.results:
                if name_hint is not None:
                    result.name_hint = clean_hint(name_hint)
                elif result.name_hint is None:
                    result.name_hint = default
            return op.results[0]
        return None

    def _resolve(self, value: object) -> SSAValue | Operation:
        """Return a visible value, or an op that is not inserted and whose operands are visible."""
        value = unwrap(value)
        match value:
            case Expression():
                if self._common is not None:
                    self._common.alive.append(value)
                return self._build(value)
            case OpResult() | SSAValue():  # of most values the first is the class
                return self._placed_value(value)
            case Operation() if value.parent is None:
                return self._place_operands(value)
            case Operation():
                return self._placed_value(SSAValue.get(value))
            case Tensor():
                return self._prim_funcs.call([value], [], value.name)
            case np.ndarray() | np.generic():
                return constant_values.array(value)
            case list() | tuple():
                return TupleOp(*[self.operand(field) for field in value])
            case _:
                raise BuildError(
                    "emit: expected a value, an expression, an op, a te.Tensor, a numpy array or a "
                    f"tuple of these, found {value!r}; a number alone is const({value!r}, dtype)"
                )

    def _placed_value(self, value: SSAValue) -> SSAValue:
        if (owner := _unplaced(value)) is not None:
            self._place(self._place_operands(owner))
        else:
            self._scopes.top  # noqa: B018 - refuses a builder without an open function
            self._scopes.check_visible(value)
        return value

    def _place_operands(self, root: Operation) -> Operation:
        """Insert the ops that a detached op depends on, operands first."""
        stack = [root]
        while stack:
            op = stack[-1]
            pending = [o for o in map(_unplaced, op.operands) if o is not None]
            if pending:
                stack.extend(reversed(pending))
                continue
            stack.pop()
            if op is not root and op.parent is None:
                self._place(op)
        return root

    # Expressions ------------------------------------------------------------------------------

    def _shared(self) -> Parts:
        """Return the emitted parts of expressions, by identity."""
        if self._common is None or self._scopes.top is not self._common.region:
            return {}
        return self._common.parts

    def _build(self, root: Expression) -> Operation | SSAValue:
        """Return the op of an expression, not inserted; a part that is used twice is emitted once."""
        made = self._shared()
        if id(root) in made:
            return made[id(root)]
        stack = [root]
        while True:
            expression = stack[-1]
            if id(expression) in made:
                stack.pop()
                continue
            pending = [c for c in expression.children() if id(c) not in made]
            if pending:
                stack.extend(reversed(pending))
                continue
            stack.pop()
            if (output := _output(expression, made)) is not None:
                made[id(expression)] = output
                if expression is root:
                    return output
                continue
            op = self._place_operands(self._make(expression, made))
            if expression is root:
                return op
            placed = self._place(op)
            made[id(expression)] = placed if len(op.results) == 1 else op

    def _make(self, expression: Expression, made: Parts) -> Operation:
        """Return the op of one expression, whose parts are emitted."""
        kinds = _operand_kinds(expression.make)
        arguments: list[Any] = []
        numbers: list[int] = []
        for position, argument in enumerate(expression.arguments):
            kind = kinds[min(position, len(kinds) - 1)] if kinds else ""
            if position >= len(kinds) and kind != "many":
                kind = ""
            if kind not in ("", "shape") and constant_values.is_number(argument):
                numbers.append(position)
                arguments.append(argument)
                continue
            if expression.make is ReshapeOp and kind == "shape":
                argument = _without_minus_one(argument, arguments)
            arguments.append(self._argument(argument, kind, made))
        places = _index_positions(expression.make) if numbers else ()
        for position in numbers:
            number, dtype = arguments[position], i64
            if position not in places:
                dtype = constant_values.named_type(
                    expression.make, position, arguments, expression.attributes
                )
            if dtype is None:
                dtype = constant_values.type_like(number, arguments)
            arguments[position] = self._number(number, dtype)
        if expression.make is ConstantOp:
            constant_values.require_dense(*arguments, **expression.attributes)
        return expression.create(arguments)

    def _number(self, number: Number, dtype: Attribute) -> SSAValue:
        if not self.shares_numbers:
            return self._place(constant_values.scalar(number, dtype))
        key = type(number), repr(number), dtype
        for scope in self._scopes.stack:
            if key in scope.numbers:
                return scope.numbers[key]
        found = self._scopes.top.numbers[key] = self._place(constant_values.scalar(number, dtype))
        return found

    def _argument(self, argument: object, kind: str, made: Parts) -> object:
        """Return an argument of a constructor: operands as values, anything else as it is."""
        argument = unwrap(argument)
        if isinstance(argument, Expression):
            found = made[id(argument)]
            if isinstance(found, Operation):
                raise BuildError(
                    f"{found.name}: expected an expression with one result as an operand, found "
                    f"{len(found.results)}; {_CHOOSE}"
                )
            return found
        if isinstance(argument, list | tuple):
            if kind == "shape" and all(isinstance(a, Expr | int | str) for a in argument):
                return self._place(ShapeOp(argument))
            operands = Expression | Value | SSAValue
            if kind in ("value", "many"):
                operands |= np.ndarray
            if any(isinstance(a, operands) for a in argument):
                return [self._argument(a, kind, made) for a in argument]
            return argument
        if isinstance(argument, Expr) and kind == "value":
            return self._place(SymbolicValueOp(argument))
        if isinstance(argument, SSAValue | Tensor):
            return self.operand(argument)
        if kind and isinstance(argument, Operation | np.ndarray | np.generic):
            return self.operand(argument)
        return argument


def _output(expression: Expression, made: Parts) -> SSAValue | None:
    """Return the result `e[i]` of an expression e with several; None for a field of a tuple."""
    if expression.make is not TupleGetItemOp:
        return None
    of, index = expression.arguments
    op = made.get(id(of))
    if not isinstance(op, Operation):
        return None
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(op.results):
        raise BuildError(
            f"{op.name}: expected the number of one of its {len(op.results)} results, counted from 0, "
            f"found {index!r}"
        )
    return op.results[index]


def _without_minus_one(shape: object, arguments: Sequence[Any]) -> object:
    """Resolve a -1 in the sizes of a reshape from the tensor's type."""
    if isinstance(shape, list | tuple) and isinstance(arguments[0], SSAValue):
        return resolved_sizes(arguments[0].type, shape)
    return shape


def _unplaced(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) and value.op.parent is None else None


@cache
def _operand_kinds(make: Any) -> Sequence[str]:
    """Return the kinds of the arguments of an op's constructor, by position: a value, many values or a
    shape, and "" for other arguments (a constructor that names no argument takes the operands in order).
    Empty for anything but an op class, and for the calls, whose first argument names the callee.
    """
    if not (isinstance(make, type) and issubclass(make, IRDLOperation)):
        return ()
    definition = make.get_irdl_definition()
    if definition.properties.keys() & {"callee", "func_name"}:
        return ()
    kinds: list[str] = []
    for _, operand in definition.operands:
        constraint: Any = operand.constr
        while (
            inner := getattr(constraint, "constraint", getattr(constraint, "constr", None))
        ) is not None:
            constraint = inner  # an operand's constraint is one on a range of length one
        is_shape = isinstance(constraint, BaseAttr) and constraint.attr is ShapeType
        many = isinstance(operand, VariadicDef)
        kinds.append("many" if many else "shape" if is_shape else "value")
    named = dict(zip((name for name, _ in definition.operands), kinds))
    if (plan := plan_of(make)) is not None:  # the elements of a variadic operand
        named |= {field.name: "value" for _, field in plan.operands if field.part_of}
    parameters = list(signature(make.__init__).parameters.values())[1:]
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return tuple(kinds)
    return tuple(named.get(p.name, "") for p in parameters)


@cache
def _index_positions(make: Any) -> Sequence[int]:
    """Return the positions of constructor arguments that are tensor indices, whatever the element type."""
    parameters = list(signature(make.__init__).parameters)[1:]
    return tuple(position for position, name in enumerate(parameters) if name == "indices")


def _values(op: Operation) -> Any:
    """Return the results of an op as `Value`s."""
    values = tuple(Value(result) for result in op.results)
    if len(values) == 1:
        return values[0]
    return values or None
