"""The types that the values of a match are tried with, where the pattern does not state them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute

from relax_dialect.dpl.syntax.type_text import read_type


def _tensors(*texts: str) -> tuple[Attribute, ...]:
    return tuple(read_type(f"!relax.tensor<{each}>") for text in texts for each in text.split("; "))


SAMPLES = _tensors(
    "[n, m], f32; [], f32; [n], f32; [1], f32; [1, m], f32; [n, 1], f32; [m, n], f32",
    "[4, 4], f32; [4], f32; [2, 3, 4], f32; [3, 3, 3, 3], f32; [?, ?], f32; [?], f32",
    "*, f32; *; [n, m]; [n, m], f64; [n, m], f16; [n, m], i1; [n], i1; [n, m], i32",
    "[n, m], i64; [n, m], ui8; [n, k, m], f32",
)
"""Each is tried as the type of all values."""

ODD = _tensors("[n, m], f32; [], f32; [1, m], f32; [m, n], f32; [4, 4], f32; [4], f32; *")
"""Each is tried as the type of one value while all others have one of `SAMPLES`."""


def assignments(stated: Sequence[Attribute | None]) -> Iterator[list[Attribute]]:
    """Yield types for values, some with a stated type: all others equal, then each in turn different."""
    own = dict.fromkeys(type for type in stated if type is not None)
    samples, odd_ones = [*SAMPLES, *own], [*ODD, *own]
    free = [number for number, type in enumerate(stated) if type is None]
    if not free:
        samples = samples[:1]
    for common in samples:
        yield [type or common for type in stated]
    if len(free) < 2:
        return
    for common in samples:
        types = [type or common for type in stated]
        for number in free:
            for odd in odd_ones:
                if odd is not common:
                    yield [*types[:number], odd, *types[number + 1 :]]
