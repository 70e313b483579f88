"""Functions from outside: each declaration becomes a C function that calls what is registered.

Inside the file it is called like any other function of the module; it makes DLTensors of its
arguments, and checks and copies the result.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from string import Formatter

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from lowering.emit_c.body import comment, wrap
from lowering.emit_c.control import c_string
from lowering.emit_c.names import KEYWORDS, Names
from lowering.emit_c.signature import UNKNOWN, Port, Signature
from lowering.emit_c.source import PackedCall
from lowering.emit_c.types import DLPACK_CODE, CType, scalar_type
from lowering.packed import form_of
from lowering.packed_form import SHAPE, Kinds, PackedForm
from relax_dialect.errors import RelaxError

FILE_NAMES = frozenset(["packed_functions"])
"""What a file with such functions defines besides."""

_LOCAL = re.compile(r"args|given|result(_\w+)?|out(_\w+)?|arg\d+(_\w+)?")
"""The variables of the functions written here."""

API = ("packed", "register")
"""What it offers to C callers, after `model_`."""

HEADER_TYPE = """\
/* A function that the model calls: `args` are its arguments, a shape as a tensor of int64.
   Where `result->data` is NULL it fills in `result`, whose memory stays its own and valid until
   its next call; otherwise it writes its result there. It returns 0, or another number to fail. */
typedef int (*@NAME@_packed)(
    void *context, const DLTensor *const *args, int count, DLTensor *result);"""

HEADER_REGISTER = """\
/* Gives the function that calls of `name` reach, and its first argument; a later one replaces it,
   NULL takes it away. No call may be running. The model calls: @FUNCTIONS@. */
