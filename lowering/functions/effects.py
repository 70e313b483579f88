"""Effects and functions from outside, as calls of declarations.

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

Tuples are passed flat, a shape as a memref of i64, a scalar as it is. The caller owns the result. Calls
stand where the ops stood: their order is that of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TupleType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.functions.body import FunctionLowering
from lowering.functions.calls import lower_call_tir
from lowering.functions.casts import match_value
from lowering.functions.packed_form import SCALAR, SHAPE, TENSOR, Kinds, Literal, PackedForm, flat
from lowering.functions.signature import (
    INDEX,
    Buffer,
    Handle,
    Lowered,
    Sizes,
    dtype_name,
    is_handle,
    is_lowerable,
    kinds_of,
    leaf_types,
    leaves,
    memref_type,
    scalar_type,
)
from relax_dialect.errors import RelaxError
from relax_dialect.ops import blocks, calls, control, effects, graph
from relax_dialect.ops.rules import ints
from relax_dialect.order import describe
from relax_dialect.run_time_checks import other_size_in_place
from relax_dialect.types import OBJECT, DeviceAttr, ShapeType, TensorType, map_dims, tuple_type

# Arguments -------------------------------------------------------------------------------------


@dataclass
class Arguments:
    """The operands of a call, and how the arguments they stand for are nested."""

    body: FunctionLowering
    op: Operation
    operands: list[SSAValue] = field(default_factory=list)

    @classmethod
    def of(
        cls, body: FunctionLowering, op: Operation, args: Sequence[SSAValue | Attribute]
    ) -> tuple[Arguments, tuple[Kinds, ...]]:
        found = cls(body, op)
        return found, tuple(
            found.add(body.values[a]) if isinstance(a, SSAValue) else found.add_literal(a)
            for a in args
        )

    def add_literal(self, literal: Attribute) -> Kinds:
        """Pass what stands in the call: a number as an operand, all else as it is."""
        match literal:
            case IntegerAttr() | FloatAttr():
                self.operands.append(self.body.add(arith.ConstantOp(literal)))
                return SCALAR
            case StringAttr():
                return Literal("string", literal.data)
            case DeviceAttr():
                return Literal("device", ":".join(map(str, literal.numbers)))
            case _:
                return Literal("dtype", dtype_name(literal))

    def add(self, value: Lowered) -> Kinds:
        """Pass a value; gives what it is."""
        match value:
            case tuple():
                return tuple(map(self.add, value))
            case Buffer():
                self.operands.append(self.body.cast(value, _of_any_size(value)).memref)
                return TENSOR
            case Sizes():
                self.operands.append(self._sizes(value))
                return SHAPE
            case Handle():
                self.operands.append(value.value)
                return kinds_of(value.type)
            case SSAValue():
                self.operands.append(value)
                return SCALAR

    def _sizes(self, value: Sizes) -> SSAValue:
        """The sizes of a shape in a row of i64."""
        body = self.body
        count = len(value.sizes)
        row = body.add(memref.AllocaOp.get(i64, 8, [count]))
        for index, size in enumerate(value.sizes):
            number = body.add(arith.IndexCastOp(size, i64))
            body.block.add_op(memref.StoreOp.get(number, row, [body.sizes.constant(index)]))
        return body.add(memref.CastOp.get(row, MemRefType(i64, [DYNAMIC_INDEX])))


def _of_any_size(value: Buffer) -> MemRefType:
    """The type without its constant sizes: calls with other sizes share the declaration."""
    type = value.memref.type
    assert isinstance(type, MemRefType)
    return MemRefType(type.element_type, [DYNAMIC_INDEX] * type.get_num_dims())


def declared_call(
    body: FunctionLowering, form: PackedForm, operands: Sequence[SSAValue], *results: Attribute
) -> func.CallOp:
    """A call of a declaration, not yet placed; what comes back from there begins at the level here."""
    if body.level is not None and (form.is_outside or form.calls is not None):
        form, operands = replace(form, level="set"), [body.level, *operands]
    symbol = body.module.declare(form, [o.type for o in operands], results)
    return func.CallOp(symbol, operands, results)


# Functions from outside ------------------------------------------------------------------------


def lower_call_packed(
    body: FunctionLowering, op: calls.CallPackedOp | effects.CallPurePackedOp
) -> None:
    """Call a function that gives its result, and check what the type says of it."""
    name = op.func_name.data
    passed, kinds = Arguments.of(body, op, op.all_arguments())
    if not _is_used(op.result) and _says_nothing(op.result.type):
        body.block.add_op(declared_call(body, PackedForm(name, kinds), passed.operands))
        body.values[op.result] = ()
        return
    what = f'{op.name} "{name}": result'
    form = PackedForm(name, kinds, kinds_of(op.result.type))
    body.values[op.result] = call_for(body, form, passed.operands, op, f'"{name}"', what)


def call_for(
    body: FunctionLowering,
    form: PackedForm,
    operands: Sequence[SSAValue],
    op: calls.PackedCallOp | control.CallClosureOp,
    callee: str,
    what: str,
) -> Lowered:
    """Call a declaration for the result of an op, and check what the type says of it."""
    type = op.result.type
    _require_result(body, op, callee, type)
    call = declared_call(body, form, operands, *map(_result_type, leaf_types(type)))
    body.block.add_op(call)
    for result in call.results:
        result.name_hint = op.result.name_hint
        body.owners[result] = result
    value, known = _received(body, type, iter(call.results))
    return match_value(body, what, value, known, type)


def _require_result(body: FunctionLowering, op: Operation, callee: str, type: Attribute) -> None:
    """Refuse a result whose type does not tell what comes."""
    for part in leaf_types(type):
        if not is_lowerable(part):
            raise RelaxError(
                f"{body.where}: {describe(op)}: expected a result of {callee} that is a tensor of known "
                f"rank and element type, a shape, a number, an object or a tuple of them, found {type}; "
                "declare the type that the function gives"
            )


def _says_nothing(type: Attribute) -> bool:
    """Whether a type may stand for no result at all: any object, or one that cannot be held."""
    return type == OBJECT or not all(map(is_lowerable, leaf_types(type)))


def _result_type(type: Attribute) -> Attribute:
    """The type in which a result comes."""
    if isinstance(type, TensorType):
        return memref_type(_sizes_unknown(type))
    if isinstance(type, ShapeType):
        return MemRefType(i64, [len(type.shape or ())])
    if is_handle(type):
        return OBJECT
    return MemRefType(i64 if isinstance(type, IndexType) else scalar_type(type), [])


def _sizes_unknown(type: TensorType) -> TensorType:
    """The type without symbolic sizes: what a target checks itself; the others are checked here."""
    known = map_dims(type, lambda d: d if d is not None and d.is_constant else None)
    assert isinstance(known, TensorType)
    return known


def _received(
    body: FunctionLowering, type: Attribute, given: Iterator[SSAValue]
) -> tuple[Lowered, Attribute]:
    """A result as it comes, and its type as far as that is known without a check."""
    if isinstance(type, TupleType):
        parts = [_received(body, field, given) for field in type.types]
        return tuple(value for value, _ in parts), tuple_type(known for _, known in parts)
    result = next(given)
    if is_handle(type):
        return Handle(result, type, result), type
    if isinstance(type, TensorType):
        raw = _sizes_unknown(type)
        return Buffer(result, raw, result), raw
    if isinstance(type, ShapeType):
        dims = type.shape or ()
        places = [[body.sizes.constant(i)] for i in range(len(dims))]
        numbers = [body.add(memref.LoadOp.get(result, place)) for place in places]
        sizes = [body.add(arith.IndexCastOp(number, INDEX)) for number in numbers]
        return Sizes(sizes), ShapeType([None] * len(dims))
    number = body.add(memref.LoadOp.get(result, []))
    if isinstance(type, IndexType):
        number = body.add(arith.IndexCastOp(number, INDEX))
    return number, scalar_type(type)


def _is_used(value: SSAValue) -> bool:
    """Whether anything but blocks and lets, which only pass it on, uses a value."""
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
        sizes = [body.sizes.size(d) for d in type.shape or () if d is not None]
        out = body.allocate(type, sizes, op.results[0].name_hint)
        operands.append(body.cast(out, _of_any_size(out)).memref)
        return out

    for result in op.results:
        body.values[result] = place(result.type)
    form = PackedForm(op.func_name.data, kinds, dps=len(operands) - len(passed.operands))
    body.block.add_op(declared_call(body, form, operands))


def lower_call_inplace_packed(body: FunctionLowering, op: effects.CallInplacePackedOp) -> None:
    """Pass copies, which may be written."""
    name, indices = op.func_name.data, ints(op.inplace_indices)
    arguments = op.all_arguments()
    passed = Arguments(body, op)
    kinds: list[Kinds] = []
    written: dict[int, tuple[int, Buffer]] = {}
    for index, argument in enumerate(arguments):
        if isinstance(argument, Attribute):
            kinds.append(passed.add_literal(argument))
            continue
        value = body.values[argument]
        if index in indices:
            assert isinstance(value, Buffer)
            value = body.copy(value)
            written[index] = len(list(flat(kinds))), value
        kinds.append(passed.add(value))
    fresh = [result for i, result in zip(indices, op.results) if i < 0]
    for result in fresh:
        _require_result(body, op, f'"{name}"', result.type)
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
    types = [_result_type(t) for r in fresh for t in leaf_types(r.type)]
    call = declared_call(body, form, passed.operands, *types)
    body.block.add_op(call)
    body.owners.update({given: given for given in call.results})
    given = iter(call.results)
    for number, (index, result) in enumerate(zip(indices, op.results)):
        where = f'{op.name} "{name}": result' + (f" {number}" if len(indices) > 1 else "")
        value, known = (
            (written[index][1], written[index][1].type)
            if index >= 0
            else _received(body, result.type, given)
        )
        body.values[result] = match_value(body, where, value, known, result.type)


def lower_call_tir_inplace(body: FunctionLowering, op: effects.CallTirInplaceOp) -> None:
    """Call a prim func whose results have the sizes of arguments.

    Whether they are written over these is for `relax-write-in-place` to say, which knows who needs the
    arguments. So the arrays of a caller are never changed.
    """
    indices = ints(op.inplace_indices)

    def require(number: int, known: TensorType, sizes: Sequence[SSAValue]) -> None:
        argument = body.values[op.args[indices[number]]]
        assert isinstance(argument, Buffer)
        dims = zip(known.shape or (), argument.type.shape or ())
        for i, (new, old) in enumerate(dims):
            if new is None or new is not old:
                actual = body.actual_size(argument, i)
                message = other_size_in_place(number, indices[number], i, "{%0}", "{%1}")
                fits = body.add(arith.CmpiOp(sizes[i], actual, "eq"))
                body.require_size(fits, message, describe(op))

    lower_call_tir(body, op, require)


# Prints and assertions -------------------------------------------------------------------------


def lower_print(body: FunctionLowering, op: effects.PrintOp) -> None:
    """Print by a declaration that every target has itself."""
    passed, kinds = _printed(body, op)
    text = " ".join(["{}"] * len(kinds)) if op.format is None else op.format.data
    form = PackedForm(op.name, kinds, format=text)
    body.block.add_op(declared_call(body, form, passed.operands))


def _printed(body: FunctionLowering, op: effects.EffectOp) -> tuple[Arguments, tuple[Kinds, ...]]:
    for value in op.values:
        if any(isinstance(leaf, Handle) for leaf in leaves(body.values[value])):
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
    condition = body.condition(op.condition)
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
