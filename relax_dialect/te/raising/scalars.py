"""The ops of `arith`, `math` and `scf.if` as scalar expressions; sizes among them as symbolic ones."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects import arith, cf, math, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError, SymbolicError
from relax_dialect.ops.compute_region import IndexSizeOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import I1, INDEX, DType, kind, width
from relax_dialect.te.operations import ARITHMETIC
from relax_dialect.te.scalar import (
    Apply,
    Choice,
    Reinterpret,
    Scalar,
    ScalarConstant,
    Size,
    reinterpret,
)


class RaisingError(RelaxError):
    """A prim func that is not known to be made of tensor expressions."""


def _by_op(of_kind: str) -> dict[type[Operation], str]:
    """Return the names of operations by the ops that compute them on a kind of types."""
    found = ((entry.on(of_kind), name) for name, entry in ARITHMETIC.items())
    return {op: name for op, name in found if isinstance(op, type) and issubclass(op, Operation)}


FLOATS, INTEGERS = _by_op("float"), _by_op("integer") | {arith.AndIOp: "and", arith.OrIOp: "or"}
UNSIGNED: dict[type[Operation], str] = {
    arith.DivUIOp: "floordiv",
    arith.RemUIOp: "rem",
    arith.MaxUIOp: "maximum",
    arith.MinUIOp: "minimum",
    arith.ShRUIOp: "shr",
}
CASTS = (arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.FPToSIOp, arith.IndexCastOp,
         arith.ExtSIOp, arith.TruncIOp)  # fmt: skip
UNSIGNED_CASTS = (arith.ExtUIOp, arith.UIToFPOp, arith.FPToUIOp)
SIZES: dict[str, Callable[[Expr, Expr], Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "maximum": symbolic.maximum,
    "minimum": symbolic.minimum,
    "floordiv": symbolic.floordiv,
    "truncdiv": symbolic.floordiv,
    "rem": symbolic.floormod,
}
"""Operations on sizes, whose operands are not negative."""

OF_FLOATS = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}
OF_INTEGERS = {
    0: "eq",
    1: "ne",
    2: "lt",
    3: "le",
    4: "gt",
    5: "ge",
    6: "lt",
    7: "le",
    8: "gt",
    9: "ge",
}
"""Comparisons by the numbers of their predicates; integer predicates are unsigned from 6 on."""


class Scalars:
    """The scalar expressions for the values of a function, or of a body inside of it."""

    def __init__(
        self,
        fail: Callable[[Operation], RaisingError],
        load: Callable[[SSAValue, tuple[Scalar, ...]], Scalar],
        values: ChainMap[SSAValue, Scalar] | None = None,
    ):
        self.fail = fail
        self.load = load
        self.values: ChainMap[SSAValue, Scalar] = ChainMap() if values is None else values

    def inside(self, known: Mapping[SSAValue, Scalar]) -> Scalars:
        """Return the expressions for a body, some of whose values are known."""
        return Scalars(self.fail, self.load, self.values.new_child(dict(known)))

    def read(self, ops: Iterable[Operation]) -> None:
        """Compute the expressions of ops, in order."""
        for op in ops:
            self.read_op(op)

    def read_op(self, op: Operation) -> None:
        """Compute the expression of an op; checks have none."""
        if isinstance(op, cf.AssertOp):
            return
        if isinstance(op, scf.IfOp):
            self._branches(op)
            return
        if len(op.results) != 1:
            raise self.fail(op)
        self.values[op.results[0]] = self._value(op)

    def size(self, value: SSAValue, user: Operation) -> Expr:
        """Return a value that is a symbolic size."""
        found = _expr(self.values[value]) if value in self.values else None
        if found is None:
            raise self.fail(user)
        return found

    def _branches(self, op: scf.IfOp) -> None:
        condition = self.values[op.cond]
        given: list[list[Scalar]] = []
        for region in op.regions:
            *inner, end = region.block.ops
            own = self.inside({})
            own.read(inner)
            given.append([own.values[v] for v in end.operands])
        for result, a, b in zip(op.results, *given, strict=True):
            self.values[result] = Choice((condition, a, b), lazy=True)

    def _value(self, op: Operation) -> Scalar:
        dtype = op.results[0].type
        if op.name in ("tensor.extract", "relax.element"):
            tensor, *indices = op.operands
            return self.load(tensor, tuple(self.values[i] for i in indices))
        if not all(v in self.values for v in op.operands):
            raise self.fail(op)
        operands = tuple(self.values[v] for v in op.operands)
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                bits = number.value.data & 1 if dtype == I1 else number.value.data
                return ScalarConstant(bits, dtype)
            case arith.ConstantOp(value=FloatAttr() as number):
                return ScalarConstant(number.value.data, dtype)
            case IndexSizeOp():
                return as_index(op.expression.data)
            case arith.SelectOp():
                size = _size_chosen(*operands)  # pyright: ignore[reportCallIssue]
                return Choice(operands, lazy=False) if size is None else size  # pyright: ignore
            case arith.CmpfOp() if (name := OF_FLOATS.get(op.predicate.value.data)) is not None:
                return Apply(name, I1, operands)
            case arith.CmpiOp():
                number = op.predicate.value.data
                signed = number <= 5 or op.lhs.type in (INDEX, I1)
                compared = operands if signed else tuple(map(_unsigned, operands))
                return Apply(OF_INTEGERS[number], I1, compared)
            case UnrealizedConversionCastOp() | arith.BitcastOp():
                return Reinterpret(dtype, operands, operands[0].invariant)
            case arith.TruncIOp() if dtype == I1:
                raise self.fail(op)
            case _ if isinstance(op, CASTS):
                return operands[0].astype(dtype)
            case _ if isinstance(op, UNSIGNED_CASTS):
                return _unsigned_cast(operands[0], dtype)
            case math.FmaOp():
                a, b, c = operands
                return a * b + c
            case _:
                return self._applied(op, operands, dtype)

    def _applied(self, op: Operation, operands: tuple[Scalar, ...], dtype: DType) -> Scalar:
        if (
            kind(dtype) != "float"
            and (name := UNSIGNED.get(type(op))) is not None
            and dtype != INDEX
        ):
            unsigned = tuple(map(_unsigned, operands))
            return reinterpret(Apply(name, unsigned[0].dtype, unsigned), dtype)
        table = (
            FLOATS if kind(dtype) == "float" else INTEGERS | ({} if dtype != INDEX else UNSIGNED)
        )
        name = table.get(type(op))
        if name is None:
            raise self.fail(op)
        if dtype == INDEX and name in SIZES:
            sizes = [_expr(operand) for operand in operands]
            if None not in sizes and (found := self._size(op, name, *sizes)) is not None:  # pyright: ignore
                return found
        return Apply(name, dtype, operands)

    def _size(self, op: Operation, name: str, a: Expr, b: Expr) -> Scalar | None:
        """Return the size that an op computes of sizes, as `prim.size_ops` emits it."""
        try:
            match op:
                case arith.SubiOp(
                    lhs=x,
                    rhs=OpResult(
                        op=arith.MuliOp(lhs=OpResult(op=arith.FloorDivSIOp(lhs=y)), rhs=by)
                    ),
                ) if x is y and (divisor := _expr(self.values[by])) is not None:
                    return as_index(symbolic.floormod(a, _divisor(divisor)))
                case _ if name in ("floordiv", "truncdiv", "rem"):
                    b = _divisor(b)
            return as_index(SIZES[name](a, b))
        except SymbolicError:
            return None


def _unsigned(value: Scalar) -> Scalar:
    """Return the bits of a signless integer as an unsigned one."""
    return reinterpret(value, f"ui{width(value.dtype)}")


def _unsigned_cast(value: Scalar, dtype: DType) -> Scalar:
    """Return a conversion from or to an unsigned integer."""
    source = value if kind(value.dtype) in ("bool", "float") else _unsigned(value)
    if not isinstance(dtype, IntegerType):
        return source.astype(dtype)
    if kind(value.dtype) == "bool":
        return source.astype(dtype)
    return reinterpret(source.astype(f"ui{dtype.width.data}"), dtype)


def _expr(scalar: Scalar) -> Expr | None:
    """Return an index that is a size, or a number."""
    if isinstance(scalar, Size):
        return scalar.expr
    if isinstance(scalar, ScalarConstant) and scalar.dtype == INDEX:
        return symbolic.const(int(scalar.value))
    return None


def as_index(size: Expr) -> Scalar:
    """Return a size as a scalar."""
    return Size(size) if size.value is None else ScalarConstant(size.value, INDEX)


def _divisor(size: Expr) -> Expr:
    """Return a divisor without the guard against 0: for a divisor of 0 the program has stopped."""
    atom = size.atom
    if atom is None or atom.kind != "max" or len(atom.args) != 2:
        return size
    first, second = atom.args
    return first if second.value == 1 else size


def _size_chosen(condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar | None:
    """Return the one of two sizes that is not 1, as broadcasting chooses."""
    a, b = _expr(otherwise), _expr(then)
    if a is None or b is None or not (isinstance(condition, Apply) and condition.name == "eq"):
        return None
    compared, one = map(_expr, condition.operands)
    is_broadcast = compared is a and one is not None and one.value == 1
    return as_index(symbolic.broadcast(a, b)) if is_broadcast else None