@UPPER@_API int @NAME@_register(const char *name, @NAME@_packed function, void *context);"""

REGISTER = """int @NAME@_register(const char *name, @NAME@_packed function, void *context)
{
    bool found = false;
    const size_t count = sizeof packed_functions / sizeof *packed_functions;
    for (size_t i = 0; i < count && name != NULL; ++i) {
        struct packed *const p = &packed_functions[i];
        if (strcmp(name, p->name) != 0 && strcmp(name, p->symbol) != 0)
            continue;
        p->function = function;
        p->context = context;
        found = true;
    }
    if (found)
        return 0;
    set_error("@NAME@_register: expected one of @FUNCTIONS@, found %s",
        name == NULL ? "NULL" : name);
    return -1;
}
"""


@dataclass
class PackedFunctions:
    """The functions from outside that a file calls, and the C symbols given for some."""

    model: str
    forms: dict[str, PackedForm]
    """What the declarations that are called say, by their symbols."""
    linked: Mapping[str, str]
    """C functions by the names of what they implement."""

    @classmethod
    def of(
        cls,
        model: str,
        functions: Mapping[str, func.FuncOp],
        linked: Mapping[str, str],
        taken: Container[str] = (),
    ) -> PackedFunctions:
        """Those among the functions of a file; C symbols may not be `taken` by the file itself."""
        found = ((symbol, form_of(op)) for symbol, op in functions.items())
        forms = {symbol: form for symbol, form in found if form is not None}
        packed = cls(model, forms, linked)
        packed.check_linked(taken)
        return packed

    def check_linked(self, taken: Container[str]) -> None:
        """Refuse C symbols that are none, and those for functions that nobody calls."""
        names = list(dict.fromkeys(f.name for f in self.forms.values() if f.format is None))
        for name, symbol in self.linked.items():
            if name not in names:
                raise RelaxError(
                    f'packed function "{name}" = {symbol}: expected one that the module calls '
                    f'({", ".join(names) or "it calls none"}), found "{name}"; correct the name'
                )
            if not re.fullmatch(r"[A-Za-z_]\w*", symbol, re.ASCII) or symbol in KEYWORDS:
                raise RelaxError(
                    f'packed function "{name}": expected the name of a C function, found {symbol!r}; '
                    "correct it"
                )
            if symbol in taken or _LOCAL.fullmatch(symbol):
                raise RelaxError(
                    f'packed function "{name}": expected a C function whose name the emitted file does '
                    f"not use itself, found {symbol}; rename it"
                )

    @property
    def outside(self) -> dict[str, PackedForm]:
        """Those that the file does not have itself."""
        return {symbol: f for symbol, f in self.forms.items() if f.format is None}

    @cached_property
    def registered(self) -> dict[str, int]:
        """The declarations whose functions are registered at run time, with their rows of the table."""
        symbols = [s for s, f in self.outside.items() if f.name not in self.linked]
        return {symbol: row for row, symbol in enumerate(symbols)}

    @property
    def names(self) -> list[str]:
        """The names to register functions under."""
        return list(dict.fromkeys(self.forms[s].name for s in self.registered))

    def reserved(self) -> set[str]:
        """The C names that the rest of the file may not have."""
        if not self.outside:
            return set()
        api = {f"{self.model}_{name}" for name in API}
        return api | FILE_NAMES | set(self.linked.values())

    def fill(self, template: str) -> str:
        functions = ", ".join(self.names).replace("\\", "\\\\").replace('"', '\\"')
        safe = re.sub(r"[^ -~]|%", "_", functions).replace("*/", "* /").replace("??", "? ?")
        return (
            template.replace("@FUNCTIONS@", safe)
            .replace("@NAME@", self.model)
            .replace("@UPPER@", self.model.upper())
        )

    def header(self) -> list[str]:
        """The declarations for C callers."""
        parts = [HEADER_TYPE] if self.outside else []
        return [self.fill(part) for part in [*parts, *([HEADER_REGISTER] if self.names else [])]]

    def api_texts(self) -> list[str]:
        """The definitions of the functions for C callers."""
        return [self.fill(REGISTER)] if self.names else []

    def texts(self) -> list[str]:
        """What stands before the functions: the table of those registered, externs of the others."""
        externs = [
            f"extern int {symbol}(\n    void *context, const DLTensor *const *args, int count, "
            "DLTensor *result);\n"
            for symbol in dict.fromkeys(self.linked.values())
        ]
        rows = [
            f"    {{{c_string(self.forms[s].name)}, {c_string('@' + s)}, NULL, NULL}},\n"
            for s in self.registered
        ]
        if not rows:
            return externs
        table = (
            "/* The functions from outside, one for each signature they are called with. */\n"
            f"static struct packed {{\n    const char *name, *symbol;\n    {self.model}_packed function;\n"
            f"    void *context;\n}} packed_functions[] = {{\n{''.join(rows)}}};\n"
        )
        return [*externs, table]

    def metadata(self, signatures: Mapping[str, Signature]) -> tuple[PackedCall, ...]:
        """What must be registered, for the run time."""
        return tuple(
            PackedCall(
                symbol,
                self.forms[symbol],
                next((r.element.dtype for r in signatures[symbol].results), None),
            )
            for symbol in self.registered
        )

    # The C functions

    def signature(self, op: func.FuncOp, c_name: str, names: Names) -> Signature:
        """How a declaration is called: sizes that are not constant stand beside the pointers."""
        form = self.forms[op.sym_name.data]
        inputs, outputs = op.function_type.inputs.data, op.function_type.outputs.data
        params = [_port(t, names.fresh(f"arg{i}"), names) for i, t in enumerate(inputs)]
        if form.dps:
            out = _port(inputs[-1], names.fresh("out"), names)
            params[-1] = replace(out, written=True, is_result=True)
        results = tuple(_port(t, names.fresh("result"), names) for t in outputs)
        symbol = op.sym_name.data
        return Signature(symbol, c_name, tuple(params), results, form.fails, False, {})

    def render(self, signature: Signature) -> str:
        """The definition."""
        form = self.forms[signature.symbol]
        own = form.format is not None
        lines = self._own(form, signature) if own else self._call(form, signature)
        body = "".join(f"    {line}\n" for line in lines)
        what = comment(form.format if form.format is not None else f'"{form.name}", from outside')
        return f"{what}\n{wrap(signature.head())}\n{{\n{body}}}\n"

    def _call(self, form: PackedForm, signature: Signature) -> Iterator[str]:
        params = signature.params[:-1] if form.dps else signature.params
        tensors = [f"{p.name}_t" for p in params]
        for port, tensor in zip(params, tensors):
            yield f"const DLTensor {tensor} = {_tensor(port)};"
        args = "NULL"
        if tensors:
            args = "args"
            listed = ", ".join(f"&{t}" for t in tensors)
            yield f"const DLTensor *const args[] = {{{listed}}};"
        given = _tensor(signature.params[-1]) if form.dps else "tensor_of(NULL, 0, 0, 0, NULL)"
        yield f"DLTensor given = {given};"
        name = c_string(form.name)
        if form.name in self.linked:
            function, context = self.linked[form.name], "NULL"
        else:
            at = f"packed_functions[{self.registered[signature.symbol]}]"
            function, context = f"{at}.function", f"{at}.context"
        yield f"if (call_packed({name}, {function},"
        yield f"        {context}, {args}, {len(tensors)}, &given) != 0)"
        yield "    return -1;"
        for result in signature.results:
            yield from self._take(form, result)
        yield "return 0;"

    def _take(self, form: PackedForm, result: Port) -> Iterator[str]:
        t = result.element
        sizes = ["-1" if d == UNKNOWN else d for d in result.dims]
        what = c_string(f"packed function '{form.name}': result")
        listed = f"(const int64_t[]){{{', '.join(sizes)}}}" if sizes else "NULL"
        yield f"*{result.name} = take_result({what}, &given,"
        dims = c_string("[" + ", ".join(result.dims) + "]")
        yield (
            f'    {DLPACK_CODE[t.kind]}, {t.bits}, "{t.mlir_name}", {len(sizes)}, {dims}, {listed});'
        )
        yield f"if (*{result.name} == NULL)"
        yield "    return -1;"
        for dim, name in zip(result.extra_dims, result.extra_names):
            yield f"*{name} = given.shape[{dim}];"

    def _own(self, form: PackedForm, signature: Signature) -> Iterator[str]:
        """A print or the message of an assertion: text with values in it."""
        assert form.format is not None
        ports = iter(signature.params)
        kinds = iter(form.args)
        if form.is_print:
            yield "struct text to = {stdout, NULL, 0};"
        else:
            yield "struct text to = {NULL, last_error, sizeof last_error};"
            yield 'set_error("%s", "");'
        for text, field, _, _ in Formatter().parse(form.format):
            if text:
                yield _put(text)
            if field is not None:
                yield from _put_value(next(kinds), ports)
        if form.is_print:
            yield _put("\n")
            yield "fflush(stdout);"
        else:
            yield "return -1;"


def _put(text: str) -> str:
    return f'put(&to, "%s", {c_string(text)});'


def _put_value(kinds: Kinds, ports: Iterator[Port]) -> Iterator[str]:
    """Statements that print a value: a tuple element by element."""
    if isinstance(kinds, str):
        port = next(ports)
        put = "put_shape" if kinds == SHAPE else "put_tensor"
        yield "{"
        yield f"    const DLTensor value = {_tensor(port)};"
        yield f"    {put}(&to, &value);"
        yield "}"
        return
    yield _put("(")
    for i, kind in enumerate(kinds):
        if i > 0:
            yield _put(", ")
        yield from _put_value(kind, ports)
    yield _put(")")


def _tensor(port: Port) -> str:
    """A parameter as a DLTensor."""
    t: CType = port.element
    if not port.is_memref:
        return f"tensor_of(&{port.name}, {DLPACK_CODE[t.kind]}, {t.bits}, 0, NULL)"
    sizes = ", ".join(port.extra_names)
    shape = f"(int64_t[]){{{sizes}}}" if sizes else "NULL"
    return f"tensor_of({port.name}, {DLPACK_CODE[t.kind]}, {t.bits}, {len(port.dims)}, {shape})"


def _port(type: Attribute, name: str, names: Names) -> Port:
    if not isinstance(type, MemRefType):
        return Port(name, type, scalar_type(type))
    dims = tuple(UNKNOWN if d < 0 else str(d) for d in type.get_shape())
    extra = tuple(i for i, d in enumerate(dims) if d == UNKNOWN)
    sizes = tuple(names.fresh(f"{name}_d{i}") for i in extra)
    element = scalar_type(type.element_type)
    return Port(name, type, element, dims, extra, extra_names=sizes, restrict=False)
