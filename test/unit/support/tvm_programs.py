"""Programs of ours, written for TVM, read and printed by it, and read again by us: how many come back.

    python test/unit/support/tvm_programs.py [--only WORD] [--every N] [--verbose]

The programs are those of test/filecheck and examples that have a Relax function and verify, each part between `// -----`
for itself. What comes back is compared with the program after what `dump` rewrites (`sayable`): structurally, and
where that fails by its text. A program counts in the first stage that it fails in, with the reason.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import tvm  # pyright: ignore[reportMissingImports]
from isolated import each
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm_corpus import general, report
from tvm_scripts import script
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import RelaxError, parse
from relax_dialect.analysis.struct_info import erase_to_well_defined
from relax_dialect.frontends import tvmscript
from relax_dialect.frontends.tvmscript.writing import sayable
from relax_dialect.ir.call_graph import CallGraph, symbol_name
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import FuncType, bare_variables, is_subtype
from relax_dialect.ops.core import FuncOp
from relax_dialect.structural import StructuralDifference, assert_structural_equal
from relax_dialect.symbolic import var
from relax_dialect.transform.private_signatures import calls_and_names
from relax_dialect.transform.regions import functions, reorder

ROOT = Path(__file__).parents[3]
PARTS = "// -----"
STAGES = ("written", "read by TVM", "well formed", "read again", "the same text", "equal")


def programs(only: str = "") -> Iterator[tuple[str, ModuleOp]]:
    """The names and modules of the programs whose path has a word."""
    for folder in "test/filecheck", "examples":
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            name = str(path.relative_to(ROOT))
            if only not in name:
                continue
            for number, text in enumerate(path.read_text().split(PARTS)):
                if "relax.func" not in text:
                    continue
                try:
                    module = parse(text, str(path))
                except Exception:
                    continue  # a test of an error, or of another tool's text
                for function, part in parts(module):
                    yield f"{name}{number or ''} @{function}", part


def parts(module: ModuleOp) -> Iterator[tuple[str, ModuleOp]]:
    """Each function that no other reaches, with what it reaches, as a module of its own."""
    symbols = module_symbols(module)
    graph = CallGraph.of(module)
    for name in graph.symbols:
        function = symbols[name]
        if isinstance(function, FuncOp) and all(
            o == name or name not in graph.reachable([o]) for o in graph.symbols
        ):
            reached = graph.reachable([name])
            yield (
                name,
                ModuleOp(
                    [op.clone() for n, op in symbols.items() if n in reached],
                    dict(module.attributes),
                ),
            )


def fate(module: ModuleOp) -> tuple[str, str]:
    """The stage that a program fails in, the last one if it passes all, and the reason."""
    stage = STAGES[0]
    try:
        written = tvmscript.dump(module)
        stage = STAGES[1]
        theirs = tvm.script.from_source(written)
        stage = STAGES[2]
        relax.analysis.well_formed(theirs)
        stage = STAGES[3]
        back = tvmscript.loads(script(theirs))
        stage = STAGES[4]
        try:
            assert_structural_equal(back, as_in_tvm(sayable(module)))
        except StructuralDifference as difference:
            if tvmscript.dump(back) == written:
                return STAGES[5], "only the texts are the same"
            return stage, general(difference)
        return STAGES[5], ""
    except Exception as error:
        kind = "" if isinstance(error, RelaxError) else f"{type(error).__name__}: "
        return stage, kind + general(error)


def as_in_tvm(module: ModuleOp) -> ModuleOp:
    """A copy of the module as TVM's reader changes each: functions by name, prim funcs first, and with the result that
    the body gives where a wider one is declared."""
    copy = module.clone()
    called, named = calls_and_names(copy)
    for function in functions(copy):
        params = [v for type in function.body.block.arg_types for v in bare_variables(type)]
        given = erase_to_well_defined(function.return_op.value.type, {v: var(v) for v in params})
        declared = function.function_type
        name = function.sym_name.data
        if is_subtype(given, declared.output) and name not in called and name not in named:
            function.function_type = FuncType(
                declared.inputs, given, [v.data for v in declared.variables]
            )
    ordered = sorted(copy.ops, key=lambda op: symbol_name(op) or "")
    reorder(copy.body.block, ordered)
    return copy


def fates_of(found: Sequence[tuple[str, ModuleOp]], jobs: int = 2) -> dict[str, tuple[str, str]]:
    """The fates of programs by name, each found in a process that TVM may end."""
    outcomes = each(lambda p: fate(p[1]), found, jobs)
    return {found[i][0]: result or ("read by TVM", why) for i, result, why in outcomes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="programs whose path has this word")
    parser.add_argument("--every", type=int, default=1, help="every N-th program")
    parser.add_argument("--jobs", type=int, default=2, help="so many processes")
    parser.add_argument("--verbose", action="store_true", help="all reasons, with names")
    args = parser.parse_args()
    found = list(programs(args.only))[:: args.every]
    report(fates_of(found, args.jobs), STAGES, verbose=args.verbose)


if __name__ == "__main__":
    main()
