"""C functions between number types for which a cast does not suffice: narrow floats, which C holds as their
bits, and floats to integers, where C leaves most values undefined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.syntax.c_types import FLOAT, UINTS, CType

Helper = tuple[str, str]

FILE = "conversions.c"


def bitcast_helper(source: CType, target: CType) -> Helper:
    """Return the name and the text of the helper that reads the bits of one type as another."""
    return _between("bits_as", source, target)


def has_narrow_helper(source: CType, target: CType) -> bool:
    """Return whether a helper converts one type to the other, one of which is a narrow float."""
    return conversion_name(source, target) in helpers_of(FILE)


def narrow_helpers(source: CType, target: CType) -> Iterator[Helper]:
    """Yield the helpers that convert to or from a narrow float, the one to call last."""
    u32 = UINTS[32]
    yield bitcast_helper(FLOAT, u32)
    yield bitcast_helper(u32, FLOAT)
    name = conversion_name(source, target)
    for each in (*helpers_of(FILE)[name].needs, name):
        yield each, helpers_of(FILE)[each].text


def row_helper(source: CType, target: CType) -> Helper:
    """Return the helper that converts a row of elements, by the helper that converts one."""
    name = f"{source.suffix}_row_to_{target.suffix}"
    return name, helpers_of(FILE)[name].text


def conversion_name(source: CType, target: CType) -> str:
    return f"{source.suffix}_to_{target.suffix}"


def saturating_helper(source: CType, target: CType) -> Helper:
    """Return the helper that converts a float to an integer."""
    bits = target.bits - (target.kind == "int")
    suffix = "f" if source is FLOAT else ""
    if target.bits <= 16:  # the float represents both bounds: two steps less on vectors
        most = (1 << bits) - 1
        least = 0 if target.kind == "uint" else -most - 1
        bounds = {"LEAST": f"{least}.0{suffix}", "MOST": f"{most}.0{suffix}"}
        return _between("clamped", source, target, bounds)
    stem = target.name.removesuffix("_t").upper()
    low, least = ("0", "0") if target.kind == "uint" else (f"-0x1p{bits}{suffix}", f"{stem}_MIN")
    bounds = {"LOW": low, "END": f"0x1p{bits}{suffix}", "MAX": f"{stem}_MAX", "MIN": least}
    return _between("saturated", source, target, bounds)


def _between(
    kind: str, source: CType, target: CType, bounds: Mapping[str, str] | None = None
) -> Helper:
    """Return the name and the text of a helper that is a template in the types."""
    how = "bits_as" if kind == "bits_as" else "to"
    values = {"FROM": source.suffix, "TO": target.suffix, "S": source.name, "T": target.name}
    text = fill(helpers_of(FILE)[kind].text, {**values, **(bounds or {})})
    return f"{source.suffix}_{how}_{target.suffix}", text
