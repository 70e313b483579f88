"""Scripts of TVM's modules with their constants, which TVM's own printer ends the process over in some versions.

TVM 0.27.0.post1 with tvm-ffi 0.1.15 crashes in `script(show_meta=True)` where a module has a constant that is no
number; here the constants are written by us.
"""

from __future__ import annotations

import re
from typing import Any

import tvm  # pyright: ignore[reportMissingImports]
from tvm import relax  # pyright: ignore[reportMissingImports]

from relax_dialect.frontends.tvmscript.script.installed import WRITTEN_OUT
from relax_dialect.frontends.tvmscript.writing.metadata_writer import (
    KEY,
    SavedTensor,
    metadata_text,
)

_PLACE = re.compile(rf'metadata\["{re.escape(KEY)}"\]\[(\d+)\]')


def script(module: Any) -> str:
    """The script of a module with its constants."""
    text = module.script()
    used = {int(number) for number in _PLACE.findall(text)}
    if not used:
        return text
    found: list[Any] = []

    def visit(node: Any) -> None:
        is_number = isinstance(node, tvm.ir.GenericConst) and (
            not node.value.shape and str(node.value.dtype) in WRITTEN_OUT
        )
        if (
            isinstance(node, tvm.ir.GenericConst)
            and not is_number
            and not any(c.same_as(node) for c in found)
        ):
            found.append(node)

    functions = (module[v] for v in sorted(module.functions, key=lambda v: v.name_hint))
    for function in functions:
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, visit)
    assert len(found) == len(used)
    return metadata_text(map(_saved, found)) + text


def _saved(constant: Any) -> SavedTensor:
    array = constant.value.numpy()
    return SavedTensor(str(constant.value.dtype), array.shape, array.tobytes())


def read_back(text: str) -> Any:
    """The module that TVM's own reader makes of a script."""
    return tvm.script.from_source(text)
