"""Programs of ours, written for TVM, read and printed by it, and read again by us: how many come back.

    python test/unit/support/tvm_programs.py [--only WORD] [--every N] [--verbose]

The programs are the functions of test/filecheck and examples that no other reaches, each with what it reaches. What
comes back is compared with the program after what `dump` rewrites (`sayable`). A program counts in the first stage
that it fails in, with the reason; those with operators that TVM lacks are tried once more after relax-legalize.

Of those that come back some are `equal`; some are so `but for types`, as Relax knows all sizes of a tensor or its
rank alone, and narrows what is declared wider than it is inferred; of some only the text that we write of them is
the same again: TVM's R.linear makes three operators, and its reader writes out defaults.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import tvm  # pyright: ignore[reportMissingImports]
from isolated import each
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm_corpus import general, report
from tvm_target import unoptimised
from tvm_values import AGREE, TOLERANCE, arguments, as_theirs, flat
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TupleType, i64
from xdsl.ir import Attribute

from lowering.pipeline import lower
from lowering.tools.checking import difference
from relax_dialect import RelaxError, interpret, parse
from relax_dialect.analysis.struct_info import erase_to_well_defined
from relax_dialect.frontends import tvmscript
from relax_dialect.frontends.tvmscript.writing import sayable
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.type_variables import bare_variables
from relax_dialect.ir.types import FuncType, ObjectType, ShapeType, TensorType, tuple_type
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.operator import attribute_value, default_of, plan_of
from relax_dialect.structural import StructuralDifference, assert_structural_equal, structural_equal
from relax_dialect.symbolic import var
from relax_dialect.transform.private_signatures import calls_and_names
from relax_dialect.transform.regions import dissolve, functions, reorder, set_type

ROOT = Path(__file__).parents[3]
PARTS = "// -----"
STAGES = ("written", "read by TVM", "well formed", "read again", "come back")
EQUAL, BUT_FOR_TYPES, SAME_TEXT = "equal", "equal but for types", "the same text again"
WAYS_BACK = (EQUAL, BUT_FOR_TYPES, SAME_TEXT)
"""What a program that passes all stages is next to what it was."""
LACKING = "relax-legalize"
"""What the reason says where TVM lacks an operator."""


def programs(only: str = "") -> Iterator[tuple[str, ModuleOp]]:
    """The names and modules of the programs whose path has a word."""
    for folder in "test/filecheck", "examples":
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            name = str(path.relative_to(ROOT))
            for number, text in enumerate(path.read_text().split(PARTS)):
                if only in name and "relax.func" in text:
                    yield from parts(f"{name}{number or ''}", text, path)


def parts(name: str, text: str, path: Path) -> Iterator[tuple[str, ModuleOp]]:
    """Each function of a text that no other reaches, with what it reaches, as a module of its own."""
    try:
        module = parse(text, str(path))
    except Exception:
        return  # a test of an error, or of another tool's text
    graph = CallGraph.of(module)
    reached = {name: graph.reachable([name]) for name in graph.symbols}
    for root, op in graph.symbols.items():
        if isinstance(op, FuncOp) and not any(root in reached[o] for o in reached if o != root):
            below = [other.clone() for n, other in graph.symbols.items() if n in reached[root]]
            yield f"{name} @{root}", ModuleOp(below, dict(module.attributes))


def fate(module: ModuleOp) -> tuple[str, str]:
    """The stage that a program fails in and the reason; or what it is when it has come back, and nothing."""
    stage = STAGES[0]
    try:
        written = tvmscript.dump(module)
        stage = STAGES[1]
        theirs = tvm.script.from_source(written)
        stage = STAGES[2]
        relax.analysis.well_formed(theirs)
        stage = STAGES[3]
        back = tvmscript.from_tvm(theirs)
        stage = STAGES[4]
        before = _as_in_tvm(sayable(module))
        if structural_equal(back, before):
            return EQUAL, ""
        try:
            assert_structural_equal(_plain(back), _plain(before))
        except StructuralDifference as difference:
            if tvmscript.dump(back) == tvmscript.dump(before):
                return SAME_TEXT, ""
            return stage, general(difference)
        return BUT_FOR_TYPES, ""
    except Exception as error:
        kind = "" if isinstance(error, RelaxError) else f"{type(error).__name__}: "
        return stage, kind + general(error)


def fate_of_legal(module: ModuleOp) -> tuple[str, str]:
    """The same after relax-legalize."""
    try:
        legal = lower(module.clone(), ["relax-bind-dynamic-dims", "relax-legalize"])
    except RelaxError as error:
        return STAGES[0], general(error)
    return fate(legal)


def _as_in_tvm(module: ModuleOp) -> ModuleOp:
    """A copy with functions in TVM's order, with the result that the body gives where a wider one is declared."""
    copy = module.clone()
    called, named = calls_and_names(copy)
    for function in functions(copy):
        inputs, name = function.body.block.arg_types, function.sym_name.data
        known = {v: var(v) for type in inputs for v in bare_variables(type)}
        given = erase_to_well_defined(function.return_op.value.type, known)
        own = function.function_type
        if is_subtype(given, own.output) and name not in called and name not in named:
            function.function_type = FuncType(inputs, given, [v.data for v in own.variables])
    reorder(copy.body.block, sorted(copy.ops, key=lambda op: symbol_name(op) or ""))
    return copy


