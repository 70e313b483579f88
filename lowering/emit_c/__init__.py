"""Loop-level IR -> C: `emit(module, name)` returns the texts of `name.c` and `name.h`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lowering.emit_c.syntax.c_source import CSource, EntryPoint, Parameter

if TYPE_CHECKING:
    from lowering.emit_c.c_module import emit
    from lowering.emit_c.c_target import CTarget

__all__ = ["CSource", "CTarget", "EntryPoint", "Parameter", "emit"]


def __getattr__(name: str) -> Any:
    """Load the emitter on demand: C that was emitted before does not need it."""
    if name == "emit":
        from lowering.emit_c.c_module import emit

        return emit
    if name == "CTarget":
        from lowering.emit_c.c_target import CTarget

        return CTarget
    raise AttributeError(f"module 'lowering.emit_c' has no attribute '{name}'")
