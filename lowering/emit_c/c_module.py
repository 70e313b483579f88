"""A module as one C file: includes, helpers, constants, functions, entry points."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering.emit_c import exported_functions
from lowering.emit_c.call_arena import CallArena
from lowering.emit_c.cpu_check import checked
from lowering.emit_c.entry_points import EntryEmitter
from lowering.emit_c.external import ExternalKernels, avoided
from lowering.emit_c.function_values import FunctionValueCode, parts_of
from lowering.emit_c.helpers import arena, loader
from lowering.emit_c.helpers.constant_table import ConstantTable
from lowering.emit_c.helpers.header import header
from lowering.emit_c.helpers.used_helpers import UsedHelpers, headers, helper_names
from lowering.emit_c.model_interface import described, interface
from lowering.emit_c.operations import (
    c_vectors,
    control,
    frames,
    memory,
    objects,
    vector_statements,
)
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.operations.ops import library_functions
from lowering.emit_c.operations.reachable import reachable, roots
from lowering.emit_c.packed import PackedFunctions
from lowering.emit_c.syntax.analysis import MPI_OPS, analyse
from lowering.emit_c.syntax.c_names import KEYWORDS, CNames
from lowering.emit_c.syntax.c_signature import CSignature, located, make_signature, text_attribute
from lowering.emit_c.syntax.c_source import (
    MOST_THREADS,
    SIDECAR_THRESHOLD,
    CSource,
    RelaxSignature,
)
from lowering.emit_c.syntax.compiler_attributes import called_in_loops
from lowering.emit_c.syntax.file_parts import FileParts
from lowering.emit_c.syntax.layout import comment, words, words_of_helper, wrap
from lowering.support.external_library import ExternalLibrary
from lowering.support.mpi import MPI
from lowering.support.target import NATIVE, Cpu, find
from relax_dialect.analysis.recursion import recursion_limit, too_deep
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.prim.run_time_checks import called
from relax_dialect.prim.signature import ENTRY
from relax_dialect.rewrites.conversion.convert_cf_to_scf import structured

LOCAL_NAMES = frozenset(["live", "status", frames.FRAME])
"""Variables that an allocating function defines itself."""


@cache
def reserved() -> frozenset[str]:
    """Return the file-level names that the emitter uses itself."""
    return helper_names() | LOCAL_NAMES | arena.NAMES | loader.NAMES | {"fill_splats"}


class CFile:
    """A C file: the state that its functions share."""

    statements = {**control.STATEMENTS, **memory.STATEMENTS, **objects.STATEMENTS}
    statements |= vector_statements.STATEMENTS

    def __init__(
        self, module: ModuleOp, name: str, threshold: int, linked: Mapping[str, str], cpu: Cpu,
        has_arena: bool = False, has_file: bool = True, has_mpi: bool = False,
    ):  # fmt: skip
        self.name = name
        self.cpu = cpu
        self.analysis = analyse(module)
        self.recursion_limit = recursion_limit(module)
        self.repeated = called_in_loops(module)
        """Functions that are not inlined into the loops that call them."""
        self.roots = roots(self.analysis)
        self.order = reachable(self.analysis, self.roots)
        """The functions that are emitted."""
        functions = {symbol: self.analysis.functions[symbol] for symbol in self.order}
        self.has_arena = has_arena
        """Whether the caller provides the memory."""
        self.arena = CallArena(functions) if has_arena else None
        self.helpers = UsedHelpers(has_arena=has_arena)
        self.packed = PackedFunctions.of(name, functions, linked, reserved())
        self.external = ExternalKernels(functions)
        used_ops = {name for symbol in functions for name in self.analysis.op_names[symbol]}
        self.communicates = any(name.startswith(MPI_OPS) for name in used_ops)
        self.has_mpi = has_mpi or self.communicates
        """Whether it is linked with MPI, for itself or for functions from outside."""
        if self.communicates:
            self._know_mpi()
        self.avoided = avoided(self.libraries)
        self.has_objects = self._has_objects()
        names = {*exported_functions.API}
        if self.has_objects:
            names |= exported_functions.object_names()
        if self.communicates:
            names |= {*exported_functions.RANKS}
        taken = reserved() | {f"{name}_{each}" for each in names} | self.packed.reserved()
        self.names = CNames(taken, avoided=self.avoided)
        public = {
            symbol: self._public_name(symbol) for symbol in self.order if symbol in self.roots
        }
        self.c_names = {
            symbol: self.names.fresh(symbol) if self.roots.get(symbol, True) else public[symbol]
            for symbol in self.order
        }
        self.constants = ConstantTable(
            self.analysis.globals, threshold, has_file=has_file, names=self.names
        )
        self.local_names = {
            symbol: CNames(self._referred(symbol), local=True, avoided=self.avoided)
            for symbol in self.order
        }
        self.signatures = {symbol: self._signature(symbol) for symbol in self.order}
        for symbol in self._made():
            self.packed.functions[symbol] = self.names.fresh(f"call_{symbol}")

    def _has_objects(self) -> bool:
        found = [symbol for symbol in self.order if symbol in self.analysis.uses_objects]
        if found and self.has_arena:
            raise RelaxError(
                f"--arena: @{found[0]}: expected tensors and numbers, found an object or a function value, "
                "which counts its references; compile without --arena"
            )
        return bool(found)

    def _know_mpi(self) -> None:
        """Load the statements of the mpi dialect."""
        from lowering.emit_c.operations import mpi_calls  # xDSL's dialect takes long to load

        self.statements = {**self.statements, **mpi_calls.STATEMENTS}

    @property
    def libraries(self) -> tuple[ExternalLibrary, ...]:
        """The libraries that the file needs, by their names."""
        found = (*self.external.libraries, *([MPI] if self.has_mpi else ()))
        return tuple(sorted(found, key=lambda library: library.name))

    # Names and signatures

    def _public_name(self, symbol: str) -> str:
        """`model_symbol`, which must be free."""
        short = _identifier(symbol)
        c_name = f"{self.name}_{short}"
        if c_name in self.names:
            owner = (
                "a function that models have themselves"
                if exported_functions.is_own(short)
                else "taken"
            )
            raise RelaxError(
                f"C: function @{symbol} would be called {c_name}, which is {owner}; rename it"
            )
        self.names.reserve(c_name)
        return c_name

    def _referred(self, symbol: str) -> set[str]:
        """Return the names outside a function that it may refer to, which its own must not hide."""
        a, constants = self.analysis, self.constants.c_names
        names = {self.c_names[callee] for callee in a.callees[symbol] if callee in self.c_names}
        names |= {constants[g] for g in a.read_globals[symbol] if g in constants}
        for op_name in a.op_names[symbol]:
            names.update(library_functions(op_name))
        if symbol in a.allocating:
            names |= LOCAL_NAMES
        return names | helper_names()

    def _signature(self, symbol: str) -> CSignature:
        op, c_name = self.analysis.functions[symbol], self.c_names[symbol]
        names = self.local_names[symbol]
        if symbol in self.packed.forms:
            with blaming(op):
                return self.packed.signature(op, c_name, names)
        is_exported = not self.roots.get(symbol, True)
        with located(symbol, op):
            found = make_signature(op, self.analysis, c_name, is_exported, names)
        return self.external.signature(found) if symbol in self.external.functions else found

    def _made(self) -> Iterable[str]:
        """Return the functions that function values are made of."""
        forms = (self.packed.forms[s] for s in self.order if s in self.packed.forms)
        return dict.fromkeys(form.makes for form in forms if form.makes is not None)

    # Queries by functions

    def signature(self, symbol: str) -> CSignature:
        if symbol not in self.signatures:
            raise RelaxError(f"C: func.call @{symbol}: no such function in this module")
        return self.signatures[symbol]

    def vectors(self, body: FunctionBody, op: Operation) -> None:
        c_vectors.emit_lanes(body, op)

    def finish(self, body: FunctionBody, terminator: Operation) -> None:
        control.finish(body, terminator)

    def frame(self, body: FunctionBody) -> str | None:
        return frames.declaration(body)

    # The file

    def emit(self, signatures: Sequence[RelaxSignature] = ()) -> CSource:
        functions = {self.c_names[symbol]: self._function(symbol) for symbol in self.order}
        constants, loading = self._constants()
        entries = [self._entry(symbol) for symbol in self.order if self.roots.get(symbol)]
        if self.arena is not None:
            loading += self.arena.texts(self.name, entries, self.names)
        source = self._described(entries, signatures)
        texts = [self._entry_text(entry) for entry in entries]
        values = [self._function_value(*each) for each in self.packed.functions.items()]
        texts += [text for v in values for text in (self._entry_text(v.entry), v.render())]
        last = [*texts, *self._api_texts(interface(described(source)))]
        outside = [self.c_names[symbol] for symbol in self.order if symbol in self.packed.forms]
        tables = [*loading, *self.packed.texts()]
        parts = FileParts(self.name, functions, outside, last, whole=self.has_objects)
        if parts.count > 1:
            heads = {s.c_name: s.head() for s in self.signatures.values() if not s.exported}
            c = self._assemble(parts.texts(constants, heads, tables), parts)
        else:
            before = [*constants, *tables, *self._prototypes()]
            before += [f"{wrap(f'{v.head};')}\n" for v in values]
            c = self._assemble([*before, *functions.values(), *last])
        return replace(source, c=c, h=self._header(entries), parts=parts.count)

    def _described(
        self, entries: Sequence[EntryEmitter], signatures: Sequence[RelaxSignature]
    ) -> CSource:
        """Return the source without its texts."""
        return CSource(
            self.name,
            "",
            "",
            self.constants.weights.file() if self.constants.pointers else None,
            tuple(entry.metadata() for entry in entries),
            self.packed.metadata(self.signatures),
            self.libraries,
            self.has_objects,
            self.cpu.name,
            arena=self._arena_variables,
            signatures=tuple(signatures),
        )

    def _function(self, symbol: str) -> str:
        """Return the definition of a function."""
        signature = self.signatures[symbol]
        if symbol in self.packed.forms:
            return self.packed.render(signature)
        op, names = self.analysis.functions[symbol], self.local_names[symbol]
        if symbol in self.external.functions:
            return self.external.render(signature, names)
        with located(symbol, op):
            return FunctionBody(self, op, signature, names).render()

    def _constants(self) -> tuple[list[str], list[str]]:
        """Return the constants that are used, and the code that fills or loads them."""
        texts, loading = self.constants.texts()
        if pointers := self.constants.pointers:
            self.helpers.use_runtime("set_error")
            size, check = self.constants.weights.size, self.constants.weights.checksum()
            is_given = self.has_arena
            loading.append(loader.loader(self.name, size, check, pointers, is_given=is_given))
        return texts, loading

    def _entry(self, symbol: str, own_name: str | None = None) -> EntryEmitter:
        """Return the entry point of a function, under a name of its own where C callers do not see it."""
        for helper in ("set_error", "deallocate"):
            self.helpers.use_runtime(helper)
        f, signature = self.analysis.functions[symbol], self.signatures[symbol]
        result_names = {
            i: n
            for i in range(len(f.function_type.outputs))
            if (n := text_attribute(f.res_attrs, i, "relax.name")) is not None
        }
        taken = {signature.c_name, "loaded_weights", *helper_names(), *LOCAL_NAMES}
        return EntryEmitter(
            self.name,
            own_name or f"{self.name}_{_identifier(symbol)}",
            signature,
            CNames(taken, local=True),
            self._needs_weights(symbol),
            result_names,
            called(f),
            is_public=own_name is None,
            checks_cpu=own_name is None and bool(checked(self.cpu)),
            solves=own_name is not None or ENTRY in f.attributes,
            inner=self.names.fresh(f"enter_{symbol}")
            if own_name is None and self._communicates(symbol)
            else None,
        )

    def _communicates(self, symbol: str) -> bool:
        """Return whether a function communicates with other ranks, itself or through calls."""
        called = reachable(self.analysis, [symbol]) if self.communicates else ()
        return any(op.startswith(MPI_OPS) for s in called for op in self.analysis.op_names[s])

    def _needs_weights(self, symbol: str) -> bool:
        """Return whether a function reads the file of weights, itself or through calls."""
        read = self.analysis.read_globals
        return any(self.constants.are_stored(read[s]) for s in reachable(self.analysis, [symbol]))

    def _entry_text(self, entry: EntryEmitter) -> str:
        """Return the definition of an entry point; its errors name the function."""
        symbol = entry.signature.symbol
        with located(symbol, self.analysis.functions[symbol]):
            return entry.render()

    def _function_value(self, symbol: str, c_name: str) -> FunctionValueCode:
        """Return the C function that the function values made of a function call."""
        entry = self._entry(symbol, self.names.fresh(f"enter_{symbol}"))
        return FunctionValueCode(c_name, entry, *parts_of(self.analysis.functions[symbol]))

    def _prototypes(self) -> list[str]:
        """Declarations of the functions that are called before they are defined."""
        seen: set[str] = set()
        early: dict[str, None] = {}
        for symbol in self.order:
            seen.add(symbol)
            for callee in self.analysis.callees[symbol]:
                if callee not in seen and callee in self.signatures:
                    early[callee] = None
        signatures = [self.signatures[symbol] for symbol in early]
        lines = [wrap(f"{s.head()};") for s in signatures if not s.exported]
        return ["\n".join(lines) + "\n"] if lines else []

    @property
    def _arena_variables(self) -> tuple[str, ...] | None:
        """The sizes that the memory of calls depends on, if the caller provides it."""
        return None if self.arena is None else self.arena.variables

    @property
    def _has_errors(self) -> bool:
        return self.helpers.uses("set_error")

    @property
    def _keeps_memory(self) -> bool:
        """Whether threads keep memory between calls."""
        return self.helpers.uses("empty_arena")

    @property
    def _has_threads(self) -> bool:
        """Whether threads may share loops."""
        return self.helpers.uses("split_loop")

    def _api_texts(self, own_interface: str) -> list[str]:
        """Return the functions that every model has."""
        texts = self.packed.api_texts()
        if self.has_objects:
            makes = bool(self.packed.functions)
            texts += exported_functions.object_functions(self.name, makes_functions=makes)
        if texts:
            self.helpers.use_runtime("set_error")
        has_weights = bool(self.constants.pointers)
        if self._has_errors:
            self.helpers.use_runtime("deallocate")
            if self.has_arena:
                self.helpers.use_runtime("given_arena")
            texts += exported_functions.error_functions(self.name, self.cpu, own_interface)
            keeps = self._keeps_memory
            texts += exported_functions.memory_functions(
                self.name, has_arena=self.has_arena, keeps_memory=keeps
            )
        if self._has_threads:
            texts += exported_functions.thread_functions(self.name)
        if self.communicates:
            texts += exported_functions.rank_functions(self.name)
        if (has_weights or self._keeps_memory) and not self.has_arena:
            texts.append(arena.unload(self.name, has_weights, self._keeps_memory))
        return texts

    def _assemble(self, texts: Sequence[str], parts: FileParts | None = None) -> str:
        """Return the file: its first line, includes, helpers, and these texts."""
        used: set[str] = set()
        for text in texts:
            used.update(words(text))
        limit = self.recursion_limit
        given = {"RECURSION_LIMIT": str(limit), "TOO_DEEP": too_deep(limit)}
        given |= {"NAME": self.name, "UPPER": self.name.upper(), "MOST_THREADS": str(MOST_THREADS)}
        given["DIGEST"] = hashlib.sha256("".join(texts).encode()).hexdigest()
        helpers = self.helpers.texts(used, given)
        used.update(*map(words_of_helper, helpers))
        first = [f'{comment(self._origin())}\n#include "{self.name}.h"\n']
        if included := sorted(headers(used) | {i for n in self.libraries for i in n.includes}):
            first.append("\n".join(f"#include <{h}>" for h in included) + "\n")
        if parts is not None:
            first.append(parts.macros())
            helpers = [*parts.helpers(helpers)]
        return "\n".join([*first, *helpers, *texts])

    def _origin(self) -> str:
        """Return the first line of the file: where it comes from."""
        flags = f" ({' '.join(self.cpu.flags)})" if self.cpu.flags else ""
        linked = " ".join(["-lm", *(f for n in self.libraries for f in n.flags())])
        compiler = ", to be compiled with mpicc and" if self.has_mpi else ", to be"
        return (
            f"{self.name}.c: emitted from loop-level IR for {self.cpu.name}{flags}. C11{compiler} linked "
            f"with {linked}."
        )

    def _header(self, entries: Sequence[EntryEmitter]) -> str:
        """Return the header: the declarations for C callers."""
        exported = [s for s in self.signatures.values() if s.exported]
        declared = [(s.mlir(), s.head()) for s in exported]
        declared += [(str(e.metadata()), e.head()) for e in entries]
        upper = self.name.upper()
        return header(
            self.name,
            [
                *self.packed.header(),
                *(f"{comment(mlir)}\n{wrap(f'{upper}_API {head};')}" for mlir, head in declared),
            ],
            has_api=self._has_errors,
            has_weights=bool(self.constants.pointers),
            has_objects=self.has_objects,
            has_frames=self._keeps_memory,
            has_threads=self._has_threads,
            has_ranks=self.communicates,
            arena=self._arena_variables,
            arena_bytes=None if self.arena is None else self.arena.bytes(entries),
        )


def _identifier(symbol: str) -> str:
    """Return a symbol as a part of a C name."""
    return re.sub(r"[^A-Za-z0-9_]", "_", symbol)


def emit(
    module: ModuleOp,
    name: str,
    *,
    sidecar_threshold: int = SIDECAR_THRESHOLD,
    packed: Mapping[str, str] | None = None,
    cpu: str = NATIVE,
    has_arena: bool = False,
    has_file: bool = True,
    has_mpi: bool = False,
    signatures: Sequence[RelaxSignature] = (),
) -> CSource:
    """Return the C of a module of functions on memrefs; constants above the threshold go to a file.

    `packed` maps the names of external functions to the C functions to call; the others are registered at
    run time. `cpu` is the CPU that the module was lowered for. With `has_arena` the caller provides the
    memory of calls, which allocate nothing; `has_mpi` links with MPI, as programs that communicate are
    anyway; without `has_file` all constants are part of the text.
    `signatures` are the functions as the program declares them. Blocks that branch to each other are
    structured; ops of the module other than functions and globals are left out.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise RelaxError(
            "C: the name of a model, which prefixes the public functions, must be a C identifier, found "
            f"{name!r}; choose another one"
        )
    return CFile(
        structured(module),
        name,
        sidecar_threshold,
        packed or {},
        find(cpu),
        has_arena,
        has_file,
        has_mpi,
    ).emit(signatures)
