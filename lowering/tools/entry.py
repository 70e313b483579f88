"""The function that `relax-run` calls: its choice, its parameters, and its backend."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation

from lowering.emit_c.syntax.c_source import SIDECAR_THRESHOLD, CSource
from lowering.runtime import artifact, calling, loading
from lowering.runtime.artifact_files import SUFFIX
from lowering.runtime.build_cache import user_cache
from lowering.runtime.source_cache import program_key, recalled
from lowering.support.target import check_machine
from lowering.tools.common import limit_recursion, model_name
from lowering.tools.inputs.arguments import printed_names
from lowering.tools.inputs.onnx_program import OnnxProgram
from lowering.tools.inputs.program import is_onnx, load_program, with_passes
from lowering.tools.progress_bar import progress_bar
from lowering.tools.stages import Stages
from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import is_private, walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.signature import (
    DIMS,
    ENTRY,
    attribute_dicts,
    stated_names,
    symbol_of,
    tensor_parameter,
)
from relax_dialect.rewrites.conversion.convert_func_to_relax import (
    convert_func_to_relax,
    parameter_types,
)
from relax_dialect.text.diagnostics import describe

Function: TypeAlias = FuncOp | func.FuncOp
"""A function of Relax, or one on memrefs and scalars that is an entry point."""

WITHOUT_C = "note: --backend interpret runs a program without compiling it"


@dataclass(frozen=True)
class Entry:
    """A function to call."""

    name: str
    parameters: Sequence[str]
    """Their names in the source of the program."""
    types: Sequence[Attribute]
    prepare: Callable[[], Callable[..., Any]]
    """Compiles the program and returns its entry as a callable."""
    program: OnnxProgram | None = None
    """The model that it is of."""
    results: Sequence[str] = ()
    """The names that the program states for its results."""


def entry_of(args: argparse.Namespace, stages: Stages) -> Entry:
    """Return the function that a command line asks for."""
    if is_onnx(args.file):
        return _of_onnx(args, stages)
    if args.file.endswith(SUFFIX):
        return _of_artifact(args)
    module = with_passes(load_program(args), args)
    convert_func_to_relax(module)
    limit_recursion(module, args.recursion_limit)
    function = find_entry(module, args.entry)
    names = printed_names(function)
    return Entry(
        *_declared(function, names),
        lambda: _prepared(module, function, args, stages),
        results=stated_names(function),
    )


def _of_artifact(args: argparse.Namespace) -> Entry:
    """The function of a compiled model, by the path of its manifest."""
    for option in ("passes", "schedules", "backend"):
        if getattr(args, option) in (None, [], "c"):
            continue
        raise RelaxError(
            f"--{option}: expected a program, found the compiled model {args.file}; "
            "leave the option out"
        )
    model = artifact.load(args.file)
    if args.threads is not None:
        model.threads = args.threads
    functions = model.functions
    name = (args.entry or ("main" if len(functions) != 1 else next(iter(functions)))).removeprefix(
        "@"
    )
    function = functions.get(name)
    if function is None or function.signature is None:
        known = (
            ", ".join(f"@{n}" for n, f in functions.items() if f.signature is not None) or "none"
        )
        raise RelaxError(
            f"entry @{name}: expected a function of the model, found {known}; pass one of them with --entry"
        )
    return Entry(name, function.signature.names, function.signature.params, lambda: function)


def _of_onnx(args: argparse.Namespace, stages: Stages) -> Entry:
    """Return the function of a model, which is not imported if its C is cached."""
    cache = user_cache() if args.cache and args.backend == "c" else None
    program, name, options = (
        OnnxProgram(args, cache, stages),
        model_name(args.file),
        c_options(args),
    )
    is_main = args.entry in (None, "main", "@main") and not args.passes
    start = time.perf_counter()
    if is_main and (source := program.recalled(name, options, args.recursion_limit)) is not None:
        stages.finish_c(source, time.perf_counter() - start)
        types = calling.from_text(source.signatures)["main"].params
        prepare = partial(_built, source, args, "main", stages)
        return Entry("main", program.parameters, types, prepare, program)
    module = with_passes(program.module, args)
    limit_recursion(module, args.recursion_limit)
    function = find_entry(module, args.entry)

    def prepare() -> Callable[..., Any]:
        if args.backend != "c" or not is_main:
            return _prepared(module, function, args, stages)
        with _noting_the_interpreter(), progress_bar(quiet=args.quiet):
            source = program.to_c(name, options, args.recursion_limit)
        return _built(source, args, "main", stages)

    return Entry(*_declared(function, program.parameters), prepare, program, stated_names(function))


def _declared(
    function: Function, names: Sequence[str]
) -> tuple[str, Sequence[str], Sequence[Attribute]]:
    """Return the name of a function, and the names and types of its parameters, without the parameters of a
    function on memrefs that hold the sizes of others."""
    name = function.sym_name.data
    if isinstance(function, FuncOp):
        return name, names, function.body.block.arg_types
    attributes = attribute_dicts(function.arg_attrs, len(names))
    found = [
        (name, tensor_parameter(function, argument.type, own) if DIMS in own else type)
        for name, type, own, argument in zip(
            names, parameter_types(function), attributes, function.body.block.args, strict=True
        )
        if symbol_of(own) is None
    ]
    return name, [name for name, _ in found], [type for _, type in found]


def find_entry(module: ModuleOp, name: str | None) -> Function:
    """Return the function to run: the one named, else @main, else the only public one."""
    functions = {
        op.sym_name.data: op
        for op in module.body.block.ops
        if isinstance(op, FuncOp) or (isinstance(op, func.FuncOp) and ENTRY in op.attributes)
        if name is not None or not is_private(op)
    }
    if name is None:
        name = next(iter(functions)) if len(functions) == 1 else "main"
    name = name.removeprefix("@")
    if name not in functions:
        known = ", ".join(f"@{n}" for n in functions) or "none"
        raise RelaxError(
            f"entry @{name}: expected a function of the program, found {known}; pass one of them "
            "with --entry"
        )
    return functions[name]


# Backends -----------------------------------------------------------------------------------------


def c_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options with which `relax-run` compiles: those of `relax-compile`, so that they share a
    cache."""
    return {
        "opt_level": args.opt_level,
        "sidecar_threshold": SIDECAR_THRESHOLD,
        "packed": {},
        "cpu": args.cpu,
        "schedules": args.schedules,
        "arena": False,
        "mpi": False,
        "passes": (),
    }


