"""Relax below the graph: legalisation, fusion, bufferization, loops, C.

>>> model = lowering.compile(relax_dialect.parse(text))
>>> y = model.main(x)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relax_dialect import tensor_definitions

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from lowering.driver import compile, estimate_memory_usage, to_c
    from lowering.pipeline import lower
    from lowering.runtime.artifact import load

__all__ = ["compile", "estimate_memory_usage", "load", "lower", "to_c"]


def __getattr__(name: str) -> Any:
    """Load what is asked for: passes do not need the C emitter, nor what is compiled already."""
    if name in ("compile", "estimate_memory_usage", "to_c"):
        from lowering import driver

        return getattr(driver, name)
    if name == "load":
        from lowering.runtime.artifact import load

        return load
    if name == "lower":
        from lowering.pipeline import lower

        return lower
    raise AttributeError(f"module 'lowering' has no attribute '{name}'")


def _definition(op: Operation) -> tensor_definitions.Definition | None:
    from lowering.legalize.relax_legalize import definition

    return definition(op)


tensor_definitions.add(_definition)
