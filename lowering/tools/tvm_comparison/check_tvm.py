"""`relax-translate --check-tvm PASS PROGRAM`: a pass of TVM's and ours side by side on one program.

Both modules are equal, or their results are compared, by the interpreter: on random arguments, with several
sizes for symbolic variables, including 1, or the sizes of `--random n=7`; if both fail, again with small
integers, which indices may have to be.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from lowering.pipeline import all_passes, lower
from lowering.support.pass_options import make_pass
from lowering.tools.checking import Difference, difference
from lowering.tools.inputs.arguments import make_arguments, printed_names
from lowering.tools.inputs.program import load_program, with_passes
from lowering.tools.option_values import parse_sizes
from lowering.tools.tvm_comparison.tvm_pass_names import elsewhere
from lowering.tools.tvm_comparison.tvm_passes import LEAVES_UNUSED, names_of, tvm_arguments
from relax_dialect import interpret, structural_equal
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ops.core import FuncOp
from relax_dialect.text.wording import nearest

TRIALS = (3, 1, 6)
"""Values of the first symbolic size in random arguments; each other size is larger by one, but for 1."""
TOLERANCES = {"float64": 1e-11, "float32": 1e-4, "float16": 2e-2, "bfloat16": 0.1}
"""The maximum difference of values, relative to the largest, by type; others agree exactly."""


def check_tvm(args: argparse.Namespace) -> int:
    """Run both passes, compare the modules, and if their forms differ, their results."""
    spec, theirs = _passes(args.check_tvm)
    own = make_pass(all_passes()[spec.name](), spec)
    given = parse_sizes(args.random or ())
    module = with_passes(load_program(args), args)
    tvm = _tvm()
    before = _read(tvm, module, "the program")
    ours = lower(module.clone(), [str(spec)])
    changed = _by_tvm(tvm, theirs, before, lambda: _read(tvm, ours, "the result of our pass"), own)
    if _is_equal(tvm, ours, changed):
        print(f"{own.name} and TVM's {theirs} produce the same module")
        return 0
    print(f"{own.name} and TVM's {theirs} produce modules of other forms")
    told = list(_compared(ours, tvmscript.from_tvm(changed), given, args))
    for each in told:
        print(f"  {each}")
    if not told:
        print("  there is no public function whose values could be compared")
    return int(not told or not all(each.is_right for each in told))


def _passes(text: str) -> tuple[ArgSpec, str]:
    """Return our pass, with the options of a text, and the name of TVM's."""
    try:
        specs = list(parse_pipeline(text))
        found = f"{len(specs)} passes"
    except ArgSpecParseError as error:
        specs, found = [], f"another text ({str(error).strip().splitlines()[-1].strip()})"
    if len(specs) != 1:
        raise RelaxError(
            f"--check-tvm {text}: expected one pass, as in FoldConstant or relax-bundle-model-params"
            f"{{param=w}}, found {found}; correct it"
        )
    (spec,) = specs
    ours, theirs = names_of(spec.name)
    known = all_passes()
    if ours in known:
        return ArgSpec(ours, spec.parameters), theirs
    if told := elsewhere(spec.name):
        raise RelaxError(
            f"--check-tvm {text}: expected a pass that both have, found one of TVM's {told}; "
            "docs/from-tvm-names.md lists those of both"
        )
    close = nearest(spec.name, [*known, *(name for ours in known for name in names_of(ours))])
    mend = f"the nearest is {close}" if close else "relax-opt --list-passes lists them"
    raise RelaxError(f"--check-tvm {text}: expected a pass that we have, found {spec.name}; {mend}")


def _tvm() -> Any:
    try:
        import tvm  # pyright: ignore
        import tvm.relax  # pyright: ignore
    except ModuleNotFoundError:
        raise RelaxError(
            "--check-tvm: expected the package tvm, found none; install it with "
            "pip install 'relax-xdsl[tvm]'"
        ) from None
    return tvm


def _read(tvm: Any, module: ModuleOp, what: str) -> Any:
    """Convert our module to TVM's."""
    script = tvmscript.dump(module)
    try:
        return tvm.script.from_source(script)
    except Exception as error:  # its errors have no class in common
        raise RelaxError(
            f"--check-tvm: expected {what} to be one that TVM takes, found one that it refuses "
            f"({_reason(error)}); run ours alone with relax-opt"
        ) from None


def _by_tvm(tvm: Any, name: str, before: Any, after: Any, own: ModulePass) -> Any:
    """Return the module after TVM's pass."""
    make = getattr(tvm.relax.transform, name, None)
    if make is None:
        close = nearest(name, dir(tvm.relax.transform))
        mend = f"the nearest is {close}" if close else "look at tvm.relax.transform"
        raise RelaxError(f"--check-tvm: expected a pass that TVM has, found {name}; {mend}")
    given = tvm_arguments(own, before, after)
    try:
        with tvm.target.Target("llvm"):
            made = make(*given)(before)
            if own.name in LEAVES_UNUSED:
                made = tvm.relax.transform.DeadCodeElimination()(made)
    except Exception as error:  # its errors have no class in common
        raise RelaxError(
            f"--check-tvm {name}: expected a program that TVM's pass takes, found one that stops it "
            f"({_reason(error)}); run ours alone with relax-opt"
        ) from None
    try:
        tvm.relax.analysis.well_formed(made)
    except Exception as error:
        raise RelaxError(
            f"--check-tvm {name}: expected TVM's pass to produce a well-formed module, found that TVM "
            f"refuses it ({_reason(error)}); run ours alone with relax-opt"
        ) from None
    return made


