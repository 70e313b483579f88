"""The C functions that read and check the file of weights."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.emit_c.helpers.c_files import declared, fill, helpers_of
from lowering.emit_c.syntax.c_types import CType
from lowering.emit_c.syntax.weights_file import VERSION

NAMES = frozenset(name for each in helpers_of("weights.c").values() for name in declared(each.text))
"""The functions and variables of the text."""


def loader(
    name: str,
    size: int,
    check: int,
    pointers: Sequence[tuple[str, CType, int]],
    *,
    is_given: bool = False,
) -> str:
    """Return the C functions that read the weights file, or use its contents directly if `is_given`."""
    parts = helpers_of("weights.c")
    text = parts["checks"].text
    text += "\n" + parts["use_weights"].text if is_given else parts["read_weights"].text
    values = {
        "NAME": name,
        "BYTES": "const char" if is_given else "char",
        "WEIGHTS_SIZE": f"{size}u",
        "WEIGHTS_CHECKSUM": f"0x{check:016x}u",
        "WEIGHTS_MAGIC": '"RLXWTS\\r\\n"',
        "FORMAT_VERSION": str(VERSION),
        "SET_POINTERS": "\n    ".join(
            f"{c} = (const {t.memory} *)(loaded_weights + {at});" for c, t, at in pointers
        ),
    }
    return fill(text, values)
