"""Tensor expressions over values: `te_tensor`, and the prim funcs that `emit_te` makes and shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from relax_dialect import symbolic, te
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.values import Expression, Value, ValueTensor, named, te_tensor
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import PrimType, ShapeType
from relax_dialect.ir.walk import blocks_of, unique_name, walk_ops
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr
from relax_dialect.te.emit.scalar_emitter import name_hint
from relax_dialect.te.tensor import Tensor

UNNAMED = "compute"
"""The name of a tensor that `te.compute` made without a name."""


def te_arguments(argument: Any, found: list[Tensor], emit: Callable[[Expression], Value]) -> Any:
    """Return an argument of a TE function: values become tensors, which are collected, shapes and numbers
    sizes.

    Lists, tuples and dicts are searched; expressions are emitted first; anything else is passed as
    it is.
    """
    if isinstance(argument, Expression):
        argument = emit(argument)
    if isinstance(argument, Value | SSAValue):
        value = argument if isinstance(argument, Value) else Value(argument)
        if isinstance(value.type, ShapeType):
            return _sizes(value)
        if isinstance(value.type, PrimType):
            return value.type.value
        found.append(te_tensor(value))
        return found[-1]
    if isinstance(argument, list | tuple):
        return type(argument)([te_arguments(a, found, emit) for a in argument])
    if isinstance(argument, dict):
        return {key: te_arguments(a, found, emit) for key, a in argument.items()}
    return argument


def _sizes(value: Value) -> tuple[Expr, ...]:
    sizes = value.shape
    if sizes is None or None in sizes:
        raise BuildError(
            f"emit_te: expected a shape of known sizes, found {named(value)} of type {value.type}; "
            "insert a match_shape that names them"
        )
    return sizes  # pyright: ignore[reportReturnType]


def _placeholders(outputs: Iterable[Tensor]) -> list[Tensor]:
    """Return the inputs that computed tensors read, in order of appearance."""
    seen: dict[Tensor, None] = {}
    work = list(outputs)[::-1]
    while work:
        tensor = work.pop()
        if tensor in seen:
            continue
        seen[tensor] = None
        if tensor.stage is not None:
            work.extend(reversed(list(tensor.stage.reads)))
    return [tensor for tensor in seen if tensor.stage is None]


class PrimFuncBuilder:
    """Makes the prim funcs of tensor expressions; equal ones are made once."""

    def __init__(self, symbols: dict[str, Operation], add: Callable[[func.FuncOp], None]):
        self.symbols = symbols
        self.add = add
        self._made: dict[Any, func.FuncOp] = {}

    def call(self, outputs: Sequence[Tensor], given: Sequence[Tensor], hint: str) -> CallTirOp:
        """Return a call, not inserted yet, of the prim func that computes the outputs."""
        for position, output in enumerate(outputs):
            if output.stage is None:
                raise BuildError(
                    f"emit_te: expected computed tensors as the result, found the input '{output.name}'; "
                    "use the value itself, or return the results of te.compute"
                )
            if any(output is other for other in outputs[:position]):
                raise BuildError(
                    f"emit_te: expected different tensors as the result, found '{output.name}' twice; "
                    "return it once"
                )
        inputs = list(dict.fromkeys([*given, *_placeholders(outputs)]))
        for tensor in inputs:
            if not isinstance(tensor, ValueTensor) or tensor.value is None:
                raise BuildError(
                    f"emit_te: expected tensors made of values, found the placeholder "
                    f"'{tensor.name}'; use te_tensor(value) instead"
                )
        made = te.create_prim_func([*inputs, *outputs], name_hint(hint))
        sizes = signature(made).unbound
        function = self.shared(made)
        values = [tensor.value.value for tensor in inputs]  # pyright: ignore
        return CallTirOp(function, values, [symbolic.var(s) for s in sizes])

    def shared(self, made: func.FuncOp) -> func.FuncOp:
        """The function itself, or an equal one of the module."""
        key = fingerprint(made)
        known = self._made.get(key)
        if known is not None and self.symbols.get(known.sym_name.data) is known:
            return known
        name = unique_name(made.sym_name.data, self.symbols)
        made = func.FuncOp(
            name,
            made.function_type,
            made.detach_region(made.body),
            visibility="private",
            arg_attrs=made.arg_attrs,
            res_attrs=made.res_attrs,
        )
        self._made[key] = self.symbols[name] = made
        self.add(made)
        return made


def readable_name(function: object, outputs: Sequence[Tensor]) -> str:
    """Return the name of a TE function; for a lambda that of its result, or of its last operation."""
    name = getattr(function, "__name__", "te")
    if name.isidentifier() or not outputs:
        return name
    last = outputs[0]
    bodies = getattr(getattr(last, "stage", None), "bodies", ())
    if last.name != UNNAMED or not bodies:
        return getattr(last, "name", "te")
    return getattr(getattr(bodies[0], "reducer", bodies[0]), "name", last.name)


def fingerprint(function: func.FuncOp) -> Any:
    """Return a key that is equal for prim funcs that differ only in their name and the names of values and
    symbols."""
    found = signature(function)
    types = [*found.params, *found.results]
    names = dict.fromkeys((*(v for t in types for v in free_variables(t)), *found.symbols))
    renamed = {name: symbolic.var(f"s{i}") for i, name in enumerate(names)}
    numbers: dict[SSAValue, int] = {}
    parts: list[Any] = [
        tuple(substitute(t, renamed) for t in types),
        len(found.params),
        tuple(renamed[s] for s in found.symbols),
        tuple(function.function_type.inputs),
    ]
    for op in walk_ops(function):
        arguments = [(tuple(b.arg_types), b) for b in blocks_of(op)]
        for value in (*op.results, *(a for _, block in arguments for a in block.args)):
            numbers[value] = len(numbers)
        if op is function:
            continue
        parts.append(
            (
                op.name,
                tuple(numbers[operand] for operand in op.operands),
                tuple(sorted(op.properties.items(), key=lambda item: item[0])),
                tuple(sorted(op.attributes.items(), key=lambda item: item[0])),
                tuple(op.result_types),
                tuple((types, sum(1 for _ in block.ops)) for types, block in arguments),
            )
        )
    return tuple(parts)


def as_tensors(result: object) -> list[Tensor]:
    """Return the tensors that a TE function returned, as a list."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, list | tuple) and result and all(isinstance(t, Tensor) for t in result):
        return list(result)
    found = type(result).__name__
    if isinstance(result, list | tuple):
        kinds = dict.fromkeys(type(t).__name__ for t in result)
        found = f"a {found} of {', '.join(kinds) or 'nothing'}"
    raise BuildError(
        f"emit_te: expected a te.Tensor or a list of them as the result, found {found}; return the "
        "results of te.compute, several in one flat list"
    )
