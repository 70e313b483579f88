"""The fields that an operator is declared with: its operands and attributes.

```python
@operator("relax.layer_norm", K_OPAQUE)
class LayerNormOp(OperatorOp):

    x: Operand = tensor()
    gamma: Operand = tensor()
    beta: Operand = tensor()
    axes: Axes = some_axes()
    epsilon: float = real(default=1e-5)
    center: bool = flag(default=True)

    def infer(self) -> Sequence[Attribute]:
        ...
```

This generates xDSL's definition, the constructor
`LayerNormOp(x, gamma, beta, axes, epsilon=1e-5, center=True)`, its errors, and accessors: `op.x` is a
value, `op.axes` a tuple of ints, `op.epsilon` a float, by default 1e-5. The annotation is for the type
checker, the factory on the right defines the field: `Operand`, `Axes` and the like are wider for the
constructor than for the accessor.

Fields are in the order of the constructor's arguments and of the text, inherited ones first, but parts of a
variadic operand before all attributes; a redeclared field keeps its position. `FIRST_IN_TEXT` names
attributes that are first in the text. An attribute without a default is required in the text. An attribute
that equals its default is omitted, unless it is `shown=True` (the constructor sets it anyway) or
`required=True` (required in the text, too).

The demands of a field are checked by every construction and verification, and name a numbered `constraint`:
`among`, `least` and `above` of an attribute's value, that an axis is one of its operand, and the rules of
an operand's type (`tensor(FLOAT, Rank(2, "C3"))`, see `ops/type_rules.py`; `ELEMENTS` of the class holds
for all operands). Rules on several operands remain in `infer`.

`meaning` is a function of the op and the attribute's value that returns the canonical form of equivalent
values (`ops/meanings.py`): `attribute_values(op)` returns it, and patterns compare it. A default may be
that of another field (`SameAs`) or depend on the class (`OfClass`).

A hand-written `__init__` is possible, for arguments that are no fields; it ends with
`self.init_fields(x=..., axes=...)`. An operator with a variadic result has a `result_count`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

from xdsl.dialects.builtin import AnyFloatConstr, IntegerType, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import base, operand_def, opt_operand_def, opt_prop_def, prop_def, var_operand_def

from relax_dialect.ir.types import PrimType, ShapeType, TensorType
from relax_dialect.ops import forms, meanings
from relax_dialect.ops.forms import AttributeForm, Number
from relax_dialect.ops.type_rules import TypeRule
from relax_dialect.symbolic import Expr

GivenT = TypeVar("GivenT")
HeldT = TypeVar("HeldT")


class Held(Generic[GivenT, HeldT]):
    """The type of a field whose constructor argument accepts more types than its accessor returns."""

    @overload
    def __get__(self, op: None, owner: Any) -> Any: ...
    @overload
    def __get__(self, op: object, owner: Any) -> HeldT: ...
    def __get__(self, op: object, owner: Any) -> Any:
        raise NotImplementedError  # replaced by accessors

    def __set__(self, op: object, value: GivenT) -> None:
        raise NotImplementedError


Given: TypeAlias = SSAValue | Operation
Operand: TypeAlias = Held[Given, SSAValue]
OptionalOperand: TypeAlias = Held[Given | None, SSAValue | None]
Operands: TypeAlias = Held[Sequence[Given], Sequence[SSAValue]]
ShapeOperand: TypeAlias = Held[Given | Iterable[Expr | int | str], SSAValue]
Axes: TypeAlias = Held[int | Sequence[int], tuple[int, ...]]
OptionalAxes: TypeAlias = Held[int | Sequence[int] | None, tuple[int, ...] | None]
Reals: TypeAlias = Held[Sequence[float], tuple[float, ...]]
Dtype: TypeAlias = Held[Attribute | str, Attribute]
OptionalDtype: TypeAlias = Held[Attribute | str | None, Attribute | None]
Num: TypeAlias = Held[Number | Attribute, Number]
OptionalNum: TypeAlias = Held[Number | Attribute | None, Number | None]

MISSING: Any = object()
"""The sentinel for an omitted value."""


@dataclass(frozen=True)
class SameAs:
    """The default of a field that is the value of another one."""

    name: str


@dataclass(frozen=True)
class OfClass:
    """A default that depends on the class of the operator."""

    value: Callable[[Any], object]


@dataclass(frozen=True)
class OperandField:
    """An operand of a type, an optional one or many."""

    type: Any
    default: Any = MISSING
    many: bool = False
    make: Callable[[Any, Any], Any] | None = None
    """Makes the value, of the class and the argument."""

    part_of: str = ""
    """The variadic operand that this one is an element of, for constructors alone."""

    rules: Sequence[TypeRule] = ()
    """The rules that the type must keep."""

    name: str = ""

    @property
    def spelled_default(self) -> Any:
        return self.default

    def definition(self) -> Any:
        """Return the operand as xDSL defines it."""
        is_optional = self.default is not MISSING
        is_many = self.many or self.part_of
        define = var_operand_def if is_many else opt_operand_def if is_optional else operand_def
        return define(self.type)


class VariadicElement(property):
    """An argument of a constructor that is an element of a variadic operand, or left out."""

    def __init__(self, field: OperandField):
        super().__init__(self.element)
        self.field = field

    def __set_name__(self, owner: type, name: str) -> None:
        self.field = replace(self.field, name=name)

    def element(self, op: Any) -> SSAValue | None:
        """Return the value that the op has; None if it is left out."""
        fields = [f for _, f in op.PLAN.operands if f.part_of == self.field.part_of]
        place = [f.name for f in fields].index(self.field.name)
        return next(iter(getattr(op, self.field.part_of)[place:]), None)


DECODED = (forms.INTEGERS, forms.REALS, forms.ELEMENT_TYPE)
"""The forms whose values may be written in more than one way."""


@dataclass(frozen=True)
class AttributeField:
    """An attribute, with its whole declaration."""

    form: AttributeForm
    default: Any = MISSING
    shown: bool = False
    required: bool = False
    meaning: Callable[[Any, Any], Any] | None = None
    absent: Any = MISSING
    """The meaning of an omitted attribute, if that is not the default."""

    among: Sequence[str] = ()
    least: float | None = None
    above: float | None = None
    axis_of: str = ""
    """The operand or result that the value is an axis of, or several are."""

    constraint: str = ""
    mend: str = ""
    """The fix for a value that is too small, if it is more than correcting it."""

    quoted: bool = False
    """Whether errors about `among` and `least` put the name in quotes."""

    repeats: bool = False
    """Whether one number is repeated to as many as needed."""

    name: str = ""
    written_default: Attribute | None = field(default=None, compare=False)
    """The default as the constructor writes it, of an attribute that is shown."""

    spelled_default: Any = MISSING
    """The default as a user may write it."""

    def definition(self) -> Any:
        """Return the attribute as xDSL defines it."""
        define = prop_def if self.default is MISSING or self.required else opt_prop_def
        return define(self.form.attributes)

    def of(self, cls: type, name: str) -> AttributeField:
        """Return the field of one operator."""
        default = self.default.value(cls) if isinstance(self.default, OfClass) else self.default
        spelled = None if isinstance(default, SameAs) else default
        shown = self.shown or self.required or self.absent is not MISSING
        written = shown and default is not None and default is not MISSING
        attribute = self.form.encode(default) if written else None
        if self.form in DECODED and default is not None:
            default = self._decoded(default)
        return replace(
            self,
            name=name,
            default=default,
            absent=default if self.absent is MISSING else self.absent,
            shown=shown,
            written_default=attribute,
            spelled_default=spelled,
        )

    def _decoded(self, default: Any) -> Any:
        is_plain = default is not MISSING and not isinstance(default, SameAs)
        return self.form.decode(self.form.encode(default)) if is_plain else default

    def means_default(self, value: Any, default: Any) -> bool:
        """Return whether a value is the default; of numbers for each axis all are."""
        if self.repeats and default is not None:
            return len(default) == 1 and all(each == default[0] for each in value)
        return value == default

    # The accessor of the operator:

    def __get__(self, op: Any, owner: Any = None) -> Any:
        if op is None:
            return self
        found = op.properties.get(self.name)
        if found is not None:
            return self.form.decode(found)
        return getattr(op, self.absent.name) if isinstance(self.absent, SameAs) else self.absent

    def __set__(self, op: Any, value: Any) -> None:
        if value is None:
            op.properties.pop(self.name, None)
        else:
            is_attribute = isinstance(value, Attribute)
            op.properties[self.name] = value if is_attribute else self.form.encode(value)


Field: TypeAlias = OperandField | AttributeField


def inherited(*, init: Literal[False] = False) -> Any:
    """Declare a field of xDSL's own operations, for type checkers alone."""


