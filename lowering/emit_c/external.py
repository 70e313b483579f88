"""Kernels that a library computes: the C of their code generator replaces their body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from xdsl.dialects import func

from lowering.emit_c.syntax.c_expressions import CExpr, Prec
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import CSignature, Port
from lowering.emit_c.syntax.layout import comment, words, wrap
from lowering.external.generator import CKernel, CodeGenerator, CTensor
from lowering.external.library_kernel import codegen_of, options_of
from lowering.external.registry import find_codegen
from lowering.support.external_library import ExternalLibrary


class ExternalKernels:
    """The kernels among the functions of a file, with the generators that write them."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        found = {symbol: codegen_of(op) for symbol, op in functions.items()}
        self.functions = {s: functions[s] for s, name in found.items() if name is not None}
        self.generators: dict[str, CodeGenerator] = {
            symbol: find_codegen(f"func.func @{symbol}", name)
            for symbol, name in found.items()
            if name is not None
        }

    @property
    def libraries(self) -> tuple[ExternalLibrary, ...]:
        """The libraries that the file is linked with."""
        found = {g.library.name: g.library for g in self.generators.values()}
        return tuple(found[name] for name in sorted(found))

    def signature(self, signature: CSignature) -> CSignature:
        """As the generator's C has it: it writes the results, and nothing else."""
        params = tuple(replace(p, written=p.is_result) for p in signature.params)
        return replace(signature, params=params)

    def render(self, signature: CSignature, names: CNames) -> str:
        """Return the definition of a kernel."""
        symbol = signature.symbol
        generator = self.generators[symbol]
        *inputs, output = (_tensor(p, signature) for p in signature.params if p.is_memref)
        options = options_of(self.functions[symbol])
        kernel = CKernel(tuple(inputs), output, options, names.fresh)
        lines = list(generator.c_body(kernel))
        used = set(words("\n".join(lines)))
        lines = [*_unused(signature.params, used), *lines]
        body = "".join(f"{wrap(f'    {line}')}\n" for line in lines)
        what = comment(f"{signature.mlir()}, by {generator.library.name}")
        return f"{what}\n{wrap(signature.head())}\n{{\n{body}}}\n"


def avoided(libraries: Iterable[ExternalLibrary]) -> re.Pattern[str] | None:
    """Return the identifiers that the headers of libraries take."""
    patterns = [f"(?:{library.reserved})" for library in libraries if library.reserved]
    return re.compile("|".join(patterns)) if patterns else None


def _unused(params: Iterable[Port], used: set[str]) -> Iterable[str]:
    """Statements that keep compilers from warning of parameters."""
    names = [name for p in params for name in (p.name, *p.extra_names)]
    return [f"(void){name};" for name in names if name not in used]


def _tensor(port: Port, signature: CSignature) -> CTensor:
    sizes = port.sizes(lambda symbol: signature.symbols[symbol])
    return CTensor(port.name, tuple(map(_atom, sizes)), port.element.name)


def _atom(size: CExpr) -> str:
    return size.text if size.prec is Prec.ATOM else f"({size.text})"
