"""Loop-level IR -> C: `emit(module, name)` gives the texts of `name.c` and `name.h`."""

from lowering.emit_c.module import emit
from lowering.emit_c.source import CSource, EntryPoint, Parameter
from lowering.emit_c.target import CTarget

__all__ = ["CSource", "CTarget", "EntryPoint", "Parameter", "emit"]
