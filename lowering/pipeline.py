"""The way from a Relax program to loops: the passes in order, each runnable alone by its name.

relax-opt model.mlir -p relax-legalize,relax-fuse-elementwise
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import new_context, verify


def _legalize() -> type[ModulePass]:
    from lowering.legalize.relax_legalize import RelaxLegalizePass

    return RelaxLegalizePass


def _fuse_elementwise() -> type[ModulePass]:
    from lowering.fuse_elementwise import FuseElementwisePass

    return FuseElementwisePass


def _bufferize() -> type[ModulePass]:
    from lowering.bufferize import RelaxBufferizePass

    return RelaxBufferizePass


def _lower_functions() -> type[ModulePass]:
    from lowering.lower_functions import LowerFunctionsPass

    return LowerFunctionsPass


def _linalg_to_loops() -> type[ModulePass]:
    from lowering.linalg_to_loops import RelaxLinalgToLoopsPass

    return RelaxLinalgToLoopsPass


def _expand_math() -> type[ModulePass]:
    from lowering.expand_math import RelaxExpandMathPass

    return RelaxExpandMathPass


PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "relax-legalize": _legalize,
    "relax-fuse-elementwise": _fuse_elementwise,
    "relax-bufferize": _bufferize,
    # schedules go here: they act on linalg over memrefs
    "relax-linalg-to-loops": _linalg_to_loops,
    "relax-lower-functions": _lower_functions,
    "relax-expand-math": _expand_math,
}
"""Every pass by its name, in the order in which the pipeline runs them."""


def pipeline(names: Sequence[str] = tuple(PASSES)) -> PassPipeline:
    """The named passes as an xDSL pipeline; `RelaxError` names the known ones for a wrong name."""
    for name in names:
        if name not in PASSES:
            raise RelaxError(
                f"pass '{name}': expected one of {', '.join(PASSES)}; correct the name"
            )
    return PassPipeline(tuple(PASSES[name]()() for name in names))


def lower(
    module: ModuleOp,
    names: Sequence[str] = tuple(PASSES),
    *,
    verify_each: bool = False,
    context: Context | None = None,
) -> ModuleOp:
    """Run passes on a module in place and return it.

    `verify_each` verifies behind every pass, as the tests do.
    """
    context = context or new_context()
    for pass_ in pipeline(names).passes:
        pass_.apply(context, module)
        if verify_each:
            verify(module, f"after {pass_.name}")
    return module
