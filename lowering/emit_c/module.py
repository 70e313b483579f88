"""A module as one C file: includes, helpers, constants, functions, entry points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation

from lowering.emit_c import (
    arena,
    control,
    frames,
    given_arena,
    memory,
    objects,
    vector_statements,
    vectors,
)
from lowering.emit_c.analysis import Analysis, analyse
from lowering.emit_c.body import FunctionBody, comment, words, wrap
from lowering.emit_c.branches import (
    KEEP_BRANCHES,
    MACRO,
    NOINLINE,
    NOINLINE_MACRO,
    PREFETCH,
    PREFETCH_MACRO,
    called_in_loops,
)
from lowering.emit_c.c_signature import CSignature, located, make_signature, text_attribute
from lowering.emit_c.constants import (
    Constant,
    fill_function,
    fill_loop,
    in_memory,
    in_text,
    in_weights,
    read_constant,
)
from lowering.emit_c.entry import Entry
from lowering.emit_c.error_helpers import ERROR_HELPERS
from lowering.emit_c.expressions import CExpr
from lowering.emit_c.external import ExternalKernels
from lowering.emit_c.file_parts import Parts
from lowering.emit_c.function_values import FunctionValueCode, parts_of
from lowering.emit_c.header import header
from lowering.emit_c.helpers import RUNTIME_HELPERS as OWN_HELPERS
from lowering.emit_c.helpers import SCALAR_HELPERS
from lowering.emit_c.intrinsics import kind_of
from lowering.emit_c.loader import loader
from lowering.emit_c.machine import checked, cpu_functions
from lowering.emit_c.names import KEYWORDS, MATH_FUNCTIONS, Names
from lowering.emit_c.object_helpers import API_OBJECTS, NAMES_OF_NONE, NAMES_OF_OWN, OBJECT_HELPERS
from lowering.emit_c.ops import library_functions
from lowering.emit_c.packed import PackedFunctions
from lowering.emit_c.packed_helpers import PACKED_HELPERS
from lowering.emit_c.source import CSource
from lowering.emit_c.types import BF16, BOOL, DOUBLE, F16, FLOAT, INTS, UINTS, CType
from lowering.emit_c.vector_types import NO_NOTES, CVector
from lowering.emit_c.weights import WeightsFile
from lowering.memory.call_memory import CallMemory, call_memory, result_bytes, shape_bytes
from lowering.target import NATIVE, Cpu, find
from relax_dialect import symbolic
from relax_dialect.analysis.recursion import recursion_limit, too_deep
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.prim.run_time_checks import called
from relax_dialect.prim.signature import ENTRY
from relax_dialect.symbolic import C_HELPERS

RUNTIME_HELPERS = {
    KEEP_BRANCHES: ((), MACRO),
    NOINLINE: ((), NOINLINE_MACRO),
    PREFETCH: ((), PREFETCH_MACRO),
    **OWN_HELPERS,
    **arena.ARENA_HELPERS,
    **ERROR_HELPERS,
    **PACKED_HELPERS,
    **OBJECT_HELPERS,
}

_TYPES = (*INTS.values(), *UINTS.values(), F16, BF16, FLOAT, DOUBLE, BOOL)

HELPER_NAMES = frozenset(
    [f"{kind}_{t.suffix}" for kind in SCALAR_HELPERS for t in _TYPES]
    + [
        f"{a.suffix}_{how}_{b.suffix}"
        for how in ("bits_as", "to", "row_to")
        for a in _TYPES
        for b in _TYPES
    ]
    + [*RUNTIME_HELPERS, *C_HELPERS, *given_arena.ADDED]
    + [
        n
        for _, text in RUNTIME_HELPERS.values()
        for n in re.findall(r"^static .*?(\w+)\(", text, re.M)
    ]
)
"""Functions that any function of the file may call."""

LOCAL_NAMES = frozenset(["live", "status", frames.FRAME])
"""Variables that a function which allocates gives itself."""

RESERVED = (
    HELPER_NAMES
    | LOCAL_NAMES
    | arena.NAMES
    | frozenset(["loaded_weights", "checksum", "read_weights", "fill_splats", "last_error"])
)
"""File-level names that the emitter gives itself."""

API = (
    "load", "use_weights", "unload", "release", "trim", "arena_size", "use_arena", "threads",
    "last_error", "abi_version", "built_for", "check_cpu",
)  # fmt: skip
"""Names that a model may have in addition to its entry points, after `model_`: reserved in all of them."""

HEADER_OF: dict[str, str] = {
    **dict.fromkeys(MATH_FUNCTIONS, "math.h"),
    **dict.fromkeys(("NAN", "INFINITY", "isnan", "isunordered", "islessgreater"), "math.h"),
    **dict.fromkeys(
        ("memcpy", "memcmp", "strerror", "strcmp", "strncmp", "strchr", "strlen"), "string.h"
    ),
    **dict.fromkeys(("aligned_alloc", "malloc", "free", "strtod", "atoi"), "stdlib.h"),
    **dict.fromkeys(("vsnprintf", "fopen", "FILE"), "stdio.h"),
    "va_list": "stdarg.h",
    "errno": "errno.h",
    **dict.fromkeys(("bool", "true", "false"), "stdbool.h"),
    **dict.fromkeys(("int64_t", "uint8_t", "uintptr_t"), "stdint.h"),
    "size_t": "stddef.h",
    "NULL": "stddef.h",
}
"""Which header a file needs, by the words that stand in it."""

DEFAULT_THRESHOLD = 4096

SMALL = 64
"""Constants of more bytes than this join those above the threshold, if there are any, in their file."""


class CFile:
    """A C file: the state that its functions share."""

    statements = {**control.STATEMENTS, **memory.STATEMENTS, **objects.STATEMENTS}
    statements |= vector_statements.STATEMENTS

    def __init__(
        self, module: ModuleOp, name: str, threshold: int, linked: Mapping[str, str], cpu: Cpu,
        has_arena: bool = False, has_file: bool = True,
    ):  # fmt: skip
        self.name = name
        self.cpu = cpu
        self.threshold = threshold
        self.has_file = has_file
        """Whether large constants may go to a file of weights."""
        self.has_arena = has_arena
        """Whether the caller gives the memory."""
        self.all_helpers = RUNTIME_HELPERS
        if has_arena:
            own = given_arena.HELPERS
            self.all_helpers = {"given_arena": own["given_arena"], **RUNTIME_HELPERS, **own}
        self.recursion_limit = recursion_limit(module)
        self.analysis: Analysis = analyse(module)
        self.repeated = called_in_loops(module)
        """Functions that are not inlined into the loops that call them."""
        called = self.called()
        self.taken = call_memory(called) if has_arena else {}
        """The memory of a call of each function, where the caller gives it."""
        self.bytes_functions: dict[str, str] = {}
        """The C functions that say so of the entry points, by their symbols."""
        self.packed = PackedFunctions.of(name, called, linked, RESERVED)
        self.external = ExternalKernels(called)
        self.avoided = self.external.avoided()
        self.has_objects = not self.analysis.uses_objects.isdisjoint(called)
        if self.has_objects and has_arena:
            where = next(s for s in called if s in self.analysis.uses_objects)
            raise RelaxError(
                f"--arena: @{where}: expected tensors and numbers, found an object or a function value, "
                "which counts its references; compile without --arena"
            )
        api = {f"{name}_{f}" for f in (*API, *(API_OBJECTS if self.has_objects else ()))}
        api |= self.packed.reserved()
        self.names = Names(RESERVED | api, avoided=self.avoided)
        self.scalar_helpers: dict[str, str] = {}
        self.runtime_helpers: set[str] = set()
        self.typedefs: dict[str, str] = {}
        self.constant_names: dict[str, str] = {}
        self.constants: dict[str, Constant] = {}
        self.materialised: dict[str, None] = {}
        self.signatures: dict[str, CSignature] = {}
        self.local_names: dict[str, Names] = {}
        self.weights = WeightsFile()
        self.pointers: list[tuple[str, CType, int]] = []
        self._splats: dict[str, CExpr | None] = {}

    # What functions ask for

    def use_helper(self, helper: tuple[str, str]) -> str:
        name, text = helper
        self.scalar_helpers.setdefault(name, text)
        return name

    def use_runtime(self, name: str) -> None:
        work = [name]
        while work:
            helper = work.pop()
            if helper not in self.runtime_helpers:
                self.runtime_helpers.add(helper)
                work.extend(self.all_helpers[helper][0])

    def use_vector(self, v: CVector, *, in_memory: bool = False) -> None:
        """Declares a vector type, or the one that stands for elements of memory."""
        name, text = (v.unaligned, v.unaligned_typedef()) if in_memory else (v.name, v.typedef())
        self.typedefs.setdefault(name, text)

    def vectors(self, body: FunctionBody, op: Operation) -> None:
        vectors.emit_lanes(body, op)

    def signature(self, symbol: str) -> CSignature:
        if symbol not in self.signatures:
            raise RelaxError(f"C: func.call @{symbol}: no such function in this module")
        return self.signatures[symbol]

    def is_constant(self, symbol: str) -> bool:
        return self.constants[symbol].constant

    def constant(self, symbol: str, only_loads: bool) -> tuple[str, CExpr | None]:
        """The pointer to a constant, and its value where that is all that is asked for."""
        if symbol not in self.constants:
            if symbol not in self.analysis.globals:
                raise RelaxError(f"C: memref.get_global @{symbol}: no such memref.global")
            op = self.analysis.globals[symbol]
            with blaming(op):
                self.constants[symbol] = read_constant(op, self.constant_names[symbol])
            self._splats[symbol] = self.constants[symbol].splat()
        splat = self._splats[symbol] if only_loads else None
        if splat is None:
            self.materialised[symbol] = None
        return self.constants[symbol].c_name, splat

    def finish(self, body: FunctionBody, terminator: Operation) -> None:
        control.finish(body, terminator)

    def frame(self, body: FunctionBody) -> str | None:
        return frames.declaration(body)

    # The functions

    def roots(self) -> dict[str, bool]:
        """The functions that C callers see, and whether as entry points."""
        roots: dict[str, bool] = {}
        for symbol, f in self.analysis.functions.items():
            is_private = f.sym_visibility is not None and f.sym_visibility.data == "private"
            if ENTRY in f.attributes:
                roots[symbol] = True
            elif not is_private and symbol not in self.analysis.allocating:
                roots[symbol] = False
        if not roots:
            raise RelaxError(
                "C: no function to emit: expected one with the attribute relax.entry, or a "
                "public one that allocates nothing"
            )
        return roots

    def called(self) -> dict[str, func.FuncOp]:
        """The functions that are emitted, by their symbols."""
        return {s: self.analysis.functions[s] for s in self.reachable(self.roots())}

    def reachable(self, roots: dict[str, bool]) -> list[str]:
        """The functions that the roots need, in the module's order."""
        seen = set(roots)
        work = list(roots)
        while work:
            for callee in self.analysis.callees[work.pop()]:
                function = self.analysis.functions.get(callee)
                if callee not in seen and function is not None and kind_of(function) is None:
                    seen.add(callee)
                    work.append(callee)
        return [symbol for symbol in self.analysis.functions if symbol in seen]

    def emit(self) -> CSource:
        roots = self.roots()
        order = self.reachable(roots)
        public = {symbol: self.public_name(symbol) for symbol in order if symbol in roots}
        c_names = {
            symbol: self.names.fresh(symbol) if roots.get(symbol, True) else public[symbol]
            for symbol in order
        }
        for symbol in self.analysis.globals:
            self.constant_names[symbol] = self.names.fresh(symbol)
        for symbol in order:
            referred = self.referred(symbol, c_names)
            self.local_names[symbol] = Names(referred, local=True, avoided=self.avoided)
        for symbol in order:
            function = self.analysis.functions[symbol]
            if symbol in self.packed.forms:
                with blaming(function):
                    self.signatures[symbol] = self.packed.signature(
                        function, c_names[symbol], self.local_names[symbol]
                    )
                continue
            with located(symbol, function):
                self.signatures[symbol] = make_signature(
                    function, self.analysis, c_names[symbol],
                    symbol in roots and not roots[symbol], self.local_names[symbol],
                )  # fmt: skip
            if symbol in self.external.functions:
                self.signatures[symbol] = self.external.signature(self.signatures[symbol])
        for symbol in self.made(order):
            self.packed.functions[symbol] = self.names.fresh(f"call_{symbol}")
        functions = {c_names[s]: self.function(s) for s in order}
        constants, loading = self.constant_texts()
        entries = [self.entry(s) for s in order if roots.get(s)]
        variables, sizes = self.arena_texts(entries)
        loading += sizes
        entry_texts = [self.entry_text(e) for e in entries]
        values = [self.function_value(s, c_name) for s, c_name in self.packed.functions.items()]
        entry_texts += [text for v in values for text in (self.entry_text(v.entry), v.render())]
        api = self.api_texts()
        exported = [s for s in self.signatures.values() if s.exported]
        outside = [c_names[s] for s in order if s in self.packed.forms]
        tables, last = [*loading, *self.packed.texts()], [*entry_texts, *api]
        parts = Parts(self.name, functions, outside, last, whole=self.has_objects)
        if parts.count > 1:
            heads = {s.c_name: s.head() for s in self.signatures.values() if not s.exported}
            c = self.assemble(parts.texts(constants, heads, tables), parts)
        else:
            before = [*constants, *tables, *self.prototypes(order)]
            before += [f"{wrap(f'{v.head};')}\n" for v in values]
            c = self.assemble([*before, *functions.values(), *last])
        upper = self.name.upper()
        prototypes = self.packed.header()
        prototypes += [f"{comment(s.mlir())}\n{wrap(f'{upper}_API {s.head()};')}" for s in exported]
        prototypes += [
            f"{comment(e.signature.mlir())}\n{wrap(f'{upper}_API {e.head()};')}" for e in entries
        ]
        weights = self.weights.file() if self.pointers else None
        h = header(
            self.name, prototypes, has_api=self.has_errors, has_weights=weights is not None,
            has_objects=self.has_objects, has_frames=self.keeps_memory, arena=variables,
            arena_bytes=self.arena_bytes(entries),
        )  # fmt: skip
        packed = self.packed.metadata(self.signatures)
        metadata = tuple(e.metadata() for e in entries)
        libraries = self.external.libraries
        return CSource(
            self.name, c, h, weights, metadata, packed, libraries, self.has_objects, self.cpu.name,
            parts.count, arena=variables,
        )  # fmt: skip

    # The memory of calls, where the caller gives it

    def arena_texts(self, entries: Sequence[Entry]) -> tuple[tuple[str, ...] | None, list[str]]:
        """The symbolic variables of all entry points, and the C functions that tell what calls take; none
        where calls allocate."""
        if not self.has_arena:
            return None, []
        texts: list[str] = []
        calls: dict[str, Sequence[str]] = {}
        for e in entries:
            symbols = list(e.signature.symbols)
            e.bytes_function = self.names.fresh(f"bytes_of_{e.signature.symbol}")
            calls[e.bytes_function] = symbols
            texts.append(given_arena.bytes_function(e.bytes_function, self.arena_of(e), symbols))
        variables = tuple(dict.fromkeys(v for taken in calls.values() for v in taken))
        return variables, [*texts, given_arena.size_function(self.name, variables, calls)]

    def arena_of(self, e: Entry) -> CallMemory:
        """The memory of the arena that a call of an entry point takes."""
        taken = self.taken[e.signature.symbol]
        values = taken.values
        for p in e.outputs:
            if isinstance(p.type, MemRefType):
                values += shape_bytes(len(p.dims))
                values += result_bytes(p.type, p.dims) if p.is_result else 0
        return CallMemory(taken.frames, values)

    def arena_bytes(self, entries: Sequence[Entry]) -> int | None:
        """The bytes of the arena where they are the same for all sizes."""
        if not self.has_arena:
            return None
        taken = [self.arena_of(e) for e in entries]
        if any(each.variables() for each in taken):
            return None
        totals = (f.evaluate({}) + each.values.evaluate({}) for each in taken for f in each.frames)
        return max(totals) + given_arena.SLACK

    def function(self, symbol: str) -> str:
        """The definition of a function."""
        signature = self.signatures[symbol]
        if symbol in self.packed.forms:
            return self.packed.render(signature)
        op, names = self.analysis.functions[symbol], self.local_names[symbol]
        if symbol in self.external.functions:
            return self.external.render(signature, names)
        with located(symbol, op):
            return FunctionBody(self, op, signature, names).render()

    def referred(self, symbol: str, c_names: dict[str, str]) -> set[str]:
        """The names outside a function that it may refer to, which its own must not hide."""
        a = self.analysis
        names = {c_names[callee] for callee in a.callees[symbol] if callee in c_names}
        names |= {
            self.constant_names[g] for g in a.read_globals[symbol] if g in self.constant_names
        }
        for op_name in a.op_names[symbol]:
            names.update(library_functions(op_name))
        if symbol in a.allocating:
            names |= LOCAL_NAMES
        return names | HELPER_NAMES

    def public_name(self, symbol: str) -> str:
        """`model_symbol`, which must be free."""
        short = re.sub(r"[^A-Za-z0-9_]", "_", symbol)
        c_name = f"{self.name}_{short}"
        if c_name in self.names:
            known = short in API or short in API_OBJECTS
            owner = "a function that models have themselves" if known else "taken"
            raise RelaxError(
                f"C: function @{symbol} would be called {c_name}, which is {owner}; rename it"
            )
        self.names.reserve(c_name)
        return c_name

    def prototypes(self, order: list[str]) -> list[str]:
        """Declarations of the functions that are called before they are defined."""
        seen: set[str] = set()
        early: dict[str, None] = {}
        for symbol in order:
            seen.add(symbol)
            for callee in self.analysis.callees[symbol]:
                if callee not in seen and callee in self.signatures:
                    early[callee] = None
        lines = [
            wrap(f"{self.signatures[s].head()};") for s in early if not self.signatures[s].exported
        ]
        return ["\n".join(lines) + "\n"] if lines else []

    def made(self, order: list[str]) -> list[str]:
        """The functions that function values are made of."""
        forms = (self.packed.forms[s] for s in order if s in self.packed.forms)
        return list(dict.fromkeys(form.makes for form in forms if form.makes is not None))

    def function_value(self, symbol: str, c_name: str) -> FunctionValueCode:
        """The C function that the function values made of a function call."""
        entry = self.entry(symbol, self.names.fresh(f"enter_{symbol}"))
        return FunctionValueCode(c_name, entry, *parts_of(self.analysis.functions[symbol]))

    def entry_text(self, entry: Entry) -> str:
        """The definition of an entry point; its errors say which function it enters."""
        symbol = entry.signature.symbol
        with located(symbol, self.analysis.functions[symbol]):
            return render_entry(entry)

    def entry(self, symbol: str, own_name: str | None = None) -> Entry:
        """The entry point of a function, under a name of its own where C callers do not see it."""
        for helper in ("set_error", "deallocate"):
            self.use_runtime(helper)
        f = self.analysis.functions[symbol]
        result_names = {
            i: n
            for i in range(len(f.function_type.outputs))
            if (n := text_attribute(f.res_attrs, i, "relax.name")) is not None
        }
        return Entry(
            self.name,
            own_name or f"{self.name}_{re.sub(r'[^A-Za-z0-9_]', '_', symbol)}",
            self.signatures[symbol],
            Names(
                {self.signatures[symbol].c_name, "loaded_weights", *HELPER_NAMES, *LOCAL_NAMES},
                local=True,
            ),
            self.needs_weights(symbol),
            result_names,
            called(f),
            is_public=own_name is None,
            checks_cpu=own_name is None and bool(checked(self.cpu)),
        )

    def needs_weights(self, symbol: str) -> bool:
        """Whether a function reads, itself or through calls, what is in the file of weights."""
        stored = {name for name, _, _ in self.pointers}
        return any(
            g in self.constants and self.constants[g].c_name in stored
            for s in self.reachable({symbol: True})
            for g in self.analysis.read_globals[s]
        )

    # Constants

    def constant_texts(self) -> tuple[list[str], list[str]]:
        """The constants that are used, as far as they stand in the C text, and what fills or loads them."""
        texts: list[str] = []
        fills: list[str] = []
        loading: list[str] = []
        limit = self.text_limit()
        for symbol in self.materialised:
            c = self.constants[symbol]
            if c.bytes <= limit or (c.is_zero() and c.bytes <= self.threshold):
                text = in_text(c)
            elif c.bytes > self.threshold and (c.is_zero() or c.splat() is not None):
                text = in_memory(c)
                if not c.is_zero():
                    fills.append(fill_loop(c))
            elif not self.has_file:
                text = in_text(c)
            else:
                text = in_weights(c)
                assert c.data is not None
                self.pointers.append((c.c_name, c.element, self.weights.add(c.data)))
            texts.append(f"{comment(c.description())}\n{text}\n")
        if fills:
            loading.append(fill_function(fills))
        if self.pointers:
            self.use_runtime("set_error")
            size, check = self.weights.size, self.weights.checksum()
            given = self.has_arena
            loading.append(loader(self.name, size, check, self.pointers, is_given=given))
        return texts, loading

    def text_limit(self) -> int:
        """The bytes up to which constants stand in the text: few, once there is a file for them."""
        used = (self.constants[symbol] for symbol in self.materialised)
        large = (c for c in used if c.bytes > self.threshold)
        needs_file = any(not c.is_zero() and c.splat() is None for c in large)
        return min(self.threshold, SMALL) if needs_file and self.has_file else self.threshold

    # The file

    @property
    def has_errors(self) -> bool:
        return "set_error" in self.runtime_helpers

    @property
    def keeps_memory(self) -> bool:
        """Whether threads keep memory between calls."""
        return "empty_arena" in self.runtime_helpers

    def api_texts(self) -> list[str]:
        """The functions that every model has."""
        texts = self.packed.api_texts()
        if self.has_objects:
            names = NAMES_OF_OWN if self.packed.functions else NAMES_OF_NONE
            texts += [
                text.replace("@NAMES@", names).replace("@NAME@", self.name)
                for text in API_OBJECTS.values()
            ]
        if texts:
            self.use_runtime("set_error")
        if self.has_errors:
            self.use_runtime("deallocate")
            texts.append(
                f"const char *{self.name}_last_error(void)\n{{\n    return last_error;\n}}\n"
            )
            texts.append(
                f"int {self.name}_abi_version(void)\n{{\n    return RELAX_ABI_VERSION;\n}}\n"
            )
            texts.append(cpu_functions(self.name, self.cpu))
            texts.append(
                given_arena.RELEASE.replace("@NAME@", self.name)
                if self.has_arena
                else f"void {self.name}_release(DLTensor *tensor)\n{{\n"
                "    if (tensor == NULL || tensor->data == NULL)\n        return;\n"
                "    deallocate(tensor->data);\n    deallocate(tensor->shape);\n"
                "    tensor->data = NULL;\n    tensor->shape = NULL;\n}\n"
            )
            if self.has_arena:
                self.use_runtime("given_arena")
                texts.append(given_arena.USE.replace("@NAME@", self.name))
            else:
                texts.append(arena.trim(self.name, self.keeps_memory))
        if (self.pointers or self.keeps_memory) and not self.has_arena:
            texts.append(arena.unload(self.name, bool(self.pointers), self.keeps_memory))
        return texts

    def _filled(self, text: str) -> str:
        """The text of a helper with the model's name, limits, and what is said of them."""
        own = {
            "NAME": self.name,
            "RECURSION_LIMIT": str(self.recursion_limit),
            "TOO_DEEP": too_deep(self.recursion_limit),
        }
        return re.sub(
            r"@([A-Z_]+)@",
            lambda found: own.get(found[1]) or str(getattr(symbolic, found[1])),
            text,
        )

    def origin(self) -> str:
        """The first line of the file: where it comes from."""
        flags = f" ({' '.join(self.cpu.flags)})" if self.cpu.flags else ""
        linked = " ".join(["-lm", *(f for n in self.external.libraries for f in n.flags())])
        return (
            f"{self.name}.c: emitted from loop-level IR for {self.cpu.name}{flags}. C11, to be linked with "
            f"{linked}."
        )

    def assemble(self, texts: list[str], parts: Parts | None = None) -> str:
        used: set[str] = set()
        for text in texts:
            used.update(words(re.sub(r"/\*.*?\*/", "", text, flags=re.S)))
        for name in self.all_helpers:
            if name in used:
                self.use_runtime(name)
        helpers = [
            self._filled(text)
            for name, (_, text) in self.all_helpers.items()
            if name in self.runtime_helpers
        ]
        helpers += [
            text.replace(") {\n  ", ")\n{\n    ")
            for name, text in C_HELPERS.items()
            if name in used
        ]
        if self.typedefs:
            types = sorted(self.typedefs.items())
            helpers.append("\n".join([NO_NOTES, *(text for _, text in types), ""]))
        helpers += self.scalar_helpers.values()
        for text in helpers:
            used.update(words(text))
        headers = sorted(
            {HEADER_OF[w] for w in used if w in HEADER_OF} | {*self.external.includes()}
        )
        includes = [f'{comment(self.origin())}\n#include "{self.name}.h"\n']
        if headers:
            includes.append("\n".join(f"#include <{h}>" for h in headers) + "\n")
        if parts is not None:
            includes.append(parts.macros())
            helpers = [*parts.helpers(helpers)]
        return "\n".join([*includes, *helpers, *texts])


def render_entry(entry: Entry) -> str:
    """The definition of an entry point."""
    lines = [wrap(f"{'' if line == 'fail:' else '    '}{line}") for line in entry.lines()]
    return "\n".join([comment(entry.signature.mlir()), wrap(entry.head()), "{", *lines, "}", ""])


def emit(
    module: ModuleOp,
    name: str,
    *,
    sidecar_threshold: int = DEFAULT_THRESHOLD,
    packed: Mapping[str, str] | None = None,
    cpu: str = NATIVE,
    has_arena: bool = False,
    has_file: bool = True,
) -> CSource:
    """The C of a module of functions on memrefs; constants above the threshold go to a file.

    `packed` names the C functions to call for functions from outside, by their names; the others are
    registered at run time. `cpu` is the one that the module was lowered for. With `has_arena` the caller
    gives the memory of calls, which allocate nothing; without `has_file` all constants stand in the text.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise RelaxError(
            "C: the name of a model, which prefixes the public functions, must be a C identifier, found "
            f"{name!r}; give it another one"
        )
    return CFile(
        module, name, sidecar_threshold, packed or {}, find(cpu), has_arena, has_file
    ).emit()
