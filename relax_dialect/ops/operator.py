"""Operators from the fields they declare: definition, constructor, accessors and meaning of attributes."""

from __future__ import annotations

from abc import update_abstractmethods
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial, wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VariadicDef,
    irdl_op_definition,
    result_def,
)
from xdsl.parser import Parser

from relax_dialect.errors import RelaxError
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.arguments import attribute_of, bind, call_text, operands_of, refuse
from relax_dialect.ops.axes import normalize_axes, normalize_axis
from relax_dialect.ops.base import OpOfFields
from relax_dialect.ops.fields import (
    MISSING,
    TENSOR_OR_SCALAR,
    AttributeField,
    Field,
    OperandField,
    SameAs,
    VariadicElement,
)
from relax_dialect.ops.forms import ELEMENT_TYPE
from relax_dialect.ops.kinds import MixedPrecisionPolicy, OpPatternKind
from relax_dialect.ops.meanings import rank_of
from relax_dialect.ops.number_operands import (
    WrittenNumber,
    WrittenOperand,
    sibling_dtype,
    with_numbers,
)
from relax_dialect.ops.type_rules import TypeRule, tensor_type
from relax_dialect.text.wording import found_text

OpT = TypeVar("OpT", bound=OpOfFields)
SEGMENTS = AttrSizedOperandSegments.attribute_name
RESULT = type(result_def())


