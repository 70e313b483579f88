"""Modules of the installed TVM, whose constants its printer leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = ("ir.GenericConst", "relax.expr.Constant")
"""TVM's kinds of constants in the metadata of a script, since 0.27 and before."""
WRITTEN_OUT = frozenset(
    {"bool", "int8", "int16", "int32", "int64", "float16", "float32", "float64"}
)
"""The element types of which TVM writes constants of rank 0 into the text."""


PARAMS = "params"
"""The attribute in which a function of an importer carries the values of its last parameters."""


def without_params(module: Any) -> Any:
    """Return the module without the weights that its functions carry."""
    functions = {variable: module[variable] for variable in module.get_global_vars()}
    carrying = {v: f for v, f in functions.items() if f.attrs is not None and PARAMS in f.attrs}
    if not carrying:
        return module
    copied = module.clone()
    for variable, function in carrying.items():
        copied.update_func(variable, function.without_attr(PARAMS))
    return copied


def metadata_of(module: Any) -> dict[str, list[np.ndarray[Any, Any]]]:
    """Return the constants of a module in the order of its script, which numbers each at its first use.

    The script has Relax functions in the order of their names, and writes most constants of rank 0 out.
    """
    from tvm import relax  # pyright: ignore

    arrays: list[np.ndarray[Any, Any]] = []
    seen: list[Any] = []

    def visit(expression: Any) -> None:
        if type(expression).__name__ not in ("GenericConst", "Constant"):
            return
        held = getattr(expression, "value", None)
        held = expression.data if held is None else held
        if not hasattr(held, "shape"):
            return  # an element type
        is_told = not held.shape and str(held.dtype) in WRITTEN_OUT
        if not is_told and not any(expression.same_as(other) for other in seen):
            seen.append(expression)
            arrays.append(held.numpy())

    functions = {variable.name_hint: module[variable] for variable in module.get_global_vars()}
    for _, function in sorted(functions.items()):
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, visit)
    return dict.fromkeys(KINDS, arrays)
