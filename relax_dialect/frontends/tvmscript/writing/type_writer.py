"""Types and sizes as a script spells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import BFloat16Type, IndexType, IntegerType, Signedness, TupleType
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.storage import NUMPY_NAMES
from relax_dialect.ir.types import Dims, FuncType, ObjectType, PrimType, ShapeType, TensorType
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic.expr import Atom, Term
from relax_dialect.symbolic.printing import INFIX


class Unwritable(RelaxError):
    """The error for IR that TVMScript cannot express: expected, found and mend. The op's writer records
    it."""


def dtype_name(dtype: Attribute) -> str:
    """Return TVM's name of an element type."""
    if not is_element_type(dtype):
        raise Unwritable(f"expected types that TVM has, found {dtype}; tensors are !relax.tensor")
    if isinstance(dtype, IndexType):
        return "int64"
    if isinstance(dtype, IntegerType) and dtype.width.data == 1:
        return "bool"
    if isinstance(dtype, IntegerType):
        sign = "u" if dtype.signedness.data is Signedness.UNSIGNED else ""
        return f"{sign}int{dtype.width.data}"
    if isinstance(dtype, BFloat16Type):
        return "bfloat16"
    name = str(dtype)
    return NUMPY_NAMES.get(name) or f"float{name.removeprefix('f')}"


class SizeWriter:
    """Writes sizes with the names that the variables have in a script."""

    def __init__(self, spell: Callable[[str], str]):
        self.spell = spell

    def text(self, expr: Expr) -> str:
        """Write a size as an expression of Python."""
        if (atom := expr.atom) is not None:
            return self._atom(atom)[1:-1] if atom.kind in INFIX else self._atom(atom)
        parts: list[str] = []
        for term in sorted(expr.terms, key=lambda term: term.coefficient < 0):
            factor = self._term(term)
            sign = "-" if term.coefficient < 0 else "+"
            if parts:
                parts.append(f" {sign} {factor}")
            else:
                parts.append(factor if sign == "+" else f"-{factor}")
        return "".join(parts) or "0"

    def _term(self, term: Term) -> str:
        """Write a product without its sign, its number last."""
        words = [self._atom(atom) for atom in term.factors]
        if abs(term.coefficient) != 1 or not words:
            words.append(str(abs(term.coefficient)))
        return " * ".join(words)

    def _atom(self, atom: Atom) -> str:
        if atom.name is not None:
            return self.spell(atom.name)
        if atom.kind == "broadcast":
            raise Unwritable(
                f"expected sizes that TVM knows, found '{atom.text}'; match it with a variable of its own "
                "by relax.match_cast"
            )
        if atom.kind in INFIX:
            left, right = atom.args
            sign = "//" if atom.kind == "floordiv" else "%"
            return f"({self._operand(left)} {sign} {self._operand(right)})"
        texts = [self.text(arg) for arg in atom.args]
        found = texts.pop()
        while texts:
            found = f"T.{atom.kind}({texts.pop()}, {found})"
        return found

    def _operand(self, expr: Expr) -> str:
        is_simple = expr.is_variable or (expr.value is not None and expr.value >= 0)
        return self.text(expr) if is_simple else f"({self.text(expr)})"


class TypeWriter:
    """Writes types; in a signature the variables are in strings, as they are defined there."""

    def __init__(
        self,
        sizes: SizeWriter,
        *,
        quoted: frozenset[str] = frozenset(),
        known: frozenset[str] | None = None,
        own: Callable[[str], str] | None = None,
    ):
        self.sizes = sizes
        self.quoted = quoted
        """The variables that are written in strings."""
        self.known = known
        """The defined variables, or None for all: a size with others is unknown."""
        self.own = own
        """Names the variables that types of functions bind; without it, their sizes are unknown."""
        self.functions: dict[FuncType, str] = {}

    def text(self, type: Attribute) -> str:
        """Write a type in a script's syntax."""
        match type:
            case TensorType():
                return self._tensor(type)
            case ShapeType():
                if dims := self._known(type.shape):  # TVM takes [] for sizes that are not known
                    return f"R.Shape([{', '.join(dims)}])"
                return f"R.Shape(ndim={-1 if type.shape is None else len(type.shape)})"
            case TupleType():
                parts = map(self.part, type.types.data)
                return f"R.Tuple({', '.join(parts)})" if type.types.data else "R.Tuple"
            case ObjectType():
                return "R.Any"
            case FuncType():
                return self._function(type)
            case PrimType():
                return "T.int64"
        return f"T.{dtype_name(type)}"

    def part(self, type: Attribute) -> str:
        """Write a type inside of another one, where numbers have a special form."""
        text = self.text(type)
        return f'R.Prim("{text[2:]}")' if text.startswith("T.") else text

    def _function(self, type: FuncType) -> str:
        if (found := self.functions.get(type)) is not None:
            return found
        variables = [v.data for v in type.variables]
        names = {v: self.own(v) for v in variables} if self.own else {}
        sizes = SizeWriter(lambda v: names.get(v) or self.sizes.spell(v))
        quoted = self.quoted.union(variables) if self.quoted else self.quoted
        known = None if self.known is None else self.known.difference(variables)
        inner = TypeWriter(sizes, quoted=quoted, known=known, own=self.own)
        inputs = tuple_text(map(inner.part, type.inputs))
        purity = "" if type.is_pure else ", False"
        found = f"R.Callable({inputs}, {inner.part(type.output)}{purity})"
        return self.functions.setdefault(type, found)

    def listed(self, types: Iterable[Attribute]) -> str:
        """Write types as a tuple of Python."""
        return tuple_text(map(self.part, types))

    def _tensor(self, type: TensorType) -> str:
        words: list[str] = []
        dims = self._known(type.shape)
        if dims is not None:
            words.append(tuple_text(dims))
        if type.dtype is not None:
            words.append(f'dtype="{dtype_name(type.dtype)}"')
        if dims is None and type.shape is not None:
            words.append(f"ndim={len(type.shape)}")
        return f"R.Tensor({', '.join(words)})" if words else "R.Tensor"

    def _known(self, dims: Dims | None) -> list[str] | None:
        """Return the sizes if TVM can express them all, or None, which leaves only the rank."""
        if dims is None:
            return None
        try:
            return [self._dim(dim) for dim in dims if dim is not None] if None not in dims else None
        except Unwritable:
            return None

    def _dim(self, dim: Expr) -> str:
        if self.known is not None and not self.known.issuperset(dim.free_variables):
            raise Unwritable(f"expected variables of the parameters, found '{dim}'; match it")
        text = self.sizes.text(dim)
        return text if self.quoted.isdisjoint(dim.free_variables) else f'"{text}"'


def tuple_text(parts: Iterable[str]) -> str:
    """Write texts as a tuple of Python."""
    found = list(parts)
    return f"({found[0]},)" if len(found) == 1 else f"({', '.join(found)})"
