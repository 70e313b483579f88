"""The modules of a package, discovered by path: a new one needs no registration."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from relax_dialect.threads import rare_collection


def modules_of(name: str, path: Iterable[str]) -> list[ModuleType]:
    """Return the modules of a package, in the order of their names."""
    with rare_collection():  # imported modules stay alive
        return [
            import_module(f"{name}.{module}")
            for module in sorted(m.name for m in iter_modules(path))
        ]
