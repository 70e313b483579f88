"""Small C functions on vectors that emitted code calls; a file holds only the ones it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lowering.emit_c.syntax.layout import wrap
from lowering.emit_c.syntax.vector_types import CVector
from lowering.support.target import IN_REGISTER, Instruction

Helper = tuple[str, str]

FEW_LANES = 4
"""Loops over at most this number of lanes are unrolled."""

KEPT = "#ifndef __clang__\n#pragma GCC unroll 1\n#endif\n"
"""Keeps gcc from unrolling a loop; not for clang, which would leave the arrays of the loop in memory."""


def select_helper(v: CVector) -> Helper:
    """`select_v16f32(mask, a, b)`: in each lane a if the mask is all ones, else b."""
    name, mask = f"select_{v.name}", v.signed.name
    return name, (
        f"static inline {v.name} {name}({mask} mask, {v.name} a, {v.name} b)\n{{\n"
        f"    return ({v.name})((mask & ({mask})a) | (~mask & ({mask})b));\n}}\n"
    )


def register_helper(v: CVector) -> Helper:
    """`in_register_v16f32(a)`: a, loaded once."""
    name, body = f"in_register_{v.name}", _by_instruction(v, ["    return a;"], IN_REGISTER)
    return name, f"static inline {v.name} {name}({v.name} a)\n{{\n{body}}}\n"


def choice_helper(
    name: str, v: CVector, condition: str, instructions: Sequence[Instruction] = ()
) -> Helper:
    """Return a function that takes b in each lane where a condition on a and b holds, else a."""
    mask = v.signed.name
    lines = [
        f"    const {mask} takes_b = {condition};",
        f"    return ({v.name})((takes_b & ({mask})b) | (~takes_b & ({mask})a));",
    ]
    body = _by_instruction(v, lines, instructions)
    return name, f"static inline {v.name} {name}({v.name} a, {v.name} b)\n{{\n{body}}}\n"


def _by_instruction(v: CVector, lines: Sequence[str], instructions: Sequence[Instruction]) -> str:
    """Return a function's body: the first instruction for such vectors that the machine has, else the
    lines."""
    own = [i for i in instructions if i.vector_bytes == v.bytes]
    if own:
        lines = ["#else", *lines, "#endif"]
    for number, i in reversed([*enumerate(own)]):
        asked = f"#{'elif' if number else 'if'} {i.condition}"
        lines = [asked, *(wrap(f"    {line}") for line in i.lines), *lines]
    return "".join(f"{line}\n" for line in lines)


def widening_helper(
    steps: Sequence[CVector], target: CVector, instructions: Sequence[Instruction]
) -> Helper:
    """Return a function that widens integers, in steps if no instruction does it."""
    source, converted = steps[0], "a"
    for v in (*steps[1:], target):
        converted = f"__builtin_convertvector({converted}, {v.name})"
    lines, name = [wrap(f"    return {converted};")], f"{source.name}_as_{target.name}"
    wide = f"{target.name} wide;"
    instructions = [replace(i, lines=(wide, *i.lines)) for i in instructions]
    body = _by_instruction(target, lines, instructions)
    return name, f"static inline {target.name} {name}({source.name} a)\n{{\n{body}}}\n"


def lanes_helper(name: str, params: Sequence[CVector], result: CVector, element: str) -> Helper:
    """Build a function that computes `element`, in a[i], b[i], ..., lane by lane: compilers map the arrays
    to vector instructions, also if the vectors are longer than a register. A pragma makes gcc keep the
    loop, unless it has few iterations: unrolled, some of many statements would remain scalar."""
    arguments = list(zip("abc", params))
    signature = ", ".join(f"{v.name} {p}_" for p, v in arguments)
    arrays = "".join(
        f"    {v.element.name} {p}[{v.lanes}];\n    memcpy({p}, &{p}_, sizeof {p});\n"
        for p, v in arguments
    )
    keep = KEPT if result.lanes > FEW_LANES else ""
    return name, (
        f"static inline {result.name} {name}({signature})\n{{\n{arrays}"
        f"    {result.element.name} out[{result.lanes}];\n"
        f"{keep}    for (int i = 0; i < {result.lanes}; ++i)\n        out[i] = {element};\n"
        f"    {result.name} result;\n    memcpy(&result, out, sizeof result);\n"
        f"    return result;\n}}\n"
    )


def pair_helper(name: str, v: CVector, joined: str) -> Helper:
    """Return a function that joins the two lanes of a vector."""
    return (
        name,
        f"static inline {v.element.name} {name}({v.name} a)\n{{\n    return {joined};\n}}\n",
    )


def turning_helper(name: str, v: CVector, joined: str) -> Helper:
    """Return a function that joins the lanes of a short vector: `low` and `high`, which is the same with
    its halves, then its quarters, the other way round."""
    lines, apart = [f"{v.name} low = a, high;"], v.lanes // 2
    while apart:
        order = ", ".join(str(lane ^ apart) for lane in range(v.lanes))
        lines.append(f"high = __builtin_shufflevector(low, low, {order});")
        lines.append(f"low = {joined};")
        apart //= 2
    body = "".join(f"    {line}\n" for line in [*lines, "return low[0];"])
    return name, f"static inline {v.element.name} {name}({v.name} a)\n{{\n{body}}}\n"


def halves_helper(name: str, v: CVector, half: CVector, of_half: str, joined: str) -> Helper:
    """Build a function that joins the lanes of a vector: its halves, `low` and `high`, then the lanes of
    the result. They are spelled lane by lane, since a compiler keeps partially copied arrays in memory."""
    lanes = [f"a[{i}]" for i in range(v.lanes)]
    low, high = (", ".join(part) for part in (lanes[: half.lanes], lanes[half.lanes :]))
    declared = [f"    const {half.name} {n} = {{{p}}};" for n, p in (("low", low), ("high", high))]
    return name, (
        f"static inline {v.element.name} {name}({v.name} a)\n{{\n"
        + "".join(f"{wrap(line)}\n" for line in declared)
        + f"    return {of_half}({joined});\n}}\n"
    )
