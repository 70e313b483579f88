"""`gradient`, `vjp` and `jvp`: functions that compute derivatives of others, added to a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import AnyFloat, ModuleOp, TupleType
from xdsl.ir import Attribute

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in
from relax_dialect.gradient.cotangents import Path, field, leaves, tensor_at
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.of_functions.gradient_functions import Made
from relax_dialect.gradient.of_functions.parameters import Target, declared, distinct
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.parsing import blaming_program, require_module
from relax_dialect.rewrites.conversion.expand_compute import expand_compute


def gradient(
    module: ModuleOp, name: str, wrt: Sequence[Target] | None = None, target_index: int = 0
) -> str:
    """Add `@name_adjoint` to a module; returns its name.

    It has the parameters of `@name`, and returns the value and the tuple of its gradients with respect to
    the targets `wrt`, by default all parameters that hold floats; the gradient of a tuple is a tuple. Any
    other name is that of a value of the body, outside of branches and loops.
    If `@name` returns a tuple, the field `target_index` is differentiated, the others are passed through.
    Raises `GradientError` if that is not one float, a target is not found, or an operator between
    them has no adjoint.
    """
    with _made(module, name) as made:
        loss = _loss(name, made.prepared(name).return_op.operands[0].type, target_index)
        return made.function(name, f"{name}_adjoint", made.targets(name, wrt), loss)


@contextmanager
def _made(module: ModuleOp, name: str) -> Iterator[Made]:
    """Yield the derived functions of a module, after checking that it is a module and verifies."""
    require_module(module)
    with blaming_program(module):
        expand_compute(module)
        yield Made(module, name)


def _loss(name: str, type: Attribute, index: int) -> Path:
    """Return the path of the loss in the result of a function: a number, or a field of a tuple."""
    path: Path = ()
    if isinstance(index, bool) or not isinstance(index, int):
        raise GradientError(
            f"@{name}: target_index: expected a number, found {index!r}; count the results from 0"
        )
    if isinstance(type, TupleType):
        count = len(type.types)
        if not 0 <= index < count:
            raise GradientError(
                f"@{name}: expected the index of one of the {count} results, counted from 0, "
                f"found {index}; correct target_index"
            )
        type, path = type.types.data[index], (index,)
    elif index != 0:
        raise GradientError(
            f"@{name}: expected 0 as the index of its only result, found {index}; correct target_index"
        )
    if not (isinstance(type, TensorType) and type.shape == () and isinstance(type.dtype, AnyFloat)):
        where = f"result {index}" if path else "a result"
        is_number = isinstance(type, TensorType) and type.shape == () and type.dtype is not None
        mend = "convert it with astype" if is_number else "reduce it first"
        raise GradientError(
            f"@{name}: expected {where} that is one float, a tensor of rank 0, found {type}; {mend}, or "
            "use vjp, which takes cotangents of any result"
        )
    return path


def vjp(module: ModuleOp, name: str, wrt: Sequence[Target] | None = None) -> str:
    """Add `@name_vjp`, the product of a cotangent with the Jacobian; returns its name.

    Its parameters are those of `@name`, then a cotangent for each float tensor in the result, and it
    returns the value and the tuple of the gradients with respect to the targets. Raises as `gradient` does.
    """
    with _made(module, name) as made:
        return made.function(name, f"{name}_vjp", made.targets(name, wrt))


def jvp(module: ModuleOp, name: str, wrt: Sequence[Target] | None = None) -> str:
    """Add `@name_jvp`, the product of the Jacobian with a tangent; returns its name.

    Its parameters are those of `@name`, then a tangent for each float tensor in the targets, and it returns
    the value and the tuple of the tangents of the float tensors in it. It is the adjoint of the adjoint,
    which is linear in its cotangent, so it needs only the rules of reverse mode.
    """
    with _made(module, name) as made:
        return _add_jvp(made, name, made.parameters(name, wrt))


def _add_jvp(made: Made, name: str, targets: tuple[int, ...]) -> str:
    """Add the adjoint of an adjoint."""
    function = made.prepared(name)
    result, parameters = function.return_op.operands[0], function.body.block.args
    tangents = [tensor_at(v.type, path) for v, path in places_in([parameters[i] for i in targets])]
    cotangents = tuple(
        range(len(parameters), len(parameters) + sum(1 for _ in leaves(result.type)))
    )
    with made.adding():
        back = made.of_function(name, targets)
        made.add_waiting()
        forth = made.of_function(back, cotangents)
        taken = [
            *declared(function.body.block),
            *((f"t{i}", t) for i, t in enumerate(tangents)),
        ]
        with made.builder.function(made.free(f"{name}_jvp"), distinct(taken)) as values:
            own, given = values[: len(parameters)], values[len(parameters) :]
            value = made.builder.call(name, *own)
            if value.type != result.type:  # the declared type is less precise
                value = made.builder.match_cast(value, result.type)
            seeds = [made.builder.emit(op.zeros_like(f)) for f in _fields(value)]
            moved = made.builder.call(
                forth,
                *own,
                *seeds,
                *given,
                result_type=tuple_type(t for _, t in leaves(result.type)),
            )
            made.builder.emit_func_output([value, moved])
    return f"{name}_jvp"


def _fields(value: Value) -> list[Any]:
    """Return the tensors of floats in a value."""
    return [field(value, path) for path, _ in leaves(value.type)]
