"""The interface of a model as JSON, and its digest, which binds library, weights and manifest together.

    NAME_interface()                 "relax interface 3f0a..."
    {"interface": "relax interface 3f0a...", "entry_points": [{"name": "main", ...}], ...}

The digest covers all that `lowering.load` takes from a manifest: the functions with their parameters,
types, sizes and results, external functions and libraries, the target, the checksum of the weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lowering.emit_c.syntax.c_source import (
    ABI_VERSION,
    CSource,
    EntryPoint,
    PackedCall,
    Parameter,
    RelaxSignature,
)
from lowering.emit_c.syntax.weights_file import Pieces
from lowering.memory.functions.external_forms import FunctionKind, Kinds, LiteralArgument
from lowering.support.c_compiler import machine
from lowering.support.target import Cpu, find
from relax_dialect.symbolic import parse

MARK = "relax interface "


def described(source: CSource) -> dict[str, Any]:
    """Return the interface of a model: all that `lowering.load` takes from a manifest, as JSON."""
    types = {s.name: s for s in source.signatures}
    weights = source.weights
    return {
        "name": source.name,
        "abi_version": ABI_VERSION,
        "target": _target(find(source.cpu)),
        "weights": None if weights is None else Pieces.of(weights).checksum().hex(),
        "entry_points": [_entry(e, types.get(e.name)) for e in source.entries],
        "arena": None if source.arena is None else list(source.arena),
        "functions_from_outside": [_packed(p) for p in source.packed],
        "libraries": [asdict(n) for n in source.libraries],
    }


def interface(described: Mapping[str, Any]) -> str:
    """Return the text that `NAME_interface()` returns, which is also found in the bytes of a library."""
    text = json.dumps(described, sort_keys=True)
    return f"{MARK}{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def _target(cpu: Cpu) -> dict[str, Any]:
    return {
        "cpu": cpu.name,
        "architecture": cpu.architecture or machine(),
        "features": sorted(cpu.features),
    }


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
        **({"communicates": True} if e.communicates else {}),
        "c_name": e.c_name,
        "variables": list(dict.fromkeys((*variables, *given))),
        "parameters": [_parameter(p) for p in e.params],
        "results": [_parameter(p) for p in e.results],
        "relax": types,
    }


def _parameter(p: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"name": p.name, "kind": p.kind, "dtype": p.dtype}
    if p.kind == "tensor":
        found["shape"] = None if p.unranked else list(p.dims)
    if p.written:
        found["written"] = True
    if p.function is not None:
        found["function"] = _kinds(p.function)
    return found


def _packed(p: PackedCall) -> dict[str, Any]:
    form = asdict(p.form)
    form |= {
        name: None if (kinds := getattr(p.form, name)) is None else _kinds(kinds)
        for name in ("args", "gives", "calls")
    }
    return {"symbol": p.symbol, "dtypes": list(p.dtypes), **form}


def _kinds(kinds: Kinds) -> Any:
    """Return the kind of an argument: a word, a list for a tuple, an object for a literal or a function."""
    match kinds:
        case LiteralArgument():
            return {"literal": kinds.kind, "value": kinds.value}
        case FunctionKind():
            given = {"takes": _kinds(kinds.args), "gives": _kinds(kinds.gives)}
            return {**given, "dtypes": list(kinds.dtypes)}
        case tuple():
            return [_kinds(kind) for kind in kinds]
        case _:
            return kinds
