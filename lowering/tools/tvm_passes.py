"""Our passes and TVM's: which is which, and the arguments of TVM's that ours has as options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.parsing import load

OTHER_NAMES = {
    "relax-cse": "EliminateCommonSubexpr",
    "relax-dce": "DeadCodeElimination",
    "relax-fast-math": "FastMathTransform",
    "relax-fold-batch-norm": "FoldBatchnormToConv2D",
    "relax-fold-transpose-into-matmul": "FuseTransposeMatmul",
    "relax-legalize": "LegalizeOps",
    "relax-split-call-tir-by-pattern": "SplitCallTIRByPattern",
}
"""TVM's names of passes that are not ours in other letters."""


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


Arguments = Callable[[Any, Any], tuple[Any, ...]]
"""Of a pass of ours and the module that it gives, as TVM has it, what TVM's is made with."""


def _shared(own: Any, after: Any) -> tuple[Any, ...]:
    if own.shared:
        return (list(own.funcs) if own.funcs else True,)
    if own.funcs:
        raise RelaxError(
            "--check-tvm relax-lift-transform-params{funcs=...}: expected shared=true with it, as TVM has "
            "no choice of functions without; leave funcs out"
        )
    return (False,)


def _types(own: Any, after: Any) -> tuple[Any, ...]:
    functions = [f for f in after.functions.values() if hasattr(f, "params")]
    types = {p.name: p.ty for f in functions for p in f.params if p.name in own.params}
    return (lambda var: types.get(var.name),)


def _decomposed(own: Any, after: Any) -> tuple[Any, ...]:
    return (own.func,)


def _patterns(own: Any, after: Any) -> tuple[Any, ...]:
    """Patterns, and a function that has what matches computed by a library function of the call's name."""
    import tvm  # pyright: ignore

    def codegen(matches: Any) -> list[Any]:
        read = [buffer for match in matches for buffer in match.matched_buffers[:-1]]
        return ["", tvm.tirx.IntImm("int64", len(matches)), [*dict.fromkeys(read)]]

    found = tvm.script.from_source(tvmscript.dump(load(own.file)))
    return [*found.functions.values()], codegen


ARGUMENTS: Mapping[str, Arguments] = {
    "relax-bind-symbolic-vars": lambda own, after: (dict(zip(own.vars, own.sizes)), own.func),
    "relax-bundle-model-params": lambda own, after: (own.param,),
    "relax-decompose-ops-for-inference": _decomposed,
    "relax-decompose-ops-for-training": _decomposed,
    "relax-lift-transform-params": _shared,
    "relax-split-call-tir-by-pattern": _patterns,
    "relax-update-param-type": _types,
}
"""What TVM's passes are made with that have arguments."""


LEAVES_UNUSED = {"relax-split-call-tir-by-pattern"}
"""Those of which TVM's leaves functions behind that nobody calls any more."""


def tvm_arguments(own: ModulePass, after: Callable[[], Any]) -> tuple[Any, ...]:
    """What TVM's pass is made with, so that it does as ours; `after` gives ours's module as TVM has it.

    Options that TVM's has no arguments for are an error.
    """
    arguments = ARGUMENTS.get(own.name)
    if arguments is not None:
        return arguments(own, after() if arguments is _types else None)
    plain = type(own)() if not _has_required(own) else None
    if own != plain and vars(own):
        raise RelaxError(
            f"--check-tvm {own.name}: expected no options, as TVM's pass has no arguments like them, found "
            f"{', '.join(vars(own))}; leave them out"
        )
    return ()


def _has_required(own: ModulePass) -> bool:
    try:
        type(own)()
    except TypeError:
        return True
    return False