def tensor(*rules: TypeRule, default: Any = MISSING, part_of: str = "") -> Any:
    """Declare a tensor; with `default=None` it is optional, or an element of a variadic operand."""
    field = OperandField(TensorType, default, part_of=part_of, rules=rules)
    return VariadicElement(field) if part_of else field


TENSOR_OR_SCALAR = base(TensorType) | AnyFloatConstr | base(IntegerType) | base(PrimType)


def tensor_or_scalar(*rules: TypeRule) -> Any:
    """Declare a tensor, or a scalar used as a tensor of rank 0 (`tensor_type` returns its type)."""
    return OperandField(TENSOR_OR_SCALAR, rules=rules)


def many(constraint: Any, *rules: TypeRule) -> Any:
    """Declare any number of values, passed as a list."""
    return OperandField(constraint, many=True, rules=rules)


def many_tensors(*rules: TypeRule) -> Any:
    """Declare any number of tensors, passed as a list."""
    return many(TensorType, *rules)


def shape_value(*, default: Any = MISSING) -> Any:
    """Declare a shape, which sizes are converted to; with `default=None` it is optional."""
    return OperandField(ShapeType, default)


def operand(constraint: Any, *, make: Callable[[Any, Any], Any] | None = None) -> Any:
    """Declare a value of another type."""
    return OperandField(constraint, make=make)


