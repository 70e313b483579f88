"""The base of every Relax op: inferred result types, their check, and the functional-type syntax."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NoReturn,
    Self,
    TypeAlias,
    TypeVar,
    dataclass_transform,
)

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue, SSAValues
from xdsl.irdl import (
    IRDLOperation,
    OptOperandDef,
    VarIRConstruct,
    VarOperandDef,
    VerificationContext,
    irdl_op_verify_arg_list,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    Pure,
    Resource,
)
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.order import describe
from relax_dialect.ir.type_variables import bare_variables, free_variables
from relax_dialect.ir.types import OBJECT, Dims, TensorType
from relax_dialect.ops import syntax
from relax_dialect.ops.axes import normalize_axes, normalize_axis
from relax_dialect.ops.canonicalization import CanonicalizedByRules
from relax_dialect.ops.fields import MAKERS, MISSING, inherited
from relax_dialect.ops.kinds import NEVER, MixedPrecisionPolicy, OpPatternKind
from relax_dialect.ops.number_operands import WrittenNumber, parse_operands
from relax_dialect.ops.type_rules import Elements, tensor_type
from relax_dialect.text.diagnostics import reword

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Block, Region, Use

ValueT = TypeVar("ValueT")

MOST_KNOWN = 1024
"""Of one operator the cases whose result types are remembered."""

Operand: TypeAlias = SSAValue | Operation | Sequence[SSAValue | Operation] | None
"""The argument for an operand: a value, many for a variadic one, None for an optional one left out."""


class IllFormedOpError(RelaxError, VerifyException):
    """An op whose operands, attributes and types do not fit together."""


class SymbolicVariables(Resource):
    """The resource that `match_shape` and `match_cast` write: the symbolic variables in scope.

    It keeps stock dead-code elimination from deleting the definition of a variable.
    """

    def name(self) -> str:
        return "relax.symbolic_variables"


class DefinesSymbols(MemoryEffect):
    """The op checks a shape at run time and defines the symbolic variables its type names first."""

    EFFECTS: ClassVar = frozenset(
        (EffectInstance(MemoryEffectKind.WRITE, resource=SymbolicVariables()),)
    )

    @classmethod
    def get_effects(cls, op: Operation) -> frozenset[EffectInstance]:
        return cls.EFFECTS


def to_attribute(value: object) -> Attribute | None:
    """Return a Python property value as an attribute: int -> i64, bool -> i1, ints -> array<i64>."""
    if value is None or isinstance(value, Attribute):
        return value
    if isinstance(value, bool):
        return IntegerAttr(int(value), IntegerType(1))
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, Iterable):
        return DenseArrayBase.from_list(i64, [int(v) for v in value])  # pyright: ignore
    raise RelaxError(f"expected an int, bool, list of ints or attribute, found {value!r}")


def _unwrapped(operand: object) -> object:
    """Return an operand, or the value of a handle of the `BlockBuilder`."""
    if isinstance(operand, list | tuple):
        return [_unwrapped(o) for o in operand]
    if isinstance(operand, SSAValue | Operation):
        return operand
    return getattr(operand, "value", operand)


class RelaxOp(IRDLOperation):
    """A Relax op: `infer` returns its result types.

    (T1) A declared result type is at least as wide as the inferred one; by default it is the inferred one.
    """

    TYPES_ARE_IMPLIED: ClassVar[bool] = False
    """Whether the text leaves the result types out, so that they must be the inferred ones."""

    PATTERN_KIND: ClassVar[OpPatternKind]
    """The kind of computation, in TVM's terms; every operator declares it."""

    PRECISION: ClassVar[MixedPrecisionPolicy] = NEVER
    """The policy of the op under mixed precision."""

    COMMUTATIVE: ClassVar[bool] = False
    """Whether swapping the two operands preserves the result; of equal zeros, either sign."""

    @abstractmethod
    def infer(self) -> Sequence[Attribute]:
        """Return the result types that operands and attributes imply; `fail` if they contradict."""

    def check_operands(self) -> None:
        """Refuse operands of other types than those of the definition."""
        try:
            irdl_op_verify_arg_list(
                self, self.get_irdl_definition(), VarIRConstruct.OPERAND, VerificationContext()
            )
        except VerifyException as error:
            raise IllFormedOpError(f"{describe(self)}: {reword(str(error))}") from None

    def checked_types(self) -> Sequence[Attribute]:
        """Return the inferred types, after the checks of the operands that `infer` takes for granted.

        These are the types to use for an op whose operands may have changed.
        """
        self.check_operands()
        return self.infer()

    def fail(self, expected: str, found: str, mend: str) -> NoReturn:
        """Report the op as ill-formed, with the expected and found values and the fix."""
        raise IllFormedOpError(f"{describe(self)}: expected {expected}, found {found}; {mend}")

    def init_inferred(
        self,
        operands: Sequence[Operand],
        properties: Mapping[str, object],
        result_count: int = 1,
        *,
        variadic: bool = False,
    ) -> None:
        """Initialise the op from Python, with the result types inferred.

        Raises `IllFormedOpError` at once when operands, properties and types do not fit.
        """
        attributes = {k: to_attribute(v) for k, v in properties.items()}
        placeholders: list[Attribute] = [OBJECT] * result_count
        IRDLOperation.__init__(
            self,
            operands=[_unwrapped(o) for o in operands],  # pyright: ignore[reportArgumentType]
            result_types=[placeholders] if variadic else placeholders,
            properties=attributes,
        )
        with self.without_trace_on_error():
            self.set_result_types(self.checked_types())

    @contextmanager
    def without_trace_on_error(self) -> Iterator[None]:
        """Drop the operands of an op that turns out ill-formed, so that they can be erased."""
        try:
            yield
        except VerifyException as error:
            self.drop_all_references()
            if isinstance(error, RelaxError):
                raise
            raise IllFormedOpError(f"{self.name}: {error}") from None

    def set_result_types(self, types: Sequence[Attribute]) -> None:
        """Set the result types; only for ops whose results have no uses yet."""
        for result, type in zip(self.results, types, strict=True):
            result._type = type  # pyright: ignore[reportPrivateUsage]

    def verify_(self) -> None:
        self.verify_results(self.infer())

    def verify_results(self, types: Sequence[Attribute]) -> None:
        """Refuse results that are declared otherwise than inferred (T1)."""
        for index, (result, inferred) in enumerate(zip(self.results, types, strict=True)):
            declared = result.type
            if inferred is declared or inferred == declared:
                continue
            if self.TYPES_ARE_IMPLIED:
                self.fail(
                    f"the result type {inferred}, which the syntax implies (T1)",
                    f"{declared}",
                    "declare that type",
                )
            if is_subtype(inferred, declared):
                continue
            which = "result type" if len(self.results) == 1 else f"type of result {index}"
            if contradict(inferred, declared):
                self.fail(
                    f"{which} {inferred} as inferred (T1)",
                    f"{declared}",
                    "correct the declared type",
                )
            self.fail(
                f"{which} at least as wide as the inferred {inferred} (T1)",
                f"{declared}",
                "declare the inferred type and narrow it with a relax.match_cast",
            )

    def needed_symbols(self) -> tuple[str, ...]:
        """Return the symbolic variables that must be defined before the op runs."""
        if len(self.results) == 1:
            return free_variables(self.results[0].type)
        return tuple(v for t in self.result_types for v in free_variables(t))


