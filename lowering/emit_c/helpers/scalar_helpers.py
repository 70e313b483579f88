"""Small C functions that emitted code calls; a file holds only the ones it uses."""

from __future__ import annotations

from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.syntax.c_types import CType


def scalar_helper(kind: str, t: CType) -> tuple[str, str]:
    """Return the name and the text of the helper `kind` for type `t`."""
    values = {"T": t.name, "SUFFIX": t.suffix, "U": t.unsigned, "BITS": str(t.bits)}
    return f"{kind}_{t.suffix}", fill(helpers_of("scalars.c")[kind].text, values)