def results_of(module: ModuleOp, args: argparse.Namespace, values: Sequence[Any]) -> Sequence[Any]:
    """Run @main of a module once, by the same backend, without messages."""
    quiet = argparse.Namespace(**{**vars(args), "quiet": True, "cache": False})
    result = _prepared(module, find_entry(module, "main"), quiet, Stages(quiet))(*values)
    return result if isinstance(result, tuple) else (result,)


def _prepared(
    module: ModuleOp, function: Function, args: argparse.Namespace, stages: Stages
) -> Callable[..., Any]:
    """Return the function of a module on the numpy interpreter, as it is written, or as C."""
    name = function.sym_name.data
    if args.backend == "interpret":
        from relax_dialect import interpret

        return partial(interpret.run, module, name)
    with _noting_the_interpreter(), progress_bar(quiet=args.quiet):
        source = _c_of(alone(module, function), args, stages)
    return _built(source, args, name, stages)


def _c_of(module: ModuleOp, args: argparse.Namespace, stages: Stages) -> CSource:
    """Return the C of a module, compiled now or cached."""
    start, options = time.perf_counter(), c_options(args)

    def make() -> CSource:
        from lowering.driver import to_c

        return to_c(module, "model", **options, callback=stages)

    cache = user_cache() if args.cache else None
    key = None if cache is None else program_key(module, "model", options)
    source = recalled(cache, key, make)
    stages.finish_c(source, time.perf_counter() - start)
    return source


def _built(
    source: CSource, args: argparse.Namespace, name: str, stages: Stages
) -> Callable[..., Any]:
    """Return a function of C that is compiled now, or was before."""
    start = time.perf_counter()
    with _noting_the_interpreter(), progress_bar(quiet=args.quiet) as steps:
        check_machine(args.cpu)
        signatures = calling.from_text(source.signatures)
        model = loading.build(source, signatures=signatures, cache=args.cache)
        if args.threads is not None:
            model.threads = args.threads
    stages.finish_build(time.perf_counter() - start, bool(steps))
    return model[name]


@contextmanager
def _noting_the_interpreter() -> Iterator[None]:
    """Add a hint to compile errors: the interpreter runs the program without C."""
    try:
        yield
    except RelaxError as error:
        raise RelaxError(f"{describe(error)}\n{WITHOUT_C}") from None


def alone(module: ModuleOp, function: Function) -> ModuleOp:
    """Return a new module of a function, made public, and its callees."""
    symbols = module_symbols(module)
    needed = {function.sym_name.data}
    work: list[Operation] = [function]
    while work:
        for op in walk_ops(work.pop()):
            for attribute in (*op.properties.values(), *op.attributes.values()):
                if not isinstance(attribute, SymbolRefAttr):
                    continue
                name = attribute.root_reference.data
                if name in symbols and name not in needed:
                    needed.add(name)
                    work.append(symbols[name])
    copies = {name: op.clone() for name, op in symbols.items() if name in needed}
    copies[function.sym_name.data].properties.pop("sym_visibility", None)
    return ModuleOp(list(copies.values()), attributes=dict(module.attributes))