@dataclass(frozen=True)
class Plan:
    """The declaration of an operator."""

    cls: type[OpOfFields]
    fields: tuple[Field, ...]
    """In the order of the constructor's arguments."""

    @cached_property
    def known_types(self) -> dict[object, Sequence[Attribute]]:
        """The inferred types of ops that were checked, by the key that determines them."""
        return {}

    @cached_property
    def operands(self) -> list[tuple[int, OperandField]]:
        return [(i, f) for i, f in enumerate(self.fields) if isinstance(f, OperandField)]

    @cached_property
    def attributes(self) -> list[tuple[int, AttributeField]]:
        return [(i, f) for i, f in enumerate(self.fields) if isinstance(f, AttributeField)]

    @cached_property
    def by_name(self) -> Mapping[str, AttributeField]:
        return {field.name: field for _, field in self.attributes}

    @cached_property
    def checked(self) -> list[AttributeField]:
        """The attributes whose values their fields check."""
        bounds = [(f, (f.least, f.above)) for _, f in self.attributes]
        return [f for f, bounds in bounds if f.among or bounds != (None, None)]

    @cached_property
    def axes(self) -> list[AttributeField]:
        """The attributes that are axes of an operand."""
        names = {field.name for _, field in self.operands}
        return [f for _, f in self.attributes if f.axis_of in names]

    @cached_property
    def rules(self) -> list[tuple[int | None, str, Sequence[TypeRule]]]:
        """Return the rules for the type of each operand, with its index if no operand is optional."""
        fields = [field for _, field in self.operands]
        fixed = not any(f.many or f.part_of or f.default is not MISSING for f in fields)
        of_all = () if self.cls.ELEMENTS is None else (self.cls.ELEMENTS,)
        return [
            (place if fixed else None, field.name, rules)
            for place, field in enumerate(fields)
            if (rules := (*of_all * (field.type is not ShapeType), *field.rules))
        ]

    @cached_property
    def has_variadic_result(self) -> bool:
        definition = self.cls.get_irdl_definition()
        return any(isinstance(result, VariadicDef) for _, result in definition.results)

    @cached_property
    def takes_tensors(self) -> bool:
        """Whether every operand may be any tensor."""
        return all(field.type in (TensorType, TENSOR_OR_SCALAR) for _, field in self.operands)

    def with_numbers(
        self, parser: Parser, written: Sequence[WrittenOperand], op: OpOfFields
    ) -> list[SSAValue]:
        """Return the operands of an op whose text has numbers among them; `op` has only the others so
        far."""
        number_type = partial(self._number_type, parser, op, op.operand_types)
        return with_numbers(parser, op.name, written, op.operands, number_type)

    def _number_type(
        self,
        parser: Parser,
        op: OpOfFields,
        types: Sequence[Attribute],
        place: int,
        number: WrittenNumber,
    ) -> Attribute:
        """Return the element type of a number operand."""
        fields = [field for _, field in self.operands]
        field = fields[place] if place < len(fields) else None
        if field is None or field.many or field.type is ShapeType:
            parser.raise_error(
                f"{op.name}: expected values as operands, found {number.text}; write relax.constant "
                "for a tensor, relax.shape for sizes",
                number.start,
                number.end,
            )
        if field.name == "indices":
            return i64
        told = self.cls.NUMBERS.get(field.name)  # pyright: ignore[reportAttributeAccessIssue]
        known = getattr(op, told) if told in self.by_name else told and parse_dtype(told)
        return known or sibling_dtype(parser, op.name, number, () if told else types)

    def check_attributes(self, op: OpOfFields) -> None:
        """Refuse words and numbers that an attribute does not have."""
        for field in self.checked:
            value = field.__get__(op)
            if isinstance(value, tuple):
                value = min(value, default=None)
            if value is None:
                continue
            name = f"'{field.name}'" if field.quoted else field.name
            mend = field.mend or f"correct {name}"
            if field.least is not None and not value >= field.least:
                expected = f"{name} to be at least {field.least} ({field.constraint})"
                op.fail(expected, str(value), mend)
            if field.above is not None and not value > field.above:
                expected = f"{name} to be greater than {field.above} ({field.constraint})"
                op.fail(expected, str(value), mend)
            if field.among and value not in field.among:
                words = ", ".join(f'"{word}"' for word in field.among)
                expected = f"{name} to be one of {words} ({field.constraint})"
                op.fail(expected, f'"{value}"', mend)

    def check_types(self, op: OpOfFields) -> None:
        """Refuse operands of other types than their fields demand, and axes out of range."""
        if not op.STORES:
            self._refuse_storage(op)
        for place, name, rules in self.rules:
            if place is not None:
                values = (op.operands[place],)
            else:
                value = getattr(op, name)
                values = value if isinstance(value, Sequence) else (value,)
            for each in values:
                if each is None:
                    continue
                type = tensor_type(each)
                for rule in rules:
                    rule.check(op, name, type)
        for field in self.axes:
            rank = rank_of(op, field.axis_of)
            axes = field.__get__(op)
            if rank is None or axes is None:
                continue
            if isinstance(axes, int):
                normalize_axis(op, axes, rank, field.constraint)
            else:
                normalize_axes(op, axes, rank, field.constraint)

    def _refuse_storage(self, op: OpOfFields) -> None:
        """Refuse operands and attributes of storage types."""
        types = (t.dtype if isinstance(t, TensorType) else t for t in op.operand_types)
        named = (field.__get__(op) for field in self.element_types)
        for type in (*types, *named):
            if is_storage(type):
                found = f"{type}, a storage type"
                op.fail(
                    "an element type to compute with", found, "cast it first, with relax.astype"
                )

    @cached_property
    def element_types(self) -> Sequence[AttributeField]:
        """The attributes that name element types."""
        return [field for _, field in self.attributes if field.form is ELEMENT_TYPE]

    @cached_property
    def has_segments(self) -> bool:
        return SEGMENTS in self.cls.get_irdl_definition().properties

    def build(self, op: OpOfFields, values: Sequence[Any]) -> None:
        """Initialise an op with a value for each field."""
        groups = [operands_of(self.cls, field, values[i]) for i, field in self.operands]
        properties: dict[str, Attribute] = {}
        if self.has_segments:
            properties[SEGMENTS] = DenseArrayBase.from_list(i32, list(map(len, groups)))
        for place, field in self.attributes:
            attribute = self._written(field, values[place], values)
            if attribute is not None:
                properties[field.name] = attribute
        op.init_typed([value for group in groups for value in group], properties)

    def _written(
        self, field: AttributeField, given: Any, values: Sequence[Any]
    ) -> Attribute | None:
        """Return the attribute as the text has it; None if it is left out."""
        default = field.default
        if given is MISSING or (given is None and default is not MISSING):
            is_none = given is None and field.absent is None
            return None if is_none else field.written_default
        attribute = attribute_of(self.cls, field, given)
        if field.shown or default is MISSING:
            return attribute
        value = field.form.decode(attribute)
        if isinstance(default, SameAs):
            default = self._given(default.name, values)
        return None if field.means_default(value, default) else attribute

    def _given(self, name: str, values: Sequence[Any]) -> Any:
        """Return the value passed for a field, or its default."""
        field = self.by_name[name]
        place = next(i for i, f in self.attributes if f is field)
        given = values[place]
        return field.default if given is MISSING or given is None else given


def operator(
    name: str, kind: OpPatternKind | None = None, precision: MixedPrecisionPolicy | None = None
) -> Callable[[type[OpT]], type[OpT]]:
    """Define the operator of a name by the fields that its class declares (see `ops/fields.py`).

    The kind and the precision, of `ops/kinds.py`, say how it computes and its policy of mixed precision,
    where a base class does not say it already. An operator that declares no result has one, a tensor.
    """

    def define(cls: type[OpT]) -> type[OpT]:
        if kind is None and not hasattr(cls, "PATTERN_KIND"):
            raise TypeError(
                f"{name}: expected how the operator computes, found nothing; write "
                f'@operator("{name}", K_...), K_OPAQUE of ops/kinds.py if nothing is known'
            )
        if not (_has_result(cls) or any(map(_base_has_result, cls.__mro__[1:]))):
            cls.result = result_def(TensorType)  # pyright: ignore
        fields = declared(cls)
        first = getattr(cls, "FIRST_IN_TEXT", ())
        in_text = sorted(
            fields, key=lambda f: first.index(f.name) if f.name in first else len(first)
        )
        for field in in_text:
            if field.name in cls.__dict__:
                delattr(cls, field.name)
            name_in_text = getattr(field, "part_of", "") or field.name
            setattr(cls, name_in_text, field.definition())
        cls.name = name
        irdl_op_definition(cls)
        if kind is not None:
            cls.PATTERN_KIND = kind
        if precision is not None:
            cls.PRECISION = precision
        for field in fields:
            if isinstance(field, AttributeField):
                setattr(cls, field.name, field)
        update_abstractmethods(cls)
        plan = Plan(cls, fields)
        cls.PLAN = plan
        own = cls.__dict__.get("__init__")
        cls.__init__ = constructor(plan) if own is None else checked(cls, own)
        return cls

    return define


