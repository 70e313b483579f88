"""External functions: each declaration becomes a C function that calls the registered one.

Inside the file it is called like any other function of the module; it makes DLTensors of its arguments, and
checks and copies the result.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import Formatter

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.operations.control import c_bytes, c_string
from lowering.emit_c.syntax.c_names import KEYWORDS, CNames
from lowering.emit_c.syntax.c_signature import UNKNOWN, CSignature, Port
from lowering.emit_c.syntax.c_source import PackedCall
from lowering.emit_c.syntax.c_types import (
    BF16,
    BOOL,
    DOUBLE,
    F16,
    FLOAT,
    INTS,
    UINTS,
    CType,
    scalar_type,
)
from lowering.emit_c.syntax.layout import comment, in_comment, wrap
from lowering.memory.functions.external_declarations import form_of
from lowering.memory.functions.external_forms import SHAPE, Kinds, LiteralArgument, PackedForm, flat
from relax_dialect.errors import RelaxError

FILE_NAMES = frozenset(["packed_functions"])
"""Further names that a file with such functions defines."""

DTYPES = {
    t.dtype: (t.dlpack, t.bits)
    for t in (*INTS.values(), *UINTS.values(), F16, BF16, FLOAT, DOUBLE, BOOL)
}
"""DLPack's type codes and widths by numpy's names of element types."""

_LOCAL = re.compile(
    r"args|code|given|literal\d+|outer_level|result(_\w+)?|out(_\w+)?|arg\d+(_\w+)?"
)
"""The variables of the functions written here."""

API = ("packed", "register")
"""The names that it offers to C callers, after `model_`."""

MOST_NAMED = 3000
"""The most bytes of names that an error lists."""


@dataclass
class PackedFunctions:
    """The external functions that a file calls, and the C symbols chosen for some."""

    model: str
    forms: dict[str, PackedForm]
    """The forms of the declarations that are called, by their symbols."""
    linked: Mapping[str, str]
    """C functions by the names of the external functions that they implement."""
    functions: dict[str, str] = field(default_factory=dict)
    """The C functions that function values call, by the symbols of the functions they represent."""

    @classmethod
    def of(
        cls,
        model: str,
        functions: Mapping[str, func.FuncOp],
        linked: Mapping[str, str],
        taken: Container[str] = (),
    ) -> PackedFunctions:
        """Collect the external functions among the functions of a file; C symbols may not be `taken` by the
        file itself."""
        found = ((symbol, form_of(op)) for symbol, op in functions.items())
        forms = {symbol: form for symbol, form in found if form is not None}
        packed = cls(model, forms, linked)
        packed.check_linked(taken)
        return packed

    def check_linked(self, taken: Container[str]) -> None:
        """Refuse invalid C symbols, and symbols for functions that are not called."""
        names = list(dict.fromkeys(f.name for f in self.forms.values() if f.is_outside))
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
        """The functions that the file does not define itself."""
        return {symbol: f for symbol, f in self.forms.items() if f.is_outside}

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
        """Return the C names that the rest of the file may not have."""
        if not self.outside:
            return set()
        api = {f"{self.model}_{name}" for name in API}
        return api | FILE_NAMES | set(self.linked.values())

    def fill(self, template: str) -> str:
        names = ", ".join(self.names)
        if len(names.encode()) > MOST_NAMED:
            names = f"{names[: MOST_NAMED // 4]}..."  # a character has up to 4 bytes
        expected = c_string(f"{self.model}_register: expected one of {names}")
        values = {"NAME": self.model, "UPPER": self.model.upper()}
        return fill(template, {**values, "EXPECTED": expected, "FUNCTIONS": in_comment(names)})

    def header(self) -> list[str]:
        """Return the declarations for C callers."""
        parts = ["packed_type"] if self.outside else []
        parts += ["register"] if self.names else []
        known = helpers_of("model.h")
        return [self.fill(known[part].text.rstrip("\n")) for part in parts]

    def api_texts(self) -> list[str]:
        """Return the definitions of the functions for C callers."""
        return [self.fill(helpers_of("api.c")["register"].text)] if self.names else []

    def texts(self) -> list[str]:
        """Return the text before the functions: the table of registered functions, externs of the
        others."""
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

    def metadata(self, signatures: Mapping[str, CSignature]) -> tuple[PackedCall, ...]:
        """Return the functions that must be registered, for the run time."""
        return tuple(
            PackedCall(
                symbol,
                self.forms[symbol],
                tuple(r.element.dtype for r in signatures[symbol].results),
            )
            for symbol in self.registered
        )

    # The C functions

    def signature(self, op: func.FuncOp, c_name: str, names: CNames) -> CSignature:
        """Return the signature of a declaration: sizes that are not constant are passed next to the
        pointers."""
        form = self.forms[op.sym_name.data]
        inputs, outputs = op.function_type.inputs.data, op.function_type.outputs.data
        params = [_port(t, names.fresh(f"arg{i}"), names) for i, t in enumerate(inputs)]
        for i in form.written(len(inputs)):
            params[i] = replace(params[i], written=True)
        for i in range(len(inputs) - form.dps, len(inputs)):
            out = _port(inputs[i], names.fresh("out"), names)
            params[i] = replace(out, written=True, is_result=True)
        results = tuple(_port(t, names.fresh("result"), names) for t in outputs)
        symbol = op.sym_name.data
        return CSignature(symbol, c_name, tuple(params), results, form.fails, False, {})

    def render(self, signature: CSignature) -> str:
        """Return the definition."""
        form = self.forms[signature.symbol]
        if form.checks:
            check = "check_pure" if form.checks == "pure" else "check_function"
            lines = iter([f"return {check}({c_string(form.place)}, {signature.params[0].name});"])
        elif form.level == "get":
            lines = iter([f"*{signature.results[0].name} = active_level;"])
        else:
            own = form.format is not None
            lines = self._own(form, signature) if own else self._call(form, signature)
        body = "".join(f"{'' if line == 'fail:' else '    '}{line}\n" for line in lines)
        what = comment(self._what(form))
        return f"{what}\n{wrap(signature.head())}\n{{\n{body}}}\n"

    @staticmethod
    def _what(form: PackedForm) -> str:
        if form.makes is not None:
            return f"The function value of @{form.makes}"
        if form.calls is not None:
            return "A call of a function value"
        if form.checks:
            return "A check that an object is a function value"
        if form.level == "get":
            return "The level of recursion at which calls begin"
        return form.format if form.format is not None else f'"{form.name}", from outside'

    def _call(self, form: PackedForm, signature: CSignature) -> Iterator[str]:
        """Emit a call of a registered or linked function or of a function value, or the creation of one."""
        inputs = list(signature.params[: len(signature.params) - form.dps])
        tensors: list[str] = []
        ports = iter(inputs[form.before :])
        for number, kind in enumerate(flat(form.args)):
            if isinstance(kind, LiteralArgument):
                tensors.append(f"literal{number}")
                yield from _literal(tensors[-1], kind)
                continue
            port = next(ports)
            tensors.append(f"{port.name}_t")
            yield f"const DLTensor {tensors[-1]} = {_tensor(port)};"
        args = f"{'args' if tensors else 'NULL'}, {len(tensors)}"
        if tensors:
            listed = ", ".join(f"&{t}" for t in tensors)
            yield f"const DLTensor *const args[] = {{{listed}}};"
        if form.makes is None:
            yield from self._call_with(args, form, signature, inputs)
            return
        made = signature.results[0].name
        pure = "false" if form.impure else "true"
        yield f"*{made} = make_function({self.functions[form.makes]}, {args}, {pure},"
        yield f"    {c_string(form.place)});"
        yield f"return *{made} == NULL ? -1 : 0;"

    def _call_with(
        self, args: str, form: PackedForm, signature: CSignature, inputs: list[Port]
    ) -> Iterator[str]:
        """Emit the call and the handling of its results."""
        places = self._places(form, signature, inputs)
        several = len(places) > 1
        given = [f"given[{i}]" if several else "given" for i in range(len(places))]
        cleanup = [*self._cleanup(form, signature, given)]
        if cleanup:
            yield from (f"*{result.name} = NULL;" for result in signature.results)
        listed = f"given[] = {{{', '.join(places)}}}" if several else f"given = {places[0]}"
        yield f"DLTensor {listed};"
        call = (
            f"{self._callee(form, signature, inputs)}, {args}, {'given' if several else '&given'})"
        )
        if form.level:
            yield "const int64_t outer_level = active_level;"
            yield f"active_level = {inputs[0].name};"
            yield f"const int code = {call};"
            yield "active_level = outer_level;"
            call = "code"
        leave = "goto fail;" if cleanup else "return -1;"
        yield f"if ({call} != 0)"
        yield f"    {leave}"
        fresh = [g for i, g in enumerate(given) if not form.inplace or form.inplace[i] < 0]
        for number, (result, place) in enumerate(zip(signature.results, fresh)):
            if not result.is_object:
                part = f", field {number}" if len(signature.results) > 1 else ""
                yield from self._take(form, result, place, part, leave)
        if form.calls is not None:
            yield from _freed(signature, given)
        yield "return 0;"
        if cleanup:
            yield "fail:"
            yield from cleanup
            yield "return -1;"

    def _callee(self, form: PackedForm, signature: CSignature, inputs: list[Port]) -> str:
        """Return the beginning of the call, up to its arguments."""
        if form.calls is not None:
            called = inputs[form.before - 1].name
            return f"call_function({c_string(form.place)},\n            {called}"
        function, context = self.linked.get(form.name), "NULL"
        if function is None:
            at = f"packed_functions[{self.registered[signature.symbol]}]"
            function, context = f"{at}.function", f"{at}.context"
        return f"call_packed({c_string(form.name)}, {function},\n            {context}"

    def _places(self, form: PackedForm, signature: CSignature, inputs: list[Port]) -> list[str]:
        """Return the initial value of each result before the call: a tensor to write to, or nothing yet."""
        nothing = "tensor_of(NULL, 0, 0, 0, NULL)"
        fresh = (
            f"tensor_of({r.name}, kDLOpaqueHandle, 64, 0, NULL)" if r.is_object else nothing
            for r in signature.results
        )
        if form.dps:
            return [_tensor(port) for port in signature.params[-form.dps :]]
        if form.inplace:
            written = iter(form.written(len(inputs)))
            return [_tensor(inputs[next(written)]) if i >= 0 else next(fresh) for i in form.inplace]
        return [*fresh] or [nothing]

    def _cleanup(self, form: PackedForm, signature: CSignature, given: list[str]) -> Iterator[str]:
        """Frees and releases where a call of several results, or of objects, fails."""
        results = signature.results
        if form.calls is None and len(results) == 1 and not results[0].is_object:
            return
        for result in results:
            if result.is_object:
                yield f"release_object({result.name});"
            else:
                yield f"deallocate(*{result.name});"
                yield f"*{result.name} = NULL;"
        if form.calls is not None:
            yield from _freed(signature, given)

    def _take(
        self, form: PackedForm, result: Port, given: str, part: str, leave: str
    ) -> Iterator[str]:
        t = result.element
        sizes = ["-1" if d == UNKNOWN else d for d in result.dims]
        of = form.place if form.calls is not None else f"packed function '{form.name}'"
        what = c_string(f"{of}: result{part}")
        listed = f"(const int64_t[]){{{', '.join(sizes)}}}" if sizes else "NULL"
        yield f"*{result.name} = take_result({what}, &{given},"
        dims = c_string("[" + ", ".join(result.dims) + "]")
        yield (f'    {t.dlpack}, {t.bits}, "{t.mlir_name}", {len(sizes)}, {dims}, {listed});')
        yield f"if (*{result.name} == NULL)"
        yield f"    {leave}"
        for dim, name in zip(result.extra_dims, result.extra_names):
            yield f"*{name} = {given}.shape[{dim}];"

    def _own(self, form: PackedForm, signature: CSignature) -> Iterator[str]:
        """Yield a print or the message of an assertion: text with values in it."""
        assert form.format is not None
        ports = iter(signature.params)
        kinds = iter(form.args)
        if form.is_print:
            yield "struct text to = {stdout, NULL, 0};"
        else:
            yield "struct text to = {NULL, last_error, sizeof last_error};"
            yield 'set_error("%s", "");'
        for text, name, _, _ in Formatter().parse(form.format):
            if text:
                yield _put(text)
            if name is not None:
                yield from _put_value(next(kinds), ports)
        if form.is_print:
            yield _put("\n")
            yield "fflush(stdout);"
        else:
            yield "return -1;"


def _freed(signature: CSignature, given: list[str]) -> Iterator[str]:
    """Free the tensors that a function value returned."""
    pairs = zip(signature.results, given)
    return (f"free_tensor(&{place});" for result, place in pairs if not result.is_object)


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
    assert isinstance(kinds, tuple)
    yield _put("(")
    for i, kind in enumerate(kinds):
        if i > 0:
            yield _put(", ")
        yield from _put_value(kind, ports)
    yield _put(")")


def _literal(name: str, literal: LiteralArgument) -> Iterator[str]:
    """Yield a string as a tensor of its bytes; an element type or a device as a tensor that has it, without
    data."""
    if literal.kind == "string":
        size = len(literal.value.encode())
        text = c_bytes(literal.value)
        yield f"const DLTensor {name} = tensor_of({text}, kDLUInt, 8, 1, (int64_t[]){{{size}}});"
    elif literal.kind == "dtype":
        code, bits = DTYPES[literal.value]
        yield f"const DLTensor {name} = tensor_of(NULL, {code}, {bits}, 0, NULL);"
    else:
        type, number = literal.value.split(":")
        yield f"DLTensor {name} = tensor_of(NULL, 0, 0, 0, NULL);"
        yield f"{name}.device = (DLDevice){{(DLDeviceType){type}, {number}}};"


def _tensor(port: Port) -> str:
    """Return a parameter as a DLTensor."""
    t: CType = port.element
    if not port.is_memref:
        return f"tensor_of(&{port.name}, {t.dlpack}, {t.bits}, 0, NULL)"
    sizes = ", ".join(port.extra_names)
    shape = f"(int64_t[]){{{sizes}}}" if sizes else "NULL"
    return f"tensor_of({port.name}, {t.dlpack}, {t.bits}, {len(port.dims)}, {shape})"


def _port(type: Attribute, name: str, names: CNames) -> Port:
    if not isinstance(type, MemRefType):
        return Port(name, type, scalar_type(type))
    dims = tuple(UNKNOWN if d < 0 else str(d) for d in type.get_shape())
    extra = tuple(i for i, d in enumerate(dims) if d == UNKNOWN)
    sizes = tuple(names.fresh(f"{name}_d{i}") for i in extra)
    element = scalar_type(type.element_type)
    return Port(name, type, element, dims, extra, extra_names=sizes, restrict=False)
