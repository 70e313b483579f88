"""The description of a compiled model, as JSON: enough to call it by hand, or to load it again.

    {"format": "relax artifact", "version": 2, "name": "program", "files": {"library": {...}}, ...}

docs/calling.md describes each part. Types of tensors are numpy's names and symbolic sizes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from lowering.emit_c.syntax.c_source import (
    CSource,
    EntryPoint,
    PackedCall,
    Parameter,
    RelaxSignature,
)
from lowering.emit_c.syntax.layout import without_comments
from lowering.memory.functions.external_forms import FunctionKind, LiteralArgument, PackedForm
from lowering.support.external_library import ExternalLibrary

FORMAT = "relax artifact"
VERSION = 2
"""The version of the manifest: additions do not change it, changes that older readers would misunderstand
do. Since 2 the manifest is bound to the library."""


def bound(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a manifest that its digest covers: the result of `emit_c.interface.described`."""
    target, files = found["target"], found["files"]
    keys = ("name", "abi_version", "entry_points", "arena", "functions_from_outside", "libraries")
    return {
        **{key: found[key] for key in keys},
        "target": {key: target[key] for key in ("cpu", "architecture", "features")},
        "weights": files["weights"]["checksum"] if "weights" in files else None,
    }


def declarations(source: CSource) -> list[str]:
    """Return the functions of the header as C declares them, on a line each."""
    text = without_comments(source.h)
    found = re.findall(rf"^{source.name.upper()}_API ([^;]*);", text, re.M)
    return [re.sub(r"\(\s", "(", " ".join(each.split())) for each in found]


# Functions from JSON ---------------------------------------------------------------------------------


def entries(found: Iterable[Mapping[str, Any]]) -> tuple[EntryPoint, ...]:
    """Return the entry points that a manifest describes."""
    return tuple(
        EntryPoint(
            e["name"], e["c_name"],
            tuple(map(_to_parameter, e["parameters"])), tuple(map(_to_parameter, e["results"])),
            e.get("communicates", False),
        )
        for e in found
    )  # fmt: skip


def signatures(found: Iterable[Mapping[str, Any]]) -> tuple[RelaxSignature, ...]:
    """Return the entry points as their program declares them."""
    return tuple(
        RelaxSignature(
            e["name"],
            tuple((p["name"], p["type"]) for p in e["relax"]["parameters"]),
            e["relax"]["result"],
            tuple(e["relax"].get("inplace_indices", ())),
        )
        for e in found
        if e["relax"] is not None
    )


def _to_parameter(p: Mapping[str, Any]) -> Parameter:
    kind = _to_kinds(p["function"]) if "function" in p else None
    if kind is not None and not isinstance(kind, FunctionKind):
        raise ValueError(f"{kind}")
    shape = p.get("shape", ())
    dims, written = tuple(shape or ()), p.get("written", False)
    return Parameter(p["name"], p["kind"], p["dtype"], dims, written, kind, shape is None)


def packed(found: Iterable[Mapping[str, Any]]) -> tuple[PackedCall, ...]:
    """Return the external functions that a manifest describes."""
    calls: list[PackedCall] = []
    for given in found:
        form: dict[str, Any] = dict(given)
        symbol, dtypes = form.pop("symbol"), tuple(form.pop("dtypes"))
        for name in ("args", "gives", "calls"):
            form[name] = None if form[name] is None else _to_kinds(form[name])
        form["inplace"] = tuple(form["inplace"])
        calls.append(PackedCall(symbol, PackedForm(**form), dtypes))
    return tuple(calls)


def libraries(found: Iterable[Mapping[str, Any]]) -> tuple[ExternalLibrary, ...]:
    """Return the libraries of others that a manifest names."""
    lists = ("includes", "libraries")
    return tuple(
        ExternalLibrary(**{**each, **{name: tuple(each[name]) for name in lists}}) for each in found
    )


def _to_kinds(found: Any) -> Any:
    match found:
        case {"literal": str(kind), "value": str(value)}:
            return LiteralArgument(kind, value)
        case {"takes": list(args), "gives": gives, "dtypes": list(dtypes)}:
            return FunctionKind(_to_kinds(args), _to_kinds(gives), tuple(dtypes))
        case list():
            return tuple(map(_to_kinds, found))
        case str():
            return found
    raise ValueError(f"{found}")


def as_text(value: Any, indent: int = 0) -> str:
    """Format JSON, with values that fit on a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    are_words = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if (indent > 0 and len(line) + indent <= 100) or (are_words and " " not in "".join(value)):
        return line
    margin = "\n" + " " * (indent + 2)
    match value:
        case dict():
            parts = [f"{json.dumps(k)}: {as_text(v, indent + 2)}" for k, v in value.items()]
            return f"{{{margin}{f',{margin}'.join(parts)}{margin[:-2]}}}"
        case list():
            parts = [as_text(each, indent + 2) for each in value]
            return f"[{margin}{f',{margin}'.join(parts)}{margin[:-2]}]"
    return line
