"""Our passes and TVM's: their correspondence, and the arguments of TVM's that ours has as options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.parsing import load
from relax_dialect.rewrites.params.bind_params import load_arrays

OTHER_NAMES = {
    "relax-cse": "EliminateCommonSubexpr",
    "relax-dce": "DeadCodeElimination",
    "relax-fast-math": "FastMathTransform",
    "relax-fold-batch-norm": "FoldBatchnormToConv2D",
    "relax-fold-transpose-into-matmul": "FuseTransposeMatmul",
    "relax-legalize": "LegalizeOps",
    "relax-split-call-tir-by-pattern": "SplitCallTIRByPattern",
}
"""TVM's names of passes that do not follow from ours."""


def names_of(name: str) -> tuple[str, str]:
    """Return our name of a pass and TVM's, from either of them: `relax-fold-constant` and
    `FoldConstant`."""
    theirs = OTHER_NAMES.get(name)
    if theirs is not None:
        return name, theirs
    ours = {theirs: own for own, theirs in OTHER_NAMES.items()}.get(name)
    if ours is not None:
        return ours, name
    if name.startswith("relax-"):
        return name, "".join(word.capitalize() for word in name.split("-")[1:])
    return "relax" + re.sub(r"([A-Z])", r"-\1", name).lower(), name


Read = Callable[[], Any]
"""Returns the module after our pass, in TVM's form."""
Arguments = Callable[[Any, Any, Read], tuple[Any, ...]]
"""Maps our pass, and TVM's modules before and after it, to the arguments of TVM's pass."""


def _shared(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    if own.shared:
        return (list(own.funcs) if own.funcs else True,)
    if own.funcs:
        raise RelaxError(
            "--check-tvm relax-lift-transform-params{funcs=...}: expected shared=true with it, as TVM has "
            "no choice of functions without; leave funcs out"
        )
    return (False,)


def _types(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    functions = [f for f in after().functions.values() if hasattr(f, "params")]
    types = {p.name: p.ty for f in functions for p in f.params if p.name in own.params}
    return (lambda var: types.get(var.name),)


def _targets(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    """The function, parameters by name or place and values by name, and which result is the loss."""
    if own.mode != "gradient":
        raise RelaxError(
            f"--check-tvm relax-gradient{{mode={own.mode}}}: expected mode=gradient, as TVM has no other, "
            f"found {own.mode}; leave mode out"
        )
    params = list(before[own.func].params)
    bound = [each.var for block in before[own.func].body.blocks for each in block.bindings]
    by_name = {var.name: var for var in (*bound[::-1], *params)}
    wrt = own.wrt and [by_name[w] if isinstance(w, str) else params[w] for w in own.wrt]
    return own.func, wrt, own.target_index


def _patterns(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    """Return patterns, and a code generator that calls a library function for each match."""
    import tvm  # pyright: ignore

    def codegen(matches: Any) -> list[Any]:
        read = [buffer for match in matches for buffer in match.matched_buffers[:-1]]
        return ["", tvm.tirx.IntImm("int64", len(matches)), [*dict.fromkeys(read)]]

    found = tvm.script.from_source(tvmscript.dump(load(own.file)))
    return [*found.functions.values()], codegen


def _narrow(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    if own.dtype != "f16":
        raise RelaxError(
            f"--check-tvm {own.name}{{dtype={own.dtype}}}: expected dtype=f16, as TVM has no other, found "
            f"{own.dtype}; run ours alone with relax-opt"
        )
    return "float32", list(own.params)


def _registered(own: Any, before: Any, after: Read) -> tuple[Any, ...]:
    raise RelaxError(
        "--check-tvm relax-fuse-ops-by-pattern: expected a pass whose arguments are text, found one that "
        "takes patterns of Python, which each side has of its own; run ours alone with relax-opt"
    )


ARGUMENTS: Mapping[str, Arguments] = {
    "relax-bind-params": lambda own, *_: (own.func, load_arrays(own.file)),
    "relax-bind-symbolic-vars": lambda own, *_: (dict(zip(own.vars, own.sizes)), own.func),
    "relax-bundle-model-params": lambda own, *_: (own.param,),
    "relax-convert-layout": lambda own, *_: (
        {f"relax.nn.{own.op}": [own.data, own.kernel, own.out or own.data]},
    ),
    "relax-convert-to-dataflow": lambda own, *_: (own.min_size,),
    "relax-cse": lambda own, *_: (own.call_only,),
    "relax-dce": lambda own, *_: ([*own.entry_functions],),
    "relax-decompose-ops-for-inference": lambda own, *_: (own.func,),
    "relax-decompose-ops-for-training": lambda own, *_: (own.func,),
    "relax-fuse-ops-by-pattern": _registered,
    "relax-gradient": _targets,
    "relax-lift-transform-params": _shared,
    "relax-split-call-tir-by-pattern": _patterns,
    "relax-to-mixed-precision": _narrow,
    "relax-topological-sort": lambda own, *_: (
        own.order or "depth-first",
        own.direction or "from-inputs",
    ),
    "relax-update-param-type": _types,
}
"""Functions that return the arguments of TVM's passes, by our names of the passes."""


LEAVES_UNUSED = {"relax-split-call-tir-by-pattern"}
"""Passes whose counterpart in TVM leaves uncalled functions behind."""


def tvm_arguments(own: ModulePass, before: Any, after: Read) -> tuple[Any, ...]:
    """Return the arguments that make TVM's pass do the same as ours.

    Options that TVM's has no arguments for are an error.
    """
    arguments = ARGUMENTS.get(own.name)
    if arguments is not None:
        return arguments(own, before, after)
    if own != type(own)():
        raise RelaxError(
            f"--check-tvm {own.name}: expected no options, as TVM's pass has no arguments like them, found "
            f"{', '.join(vars(own))}; leave them out"
        )
    return ()
