"""The C functions that function values call: tensors in, tensors out, around an entry point of their own.

    static int call_scale(void *data, const DLTensor *const *args, int count, DLTensor *results)

takes captured values from `data` and the other arguments from `args`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr

from lowering.emit_c.entry_points import EntryEmitter, check_solved, failing, solved
from lowering.emit_c.operations.control import c_string
from lowering.emit_c.syntax.c_signature import UNKNOWN, Port, size
from lowering.emit_c.syntax.c_types import INDEX
from lowering.emit_c.syntax.layout import comment, wrap
from lowering.memory.functions.external_declarations import PARTS
from lowering.memory.functions.external_forms import OBJECT, TENSOR
from relax_dialect.symbolic import Expr, affine_in, definitions, parse

Part = str | tuple[str, ...]
"""The kind of a parameter or result, or the sizes of a shape."""

PARAMETERS = "void *data, const DLTensor *const *args, int count, DLTensor *results"


def parts_of(op: func.FuncOp) -> tuple[list[Part], list[Part], list[str]]:
    """Parameters and results of a function at graph level, and the names of its parameters in errors."""
    all_parts = op.attributes[PARTS]
    assert isinstance(all_parts, ArrayAttr)
    params, results, names = (list(map(_part, parts)) for parts in all_parts)  # pyright: ignore
    return params, results, [str(name) for name in names]


def _part(attribute: object) -> Part:
    if isinstance(attribute, ArrayAttr):
        return tuple(map(str, map(_part, attribute)))
    assert isinstance(attribute, StringAttr)
    return attribute.data


class _Told(NamedTuple):
    """A size in C, the value that errors name, the size in its type, and the check of a tensor."""

    found: str
    what: str
    dim: Expr | None
    check: str = ""


class FunctionValueCode:
    """The C function of a function value, with the entry point that checks its arguments and calls it."""

    def __init__(
        self,
        c_name: str,
        entry: EntryEmitter,
        params: Sequence[Part],
        results: Sequence[Part],
        names: Sequence[str],
    ):
        self.c_name = c_name
        self.entry = entry
        self.params = params
        self.results = results
        self.names = names
        self.symbols: dict[str, str] = {}
        """The sizes that are read here, in C."""

    @property
    def head(self) -> str:
        return f"static int {self.c_name}({PARAMETERS})"

    def render(self) -> str:
        """Return the definition."""
        body = "".join(
            wrap(f"{'' if line == 'fail:' else '    '}{line}") + "\n" for line in self._lines()
        )
        what = comment(f"@{self.entry.signature.symbol} as function values call it")
        return f"{what}\n{wrap(self.head)}\n{{\n{body}}}\n"

    def _lines(self) -> Iterator[str]:
        total, names = len(self.params), "NULL"
        yield "const struct captures *const captured = data;"
        if total:
            listed = ", ".join(map(c_string, self.names))
            yield f"static const char *const names[] = {{{listed}}};"
            names = "names + captured->count"
        what = c_string(self.entry.called)
        yield from failing(f"check_count({what}, {names}, {total} - captured->count, count) != 0")
        if total:
            yield f"const DLTensor *all[{total}];"
            yield f"for (int i = 0; i < {total}; ++i)"
            yield (
                "    all[i] = i < captured->count ? &captured->tensors[i] : args[i - captured->count];"
            )
        else:
            yield "(void)args;"
        arguments = yield from self._arguments()
        yield from self._call(arguments)

    # Arguments

    def _arguments(self) -> Generator[str, None, list[str]]:
        """Check what the entry point does not; return its arguments."""
        entry = self.entry
        given: dict[int, str] = {}
        ports = iter([p for p in entry.signature.params if p.symbol is None])
        at: dict[int, int] = {}
        shapes: list[tuple[int, tuple[str, ...], str]] = []
        for i, part in enumerate(self.params):
            if isinstance(part, tuple):
                what = c_string(f"{entry.called}: argument {self.names[i]}")
                dims = f"[{len(part)}]"
                yield from failing(
                    f'check_tensor({what}, all[{i}], kDLInt, 64, "i64", 1, "{dims}") != 0'
                )
                yield from failing(f'check_dim({what}, all[{i}], 0, {len(part)}, "") != 0')
                yield f"const int64_t *const sizes{i} = data_of(all[{i}]);"
                yield f"(void)sizes{i};"
                shapes.append((i, part, what))
                for j, dim in enumerate(part):
                    if dim == UNKNOWN:
                        given[id(next(ports))] = f"sizes{i}[{j}]"
                continue
            port = next(ports)
            if port.is_memref:
                given[id(port)], at[id(port)] = f"all[{i}]", i
                continue
            t, what = port.element, entry.what(port)
            if port.is_object:
                yield from failing(f"check_object({what}, all[{i}]) != 0")
                given[id(port)] = f"*(const relax_object *)all[{i}]->data"
                continue
            yield from failing(
                f"check_tensor({what}, all[{i}], {t.dlpack}, {t.bits}, "
                f'"{t.mlir_name}", 0, "[]") != 0'
            )
            given[id(port)] = f"*(const {t.memory} *)data_of(all[{i}])"
        yield from self._check_shapes(shapes, at, given)
        for port in entry.params:
            if port.symbol is not None:
                given[id(port)] = self.symbols[port.symbol]
        return [given[id(port)] for port in entry.params]

    def _check_shapes(
        self,
        shapes: list[tuple[int, tuple[str, ...], str]],
        at: dict[int, int],
        given: dict[int, str],
    ) -> Iterator[str]:
        """Check sizes of shapes against tensors, numbers or other shapes that contain them too."""
        told = [*self._told_by_ports(at, given)]
        told += [
            _Told(f"sizes{i}[{j}]", what, None if d == UNKNOWN else parse(d))
            for i, part, what in shapes
            for j, d in enumerate(part)
        ]
        solutions = yield from self._read_symbols(
            told, self._wanted([part for _, part, _ in shapes])
        )
        for i, part, what in shapes:
            checked = [
                (j, d)
                for j, d in enumerate(part)
                if d != UNKNOWN and self.symbols.get(d) != f"sizes{i}[{j}]"
            ]
            if checked:
                yield f"const DLTensor shape{i} = {{.shape = data_of(all[{i}])}};"
            for j, dim in checked:
                text = size(dim, self.symbols.__getitem__).text
                if (symbol := solutions.get(found := f"sizes{i}[{j}]")) is not None:
                    check = check_solved(what, j, found, text, parse(dim), symbol)
                else:
                    spelled = "" if parse(dim).is_constant else f"{dim} = "
                    check = f"check_dim({what}, &shape{i}, {j}, {text}, {c_string(spelled)})"
                yield from failing(f"{check} != 0")
        yield from self._check_solved_by_entry(solutions, at, given)

    def _check_solved_by_entry(
        self, solutions: dict[str, str], at: dict[int, int], given: dict[int, str]
    ) -> Iterator[str]:
        """Check the sizes that the entry point solves for symbols which shapes define."""
        for symbol, (port, index, affine) in self.entry.sources.items():
            if affine is None or symbol not in self.symbols:
                continue
            tensor = f"all[{at[id(port)]}]" if port.number is None else ""
            found = f"{tensor}->shape[{index}]" if tensor else given[id(port)]
            if solutions.get(found) == symbol:
                continue
            what, dim = self.entry.what(port), port.told[index]
            told = f"{size(dim, self.symbols.__getitem__).text}, {c_string(f'{dim} = ')}"
            if tensor:
                yield from failing(f"{self.entry.check_tensor(port, tensor)} != 0")
                yield from failing(f"check_dim({what}, {tensor}, {index}, {told}) != 0")
            else:
                yield from failing(f"check_number({what}, {found}, {told}) != 0")

    def _wanted(self, shapes: Sequence[tuple[str, ...]]) -> set[str]:
        """Return the symbols that shapes name or that the entry point takes, and those that it computes
        them from."""
        sizes = [parse(d) for part in shapes for d in part if d != UNKNOWN]
        wanted = {v for size in sizes for v in size.free_variables}
        wanted.update(p.symbol for p in self.entry.params if p.symbol is not None)
        for symbol, source in reversed(self.entry.sources.items()):
            if symbol in wanted and source.affine is not None:
                wanted.update(source.affine.rest.free_variables)
        return wanted

    def _told_by_ports(self, at: dict[int, int], given: dict[int, str]) -> Iterator[_Told]:
        """Yield the sizes of tensors and numbers."""
        for port in self.entry.telling:
            what = self.entry.what(port)
            for index, dim in enumerate(port.told):
                expr = None if dim == UNKNOWN else parse(dim)
                if port.number is not None:
                    yield _Told(given[id(port)], what, expr)
                else:
                    tensor = f"all[{at[id(port)]}]"
                    check = self.entry.check_tensor(port, tensor)
                    yield _Told(f"{tensor}->shape[{index}]", what, expr, check)

    def _read_symbols(
        self, told: Sequence[_Told], wanted: set[str]
    ) -> Generator[str, None, dict[str, str]]:
        """Read the symbols that are wanted, and those that they are computed from; return those that are
        solved for by the size in C."""
        defined = definitions(each.dim for each in told)
        for symbol, index in reversed(defined.items()):
            if symbol in wanted and (dim := told[index].dim) is not None:
                wanted.update(dim.free_variables)
        solutions: dict[str, str] = {}
        for symbol, index in defined.items():
            if symbol not in wanted:
                continue
            found, what, dim, check = told[index]
            if check:
                yield from failing(f"{check} != 0")
            affine = None if dim is None or dim.is_variable else affine_in(dim, symbol)
            self.symbols[symbol] = found if affine is None else f"size_of_{symbol}"
            if affine is None:
                continue
            solutions[found] = symbol
            yield from solved(what, self.symbols[symbol], found, affine, self.symbols.__getitem__)
            yield from failing(f"check_extent({what}, {self.symbols[symbol]}) != 0")
        return solutions

    # Results

    def _call(self, arguments: Sequence[str]) -> Iterator[str]:
        entry = self.entry
        ports = iter(zip(entry.outputs, entry.out_names))
        outs: list[str] = []
        after: list[str] = []
        undo: list[str] = []
        for i, part in enumerate(self.results):
            place = f"results[{i}]"
            what = c_string(f"{entry.called}: result {i}")
            if isinstance(part, tuple):
                taken = [next(ports) for _ in part]
                yield f"int64_t given{i}[{max(len(taken), 1)}] = {{0}};"
                outs += [f"&given{i}[{j}]" for j in range(len(taken))]
                after.append(f"give_value({what}, &{place}, given{i}, kDLInt, 64, 1, {len(taken)})")
                continue
            port, _ = next(ports)
            if part == TENSOR:
                outs.append(f"&{place}")
                undo += [f"if (fresh{i})", f"    free_tensor(&{place});"]
            elif part == OBJECT:
                yield f"if ({place}.data == NULL) {{"
                yield f'    set_error("%s: expected a pointer for an object, found NULL", {what});'
                yield "    return -1;"
                yield "}"
                outs.append(f"{place}.data")
                undo.append(f"release_object({place}.data);")
            else:
                yield from self._scalar(port, i)
                outs.append(f"&given{i}")
                t = port.element
                after.append(f"give_value({what}, &{place}, &given{i}, {t.dlpack}, {t.bits}, 0, 0)")
        if not self.results:
            yield "(void)results;"
        call = f"{entry.c_name}({', '.join([*arguments, *outs])})"
        if not after:
            yield f"return {call};"
            return
        for i, part in enumerate(self.results):
            if part == TENSOR:
                yield f"const bool fresh{i} = results[{i}].data == NULL;"
        yield from failing(f"{call} != 0")
        for give in after:
            yield from failing(f"{give} != 0", "goto fail;")
        yield "return 0;"
        yield "fail:"
        yield from undo
        yield "return -1;"

    @staticmethod
    def _scalar(port: Port, i: int) -> Iterator[str]:
        kind = INDEX.name if port.element is INDEX else port.element.name
        yield f"{kind} given{i} = 0;"
