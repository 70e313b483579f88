"""`relax-translate --check-tvm PASS PROGRAM`: a pass of TVM's and ours side by side on one program."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from lowering.pipeline import all_passes, lower
from lowering.tools.arguments import make_arguments, printed_names
from lowering.tools.checking import difference
from lowering.tools.program import load_program
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import free_variables
from relax_dialect.ops.core import FuncOp
from relax_dialect.text.wording import nearest

OTHER_NAMES = {
    "relax-cse": "EliminateCommonSubexpr",
    "relax-dce": "DeadCodeElimination",
    "relax-fast-math": "FastMathTransform",
    "relax-fold-batch-norm": "FoldBatchnormToConv2D",
    "relax-fold-transpose-into-matmul": "FuseTransposeMatmul",
    "relax-legalize": "LegalizeOps",
}
"""TVM's names of passes that are not ours in other letters."""
SIZE = 3
"""What symbolic sizes are in random arguments."""
TOLERANCE = 1e-4
"""The largest difference of values, as a part of the largest value."""


def names_of(name: str) -> tuple[str, str]:
    """Our name of a pass and TVM's, given one of them: `relax-fold-constant` and `FoldConstant`."""
    theirs = OTHER_NAMES.get(name)
    if theirs is not None:
        return name, theirs
    ours = {theirs: own for own, theirs in OTHER_NAMES.items()}.get(name)
    if ours is not None:
        return ours, name
    if name.startswith("relax-"):
        return name, "".join(word.capitalize() for word in name.split("-")[1:])
    return "relax" + re.sub(r"([A-Z])", r"-\1", name).lower(), name


def check_tvm(args: argparse.Namespace) -> int:
    """Run both passes, compare the modules, and where they differ in form what they compute."""
    ours, theirs = names_of(args.check_tvm)
    if ours not in all_passes():
        close = nearest(ours, all_passes())
        mend = f"the nearest is {close}" if close else "relax-opt --help lists them"
        raise RelaxError(
            f"--check-tvm {args.check_tvm}: expected a pass that we have, found {ours}; {mend}"
        )
    module = load_program(args)
    changed = _by_tvm(module, theirs)
    own = lower(module.clone(), [ours])
    if _is_equal(own, changed):
        print(f"{ours} and TVM's {theirs} give the same module")
        return 0
    told = list(_differences(module, own, tvmscript.from_tvm(changed)))
    print(f"{ours} and TVM's {theirs} give modules of other forms")
    for line, _ in told:
        print(f"  {line}")
    return int(not all(is_right for _, is_right in told))


def _by_tvm(module: ModuleOp, name: str) -> Any:
    """The module after TVM's pass."""
    try:
        import tvm  # pyright: ignore
        from tvm import relax  # pyright: ignore
    except ModuleNotFoundError:
        raise RelaxError(
            "--check-tvm: expected the package tvm, found none; pip install apache-tvm"
        ) from None
    make = getattr(relax.transform, name, None)
    if make is None:
        close = nearest(name, dir(relax.transform))
        mend = f"the nearest is {close}" if close else "look at tvm.relax.transform"
        raise RelaxError(f"--check-tvm: expected a pass that TVM has, found {name}; {mend}")
    script = tvmscript.dump(module)
    try:
        with tvm.target.Target("llvm"):
            return make()(tvm.script.from_source(script))
    except Exception as error:  # its errors have no class in common
        lines = [line for line in str(error).splitlines() if line.strip()]
        raise RelaxError(
            f"--check-tvm {name}: expected a program that TVM's pass takes, found one that stops it "
            f"({lines[0][:200] if lines else type(error).__name__}); run ours alone with relax-opt"
        ) from None


def _is_equal(ours: ModuleOp, theirs: Any) -> bool:
    """Whether TVM finds our module equal to its own; one that it cannot read is not."""
    import tvm  # pyright: ignore
    import tvm_ffi  # pyright: ignore

    try:
        return bool(tvm_ffi.structural_equal(tvm.script.from_source(tvmscript.dump(ours)), theirs))
    except Exception:  # TVM lacks an operator, or does not take it so
        return False


def _differences(module: ModuleOp, ours: ModuleOp, theirs: ModuleOp) -> Iterator[tuple[str, bool]]:
    """For each public function how its values differ, and whether they agree."""
    for function in module.ops:
        if not isinstance(function, FuncOp) or function.is_private:
            continue
        name, types = function.sym_name.data, function.function_type.inputs.data
        sizes = [f"{v}={SIZE}" for t in types for v in free_variables(t)]
        given = make_arguments(f"@{name}", printed_names(function), types, [], sizes, 0)
        found, wanted = (_flat(interpret.run(m, name, *given)) for m in (ours, theirs))
        if len(found) != len(wanted):
            yield f"@{name}: {len(found)} values instead of {len(wanted)}", False
            continue
        worst = max(
            (difference(*pair) for pair in zip(found, wanted)), key=lambda d: d.part, default=None
        )
        is_right = worst is None or worst.part <= TOLERANCE
        yield (
            f"@{name}: {'the same values' if worst is None or worst.part == 0 else worst}",
            is_right,
        )


def _flat(value: Any) -> Sequence[Any]:
    """The arrays of a result."""
    return (
        [a for each in value for a in _flat(each)] if isinstance(value, tuple | list) else [value]
    )
