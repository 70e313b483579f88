"""Function values that are passed to or from external code, as handles.

    %f = relax.make_closure @scale(%a) : (A) -> !relax.func<(B) -> B>
    %y = relax.call_closure %f, %x : (!relax.func<(B) -> B>, B) -> B
    ->
    %f = func.call @make_scale(%a) : (memref<?xf32>) -> !relax.object
    %y = func.call @call_function(%f, %x) : (!relax.object, memref<?xf32>) -> memref<?xf32>

    func.func private @make_scale(memref<?xf32>) -> !relax.object attributes {relax.makes = @scale}
    func.func private @call_function(!relax.object, memref<?xf32>) -> memref<?xf32>
      attributes {relax.calls = {args = ["tensor"], gives = "tensor", dtypes = ["float32", "float32"]}}

A function value keeps copies of the tensors that it captured. `@scale` states its parameter and result
kinds in `relax.parts`, from which a target makes a function of tensors of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.calls import names_of, parameter_names
from lowering.memory.functions.external_calls import Arguments, call_for, declared_call
from lowering.memory.functions.external_declarations import PARTS
from lowering.memory.functions.external_forms import OBJECT, FunctionKind, PackedForm, flat
from lowering.memory.functions.lowered_signature import (
    LoweredSignature,
    ObjectReference,
    kinds_of,
    require_lowerable,
)
from relax_dialect.errors import blaming
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import OBJECT as OBJECT_TYPE
from relax_dialect.ir.types import FuncType, ShapeType
from relax_dialect.ops.control import CallClosureOp, MakeClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.run_time_checks import called


def lower_make_closure(body: FunctionLowering, op: MakeClosureOp) -> None:
    """Make a function value, which copies its captured values."""
    passed, kinds = Arguments.of(body, op, op.args)
    body.module.made[op.callee_name] = None
    assert isinstance(op.result.type, FuncType)
    callee = body.module.symbols[op.callee_name]
    assert isinstance(callee, FuncOp)
    form = PackedForm(
        f"make_{op.callee_name}",
        kinds,
        OBJECT,
        makes=op.callee_name,
        place="\n".join([called(callee), *names_of(callee)[len(op.args) :]]),
        impure=not op.result.type.is_pure,
    )
    made = body.add(declared_call(body, form, passed.operands, OBJECT_TYPE))
    body.values[op.result] = body.hold(made, op.result.type, op.result.name_hint)


def lower_call_closure(body: FunctionLowering, op: CallClosureOp) -> None:
    """Call a function value, and check the result against its type."""
    callee = body.values[op.callee]
    kind = kinds_of(op.callee.type)
    assert isinstance(callee, ObjectReference) and isinstance(kind, FunctionKind)
    passed, kinds = Arguments.of(body, op, op.args)
    what = prefixed(f"{body.where}: {describe(op)}", op.location)
    form = PackedForm("call_function", kinds, kinds_of(op.result.type), calls=kind, place=what)
    operands = [callee.value, *passed.operands]
    body.values[op.result] = call_for(
        body, form, operands, op, "the function", f"{describe(op)}: result"
    )


def describe_parts(lowered: func.FuncOp, signature: LoweredSignature, function: FuncOp) -> None:
    """Record a function's parameter and result kinds at graph level, and its parameters' names in
    errors."""
    with blaming(function):
        for type in signature.results:
            require_lowerable(called(function), "the result of a function value", type)
    params = _parts(p.type for p in signature.params)
    names = ArrayAttr(map(StringAttr, parameter_names(function)))
    lowered.attributes[PARTS] = ArrayAttr([params, _parts(signature.results), names])


def _parts(types: Iterable[Attribute]) -> ArrayAttr[Attribute]:
    return ArrayAttr(map(_part, types))


def _part(type: Attribute) -> Attribute:
    if isinstance(type, ShapeType):
        return ArrayAttr(StringAttr("?" if d is None else str(d)) for d in type.shape or ())
    (kind,) = flat([kinds_of(type)])
    return StringAttr(OBJECT if isinstance(kind, FunctionKind) else str(kind))


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    MakeClosureOp: lower_make_closure,
    CallClosureOp: lower_call_closure,
}
