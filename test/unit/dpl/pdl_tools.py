"""Rules as PDL, run by everyone who can: xDSL's apply-pdl, our pass, our driver, and MLIR 22."""

from __future__ import annotations

import io
from pathlib import Path

from mlir_oracle import mlir_opt
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.printer import Printer
from xdsl.transforms.apply_pdl import ApplyPDLPass

import relax_dialect
from relax_dialect.dpl import PatternRule, apply_rules
from relax_dialect.dpl.pdl import from_pdl, to_pdl
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.partition.apply_pdl import apply_pdl

T = "!relax.tensor<[2, 3], f32>"


def function(
    body: str, result: str = "r", parameters: str = f"%x: {T}, %y: {T}", type: str = T
) -> ModuleOp:
    """A module of one function around a dataflow block."""
    return relax_dialect.parse(
        f"relax.func @f({parameters}) -> {type} {{\n%out = relax.dataflow {{\n{body}\n"
        f"relax.output %{result} : {type}\n}}\nrelax.return %out : {type}\n}}"
    )


def line(name: str, operator: str, *operands: str, type: str = T) -> str:
    """An op of which all values have one type."""
    values = ", ".join(f"%{operand}" for operand in operands)
    return (
        f"%{name} = relax.{operator} {values} : ({', '.join([type] * len(operands))}) -> {type}\n"
    )


def text(module: ModuleOp) -> str:
    """A program without dead ops and without names."""
    module = module.clone()
    eliminate_dead_code(module)
    return nameless(module)


def nameless(module: ModuleOp) -> str:
    """A module's text without names of values, and of PDL's patterns without their benefits."""
    module = module.clone()
    for op in module.walk():
        for result in op.results:
            result.name_hint = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    return str(module)


def by_our_driver(rules: list[PatternRule], program: ModuleOp) -> str:
    module = program.clone()
    apply_rules(rules, module)
    return text(module)


def by_our_driver_from_pdl(patterns: ModuleOp, program: ModuleOp) -> str:
    return by_our_driver([*from_pdl(patterns)], program)


def by_our_pass(patterns: ModuleOp, program: ModuleOp) -> str:
    module = program.clone()
    apply_pdl(module, patterns)
    relax_dialect.verify(module)
    return text(module)


def by_xdsl(patterns: ModuleOp, program: ModuleOp, folder: Path) -> str:
    """The result of xDSL's own `apply-pdl` on a program."""
    file = folder / "rules.mlir"
    file.write_text(str(patterns))
    module = program.clone()
    ApplyPDLPass(str(file)).apply(new_context(), module)
    relax_dialect.verify(module)
    return text(module)


def by_mlir(patterns: ModuleOp, program: ModuleOp) -> str:
    """The result of MLIR 22 on a program whose ops it does not know."""
    both = ModuleOp(
        [
            ModuleOp([op.clone() for op in patterns.ops], sym_name=StringAttr("patterns")),
            ModuleOp([op.clone() for op in program.ops], sym_name=StringAttr("ir")),
        ]
    )
    output = io.StringIO()
    Printer(output, print_generic_format=True).print_op(both)
    done = mlir_opt(output.getvalue(), "--test-pdl-bytecode-pass")
    (inner,) = relax_dialect.parse(done).ops
    assert isinstance(inner, ModuleOp)
    return text(ModuleOp([op.clone() for op in inner.ops]))


def as_pdl(rules: list[PatternRule]) -> ModuleOp:
    """The rules as PDL, printed and read again."""
    return relax_dialect.parse(str(to_pdl(rules)))
