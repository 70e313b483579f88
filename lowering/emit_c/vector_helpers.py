"""Small C functions on vectors that emitted code calls; a file holds only those it uses."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.emit_c.vector_types import CVector

Helper = tuple[str, str]


def select_helper(v: CVector) -> Helper:
    """`select_v16f32(mask, a, b)`: in each lane a where the mask is all ones, else b."""
    name, mask = f"select_{v.name}", v.signed.name
    return name, (
        f"static inline {v.name} {name}({mask} mask, {v.name} a, {v.name} b)\n{{\n"
        f"    return ({v.name})((mask & ({mask})a) | (~mask & ({mask})b));\n}}\n"
    )


def lanes_helper(name: str, params: Sequence[CVector], result: CVector, element: str) -> Helper:
    """A function that computes `element`, in a[i], b[i], ..., lane by lane: compilers make one operation on
    the vectors of it where the machine has that."""
    signature = ", ".join(f"{v.name} {p}" for p, v in zip("abc", params))
    return name, (
        f"static inline {result.name} {name}({signature})\n{{\n"
        f"    {result.name} out = {{0}};\n"
        f"    for (int i = 0; i < {result.lanes}; ++i)\n        out[i] = {element};\n"
        f"    return out;\n}}\n"
    )


def pair_helper(name: str, v: CVector, joined: str) -> Helper:
    """A function that joins the two lanes of a vector."""
    return (
        name,
        f"static inline {v.element.name} {name}({v.name} a)\n{{\n    return {joined};\n}}\n",
    )


def halves_helper(name: str, v: CVector, half: CVector, of_half: str, joined: str) -> Helper:
    """A function that joins the lanes of a vector: its halves, `low` and `high`, then the lanes of that."""
    return name, (
        f"static inline {v.element.name} {name}({v.name} a)\n{{\n"
        f"    {half.name} low, high;\n"
        f"    memcpy(&low, &a, sizeof low);\n"
        f"    memcpy(&high, (const char *)&a + sizeof low, sizeof high);\n"
        f"    return {of_half}({joined});\n}}\n"
    )
