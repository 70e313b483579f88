"""Modules of TVM's front ends built by TVM and by us: how many agree on random inputs.

    python test/unit/support/tvm_values.py [--only WORD] [--every N] [--interpret]

The modules are those of `tvm_corpus.py` before passes; symbolic sizes are 3. Each is compiled by TVM for LLVM and by
us to C (or interpreted), in a process of its own.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import tvm  # pyright: ignore[reportMissingImports]
from isolated import each
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm_corpus import general, scripts
from tvm_target import unoptimised
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute

import lowering
from lowering.tools.checking import difference
from lowering.tools.inputs.arguments import make_arguments, printed_names
from relax_dialect import interpret
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp

AGREE, NOT_BY_TVM = "agree", "TVM does not build or run it"
TOLERANCE = {"float16": 2e-3, "bfloat16": 1e-2}
"""The largest difference, as a part of the largest value, 1e-4 for other types."""
KNOWN = {
    "nn_interpolate": "TVM rounds halves of a place to even, we up",
    "all_class_non_max_suppression": "TVM declares more rows than it gives",
    "two coordinates in the last": "TVM's importer passes the grid with its axes in PyTorch's order",
    "Tensor dimension mismatch": "TVM does not legalize a norm over all axes",
    "relax.match_cast": "an argument must be the axes that the model names",
    "and 'updates' to be equal": "arguments must have sizes that the model does not tell",
    "negative dimensions": "an argument must be the bounds that the model names",
    "expected a tensor of known rank": "a function in C takes tensors whose rank the model tells",
    "std::bad_alloc": "TVM's slice takes a size from an end beyond the tensor",
}
"""Why modules fail, by a part of the name or the reason, where it is known."""


def outcome(text: str, *, in_c: bool) -> str:
    """Whether a script gives the same values in TVM as by us; else what differs."""
    try:
        module = tvmscript.loads(text)
    except Exception as error:
        return f"not read: {general(error)}"
    told = ""
    for below in (0, *range(4, 0, -1)):  # indices are in range if they are small enough
        told = _compared(module, text, below, in_c=in_c)
        if "to be within" not in told:
            break
    return told


def _compared(module: ModuleOp, text: str, below: int, *, in_c: bool) -> str:
    name, given = arguments(module, below, nonzero=any(word in text for word in DIVISIONS))
    try:
        if in_c:
            with lowering.compile(module, "tested", extra_flags=("-O0",)) as model:
                found = flat(getattr(model, name)(*given))
        else:
            found = flat(interpret.run(module, name, *given))
    except Exception as error:
        return f"not run by us: {general(error)}"
    try:
        machine = relax.VirtualMachine(
            tvm.compile(tvm.script.from_source(text), unoptimised()), tvm.cpu()
        )
        wanted = flat(machine[name](*map(as_theirs, given)))
    except Exception as error:
        return f"{NOT_BY_TVM}: {general(error)}"
    pairs = zip(found, wanted)
    told = [
        d for f, w in pairs if not (d := difference(f, w)).part <= TOLERANCE.get(str(w.dtype), 1e-4)
    ]
    if len(found) != len(wanted) or told:
        return f"differs: {told[0] if told else 'another number of results'}"
    return AGREE


DIVISIONS = ("R.divide(", "R.mod(", "R.floor_divide(", "R.floor_mod(", "R.dynamic_strided_slice(")


def arguments(
    module: ModuleOp, below: int = 0, *, nonzero: bool = False
) -> tuple[str, Sequence[Any]]:
    """The function of a module that is public, and random arguments for it; integers below a limit, if there
    is one, or other than 0. What has no known type is a vector of floats."""
    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_private]
    function = functions[-1]
    types = list(map(_known, function.function_type.inputs.data))
    sizes = [f"{v}=3" for v in dict.fromkeys(v for t in types for v in free_variables(t))]
    names = printed_names(function)
    given = make_arguments("the module", names, types, [], sizes, 0)

    def fitted(array: Any) -> Any:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            return array
        array = np.mod(array, below).astype(array.dtype) if below else array
        return np.where(array == 0, 1, array).astype(array.dtype) if nonzero else array

    return function.sym_name.data, list(map(fitted, given))


def _known(type: Attribute) -> Attribute:
    if isinstance(type, TensorType) and type.dtype is None:
        return TensorType(type.shape or [2], f32)
    return type


def as_theirs(value: Any) -> Any:
    """An argument as TVM's machine takes it."""
    if isinstance(value, tuple):
        sizes = all(isinstance(each, int) for each in value)
        return tvm.runtime.ShapeTuple(value) if sizes else tuple(map(as_theirs, value))
    return tvm.runtime.tensor(np.asarray(value))


def flat(value: Any) -> list[Any]:
    """The arrays of a result, of TVM's or of ours."""
    if isinstance(value, np.ndarray | np.generic):
        return [np.asarray(value)]
    if hasattr(value, "numpy"):
        return [value.numpy()]
    if isinstance(value, int | float):
        return [np.asarray(value)]
    return [array for part in value for array in flat(part)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="modules whose name has this word")
    parser.add_argument("--every", type=int, default=1, help="every N-th module")
    parser.add_argument("--interpret", action="store_true", help="do not compile ours")
    args = parser.parse_args()
    found = [(name, text) for name, text in scripts(args.only) if "__" not in name][:: args.every]
    outcomes = {
        found[i][0]: result or f"ends the process: {why}"
        for i, result, why in each(
            lambda script: outcome(script[1], in_c=not args.interpret), found
        )
    }
    for told, count in Counter(outcomes.values()).most_common():
        reason = told + " ".join(n for n, t in outcomes.items() if t == told)
        print(
            count,
            next(
                (f"{why}: " for part, why in KNOWN.items() if part in reason and told != AGREE), ""
            ),
            told,
            *([] if told == AGREE else [n for n, t in outcomes.items() if t == told][:5]),
        )


if __name__ == "__main__":
    main()
