"""Names of sizes that are expressions, such as `4*h`, as exporters write them in a `dim_param`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import RESERVED_WORDS, Expr


def size_of(text: str) -> Expr | None:
    """Return a `dim_param` as a size in the names of the model; None if it is no identifier and no
    expression. A hyphen without spaces is part of a name, as in `batch-size`."""
    if text.isascii() and text.isidentifier():
        return None if text in RESERVED_WORDS else symbolic.var(text)
    if re.search(r"\S-\S", text):
        return None
    try:
        size = symbolic.parse(text.replace("//", " floordiv ").replace("%", " mod "))
    except SymbolicError:
        return None
    return None if size.is_constant or size.is_variable else size


def expressions_among(texts: Iterable[str]) -> dict[str, Expr]:
    """Return the texts that are expressions whose variables the sizes together define. Any other text
    remains a name."""
    sizes = {text: size_of(text) for text in texts}
    while True:
        defined = symbolic.definitions(sizes.values())
        undefined = [
            text
            for text, size in sizes.items()
            if size is not None and not defined.keys() >= set(size.free_variables)
        ]
        if not undefined:
            break
        sizes.update(dict.fromkeys(undefined))
    return {t: size for t, size in sizes.items() if size is not None and not size.is_variable}


def fixed_variables(
    fixed: Mapping[str, int], expressions: Mapping[str, Expr]
) -> tuple[dict[str, int], str]:
    """Return the variables that fixed sizes determine, and the name of a size that is fixed to no value of
    its expression, or an empty name."""
    sizes = {name: expressions.get(name) or size_of(name) for name in fixed}
    known = {name: size for name, size in sizes.items() if size is not None}
    defined = symbolic.definitions(known.values())
    known = {n: size for n, size in known.items() if defined.keys() >= set(size.free_variables)}
    found = symbolic.solved_sizes(known.values(), [fixed[name] for name in known])
    wrong = (name for name, size in known.items() if size.evaluate(found) != fixed[name])
    return found, next(wrong, "")
