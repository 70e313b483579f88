"""Effects and external functions, as calls of declarations.

    %y = relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.print %y {format = "y = {}"} : (!relax.tensor<[n], f32>) -> ()
    ->
    %y0 = func.call @packed_f(%x) : (memref<?xf32>) -> memref<?xf32>
    %size = memref.dim %y0, %c0
    %ok = arith.cmpi eq, %size, %n
    cf.assert %ok, "@main: relax.call_packed \\"f\\": dimension 0 of %y must be n"
    func.call @packed_relax_print(%y0) : (memref<?xf32>) -> ()

    func.func private @packed_f(memref<?xf32>) -> memref<?xf32> attributes {relax.packed = "f"}
    func.func private @packed_relax_print(memref<?xf32>)
      attributes {relax.packed = "relax.print", relax.format = "y = {}"}

Tuples are passed flat, a shape as a memref of i64, a scalar as it is. The caller owns the result. The calls
keep the order of the ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import IntegerAttr, TupleType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.calls import lower_call_tir
from lowering.memory.functions.external_calls import (
    Arguments,
    call_for,
    declared_call,
    of_any_size,
    received,
    require_result,
    result_type,
)
from lowering.memory.functions.external_forms import Kinds, PackedForm, flat
from lowering.memory.functions.lowered_signature import (
    Lowered,
    LoweredTensor,
    ObjectReference,
    is_lowerable,
    kinds_of,
    leaves,
)
from lowering.memory.functions.match_cast import match_value
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import OBJECT, TensorType, leaf_types
from relax_dialect.ops import blocks, calls, effects, graph
from relax_dialect.ops.forms import integers
from relax_dialect.prim.run_time_checks import allocated, other_size_in_place


def lower_call_packed(
    body: FunctionLowering, op: calls.CallPackedOp | effects.CallPurePackedOp
) -> None:
    """Call a function that returns its result, and check the result against its type."""
    name = op.func_name.data
    passed, kinds = Arguments.of(body, op, op.all_arguments())
    if not _is_used(op.result) and _says_nothing(op.result.type):
        body.block.add_op(declared_call(body, PackedForm(name, kinds), passed.operands))
        body.values[op.result] = ()
        return
    what = f'{op.name} "{name}": result'
    form = PackedForm(name, kinds, kinds_of(op.result.type))
    body.values[op.result] = call_for(body, form, passed.operands, op, f'"{name}"', what)


def _says_nothing(type: Attribute) -> bool:
    """Return whether a type may mean no result at all: any object, or a type without a lowering."""
    return type == OBJECT or not all(map(is_lowerable, leaf_types(type)))


def _is_used(value: SSAValue) -> bool:
    """Return whether a value has a use other than blocks and `relax.let`, which only pass it on."""
    work = [value]
    while work:
        for use in work.pop().uses:
            match use.operation:
                case graph.LetOp() as op:
                    work.append(op.result)
                case blocks.OutputOp() as op:
                    block = op.parent_op()
                    assert block is not None
                    work.append(block.results[use.index])
                case _:
                    return True
    return False


def lower_call_dps_packed(body: FunctionLowering, op: effects.CallDpsPackedOp) -> None:
    """Allocate the results and pass them last."""
    passed, kinds = Arguments.of(body, op, op.all_arguments())
    operands = list(passed.operands)

    def place(type: Attribute) -> Lowered:
        if isinstance(type, TupleType):
            return tuple(map(place, type.types))
        assert isinstance(type, TensorType)
        sizes = [body.sizes.size(d) for d in allocated(op, type)[0]]
        out = body.allocate(type, sizes, op.results[0].name_hint)
        operands.append(body.cast(out, of_any_size(out)).memref)
        return out

    for result in op.results:
        body.values[result] = place(result.type)
    form = PackedForm(op.func_name.data, kinds, dps=len(operands) - len(passed.operands))
    body.block.add_op(declared_call(body, form, operands))


def lower_call_inplace_packed(body: FunctionLowering, op: effects.CallInplacePackedOp) -> None:
    """Pass copies, which may be written."""
    name, indices = op.func_name.data, integers(op.inplace_indices)
    arguments = op.all_arguments()
    passed = Arguments(body, op)
    kinds: list[Kinds] = []
    written: dict[int, tuple[int, LoweredTensor]] = {}
    for index, argument in enumerate(arguments):
        if isinstance(argument, Attribute):
            kinds.append(passed.add_literal(argument))
            continue
        value = body.values[argument]
        if index in indices:
            assert isinstance(value, LoweredTensor)
            value = body.copy(value)
            written[index] = len(list(flat(kinds))), value
        kinds.append(passed.add(value))
    fresh = [result for i, result in zip(indices, op.results) if i < 0]
    for result in fresh:
        require_result(body, op, f'"{name}"', result.type)
    form = PackedForm(
        name,
        tuple(kinds),
        tuple(kinds_of(r.type) for r in fresh) or None,
        inplace=tuple(
            place
            for i, result in zip(indices, op.results)
            for place in ([written[i][0]] if i >= 0 else [-1] * len(leaf_types(result.type)))
        ),
    )
    types = [result_type(t) for r in fresh for t in leaf_types(r.type)]
    call = declared_call(body, form, passed.operands, *types)
    body.block.add_op(call)
    body.owners.update({given: given for given in call.results})
    given = iter(call.results)
    for number, (index, result) in enumerate(zip(indices, op.results)):
        where = f'{op.name} "{name}": result' + (f" {number}" if len(indices) > 1 else "")
        value, known = (
            (written[index][1], written[index][1].type)
            if index >= 0
            else received(body, result.type, given)
        )
        body.values[result] = match_value(body, where, value, known, result.type)


def lower_call_tir_inplace(body: FunctionLowering, op: effects.CallTirInplaceOp) -> None:
    """Call a prim func whose results have the sizes of arguments.

    `relax-reuse-buffers` decides whether they are written over the arguments, as it knows their other uses.
    So the arrays of a caller are never changed.
    """
    indices = integers(op.inplace_indices)

    def require(number: int, known: TensorType, sizes: Sequence[SSAValue]) -> None:
        if indices[number] < 0:
            return
        argument = body.values[op.args[indices[number]]]
        assert isinstance(argument, LoweredTensor)
        dims = zip(known.shape or (), argument.type.shape or ())
        for i, (new, old) in enumerate(dims):
            if new is None or new is not old:
                actual = body.actual_size(argument, i)
                message = other_size_in_place(number, indices[number], i, "{%0}", "{%1}")
                fits = body.add(arith.CmpiOp(sizes[i], actual, "eq"))
                body.require_size(fits, message, describe(op))

    lower_call_tir(body, op, require)


def lower_print(body: FunctionLowering, op: effects.PrintOp) -> None:
    """Print by a declaration that every target has itself."""
    passed, kinds = _printed(body, op)
    text = " ".join(["{}"] * len(kinds)) if op.format is None else op.format.data
    form = PackedForm(op.name, kinds, format=text)
    body.block.add_op(declared_call(body, form, passed.operands))


def _printed(body: FunctionLowering, op: effects.EffectOp) -> tuple[Arguments, tuple[Kinds, ...]]:
    for value in op.values:
        if any(isinstance(leaf, ObjectReference) for leaf in leaves(body.values[value])):
            raise RelaxError(
                f"{body.where}: {describe(op)}: expected tensors, shapes, numbers and tuples of them, "
                "found an object; print it by a function from outside, which knows what it is"
            )
    return Arguments.of(body, op, op.values)


def lower_assert(body: FunctionLowering, op: effects.AssertOp) -> None:
    """A run-time check; where the message holds values, a call that fails:

    scf.if %not_c {
      func.call @packed_relax_assert_op(%x) : (memref<?xf32>) -> ()
    }
    """
    text = "assertion failed" + " {}" * len(op.values) if op.format is None else op.format.data
    where = f"{body.where}: {describe(op)}: "
    condition = body.condition(op, op.condition)
    if not op.values:
        body.block.add_op(cf.AssertOp(condition, where + text.format()))
        return
    passed, kinds = _printed(body, op)
    form = PackedForm(op.name, kinds, format=where.replace("{", "{{").replace("}", "}}") + text)
    call = declared_call(body, form, passed.operands)
    true = body.add(arith.ConstantOp(IntegerAttr(1, i1)))
    failed = body.add(arith.XOrIOp(condition, true))
    check = scf.IfOp(failed, [], Region(Block([call, scf.YieldOp()])))
    body.block.add_op(check)


LOWERINGS: dict[type[Operation], Callable] = {
    calls.CallPackedOp: lower_call_packed,
    effects.CallPurePackedOp: lower_call_packed,
    effects.CallDpsPackedOp: lower_call_dps_packed,
    effects.CallInplacePackedOp: lower_call_inplace_packed,
    effects.CallTirInplaceOp: lower_call_tir_inplace,
    effects.PrintOp: lower_print,
    effects.AssertOp: lower_assert,
}