def _reason(error: Exception) -> str:
    """Return the decisive line of a TVM error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "Traceback: " in line or "Check failed" in line), None)
    return (told or (lines[0] if lines else type(error).__name__))[:300]


def _is_equal(tvm: Any, ours: ModuleOp, theirs: Any) -> bool:
    """Returns whether TVM finds our module equal to its own; a module that it cannot read is not.

    Modules that are equal when we read both are equal too, except for TVM's names of the blocks of prim
    funcs.
    """
    import tvm_ffi  # pyright: ignore

    try:
        script = tvmscript.dump(ours)
        if tvm_ffi.structural_equal(tvm.script.from_source(script), theirs):
            return True
        return structural_equal(*map(_plain, (tvmscript.loads(script), tvmscript.from_tvm(theirs))))
    except Exception:  # TVM lacks an operator, or does not take it so
        return False


def _plain(module: ModuleOp) -> ModuleOp:
    """Return the module with its functions in the order of their names."""
    functions = sorted(module.ops, key=lambda f: f.properties["sym_name"].data)  # pyright: ignore
    for function in functions:
        function.detach()
    module.body.block.add_ops(functions)
    return module


# Values -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FunctionVerdict:
    """The result for a function, and whether both passes agree on it."""

    text: str
    is_right: bool

    def __str__(self) -> str:
        return self.text


def _compared(
    ours: ModuleOp, theirs: ModuleOp, given: dict[str, int], args: argparse.Namespace
) -> Iterator[FunctionVerdict]:
    """Yield, for each public function, how its values differ, and whether they agree."""
    others = {f.sym_name.data: f for f in theirs.ops if isinstance(f, FuncOp) and not f.is_private}
    found = {f.sym_name.data: f for f in ours.ops if isinstance(f, FuncOp) and not f.is_private}
    for name in others.keys() - found.keys():
        yield FunctionVerdict(f"@{name}: TVM alone has it", False)
    known = {n for f in found.values() for t in f.function_type.inputs for n in free_variables(t)}
    for name in given.keys() - known:
        raise RelaxError(
            f"--random {name}={given[name]}: expected a variable of the parameters "
            f"({', '.join(sorted(known)) or 'there are none'}), found '{name}'; correct the name"
        )
    for name, function in found.items():
        if name not in others:
            yield FunctionVerdict(f"@{name}: we alone have it", False)
        elif len(others[name].function_type.inputs) != len(function.function_type.inputs):
            yield FunctionVerdict(f"@{name}: it takes other parameters than TVM's", False)
        else:
            yield _values(ours, theirs, function, given, args)


def _values(
    ours: ModuleOp,
    theirs: ModuleOp,
    function: FuncOp,
    given: dict[str, int],
    args: argparse.Namespace,
) -> FunctionVerdict:
    name, types = function.sym_name.data, function.function_type.inputs.data
    variables = list(dict.fromkeys(v for t in types for v in free_variables(t)))
    worst, right, tried, refused = Difference(0, 0), True, 0, ""
    for trial, least in enumerate(TRIALS):
        chosen = {v: least + (i if least > 1 else 0) for i, v in enumerate(variables)} | given
        sizes = [f"{v}={chosen[v]}" for v in variables]
        arguments = make_arguments(
            f"@{name}", printed_names(function), types, [], sizes, args.seed + trial
        )
        for given_to_both in (arguments, _small(arguments, least)):
            outcomes = [_run(module, name, given_to_both) for module in (ours, theirs)]
            errors = [o for o in outcomes if isinstance(o, str)]
            if len(errors) < 2:
                break
        if len(errors) == 1:
            side = "ours" if isinstance(outcomes[0], str) else "TVM's"
            return FunctionVerdict(
                f"@{name}: {side} alone stops at {' '.join(sizes)} ({errors[0]})", False
            )
        if errors:
            refused = f"; stopped at {' '.join(sizes)}, both"
            continue
        tried += 1
        found, wanted = outcomes
        if len(found) != len(wanted):
            return FunctionVerdict(f"@{name}: {len(found)} values instead of {len(wanted)}", False)
        for pair in zip(found, wanted):
            apart = difference(*pair)
            right &= apart.part <= _tolerance(pair[1], args.tolerance)
            worst = max(worst, apart, key=lambda each: each.part)
    if not tried:
        return FunctionVerdict(f"@{name}: both stop for all sizes that were tried", False)
    said = "the same values" if worst.part == 0 else str(worst)
    runs = "one run" if tried == 1 else f"{tried} runs"
    return FunctionVerdict(f"@{name}: {said} ({runs}{refused})", right)


def _small(value: Any, bound: int) -> Any:
    """Return integer arguments from 0 to below a bound: indices that are within most axes."""
    if isinstance(value, tuple | list):
        return type(value)(_small(each, bound) for each in value)
    is_whole = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    return value % value.dtype.type(bound) if is_whole else value


def _tolerance(wanted: Any, given: float | None) -> float:
    kind = np.asarray(wanted).dtype.name
    return 0.0 if kind not in TOLERANCES else TOLERANCES[kind] if given is None else given


def _run(module: ModuleOp, name: str, arguments: Sequence[Any]) -> Any:
    """Return the arrays that a function returns, or the error that it raises."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    try:
        return _flat(interpret.run(module, name, *copies))
    except RelaxError as error:
        return str(error).splitlines()[0][:200]


def _flat(value: Any) -> Sequence[Any]:
    """Return the arrays of a result."""
    return (
        [a for each in value for a in _flat(each)] if isinstance(value, tuple | list) else [value]
    )