def operators_in(file: Mapping[str, Any]) -> list[type[Operation]]:
    """Return the operators that a file defines, from its `globals()`, in their order."""
    classes = [value for value in file.values() if isinstance(value, type)]
    return [c for c in classes if "PLAN" in c.__dict__ and c.__module__ == file["__name__"]]


def _has_result(cls: type[Any]) -> bool:
    return any(isinstance(value, RESULT) for value in cls.__dict__.values())


def _own_fields(
    cls: type[Any],
) -> list[tuple[str, VariadicElement | OperandField | AttributeField]]:
    """Return the fields that a class itself declares, by name."""
    kinds = VariadicElement | OperandField | AttributeField
    return [(name, value) for name, value in cls.__dict__.items() if isinstance(value, kinds)]


# Hundreds of operators share their bases, which are as they stay before the first one is derived from them.
_base_has_result, _fields_of_base = cache(_has_result), cache(_own_fields)


def declared(cls: type[Any]) -> tuple[Field, ...]:
    """Return the fields of a class, inherited ones first; parts of an operand precede attributes."""
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        own = _own_fields(base) if base is cls else _fields_of_base(base)
        for name, value in own:
            if isinstance(value, VariadicElement):
                found[name] = value.field
            elif isinstance(value, OperandField):
                found[name] = replace(value, name=name)
            else:
                found[name] = value.of(cls, name)
    fields = found.values()
    has_parts = any(isinstance(f, OperandField) and f.part_of for f in fields)
    return tuple(sorted(fields, key=lambda f: has_parts and isinstance(f, AttributeField)))


def constructor(plan: Plan) -> Callable[..., None]:
    """Return the `__init__` of an operator."""
    cls, count = plan.cls, len(plan.fields)
    parameters = [parameter_of(field) for field in plan.fields]

    def __init__(self: OpOfFields, *given: Any, **named: Any) -> None:
        is_plain = len(given) == count and not named
        plan.build(self, given if is_plain else bind(cls, parameters, given, named))

    self = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = Signature([self, *parameters])  # pyright: ignore
    return __init__


def parameter_of(field: Field) -> Parameter:
    """Return a field as a parameter of the constructor."""
    is_missing = field.spelled_default is MISSING
    default = Parameter.empty if is_missing else field.spelled_default
    return Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default)


def checked(cls: type[Any], init: Callable[..., None]) -> Callable[..., None]:
    """Return a hand-written `__init__` whose arguments are refused in the operators' words."""
    parameters = list(signature(init).parameters.values())[1:]

    @wraps(init)
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        try:
            init(self, *given, **named)
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, RelaxError) or any(p.kind is p.VAR_POSITIONAL for p in parameters):
                raise
            bind(cls, parameters, given, named)
            found = ", ".join(map(found_text, [*given, *named.values()]))
            mend = f"write {call_text(cls, parameters)}"
            refuse(cls, "arguments of other kinds", f"{found} ({error})", mend)

    return __init__


def plan_of(op: Operation | type[Operation]) -> Plan | None:
    """Return the declaration of an operator; None for ops of other kinds."""
    return getattr(op, "PLAN", None)


def declared_attribute(op: Operation, name: str) -> AttributeField | None:
    """Return the field of an op's attribute; None if its operator declares none of that name."""
    plan = plan_of(op)
    return None if plan is None else plan.by_name.get(name)


def default_of(op: Operation, field: AttributeField) -> Any:
    """Return the meaning of an attribute that an op leaves out; `MISSING` if none may leave it out."""
    is_other = isinstance(field.absent, SameAs)
    return getattr(op, field.absent.name) if is_other else field.absent


def meant_by(op: Operation, name: str, value: Any) -> Any:
    """Return the one form of a value that an attribute of the op may have."""
    field = declared_attribute(op, name)
    assert field is not None
    is_template = not op.operands and bool(op.PLAN.operands)  # pyright: ignore
    return value if field.meaning is None or is_template else field.meaning(op, value)


def attribute_value(op: Operation, name: str) -> Any:
    """Return the canonical form of the op's value of an attribute."""
    return meant_by(op, name, getattr(op, name))


def attribute_values(op: Operation) -> dict[str, Any]:
    """Return every attribute of an operator in the one form of all values that mean the same."""
    plan = plan_of(op)
    return {} if plan is None else {name: attribute_value(op, name) for name in plan.by_name}
