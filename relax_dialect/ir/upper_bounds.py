"""Upper bounds of the symbolic variables of a function, under TVM's name.

relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> ... attributes {tir_var_upper_bound = {n = 1024}}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.ir import Operation

from relax_dialect.symbolic import MAX_EXTENT

UPPER_BOUNDS = "tir_var_upper_bound"


def upper_bounds(function: Operation) -> Mapping[str, int]:
    """Return the upper bounds of a function's variables, for the variables that have one."""
    found = function.attributes.get(UPPER_BOUNDS)
    entries = found.data.items() if isinstance(found, DictionaryAttr) else ()
    return {name: most.value.data for name, most in entries if isinstance(most, IntegerAttr)}


def wrong_bounds(function: Operation, variables: Collection[str]) -> str:
    """Return the error in a function's upper bounds, or ""; `variables` are those its parameters define."""
    attribute = function.attributes.get(UPPER_BOUNDS)
    if attribute is None:
        return ""
    found = upper_bounds(function)
    if not isinstance(attribute, DictionaryAttr) or len(found) != len(attribute.data):
        return (
            f"expected {UPPER_BOUNDS} to be a dictionary of integers (C3), found {attribute}; write "
            "{n = 1024}"
        )
    for name, most in found.items():
        if name not in variables:
            known = ", ".join(variables) or "none"
            return (
                f"expected {UPPER_BOUNDS} of variables that the parameters define, {known} (C3), found "
                f"{name}; correct the name"
            )
        if not 0 <= most <= MAX_EXTENT:
            return (
                f"expected {UPPER_BOUNDS} from 0 to {MAX_EXTENT} (C3), found {name} = {most}; correct "
                "the number"
            )
    return ""


def keep_bounds(function: Operation, variables: Collection[str]) -> None:
    """Forget the bounds of variables that the parameters of a function define no more."""
    found = function.attributes.get(UPPER_BOUNDS)
    if isinstance(found, DictionaryAttr):
        kept = {name: most for name, most in found.data.items() if name in variables}
        function.attributes[UPPER_BOUNDS] = DictionaryAttr(kept)


def above_bound(name: str, most: int, found: object) -> str:
    """Return the message for a variable above its bound."""
    return f"expected {name} to be at most {most} ({UPPER_BOUNDS}), found {found}"
