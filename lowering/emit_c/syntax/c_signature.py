"""The C parameters of a function on memrefs, for its definition and its calls alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.emit_c.syntax.analysis import ModuleAnalysis
from lowering.emit_c.syntax.c_expressions import CExpr, Prec, number
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_types import CType, memref_strides, scalar_type
from lowering.memory.functions.external_declarations import FUNCTION, to_kinds
from lowering.memory.functions.external_forms import FunctionKind
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.prim.signature import UNRANKED, VALUE
from relax_dialect.symbolic import parse, to_c

UNKNOWN = "?"

_FORMS = (
    (Prec.ATOM, re.compile(r"\w+")),
    (Prec.MUL, re.compile(r"\w+( \* \w+)*")),
    (Prec.ADD, re.compile(r"\w+( [-+*] \w+)*")),
)
"""The precedence of the text of a size; any other form gets parentheses."""


@dataclass(frozen=True)
class Port:
    """A parameter or result: sizes that no symbol determines are `extra`, passed next to the pointer."""

    name: str
    type: Attribute
    element: CType
    dims: tuple[str, ...] = ()
    extra_dims: tuple[int, ...] = ()
    extra_strides: tuple[int, ...] = ()
    extra_names: tuple[str, ...] = ()
    symbol: str | None = None
    number: str | None = None
    """The symbolic expression that a scalar is the value of."""
    written: bool = False
    restrict: bool = True
    is_result: bool = False
    is_unranked: bool = False
    """Whether it is the elements of a tensor of unknown rank; the next result is its sizes."""
    value: SSAValue | None = None
    function: FunctionKind | None = None
    """Its signature, if it is a function value."""

    @property
    def is_memref(self) -> bool:
        return isinstance(self.type, MemRefType)

    @property
    def told(self) -> tuple[str, ...]:
        """The sizes that a value carries on entry: a tensor's dimensions, or the number itself."""
        return self.dims if self.number is None else (self.number,)

    @property
    def is_object(self) -> bool:
        return self.element.kind == "handle"

    def sizes(self, names: Callable[[str], str]) -> tuple[CExpr, ...]:
        """Return the sizes of the memref, where `names` spells symbols."""
        extra = dict(zip(self.extra_dims, self.extra_names))
        return tuple(
            CExpr(extra[i]) if i in extra else size(d, names) for i, d in enumerate(self.dims)
        )

    def strides(self) -> tuple[CExpr, ...] | None:
        """Return the strides of the memref, or `None` when row-major."""
        assert isinstance(self.type, MemRefType)
        if (strides := memref_strides(self.type)) is None:
            return None
        extra = dict(zip(self.extra_strides, self.extra_names[len(self.extra_dims) :]))
        return tuple(CExpr(extra[i]) if s is None else number(s) for i, s in enumerate(strides))


@dataclass(frozen=True)
class CSignature:
    """A C function as its callers see it."""

    symbol: str
    c_name: str
    params: tuple[Port, ...]
    results: tuple[Port, ...]
    fails: bool
    exported: bool
    symbols: Mapping[str, str]

    def declarations(self) -> list[str]:
        """Return the C parameter list."""
        out: list[str] = []
        for p in self.params:
            if p.is_memref:
                const = "" if p.written else "const "
                restrict = "restrict " if p.restrict else ""
                out.append(f"{const}{p.element.memory} *{restrict}{p.name}")
                out += [f"int64_t {e}" for e in p.extra_names]
            else:
                out.append(f"{p.element.name} {p.name}")
        for r in self.results:
            kind = f"{r.element.memory} **" if r.is_memref else f"{r.element.name} *"
            out.append(f"{kind}{r.name}")
            out += [f"int64_t *{e}" for e in r.extra_names]
        return out

    def head(self) -> str:
        """Return the declaration without its semicolon."""
        storage = "" if self.exported else "static "
        kind = "int" if self.fails else "void"
        return f"{storage}{kind} {self.c_name}({', '.join(self.declarations()) or 'void'})"

    def delivered(self) -> list[Port]:
        """Return the results that callers get: without the sizes of results of unknown rank."""
        found: list[Port] = []
        ports = iter(self.results)
        for port in ports:
            found.append(port)
            sizes = next(ports, None) if port.is_unranked else None
            if port.is_unranked and (sizes is None or str(sizes.type) != "memref<?xi64>"):
                raise RelaxError(
                    f"C: function @{self.symbol}: {UNRANKED}: expected the sizes as the next result, a "
                    f"memref<?xi64>, found {'none' if sizes is None else sizes.type}"
                )
        return found

    def mlir(self) -> str:
        """Return the function's type as MLIR would have it, with symbolic sizes."""
        params = ", ".join(f"%{p.name}: {_type_text(p)}" for p in self.params)
        results = ", ".join(map(_type_text, self.delivered()))
        arrow = f" -> ({results})" if results else ""
        return f"@{self.symbol}({params}){arrow}"


def _type_text(p: Port) -> str:
    if p.is_unranked:
        return f"memref<*x{p.element.mlir_name}>"
    if p.symbol is not None:
        return f"index = {p.symbol}"
    if p.number is not None:
        return f"{p.type} = {p.number}"
    if not p.is_memref:
        return str(p.type)
    assert isinstance(p.type, MemRefType)
    return f"memref<[{', '.join(p.dims)}], {p.type.element_type}>"


@contextmanager
def located(symbol: str, op: Operation) -> Iterator[None]:
    """Adds to an error the function and the op that it is about."""
    try:
        yield
    except RelaxError as error:
        locate(error, symbol, op)
        raise


def locate(error: RelaxError, symbol: str, op: Operation) -> None:
    """Add to an error the function and the op that it is about, unless it has them."""
    if error.op is None:
        error.op = op
    if not str(error).startswith("@"):
        error.args = (f"@{symbol}: {error}",)


