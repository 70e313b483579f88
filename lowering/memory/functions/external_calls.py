"""Arguments and results of external calls: operands, however nested, and results that are checked against
their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.external_forms import (
    SCALAR,
    SHAPE,
    TENSOR,
    Kinds,
    LiteralArgument,
    PackedForm,
)
from lowering.memory.functions.lowered_signature import (
    INDEX,
    Lowered,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    UnrankedTensor,
    dtype_name,
    is_handle,
    is_lowerable,
    kinds_of,
    known_outside,
    memref_type,
    scalar_type,
)
from lowering.memory.functions.match_cast import match_value
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.type_variables import map_dims
from relax_dialect.ir.types import OBJECT, DeviceAttr, ShapeType, TensorType, leaf_types, tuple_type
from relax_dialect.ops import calls, control


@dataclass
class Arguments:
    """The operands of a call, and the nesting of the arguments they belong to."""

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
        """Pass a literal of the call: a number as an operand, any other as it is."""
        match literal:
            case IntegerAttr() | FloatAttr():
                self.operands.append(self.body.add(arith.ConstantOp(literal)))
                return SCALAR
            case StringAttr():
                return LiteralArgument("string", literal.data)
            case DeviceAttr():
                return LiteralArgument("device", ":".join(map(str, literal.dlpack_numbers)))
            case _:
                known_outside(literal)
                return LiteralArgument("dtype", dtype_name(literal))

    def add(self, value: Lowered) -> Kinds:
        """Pass a value; return its kind."""
        match value:
            case tuple():
                return tuple(map(self.add, value))
            case LoweredTensor():
                known_outside(value.type.dtype)
                self.operands.append(self.body.cast(value, of_any_size(value)).memref)
                return TENSOR
            case ShapeSizes():
                self.operands.append(self._sizes(value))
                return SHAPE
            case ObjectReference():
                self.operands.append(value.value)
                return kinds_of(value.type)
            case SSAValue():
                self.operands.append(value)
                return SCALAR
            case UnrankedTensor():
                raise AssertionError("refused by FunctionLowering")

    def _sizes(self, value: ShapeSizes) -> SSAValue:
        """Return the sizes of a shape as a contiguous memref of i64."""
        body = self.body
        count = len(value.sizes)
        row = body.add(memref.AllocaOp.get(i64, 8, [count]))
        for index, size in enumerate(value.sizes):
            number = body.add(arith.IndexCastOp(size, i64))
            body.block.add_op(memref.StoreOp.get(number, row, [body.sizes.constant(index)]))
        return body.add(memref.CastOp.get(row, MemRefType(i64, [DYNAMIC_INDEX])))


def of_any_size(value: LoweredTensor) -> MemRefType:
    """Return the type without its constant sizes: calls with other sizes share the declaration."""
    type = value.memref.type
    assert isinstance(type, MemRefType)
    return MemRefType(type.element_type, [DYNAMIC_INDEX] * type.get_num_dims())


def declared_call(
    body: FunctionLowering, form: PackedForm, operands: Sequence[SSAValue], *results: Attribute
) -> func.CallOp:
    """Create a call of a declaration without inserting it; calls back into the module begin at the current
    level."""
    if body.level is not None and (form.is_outside or form.calls is not None):
        form, operands = replace(form, level="set"), [body.level, *operands]
    symbol = body.module.declare(form, [o.type for o in operands], results)
    return func.CallOp(symbol, operands, results)


def call_for(
    body: FunctionLowering,
    form: PackedForm,
    operands: Sequence[SSAValue],
    op: calls.PackedCallOp | control.CallClosureOp,
    callee: str,
    what: str,
) -> Lowered:
    """Call a declaration for the result of an op, and check the result against its type."""
    type = op.result.type
    require_result(body, op, callee, type)
    call = declared_call(body, form, operands, *map(result_type, leaf_types(type)))
    body.block.add_op(call)
    for result in call.results:
        result.name_hint = op.result.name_hint
        body.owners[result] = result
    value, known = received(body, type, iter(call.results))
    return match_value(body, what, value, known, type)


def require_result(body: FunctionLowering, op: Operation, callee: str, type: Attribute) -> None:
    """Refuse a result whose type does not determine the kind of value."""
    for part in leaf_types(type):
        if not is_lowerable(part):
            raise RelaxError(
                f"{body.where}: {describe(op)}: expected a result of {callee} that is a tensor of known "
                f"rank and element type, a shape, a number, an object or a tuple of them, found {type}; "
                "declare the type that the function returns"
            )


def result_type(type: Attribute) -> Attribute:
    """Return the type in which a result comes."""
    if isinstance(type, TensorType):
        return memref_type(_sizes_unknown(type))
    if isinstance(type, ShapeType):
        return MemRefType(i64, [len(type.shape or ())])
    if is_handle(type):
        return OBJECT
    return MemRefType(i64 if isinstance(type, IndexType) else scalar_type(type), [])


def _sizes_unknown(type: TensorType) -> TensorType:
    """Return the type without symbolic sizes: a target checks the constant ones, the others are checked
    here."""
    known = map_dims(type, lambda d: d if d is not None and d.is_constant else None)
    assert isinstance(known, TensorType)
    return known


def received(
    body: FunctionLowering, type: Attribute, given: Iterator[SSAValue]
) -> tuple[Lowered, Attribute]:
    """Return a result as it comes, and its type as far as that is known without a check."""
    if isinstance(type, TupleType):
        parts = [received(body, field, given) for field in type.types]
        return tuple(value for value, _ in parts), tuple_type(known for _, known in parts)
    result = next(given)
    if is_handle(type):
        return ObjectReference(result, type, result), type
    if isinstance(type, TensorType):
        raw = _sizes_unknown(type)
        return LoweredTensor(result, raw, result), raw
    if isinstance(type, ShapeType):
        dims = type.shape or ()
        places = [[body.sizes.constant(i)] for i in range(len(dims))]
        numbers = [body.add(memref.LoadOp.get(result, place)) for place in places]
        sizes = [body.add(arith.IndexCastOp(number, INDEX)) for number in numbers]
        return ShapeSizes(sizes), ShapeType([None] * len(dims))
    number = body.add(memref.LoadOp.get(result, []))
    if isinstance(type, IndexType):
        number = body.add(arith.IndexCastOp(number, INDEX))
    return number, scalar_type(type)
