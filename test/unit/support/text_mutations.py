"""Changes of a program's text that keep it readable: of sizes, element types and the names of ops."""

from __future__ import annotations

import random
import re

_DIMS = re.compile(r"(?<=<)\[[^\[\]]*\]")
_SIZES = (
    *"nmk104?",
    "n + 1",
    "2 * n",
    "n * m",
    "n floordiv 2",
    "n - 1",
    "min(n, m)",
)
_DTYPES = ("f32", "f64", "f16", "bf16", "i1", "i8", "i32", "i64", "ui8", "index")
_DTYPE = re.compile(r"(?<=[ x<])(" + "|".join(_DTYPES) + r")(?=[>:,) ])")
_KINDS = ("relax.dataflow", "relax.binding_block", "relax.graph")


def _replace_everywhere(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w%@.!]){re.escape(old)}(?![\w(])", new, text)


def rename_size(text: str, rng: random.Random) -> str:
    """One size, everywhere: `n` -> `2 * m`."""
    inside = ", ".join(found[0][1:-1] for found in _DIMS.finditer(text))
    sizes = sorted(set(re.findall(r"\b[a-z]\b|\b\d+\b", inside)))
    return _replace_everywhere(text, rng.choice(sizes), rng.choice(_SIZES)) if sizes else text


def change_size(text: str, rng: random.Random) -> str:
    """One size of one type, another rank, or none that is known."""
    places = list(_DIMS.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    sizes = place[0][1:-1].split(", ") if len(place[0]) > 2 else []
    at = rng.randrange(len(sizes) + 1)
    sizes[at : at + rng.choice((0, 1, 1, 1))] = rng.choice(
        ((), (rng.choice(_SIZES),), (rng.choice(_SIZES),))
    )
    new = "*" if rng.random() < 0.1 else f"[{', '.join(sizes)}]"
    every = rng.random() < 0.5
    return (
        text.replace(place[0], new) if every else text[: place.start()] + new + text[place.end() :]
    )


def change_dtype(text: str, rng: random.Random) -> str:
    """One element type, once or everywhere."""
    places = list(_DTYPE.finditer(text))
    if not places:
        return text
    place, new = rng.choice(places), rng.choice(_DTYPES)
    if rng.random() < 0.5:
        return _DTYPE.sub(lambda found: new if found[0] == place[0] else found[0], text)
    return text[: place.start()] + new + text[place.end() :]


def change_op_name(text: str, rng: random.Random) -> str:
    """One op becomes another of the program, or a block one of another kind."""
    names = list(re.finditer(r"(?<!\w)relax\.[a-z]\w*(?=[ (])", text))
    if not names:
        return text
    place = rng.choice(names)
    known = _KINDS if place[0] in _KINDS else sorted({name[0] for name in names})
    return text[: place.start()] + rng.choice(known) + text[place.end() :]


OF_TEXT = (rename_size, rename_size, change_size, change_dtype, change_op_name)
