"""Entry points: check DLTensors, read the symbols from them, call, hand the results out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lowering.emit_c.operations.control import c_string
from lowering.emit_c.syntax.c_expressions import number
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import UNKNOWN, CSignature, Port, size
from lowering.emit_c.syntax.c_source import EntryPoint, Parameter
from lowering.emit_c.syntax.layout import comment, wrap
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import (
    Affine,
    Expr,
    affine_in,
    definitions,
    demands,
    parse,
    to_c,
    zero_divisor,
)


class SymbolSource(NamedTuple):
    """The definition of a symbol: a size that a tensor or number carries, and its form if it is solved."""

    port: Port
    index: int
    affine: Affine | None


class EntryEmitter:
    """One entry point: its C text and its properties for the run time."""

    def __init__(
        self, model: str, c_name: str, signature: CSignature, names: CNames, weights: bool,
        result_names: dict[int, str], called: str, *, is_public: bool = True,
        checks_cpu: bool = False, solves: bool = True, inner: str | None = None,
    ):  # fmt: skip
        self.inner = inner
        """The C function that does the work of an entry point that communicates with other ranks."""
        self.called = called
        """The name of the function in errors."""
        self.is_public = is_public
        self.checks_cpu = checks_cpu
        """Whether it first checks that the machine can run it."""
        self.bytes_function: str | None = None
        """The C function that returns the bytes a call takes of the caller's arena, if there is one."""
        self.model = model
        self.c_name = c_name
        self.signature = signature
        self.weights = weights
        self.names = names
        ports = signature.params
        self.inputs = [p for p in ports if p.is_memref and not p.is_result]
        self.outputs = [p for p in ports if p.is_result] + signature.delivered()
        self.telling = [p for p in ports if p in self.inputs or p.number is not None]
        self.sources = self._sources(solves)
        """The size that defines each symbol which tensors and numbers define, each after those that it is
        computed from."""
        self.scalars = [
            p
            for p in ports
            if not p.is_memref and (p.symbol is None or p.symbol not in self.sources)
        ]
        self.params = [p for p in ports if p in self.inputs or (p in self.scalars and not p.symbol)]
        self.params += [p for p in self.scalars if p.symbol]
        self.c_names = {id(p): names.fresh(p.name) for p in (*self.params, *self.unnamed())}
        self.out_names = [
            names.fresh(result_names.get(i) or f"out{i}") for i in range(len(self.outputs))
        ]

    def unnamed(self) -> list[Port]:
        """Return the symbols that are read from tensors and numbers: local variables."""
        ports = {p.symbol: p for p in self.signature.params if p.symbol is not None}
        return [ports[symbol] for symbol in self.sources if symbol in ports]

    def _sources(self, solves: bool) -> dict[str, SymbolSource]:
        """Return the source of each symbol: its first occurrence as a bare dimension, or else the affine
        one that it `solves`."""
        told = [(p, i, d) for p in self.telling for i, d in enumerate(p.told)]
        sizes = [None if d == UNKNOWN else parse(d) for _, _, d in told]
        found: dict[str, SymbolSource] = {}
        for symbol, at in definitions(sizes).items():
            if (size := sizes[at]) is not None and (solves or size.is_variable):
                affine = None if size.is_variable else affine_in(size, symbol)
                found[symbol] = SymbolSource(*told[at][:2], affine)
        return found

    def metadata(self) -> EntryPoint:
        def parameter(p: Port, name: str) -> Parameter:
            kind = "tensor" if p.is_memref else "object" if p.is_object else "scalar"
            written = p.written and p in self.inputs
            dims = () if p.is_unranked else p.dims
            return Parameter(name, kind, p.element.dtype, dims, written, p.function, p.is_unranked)

        return EntryPoint(
            self.signature.symbol,
            self.c_name,
            tuple(parameter(p, self.c_names[id(p)]) for p in self.params),
            tuple(parameter(p, n) for p, n in zip(self.outputs, self.out_names)),
            self.inner is not None,
        )

    def head(self) -> str:
        """Return the declaration without its semicolon."""
        return self._head("" if self.is_public else "static ", self.c_name)

    def _head(self, storage: str, c_name: str) -> str:
        params = [
            f"{'' if p.written else 'const '}DLTensor *{self.c_names[id(p)]}"
            if p.is_memref
            else f"{p.element.name} {self.c_names[id(p)]}"
            for p in self.params
        ]
        params += [
            f"DLTensor *{n}" if p.is_memref else f"{p.element.name} *{n}"
            for p, n in zip(self.outputs, self.out_names)
        ]
        return f"{storage}int {c_name}({', '.join(params) or 'void'})"

    def symbol(self, name: str) -> str:
        """Return the C name of a symbol of the signature."""
        for p in self.signature.params:
            if p.symbol == name:
                return self.c_names[id(p)]
        raise AssertionError(name)

    def what(self, p: Port) -> str:
        """Return the name of a parameter or a result in errors, the same as the interpreter's."""
        part = f"argument '{p.name}'"
        if p in self.outputs:
            index = self.outputs.index(p)
            part = "result" if len(self.outputs) == 1 else f"result, field {index}"
        return c_string(f"{self.called}: {part}")

    def render(self) -> str:
        """Return the definition."""
        lines = [wrap(f"{'' if line == 'fail:' else '    '}{line}") for line in self._lines()]
        head = self.head() if self.inner is None else self._head("static ", self.inner)
        own = [comment(self.signature.mlir()), wrap(head), "{", *lines, "}", ""]
        return "\n".join([*own, *self._outer()])

    def _outer(self) -> Iterator[str]:
        """Yield the entry point that reports a failure of the inner function to the other ranks."""
        if self.inner is not None:
            arguments = ", ".join([*(self.c_names[id(p)] for p in self.params), *self.out_names])
            call = wrap(f"    return mpi_leave({self.inner}({arguments}));")
            yield from (wrap(self.head()), "{", call, "}", "")

    def _agreed(self, leave: str) -> Iterator[str]:
        """Yield the check that no rank fails, before the caller sees results."""
        if self.inner is not None:
            yield from failing(f"mpi_return({c_string(f'{self.called}: return')}) != 0", leave)

    def _lines(self) -> Iterator[str]:
        """Yield the body."""
        if self.checks_cpu:
            yield from failing(f"{self.model}_check_cpu() != 0")
        if self.weights:
            yield "if (loaded_weights == NULL) {"
            load = "load" if self.bytes_function is None else "use_weights"
            hint = f"{self.c_name}: the weights are not loaded; call {self.model}_{load} first"
            yield f'    set_error("%s", {c_string(hint)});'
            yield "    return -1;"
            yield "}"
        for p in self.scalars:
            if p.symbol is not None or (p.number is not None and parse(p.number).is_variable):
                yield from failing(f"check_extent({self.what(p)}, {self.c_names[id(p)]}) != 0")
        for p in self.inputs:
            yield from failing(f"{self.check_tensor(p, self.c_names[id(p)])} != 0")
        yield from self._check_apart()
        for p in self.unnamed():
            assert p.symbol is not None
            port, index, affine = self.sources[p.symbol]
            c_name, found = self.c_names[id(p)], self._told_size(port, index)
            if affine is None:
                yield f"const int64_t {c_name} = {found};"
                continue
            yield from solved(self.what(port), c_name, found, affine, self.symbol)
            if port.number is not None or not affine.is_bounded:
                yield from failing(f"check_extent({self.what(port)}, {c_name}) != 0")
        defining = {(source.port, source.index): name for name, source in self.sources.items()}
        for p in self.telling:
            for i, d in enumerate(p.told):
                symbol = defining.get((p, i), "")
                if self._is_checked(d) and symbol != d:
                    yield from check_defined(self.what(p), parse(d), self.symbol)
                    yield from failing(f"{self._check_told(p, i, symbol)} != 0")
        for p in self.params:
            if p.function is not None:
                name = self.c_names[id(p)]
                yield from failing(f"check_function({self.what(p)}, {name}) != 0")
        for p, out in zip(self.outputs, self.out_names):
            yield from self._check_output(p, out)
        yield from self._begin()
        yield from self._call()

    def _check_apart(self) -> Iterator[str]:
        """Check that arguments written to do not overlap other arguments."""
        written = [p for p in self.inputs if p.written]
        if not written or len(self.inputs) < 2:
            return
        ordered = [*written, *(p for p in self.inputs if not p.written)]
        tensors = ", ".join(self.c_names[id(p)] for p in ordered)
        names = ", ".join(c_string(p.name) for p in ordered)
        call = (
            f"check_apart({c_string(self.called)}, {len(written)}, {len(ordered)}, "
            f"(const DLTensor *const[]){{{tensors}}}, (const char *const[]){{{names}}})"
        )
        yield from failing(f"{call} != 0")

    def _begin(self) -> Iterator[str]:
        """Begin a call in the caller's arena, which must hold the needed bytes."""
        if self.bytes_function is None:
            return
        given = [(p, self.c_names[id(p)]) for p in self.inputs]
        given += [(p, out) for p, out in zip(self.outputs, self.out_names) if p.is_memref]
        for p, name in given:
            yield from failing(f"check_outside({self.what(p)}, {name}) != 0")
        sizes = ", ".join(self.symbol(name) for name in self.signature.symbols)
        called = f"begin_call({c_string(self.called)}, {self.bytes_function}({sizes}))"
        yield from failing(f"{called} != 0")

    def _told_size(self, p: Port, i: int) -> str:
        """Return the C expression of a size that an argument carries."""
        name = self.c_names[id(p)]
        return name if p.number is not None else f"{name}->shape[{i}]"

    def _check_told(self, p: Port, i: int, symbol: str) -> str:
        name = self.c_names[id(p)]
        if symbol:
            dim = i if p.number is None else -1
            expected = to_c(expr := parse(p.told[i]), self.symbol)
            return check_solved(self.what(p), dim, self._told_size(p, i), expected, expr, symbol)
        if p.number is None:
            return self._check_dim(p, name, i)
        expected, spelled = self._expected(p.number)
        return f"check_number({self.what(p)}, {name}, {expected}, {spelled})"

    def _expected(self, text: str) -> tuple[str, str]:
        """Return the value of a size, and how errors begin to spell it."""
        expr = parse(text)
        spelled = "" if expr.is_constant else f"{expr} = "
        return size(text, self.symbol).text, c_string(spelled)

    def _is_checked(self, dim: str) -> bool:
        return dim != UNKNOWN and self.signature.symbols.keys() >= set(parse(dim).free_variables)

    def check_tensor(self, p: Port, name: str) -> str:
        """Return the check of a tensor's element type, and of its rank if that is known."""
        t, dims = p.element, f"[{', '.join(p.dims)}]"
        rank = f"{name}->ndim" if p.is_unranked else len(p.dims)
        return (
            f"check_tensor({self.what(p)}, {name}, {t.dlpack}, {t.bits}, "
            f'"{t.mlir_name}", {rank}, {c_string(dims)})'
        )

    def _check_dim(self, p: Port, name: str, i: int) -> str:
        expected, spelled = self._expected(p.dims[i])
        return f"check_dim({self.what(p)}, {name}, {i}, {expected}, {spelled})"

    def _check_output(self, p: Port, out: str) -> Iterator[str]:
        yield f"if ({out} == NULL) {{"
        yield f'    set_error("%s: expected a tensor for the result, found NULL", {self.what(p)});'
        yield "    return -1;"
        yield "}"
        if p.is_memref:
            checks = [self.check_tensor(p, out)]
            checks += [
                self._check_dim(p, out, i) for i, d in enumerate(p.dims) if self._is_checked(d)
            ]
            yield f"if ({out}->data != NULL) {{"
            for check in checks:
                for line in failing(f"{check} != 0"):
                    yield f"    {line}"
            yield "}"

    def _call(self) -> Iterator[str]:
        """Yield the call of the function, and its results as the caller takes them."""
        outputs = [EntryOutput(p, out) for p, out in zip(self.outputs, self.out_names)]
        tensors = [o for o in outputs if o.port.is_memref]
        if not tensors:
            yield from self._checked_call({}, "return -1;")
            yield from self._agreed("return -1;")
            yield "return 0;"
            return
        objects = [o for o in outputs if o.port.is_object]
        yield "int status = -1;"
        yield "struct buffer *live = NULL;"
        for tensor in tensors:
            yield from self._declare(tensor)
        for o in objects:  # touched only once nothing can fail any more
            o.data = self.names.fresh(f"{o.name}_object")
            yield f"{o.port.element.name} {o.data} = NULL;"
        held = {id(o.port): o for o in (*tensors, *objects)}
        yield from self._checked_call(held, "goto fail;")
        yield from self._deliver(tensors)
        for o in objects:
            yield f"*{o.name} = {o.data};"
            yield f"{o.data} = NULL;"
        yield "status = 0;"
        yield "fail:"
        yield from (f"release_object(&{o.data});" for o in objects)
        yield "free_all(&live);"
        yield "return status;"

    def _declare(self, tensor: EntryOutput) -> Iterator[str]:
        """Yield the variables of a result, with memory where the function writes to it."""
        p = tensor.port
        tensor.data = self.names.fresh(f"{tensor.name}_data")
        extra = {i: self.names.fresh(f"{tensor.name}_d{i}") for i in p.extra_dims}
        known = (extra.get(i) or size(d, self.symbol).text for i, d in enumerate(p.dims))
        tensor.sizes = list(known)
        if p.extra_strides:
            raise RelaxError("C: entry points take row-major memrefs")
        if p.is_result and extra:
            raise RelaxError("C: an output's sizes must be known on entry")
        yield from (f"int64_t {name} = 0;" for name in extra.values())
        if not p.is_result:
            yield f"{p.element.memory} *{tensor.data} = NULL;"
            if p.is_unranked:
                tensor.shape = self.names.fresh(f"{tensor.name}_shape")
                tensor.rank = self.names.fresh(f"{tensor.name}_rank")
                yield f"int64_t *{tensor.shape} = NULL;"
                yield f"int64_t {tensor.rank} = 0;"
            return
        shape = compound("int64_t", tensor.sizes)
        yield (
            f"{p.element.memory} *{tensor.data} = allocate(&live, {self.what(p)}, "
            f"sizeof({p.element.memory}), {len(p.dims)}, {shape});"
        )
        yield from failing(f"{tensor.data} == NULL", "goto fail;")

    def _deliver(self, tensors: Sequence[EntryOutput]) -> Iterator[str]:
        """Hand results over, once there is a shape for each."""
        yield from (f"attach(&live, {t.data});" for t in tensors if not t.port.is_result)
        for t in tensors:
            yield from self._shape(t)
        yield from self._agreed("goto fail;")
        for t in tensors:
            e = t.port.element
            yield f"deliver({t.name}, {t.data}, {t.shape}, {e.dlpack}, {e.bits}, {t.c_rank});"

    def _shape(self, t: EntryOutput) -> Iterator[str]:
        """Yield the shape of a result as the caller gets it, checked if the caller passed a tensor."""
        if t.rank:
            yield f"attach(&live, {t.shape});"
            check = f"check_shape({self.what(t.port)}, {t.name}, {t.c_rank}, {t.shape})"
            yield from failing(f"{check} != 0", "goto fail;")
            return
        t.shape = self.names.fresh(f"{t.name}_shape")
        yield (
            f"int64_t *{t.shape} = prepare(&live, {self.what(t.port)}, {t.name}, "
            f"{t.c_rank}, {compound('int64_t', t.sizes)});"
        )
        yield from failing(f"{t.shape} == NULL", "goto fail;")

    def _checked_call(self, held: Mapping[int, EntryOutput], leave: str) -> Iterator[str]:
        call = f"{self.signature.c_name}({', '.join(self._arguments(held))})"
        if self.signature.fails:
            yield from failing(f"{call} != 0", leave)
        else:
            yield f"{call};"

    def _arguments(self, held: Mapping[int, EntryOutput]) -> Iterator[str]:
        """Yield the arguments of the call; `held` results go to variables first."""
        for p in self.signature.params:
            name = self.c_names.get(id(p), "")
            if p.extra_strides:
                raise RelaxError("C: entry points take row-major memrefs")
            if p.is_result:
                yield held[id(p)].data
            elif p.is_memref:
                yield f"data_of({name})"
                yield from (f"{name}->shape[{i}]" for i in p.extra_dims)
            else:
                yield name
        for p, out in zip(self.outputs, self.out_names):
            if p.is_result:
                continue
            yield f"&{held[id(p)].data}" if id(p) in held else out
            if p.is_memref:
                yield from (f"&{held[id(p)].sizes[i]}" for i in p.extra_dims)
            if p.is_unranked:
                yield from (f"&{held[id(p)].shape}", f"&{held[id(p)].rank}")