def integer(
    *,
    default: Any = MISSING,
    shown: bool = False,
    required: bool = False,
    least: int | None = None,
    constraint: str = "",
    mend: str = "",
    quoted: bool = False,
) -> Any:
    """Declare a whole number."""
    checks: Any = {"least": least, "constraint": constraint, "mend": mend, "quoted": quoted}
    return AttributeField(forms.INTEGER, default, shown, required, **checks)


def ints(
    *,
    default: Any = MISSING,
    shown: bool = False,
    required: bool = False,
    meaning: Callable[[Any, Any], Any] | None = None,
    least: int | None = None,
    constraint: str = "",
) -> Any:
    """Declare whole numbers; one is a list of one."""
    checks: Any = {"least": least, "constraint": constraint}
    return AttributeField(forms.INTEGERS, default, shown, required, meaning, **checks)


def per_axis(*, default: int, meaning: Callable[[Any, Any], Any]) -> Any:
    """Declare whole numbers, one of which is repeated for all axes."""
    return AttributeField(forms.INTEGERS, default, meaning=meaning, repeats=True)


def one_axis(
    of: str = "x",
    constraint: str = "C2",
    *,
    default: Any = MISSING,
    shown: bool = False,
    required: bool = False,
    absent: Any = MISSING,
    checked: bool = True,
) -> Any:
    """Declare an axis of an operand or result, negative from its end; unless it is `checked`, `infer` does
    it."""
    checks: Any = {"axis_of": of if checked else "", "constraint": constraint}
    meaning = meanings.axis_from_front(of)
    return AttributeField(forms.INTEGER, default, shown, required, meaning, absent, **checks)


def some_axes(
    of: str = "x",
    constraint: str = "C2",
    *,
    default: Any = MISSING,
    required: bool = False,
    ordered: bool = True,
) -> Any:
    """Declare axes of an operand or result, negative from its end; by default None, which is all of
    them."""
    checks: Any = {"axis_of": of, "constraint": constraint, "required": required}
    meaning = meanings.axes_from_front(of, ordered)
    return AttributeField(forms.INTEGERS, default, meaning=meaning, **checks)


def real(
    *,
    default: Any = MISSING,
    shown: bool = False,
    least: float | None = None,
    above: float | None = None,
    constraint: str = "",
) -> Any:
    """Declare a number, written as f64."""
    checks: Any = {"least": least, "above": above, "constraint": constraint}
    return AttributeField(forms.REAL, default, shown, **checks)


def reals(*, default: Any = MISSING, absent: Any = MISSING) -> Any:
    """Declare numbers, written as f64."""
    return AttributeField(forms.REALS, default, absent=absent)


def number(
    *,
    default: Any = MISSING,
    required: bool = False,
    absent: Any = MISSING,
    of_float: Attribute = f64,
) -> Any:
    """Declare a number, whole or not, of the type of its attribute."""
    form = forms.number_form(of_float)
    return AttributeField(form, default, required=required, absent=absent)


def flag(*, default: Any = False, shown: bool = False) -> Any:
    """Declare a boolean."""
    return AttributeField(forms.FLAG, default, shown)


def string(
    *,
    default: Any = MISSING,
    shown: bool = False,
    required: bool = False,
    among: Sequence[str] = (),
    constraint: str = "",
    quoted: bool = False,
) -> Any:
    """Declare a text, one of the words `among` if present."""
    checks: Any = {"among": among, "constraint": constraint, "quoted": quoted}
    return AttributeField(forms.TEXT, default, shown, required, **checks)


def element_type(*, default: Any = MISSING, shown: bool = False, absent: Any = MISSING) -> Any:
    """Declare an element type, from its name or numpy's; None means that of the result."""
    meaning = meanings.element_type_of_result if default is None else None
    return AttributeField(forms.ELEMENT_TYPE, default, shown, meaning=meaning, absent=absent)


def of_form(form: AttributeForm, *, default: Any = MISSING) -> Any:
    """Declare an attribute of another form."""
    return AttributeField(form, default)


MAKERS = (
    inherited,
    tensor,
    tensor_or_scalar,
    many,
    many_tensors,
    shape_value,
    operand,
    integer,
    ints,
    per_axis,
    one_axis,
    some_axes,
    real,
    reals,
    number,
    flag,
    string,
    element_type,
    of_form,
)
"""The functions that type checkers take for declarations of fields."""
