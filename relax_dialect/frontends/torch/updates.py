"""Operators that write to their first operand, `relu_`, if no other value shares its memory.

    %y = relu_(%x)             # later uses of %x and %y are uses of relu(%x)

So most models with such operators need no decomposition, which traces them again.
"""

from __future__ import annotations

from typing import Any

from relax_dialect.frontends.torch import registry

FRESH = frozenset(
    "activation attention binary convolution linear_algebra normalization pooling statistical ternary unary".split()
)
"""The families of converters whose operators return memory of their own."""


MAY_ALIAS = frozenset(("alpha_dropout", "dropout", "einsum", "feature_dropout", "meshgrid", "type_as"))
"""Operators that may return memory of their operand, which their schemas do not state."""


def functional_name(node: Any) -> str | None:
    """Return the name of the operator without the write, `relu.default` of `relu_`, or None."""
    schema = node.target._schema
    operator, _, overload = registry.name_of(node.target).rpartition(".")
    written = [a.alias_info is not None and a.alias_info.is_write for a in schema.arguments]
    if not operator.endswith("_") or operator.endswith("__") or written[:1] != [True] or any(written[1:]):
        return None
    name = f"{operator[:-1]}.{overload}"
    return name if is_fresh(name) else None


def is_fresh(name: str) -> bool:
    """Returns whether an operator returns memory of its own."""
    convert = registry.find(name)
    return not may_alias(name) and convert is not None and convert.__module__.rpartition(".")[2] in FRESH


def may_alias(name: str) -> bool:
    """Returns whether an operator may return memory of its operand without a statement of it."""
    return name.rpartition(".")[0] in MAY_ALIAS


def memory_of(node: Any) -> Any:
    """Return the node whose memory a chain of writes and views returns."""
    while node.op == "call_function" and any(
        r.alias_info is not None for r in getattr(getattr(node.target, "_schema", None), "returns", ())
    ):
        node = node.args[0]
    return node


def is_update(node: Any) -> bool:
    """Returns whether an operator writes."""
    schema = getattr(node.target, "_schema", None)
    return node.op == "call_function" and schema is not None and schema.is_mutable


def base_of(node: Any) -> Any:
    """Return the node whose memory a chain of writing operators returns."""
    while is_update(node):
        node = node.args[0]
    return node


def is_local(node: Any) -> bool:
    """Returns whether an operator writes to memory that only its operand has."""
    if functional_name(node) is None:
        return False
    base = base_of(node)
    return _returns_own_memory(base) and all(map(_is_read, _users(base)))


def _users(base: Any) -> list[Any]:
    """Return the users of a value, and of the results of operators that write to it."""
    found, work = [], [base]
    while work:
        for user in work.pop().users:
            found.append(user)
            if is_update(user) and user.args[0] in (base, *found):
                work.append(user)
    return found


def _returns_own_memory(node: Any) -> bool:
    return node.op == "call_function" and not is_update(node) and is_fresh(registry.name_of(node.target))


def _is_read(node: Any) -> bool:
    """Returns whether a user of a value neither keeps its memory nor writes to it in another way."""
    if node.op == "output":
        return True
    return functional_name(node) is not None if is_update(node) else _returns_own_memory(node)
