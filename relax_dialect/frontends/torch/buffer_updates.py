"""Operators that write to their first operand, `relu_`, if no other value shares its memory.

    %y = relu_(%x)             # later uses of %x and %y are uses of relu(%x)

So most models with such operators need no decomposition, which traces them again.
"""

from __future__ import annotations

from typing import Any

from relax_dialect.frontends.torch import registry

FRESH = frozenset(
    [
        "activation",
        "attention",
        "binary",
        "convolution",
        "create",
        "cumulative",
        "image",
        "indexing",
        "joining",
        "linear_algebra",
        "loss",
        "moving",
        "normalization",
        "pooling",
        "quantization",
        "scattering",
        "search",
        "sorting",
        "statistical",
        "ternary",
        "unary",
    ]
)
"""The families of converters whose operators return memory of their own, unless a schema states a view."""


DROPOUTS = ("dropout.default", "dropout_.default")

MAY_ALIAS = frozenset(
    ("alpha_dropout", "dropout", "einsum", "feature_dropout", "meshgrid", "type_as")
)
"""Operators that may return memory of their operand, which their schemas do not state."""


def functional_name(node: Any) -> str | None:
    """Return the name of the operator without the write, `relu.default` of `relu_`, or None."""
    schema = node.target._schema
    operator, _, overload = registry.name_of(node.target).rpartition(".")
    written = [a.alias_info is not None and a.alias_info.is_write for a in schema.arguments]
    if (
        not operator.endswith("_")
        or operator.endswith("__")
        or written[:1] != [True]
        or any(written[1:])
    ):
        return None
    name = f"{operator[:-1]}.{overload}"
    return name if is_fresh(name) else None


def is_fresh(name: str) -> bool:
    """Returns whether an operator returns memory of its own."""
    convert = registry.find(name)
    return (
        not may_alias(name)
        and convert is not None
        and convert.__module__.rpartition(".")[2] in FRESH
    )


def may_alias(name: str) -> bool:
    """Returns whether an operator may return memory of its operand without a statement of it."""
    return name.rpartition(".")[0] in MAY_ALIAS


def may_return_operand(node: Any) -> bool:
    """Returns whether a node may return memory of its operand, as an einsum of one operand may."""
    if node.op != "call_function" or not may_alias(name := registry.name_of(node.target)):
        return False
    return name != "einsum.default" or len(node.args[1]) < 2


def memory_of(node: Any) -> Any:
    """Return the node whose memory a chain of writes and views returns."""
    while node.op == "call_function" and any(
        r.alias_info is not None
        for r in getattr(getattr(node.target, "_schema", None), "returns", ())
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
    """Returns whether an operator writes to memory that only its operand has at that time."""
    if functional_name(node) is None:
        return False
    base = base_of(node)
    names = names_of(base)
    users = {user for name in names for user in name.users}
    last = max(filter(is_update, users))
    return _returns_own_memory(base) and all(
        _is_read(user) or (user > last and not _is_written(user)) for user in users
    )


def _is_written(view: Any) -> bool:
    """Returns whether an operator may write to the memory of a result that may be a view."""
    work = [view]
    for name in work:  # grows
        for user in name.users:
            if is_update(user) and (user.args[0] is name or functional_name(user) is None):
                return True
            if not _is_read(user) and user not in work:
                work.append(user)
    return False


def names_of(base: Any) -> list[Any]:
    """Return a value and the results that have its memory: of writes, and of dropout in inference."""
    found = [base]
    for name in found:  # grows
        found.extend(
            u for u in name.users if u.args[:1] == (name,) and (is_update(u) or _is_dropped(u))
        )
    return found


def _is_dropped(node: Any) -> bool:
    """Returns whether a node is a dropout that returns its operand."""
    if node.op != "call_function" or len(node.args) < 3:
        return False
    return registry.name_of(node.target) in DROPOUTS and node.args[2] is False


def _returns_own_memory(node: Any) -> bool:
    """Returns whether an operator, or the one whose result a node selects, allocates its results."""
    if node.op != "call_function":
        return False
    if registry.name_of(node.target) == registry.FIELD:
        node = node.args[0]
    returns = getattr(getattr(node.target, "_schema", None), "returns", ())
    return (
        bool(returns)
        and all(each.alias_info is None for each in returns)
        and is_fresh(registry.name_of(node.target))
    )


def _is_read(node: Any) -> bool:
    """Returns whether a user of a value neither keeps its memory nor writes to it in another way."""
    if node.op == "output" or _is_dropped(node):
        return True
    return functional_name(node) is not None if is_update(node) else _returns_own_memory(node)