class FunctionalOp(RelaxOp):
    """An op in the syntax of functions: `relax.add %a, %b {axis = 1 : i64} : (T, T) -> T`."""

    def __init__(self, *operands: Operand, **properties: object):
        self.init_inferred(operands, properties)

    def __post_init__(self) -> None:
        Operation.__post_init__(self)  # no property has a default that xDSL would fill in

    def grouped(self, values: Sequence[ValueT]) -> Sequence[ValueT | list[ValueT] | None]:
        """Group values for the operands by their definitions: a list for a variadic operand, None for an
        omitted optional one."""
        definitions = self.get_irdl_definition().operands
        if not any(isinstance(definition, VarOperandDef) for _, definition in definitions):
            return values
        rest = iter(values)
        groups: list[ValueT | list[ValueT] | None] = []
        for name, definition in definitions:
            found = getattr(self, name)
            if isinstance(definition, OptOperandDef):
                groups.append(None if found is None else next(rest))
            elif isinstance(definition, VarOperandDef):
                groups.append([next(rest) for _ in found])
            else:
                groups.append(next(rest))
        return groups

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        return syntax.finish_parse(cls, parser, operands or [], attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        syntax.print_attributes(printer, self)
        printer.print_string(" : ")
        syntax.print_signature(printer, self)


@dataclass_transform(eq_default=False, field_specifiers=MAKERS)
class OpOfFields(FunctionalOp):
    """An op whose definition and constructor follow from its fields (`ops/fields.py`)."""

    PLAN: ClassVar[Any] = None
    """The declaration of the operator (`ops/operator.py`)."""

    ELEMENTS: ClassVar[Elements | None] = None
    """The demand on the element type of every operand."""

    STORES: ClassVar = True
    """Whether operands and results may have storage types, which nothing computes with."""

    RESULTS: ClassVar = "(C1)"
    """The constraint on the number of results, `result_count`, and the meaning of each."""

    def init_fields(self, **values: object) -> None:
        """Initialise the op with a value for each field, as its constructor does."""
        plan = type(self).PLAN
        plan.build(self, [values.get(field.name, MISSING) for field in plan.fields])

    def init_typed(self, operands: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> None:
        """Initialise the op with its parts, and infer the types of its results."""
        placeholders = (OBJECT,) * len(self.get_irdl_definition().results)
        Operation.__init__(
            self, operands=operands, result_types=placeholders, properties=properties
        )
        with self.without_trace_on_error():
            if self.PLAN.has_variadic_result:
                self.results = SSAValues(
                    OpResult(OBJECT, self, i) for i in range(self.result_count)
                )
            self.set_result_types(self.checked_types())

    @property
    def result_count(self) -> int:
        """The number of results, if their definition does not determine it."""
        return 1

    def check_operands(self) -> None:
        all_fit = self.PLAN.takes_tensors and all(
            isinstance(t, TensorType) for t in self.operand_types
        )
        if not all_fit:
            super().check_operands()

    def checked_types(self) -> Sequence[Attribute]:
        """Return the inferred types, after the checks of operands and attributes.

        Both follow from the types of the operands, the constants among them, and the attributes: the types
        found for some are cached, as layers of a network are alike.
        """
        known: dict[object, Sequence[Attribute]] = self.PLAN.known_types
        key = self._types_key()
        if (found := known.get(key)) is None:
            self.check_operands()
            self.PLAN.check_attributes(self)
            self.PLAN.check_types(self)
            found = self.infer()
            if key is not None:
                if len(known) >= MOST_KNOWN:
                    known.clear()
                known[key] = found
        return found

    def _types_key(self) -> object:
        """Return the key that determines the result types; None if it is too large to be looked up."""
        parts: list[object] = []
        for value in self.operands:
            parts.append(value.type)
            if isinstance(value, OpResult) and value.op.name == "relax.constant":
                if not isinstance(value.type, TensorType) or value.type.shape != ():
                    return None
                parts.append(value.op.properties.get("value"))
        return (*parts, *self.properties.items())

    def verify_(self) -> None:
        types = self.checked_types()
        if self.PLAN.has_variadic_result and len(self.results) != (count := self.result_count):
            expected = f"{count} result{'s' if count != 1 else ''} {self.RESULTS}"
            self.fail(expected, str(len(self.results)), "correct their number")
        self.verify_results(types)


class DeclaredOp(OpOfFields):
    """An op whose fields are the arguments of its constructor, for type checkers too."""

    NUMBERS: ClassVar[Mapping[str, str]] = {}
    """The element types of number operands that differ from those of the neighbouring tensors: maps the
    operand's name to the type, or to the attribute that determines it."""

    if TYPE_CHECKING:  # operands and results of an xDSL operation are no arguments of a constructor
        result: OpResult = inherited()
        """The one result of an operator that declares none."""
        _operands: SSAValues = inherited()
        _operand_uses: tuple[Use, ...] = inherited()
        results: SSAValues[OpResult] = inherited()
        _successors: tuple[Block, ...] = inherited()
        _successor_uses: tuple[Use, ...] = inherited()
        properties: dict[str, Attribute] = inherited()
        attributes: dict[str, Attribute] = inherited()
        location: LocationAttr = inherited()
        regions: tuple[Region, ...] = inherited()
        parent: Block | None = inherited()
        _next_op: Operation | None = inherited()
        _prev_op: Operation | None = inherited()


BOOLEAN = TensorType.get((), IntegerType(1))


def require_boolean(op: RelaxOp, value: SSAValue, constraint: str) -> None:
    """Refuse a condition that can be no single boolean: neither an i1 nor a tensor of it of rank 0."""
    if value.type != IntegerType(1) and contradict(value.type, BOOLEAN):
        op.fail(
            f"a condition of type i1 or {BOOLEAN} ({constraint})",
            f"{value.type}",
            "reduce the condition to one boolean",
        )


class OperatorOp(DeclaredOp):
    """A pure operator on tensors, which `@operator` defines by the fields that its class declares."""

    traits = traits_def(Pure(), CanonicalizedByRules())

    STORES: ClassVar = False

    RESULT_KNOWN_BY: ClassVar[str] = ""
    """The way to determine a result type that operands of known types leave open, for errors."""

    def infer(self) -> Sequence[Attribute]:
        """Return result types: by default every result has the element type of the first operand, and the
        shape derived from its shape, unknown if that is."""
        type = tensor_type(self.operands[0])
        shape = None if type.shape is None else self.result_shape(type.shape)
        return (TensorType.get(shape, type.dtype),) * len(self.results)

    def result_shape(self, x: Dims) -> Dims | None:
        """Return the shape that is made of that of the first operand: by default the same."""
        return x

    def axis_of(self, rank: int, name: str = "axis") -> int:
        """Return the axis of a field, counted from the front, for a tensor of a rank."""
        constraint = self.PLAN.by_name[name].constraint
        return normalize_axis(self, getattr(self, name), rank, constraint)

    def axes_of(self, rank: int, name: str = "axes") -> tuple[int, ...]:
        """Return the axes of a field, counted from the front: by default all."""
        constraint = self.PLAN.by_name[name].constraint
        return normalize_axes(self, getattr(self, name), rank, constraint)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands = parse_operands(parser)
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        values = [o for o in operands if not isinstance(o, WrittenNumber)]
        op = syntax.finish_parse(cls, parser, values, attributes)
        if len(values) < len(operands):
            op.operands = cls.PLAN.with_numbers(parser, operands, op)
        return op


class MatchOp(RelaxOp):
    """An op that checks a value against a type and defines its bare variables."""

    traits = traits_def(DefinesSymbols())

    def candidates(self) -> tuple[str, ...]:
        """Return the variables the op defines unless they are bound already."""
        return bare_variables(self.results[0].type)

    def needed_symbols(self) -> tuple[str, ...]:
        bare = self.candidates()
        return tuple(v for v in free_variables(self.results[0].type) if v not in bare)
