"""Passes made from their text; a wrong option is answered with the options that there are."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from types import UnionType
from typing import Any, Union, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from relax_dialect.errors import RelaxError


def make_pass(kind: type[ModulePass], spec: ArgSpec) -> ModulePass:
    """Create a pass with the options of its text; `RelaxError` names the valid ones."""
    if not spec.parameters and not any(_is_required(option) for option in fields(kind)):
        return kind()  # xDSL would evaluate the types of all options first
    try:
        return kind.from_spec(spec)
    except ValueError:
        given = ", ".join(str(ArgSpec(n, {})) + _value(v) for n, v in spec.parameters.items())
        raise RelaxError(
            f"pass '{spec.name}': expected {options_text(kind)}, found {given or 'no options'}; "
            "correct the options"
        ) from None


def options_text(kind: type[ModulePass]) -> str:
    """Return the options of a pass as an error shows them: `min-branches=int`, `calibration=str
    (required)`."""
    found = [
        _option(f, get_type_hints(kind)[f.name])
        for f in fields(kind)
        if f.init and f.name != "name"
    ]
    return f"the options {', '.join(found)}" if found else "no options"


def _option(f: Field[Any], type: Any) -> str:
    kinds = "|".join(_kinds(type))
    return f"{f.name.replace('_', '-')}={kinds}{' (required)' if _is_required(f) else ''}"


def _is_required(f: Field[Any]) -> bool:
    return f.init and f.default is MISSING and f.default_factory is MISSING


def _kinds(type: Any) -> list[str]:
    """Return the kinds of value that an option takes: `tuple[str, ...] | None` is `str,...`."""
    parts: tuple[Any, ...] = getattr(type, "__args__", ())
    if get_origin(type) is tuple:
        return [f"{'|'.join(_kinds(parts[0]))},..."]
    if get_origin(type) in (Union, UnionType):
        return [kind for part in parts if part is not None.__class__ for kind in _kinds(part)]
    if parts:  # Literal["a", "b"]
        return [str(part) for part in parts]
    return [getattr(type, "__name__", str(type))]


def _value(values: Any) -> str:
    texts = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
    return "=" + ",".join(texts) if texts else ""