@dataclass
class EntryOutput:
    """A result of an entry point, in variables until nothing can fail any more."""

    port: Port
    name: str
    """The parameter of the entry point that it goes to."""
    data: str = ""
    sizes: list[str] = field(default_factory=list)
    shape: str = ""
    """The variable of the shape that the caller gets."""
    rank: str = ""
    """The variable of the rank, if the function determines it."""

    @property
    def c_rank(self) -> str:
        """The rank in C."""
        return f"(int){self.rank}" if self.rank else str(len(self.sizes))


def solved(
    what: str, c_name: str, found: str, affine: Affine, names: Callable[[str], str]
) -> Iterator[str]:
    """Define a C variable as the solution of a size by symbols that are known before; the size is to be
    checked by `check_solved`."""
    yield from check_defined(what, affine.rest, names)
    rest = to_c(affine.rest, names)
    yield f"const int64_t {c_name} = solve_size({found}, {rest}, {affine.coefficient});"


def check_solved(what: str, dim: int, found: str, expected: str, size: Expr, symbol: str) -> str:
    """Return the check of a size that a symbol is solved for; a number has dimension -1."""
    spelled = f"{c_string(str(size))}, {c_string(symbol)}"
    return f"check_solved({what}, {dim}, {found}, {expected}, {spelled})"


def check_defined(what: str, size: Expr, names: Callable[[str], str]) -> Iterator[str]:
    """Check that the expression of a size is defined, and its value a size."""
    for demand in demands(size, names):
        given = [what]
        if demand.kind == "product":
            given.append(number(demand.factor).text)
        if demand.kind == "divisor":
            given += [*demand.values, c_string(zero_divisor(size))]
        else:
            given += [str(len(demand.values)), compound("int64_t", list(demand.values))]
        yield from failing(f"check_{demand.kind}({', '.join(given)}) != 0")


def compound(t: str, items: list[str]) -> str:
    """Return a C array of values, or NULL if it is empty."""
    return f"(const {t}[]){{{', '.join(items)}}}" if items else "NULL"


def failing(condition: str, leave: str = "return -1;") -> Iterator[str]:
    yield f"if ({condition})"
    yield f"    {leave}"
