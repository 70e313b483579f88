"""C functions between number types for which a cast does not suffice: narrow floats, which C holds as their
bits, and floats to integers, where C leaves most values undefined."""

from __future__ import annotations

from collections.abc import Iterator

from lowering.emit_c.helpers.scalar_helpers import bitcast_helper
from lowering.emit_c.syntax.c_types import BF16, DOUBLE, F16, FLOAT, UINTS, CType

Helper = tuple[str, str]

_FROM_BITS = f"{UINTS[32].suffix}_bits_as_{FLOAT.suffix}"
_TO_BITS = f"{FLOAT.suffix}_bits_as_{UINTS[32].suffix}"

NARROW: dict[tuple[CType, CType], tuple[str, str]] = {
    # (from, to): what it does, body
    (F16, FLOAT): (
        "Exact; the product puts the exponent right, of subnormals too.",
        f"""const uint32_t bits = (uint32_t)(int16_t)a << 13 & 0x8fffe000;
    const float number = {_FROM_BITS}(bits) * 0x1p112f;
    return (a & 0x7c00) == 0x7c00 ? {_FROM_BITS}(bits | 0x7f800000) : number;""",
    ),
    (FLOAT, F16): (
        "Rounds to nearest, ties to even, by adding what puts the last bit of f16 last.",
        f"""const uint32_t bits = {_TO_BITS}(a) & 0x7fffffff, sign = {_TO_BITS}(a) >> 16 & 0x8000;
    const uint32_t inside = bits < 0x38800000 ? 0x38800000 : bits < 0x47800000 ? bits : 0x47800000;
    const uint32_t adder = (inside & 0x7f800000) + (13 << 23);
    const float small = {_FROM_BITS}(bits < 0x47800000 ? bits : 0x47800000);
    const uint32_t sum = {_TO_BITS}(small + {_FROM_BITS}(adder));
    const uint32_t number = sum - adder + (adder >> 13) - (126 << 10);
    return (uint16_t)(sign | (bits > 0x7f800000 ? 0x7e00 | (bits >> 13 & 0x3ff) : number));""",
    ),
    (BF16, FLOAT): ("Exact.", f"return {_FROM_BITS}((uint32_t)a << 16);"),
    (FLOAT, BF16): (
        "Rounds to nearest, ties to even.",
        f"""const uint32_t bits = {_TO_BITS}(a);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);""",
    ),
    (DOUBLE, F16): (
        "Rounds once: what f32 cannot hold is odd there, so no tie arises that was none.",
        f"""const float near = (float)a;
    const uint32_t bits = {_TO_BITS}(near), over = a < 0 ? near < a : near > a;
    return f32_to_f16({_FROM_BITS}((double)near != a ? (bits - over) | 1 : bits));""",
    ),
}

ROW = """/* Converts a row; gcc does not vectorise what the machine has for it. */
static inline void {name}(const {S} *from, {T} *to, int64_t count)
{{
    int64_t i = 0;
#if defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(32)));
    for (; i + 8 <= count; i += 8) {{
        {source} a;
        memcpy(&a, from + i, sizeof a);
        const {target} b = {instruction};
        memcpy(to + i, &b, sizeof b);
    }}
#endif
    for (; i < count; ++i)
        to[i] = {one}(from[i]);
}}
"""

ROWS: dict[tuple[CType, CType], tuple[str, str, str]] = {
    # (from, to): eight of each, the instruction, which rounds to nearest
    (F16, FLOAT): ("halves", "floats", "__builtin_ia32_vcvtph2ps256(a)"),
    (FLOAT, F16): ("floats", "halves", "__builtin_ia32_vcvtps2ph256(a, 0)"),
}

SATURATE = """/* Truncates; the nearest number of the type beyond its range, 0 for NaN. */
static inline {T} {name}({S} a)
{{
    const {S} inside = a >= {low} && a < {end} ? a : 0;
    return a >= {end} ? {max} : a < {low} ? {min} : ({T})inside;
}}
"""

CLAMP = """/* Truncates; the nearest number of the type beyond its range, 0 for NaN. */
static inline {T} {name}({S} a)
{{
    const {S} above = a > {least} ? a : {least};
    const int32_t inside = (int32_t)(above < {most} ? above : {most});
    return ({T})(a != a ? 0 : inside);
}}
"""
"""The same for a type whose bounds the float represents: two steps less on vectors."""


def narrow_helpers(source: CType, target: CType) -> Iterator[Helper]:
    """Yield the helpers that convert to or from a narrow float, the one to call last."""
    u32 = UINTS[32]
    yield bitcast_helper(FLOAT, u32)
    yield bitcast_helper(u32, FLOAT)
    if source is DOUBLE and target is F16:
        yield _narrow(FLOAT, F16)
    yield _narrow(source, target)


def _narrow(source: CType, target: CType) -> Helper:
    what, body = NARROW[source, target]
    name = conversion_name(source, target)
    head = f"static inline {target.name} {name}({source.name} a)"
    return name, f"/* {what} */\n{head}\n{{\n    {body}\n}}\n"


def row_helper(source: CType, target: CType) -> Helper:
    """Return the helper that converts a row of elements, by the helper that converts one."""
    eight, result, instruction = ROWS[source, target]
    name = f"{source.suffix}_row_to_{target.suffix}"
    return name, ROW.format(
        name=name,
        S=source.name,
        T=target.name,
        source=eight,
        target=result,
        instruction=instruction,
        one=conversion_name(source, target),
    )


def conversion_name(source: CType, target: CType) -> str:
    return f"{source.suffix}_to_{target.suffix}"


def saturating_helper(source: CType, target: CType) -> Helper:
    """Return the helper that converts a float to an integer."""
    name = conversion_name(source, target)
    bits = target.bits - (target.kind == "int")
    suffix = "f" if source is FLOAT else ""
    stem = target.name.removesuffix("_t").upper()
    if target.bits <= 16:
        most = (1 << bits) - 1
        least = 0 if target.kind == "uint" else -most - 1
        numbers = {"least": f"{least}.0{suffix}", "most": f"{most}.0{suffix}"}
        return name, CLAMP.format(T=target.name, S=source.name, name=name, **numbers)
    low, least = ("0", "0") if target.kind == "uint" else (f"-0x1p{bits}{suffix}", f"{stem}_MIN")
    return name, SATURATE.format(
        T=target.name,
        S=source.name,
        name=name,
        low=low,
        end=f"0x1p{bits}{suffix}",
        max=f"{stem}_MAX",
        min=least,
    )