def _plain(module: ModuleOp) -> ModuleOp:
    """A copy without blocks, sizes, defaults and what is kept of TVM's prim funcs: what is left are operators, what
    they take, and branches."""
    copy = module.clone()
    for op in list(walk_ops(copy)):
        if isinstance(op, BlockOp):
            dissolve(op)
    for op in walk_ops(copy):
        if isinstance(op, FuncOp):
            inputs = map(_rough, op.body.block.arg_types)
            op.function_type = FuncType(inputs, ObjectType())  # TVM narrows what is declared wider
        if op.name.startswith("relax."):
            arguments = (a for region in op.regions for a in region.block.args)
            for value in (*op.results, *arguments):
                set_type(value, _rough(value.type))
        for name in [name for name in op.attributes if name.startswith("tir.")]:
            del op.attributes[name]
        plan = plan_of(op)
        for _, field in plan.attributes if plan is not None else ():
            value = op.properties.get(field.name)
            if attribute_value(op, field.name) == default_of(op, field):
                op.properties.pop(field.name, None)
            elif isinstance(value, DenseArrayBase) and len(set(value.get_values())) == 1:
                op.properties[field.name] = DenseArrayBase.from_list(i64, value.get_values()[:1])
    return copy


def _rough(type: Attribute) -> Attribute:
    """A type without sizes and element types; an object may be a tensor."""
    match type:
        case TensorType() | ObjectType():
            return TensorType(None, None)
        case ShapeType():
            return ShapeType(None)
        case TupleType():
            return tuple_type(map(_rough, type.types))
    return type


def fates_of(
    found: Sequence[tuple[str, ModuleOp]], *, legal: bool = False, jobs: int = 2
) -> dict[str, tuple[str, str]]:
    """The fates of programs by name, each found in a process that TVM may end."""
    outcomes = each(lambda p: (fate_of_legal if legal else fate)(p[1]), found, jobs)
    return {found[i][0]: result or (STAGES[1], why) for i, result, why in outcomes}


def value(module: ModuleOp) -> str:
    """Whether TVM computes what we do, on random inputs; nothing where there are none of a program."""
    try:
        name, given = arguments(module)
    except RelaxError:
        return ""  # unknown sizes, functions, objects
    try:
        wanted = flat(interpret.run(module, name, *given))
    except RelaxError:
        return ""  # an index out of range, a function from outside
    theirs = tvm.script.from_source(tvmscript.dump(module))
    machine = relax.VirtualMachine(tvm.compile(theirs, unoptimised()), tvm.cpu())
    found = flat(machine[name](*map(as_theirs, given)))
    pairs = [
        (difference(*pair), TOLERANCE.get(str(pair[1].dtype), 1e-4)) for pair in zip(found, wanted)
    ]
    worst = [d for d, tolerance in pairs if not d.part <= tolerance]
    is_right = len(found) == len(wanted) and not worst
    return AGREE if is_right else f"differs: {worst[0] if worst else 'another number of values'}"


def values_of(found: Sequence[tuple[str, ModuleOp]], jobs: int = 2) -> dict[str, str]:
    """How programs that can be run compare, each in a process that TVM may end."""

    def tried(case: tuple[str, ModuleOp]) -> str:
        try:
            return value(case[1])
        except Exception as error:
            return f"not run by TVM: {general(error)}"

    outcomes = {found[i][0]: result or why for i, result, why in each(tried, found, jobs)}
    return {name: outcome for name, outcome in outcomes.items() if outcome}


def told(title: str, fates: dict[str, tuple[str, str]], *, verbose: bool) -> None:
    """Say how many programs passed which stage, and what those are that came back."""
    print(title, end=": ")
    report(fates, STAGES, verbose=verbose)
    for way, count in Counter(s for s, reason in fates.values() if not reason).most_common():
        print(f"    {count} {way}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="programs whose path has this word")
    parser.add_argument("--every", type=int, default=1, help="every N-th program")
    parser.add_argument("--jobs", type=int, default=2, help="so many processes")
    parser.add_argument("--values", action="store_true", help="compute those that come back, too")
    parser.add_argument("--verbose", action="store_true", help="all reasons, with names")
    args = parser.parse_args()
    found = list(programs(args.only))[:: args.every]
    fates = fates_of(found, jobs=args.jobs)
    told("as they are", fates, verbose=args.verbose)
    if args.values:
        back = [case for case in found if not fates[case[0]][1]]
        for outcome, count in Counter(values_of(back, args.jobs).values()).most_common():
            print(f"{count} {outcome}")
    lacking = [case for case in found if LACKING in fates[case[0]][1]]
    fates = fates_of(lacking, legal=True, jobs=args.jobs)
    told(f"{LACKING} first, where TVM lacks an operator", fates, verbose=args.verbose)


if __name__ == "__main__":
    main()