def attribute(attrs: ArrayAttr | None, i: int, name: str) -> Attribute | None:
    """Return an entry of a function's argument or result attributes."""
    if attrs is None:
        return None
    entry = attrs.data[i]
    return entry.data.get(name) if isinstance(entry, DictionaryAttr) else None


def text_attribute(attrs: ArrayAttr | None, i: int, name: str) -> str | None:
    a = attribute(attrs, i, name)
    return a.data if isinstance(a, StringAttr) else None


def size(dim: str, names: Callable[[str], str]) -> CExpr:
    """Return a symbolic dimension as a C expression."""
    e = parse(dim)
    if e.is_constant:
        assert e.value is not None
        return number(e.value)
    text = to_c(e, names)
    return CExpr(text, next((p for p, form in _FORMS if form.fullmatch(text)), Prec.COND))


def dims_of(where: str, t: MemRefType, attrs: ArrayAttr | None, i: int) -> tuple[str, ...]:
    """Return the symbolic dimensions: from `relax.dims`, or of the type alone."""
    from_type = tuple(UNKNOWN if d < 0 else str(d) for d in t.get_shape())
    given = attribute(attrs, i, "relax.dims")
    if given is None:
        return from_type
    if not isinstance(given, ArrayAttr) or len(given) != len(from_type):
        raise RelaxError(f"C: {where}: relax.dims: expected {len(from_type)} strings for {t}")
    texts: list[str] = []
    for static, d in zip(from_type, given):
        if not isinstance(d, StringAttr):
            raise RelaxError(f"C: {where}: relax.dims: expected strings, found {d}")
        texts.append(d.data if static == UNKNOWN else static)
    return tuple(texts)


def make_signature(
    f: func.FuncOp, a: ModuleAnalysis, c_name: str, exported: bool, names: CNames
) -> CSignature:
    """Return the signature of `f`; its parameters' names are taken from `names`."""
    symbol, (outputs, attrs) = f.sym_name.data, (f.function_type.outputs.data, f.res_attrs)
    if len(f.body.blocks) != 1:
        raise RelaxError(
            f"C: function @{symbol}: expected a body of one block, found {len(f.body.blocks)}; control "
            "flow must be scf, and functions declared elsewhere cannot be called"
        )
    arg_names, symbols = _arg_names(f, names)
    ports = _Ports(f"function @{symbol}", a, symbols, names)
    params: list[Port] = []
    for i, arg in enumerate(f.body.block.args):
        with blaming(arg):
            params.append(ports.port(i, arg.type, arg_names[i], f.arg_attrs, arg))
    results: list[Port] = []
    for i, t in enumerate(outputs):
        name = names.fresh("result" if len(outputs) == 1 else f"result{i}")
        results.append(ports.port(i, t, name, attrs, None))
    fails = symbol in a.failing
    return CSignature(symbol, c_name, tuple(params), tuple(results), fails, exported, symbols)


def _arg_names(f: func.FuncOp, names: CNames) -> tuple[list[str], dict[str, str]]:
    """Return the C names of the arguments, and the names of the symbols among them."""
    args, symbols = f.body.block.args, dict[str, str]()
    found = [""] * len(args)
    # a number is called as the program calls it, not the symbol that it defines
    for i in sorted(range(len(args)), key=lambda i: not attribute(f.arg_attrs, i, VALUE)):
        symbol = text_attribute(f.arg_attrs, i, "relax.symbol")
        told = text_attribute(f.arg_attrs, i, "relax.name") or args[i].name_hint
        found[i] = names.fresh(told or symbol or f"arg{i}")
        if symbol is not None:
            symbols.setdefault(symbol, found[i])
    return found, symbols


@dataclass(frozen=True)
class _Ports:
    """Makes the ports of a function, whose sizes its symbols determine."""

    where: str
    analysis: ModuleAnalysis
    symbols: Mapping[str, str]
    names: CNames

    def port(
        self, i: int, t: Attribute, name: str, attrs: ArrayAttr | None, value: SSAValue | None
    ) -> Port:
        """Return a parameter of that value, or a result."""
        if isinstance(t, MemRefType):
            return self._memref(i, t, name, attrs, value)
        kind = attribute(attrs, i, FUNCTION)
        function = None if kind is None else to_kinds(kind)
        assert function is None or isinstance(function, FunctionKind)
        return Port(
            name,
            t,
            scalar_type(t),
            symbol=text_attribute(attrs, i, "relax.symbol"),
            number=text_attribute(attrs, i, VALUE),
            value=value,
            function=function,
        )

    def _memref(
        self, i: int, t: MemRefType, name: str, attrs: ArrayAttr | None, value: SSAValue | None
    ) -> Port:
        dims = dims_of(self.where, t, attrs, i)
        extra = tuple(k for k, d in enumerate(dims) if not self._is_told(d))
        strides = enumerate(memref_strides(t) or ())
        extra_strides = tuple(k for k, s in strides if s is None)
        extra_names = [self.names.fresh(f"{name}_d{k}") for k in extra]
        extra_names += [self.names.fresh(f"{name}_s{k}") for k in extra_strides]
        return Port(
            name,
            t,
            scalar_type(t.element_type),
            dims,
            extra,
            extra_strides,
            tuple(extra_names),
            written=value is not None and self.analysis.is_written(value),
            restrict=value is None or not self.analysis.is_aliased(value),
            is_result=attribute(attrs, i, "relax.result") is not None,
            is_unranked=attribute(attrs, i, UNRANKED) is not None,
            value=value,
        )

    def _is_told(self, dim: str) -> bool:
        return dim != UNKNOWN and self.symbols.keys() >= set(parse(dim).free_variables)
