"""The code generators by their names."""

from __future__ import annotations

import re
from importlib import import_module

from lowering.external.generator import CodeGenerator
from relax_dialect.errors import RelaxError

_OURS = {"cblas": ("lowering.external.cblas", "CblasCodegen")}
"""The code generators that come with the compiler, loaded on demand."""

_REGISTERED: dict[str, CodeGenerator] = {}


def register_codegen(name: str, generator: CodeGenerator) -> None:
    """Register the generator for functions marked `Codegen = "name"`; a later one replaces it."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise RelaxError(
            f"code generator {name!r}: expected a name of letters, digits and '_', as it starts "
            'composite names such as "cblas.matmul"; choose another one'
        )
    _REGISTERED[name] = generator


def registered_codegens() -> list[str]:
    """Return the names of all code generators."""
    return sorted({*_OURS, *_REGISTERED})


def find_codegen(where: str, name: str) -> CodeGenerator:
    """Return the generator of a name; errors start with `where`."""
    if name not in _REGISTERED and name in _OURS:
        module, generator = _OURS[name]
        _REGISTERED[name] = getattr(import_module(module), generator)()
    if name not in _REGISTERED:
        raise RelaxError(
            f"{where}: expected the name of a code generator ({', '.join(registered_codegens())}), "
            f'found "{name}"; register it with lowering.external.register_codegen, or take the '
            "attribute Codegen off the function"
        )
    return _REGISTERED[name]
