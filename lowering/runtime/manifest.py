"""The description of a compiled model, as JSON: enough to call it by hand, or to load it again.

    {"format": "relax artifact", "version": 1, "name": "program", "files": {"library": {...}}, ...}

docs/calling.md says what each part is. Types of tensors are numpy's names and symbolic sizes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from lowering.emit_c.layout import without_comments
from lowering.emit_c.source import (
    CSource,
    EntryPoint,
    PackedCall,
    Parameter,
    RelaxSignature,
)
from lowering.functions.packed_form import FunctionKind, Kinds, Literal, PackedForm
from lowering.toolchain.external_library import ExternalLibrary
from relax_dialect.symbolic import parse

FORMAT = "relax artifact"
VERSION = 1
"""Of the manifest: what is added does not change it, what older readers would misunderstand does."""


def described(source: CSource) -> dict[str, Any]:
    """The functions of a model, as its manifest describes them."""
    types = {s.name: s for s in source.signatures}
    return {
        "entry_points": [_entry(e, types.get(e.name)) for e in source.entries],
        "arena": None if source.arena is None else list(source.arena),
        "functions_from_outside": [_packed(p) for p in source.packed],
        "libraries": [asdict(n) for n in source.libraries],
        "declarations": declarations(source),
    }


def declarations(source: CSource) -> list[str]:
    """The functions of the header as C declares them, on a line each."""
    text = without_comments(source.h)
    found = re.findall(rf"^{source.name.upper()}_API ([^;]*);", text, re.M)
    return [re.sub(r"\(\s", "(", " ".join(each.split())) for each in found]


# Functions as JSON, and back ------------------------------------------------------------------------


def _entry(e: EntryPoint, relax: RelaxSignature | None) -> dict[str, Any]:
    variables = (v for p in e.params for d in p.dims if d != "?" for v in parse(d).free_variables)
    given = [p.name for p in e.params if p.kind == "scalar"]
    types: dict[str, Any] | None = None
    if relax is not None:
        params = [{"name": name, "type": type} for name, type in relax.params]
        types = {"parameters": params, "result": relax.output}
        if relax.in_place:
            types["inplace_indices"] = list(relax.in_place)
    return {
        "name": e.name,
        "c_name": e.c_name,
        "variables": list(dict.fromkeys((*variables, *given))),
        "parameters": [_parameter(p) for p in e.params],
        "results": [_parameter(p) for p in e.results],
        "relax": types,
    }


def entries(found: Iterable[Mapping[str, Any]]) -> tuple[EntryPoint, ...]:
    """The entry points that a manifest describes."""
    return tuple(
        EntryPoint(
            e["name"], e["c_name"],
            tuple(map(_to_parameter, e["parameters"])), tuple(map(_to_parameter, e["results"])),
        )
        for e in found
    )  # fmt: skip


def signatures(found: Iterable[Mapping[str, Any]]) -> tuple[RelaxSignature, ...]:
    """The entry points as their program declares them."""
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


def _parameter(p: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"name": p.name, "kind": p.kind, "dtype": p.dtype}
    if p.kind == "tensor":
        found["shape"] = list(p.dims)
    if p.written:
        found["written"] = True
    if p.function is not None:
        found["function"] = _kinds(p.function)
    return found


def _to_parameter(p: Mapping[str, Any]) -> Parameter:
    kind = _to_kinds(p["function"]) if "function" in p else None
    if kind is not None and not isinstance(kind, FunctionKind):
        raise ValueError(f"{kind}")
    shape = tuple(p.get("shape", ()))
    return Parameter(p["name"], p["kind"], p["dtype"], shape, p.get("written", False), kind)


def _packed(p: PackedCall) -> dict[str, Any]:
    form = asdict(p.form)
    form |= {
        name: None if (kinds := getattr(p.form, name)) is None else _kinds(kinds)
        for name in ("args", "gives", "calls")
    }
    return {"symbol": p.symbol, "dtypes": list(p.dtypes), **form}


def packed(found: Iterable[Mapping[str, Any]]) -> tuple[PackedCall, ...]:
    """The functions from outside that a manifest describes."""
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
    """The libraries of others that a manifest names."""
    lists = ("includes", "libraries")
    return tuple(
        ExternalLibrary(**{**each, **{name: tuple(each[name]) for name in lists}}) for each in found
    )


def _kinds(kinds: Kinds) -> Any:
    """The kind of an argument: a word, a list for a tuple, an object for a literal or a function."""
    match kinds:
        case Literal():
            return {"literal": kinds.kind, "value": kinds.value}
        case FunctionKind():
            given = {"takes": _kinds(kinds.args), "gives": _kinds(kinds.gives)}
            return {**given, "dtypes": list(kinds.dtypes)}
        case tuple():
            return [_kinds(kind) for kind in kinds]
        case _:
            return kinds


def _to_kinds(found: Any) -> Any:
    match found:
        case {"literal": str(kind), "value": str(value)}:
            return Literal(kind, value)
        case {"takes": list(args), "gives": gives, "dtypes": list(dtypes)}:
            return FunctionKind(_to_kinds(args), _to_kinds(gives), tuple(dtypes))
        case list():
            return tuple(map(_to_kinds, found))
        case str():
            return found
    raise ValueError(f"{found}")


def as_text(value: Any, indent: int = 0) -> str:
    """JSON with what fits on a line on one."""
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
