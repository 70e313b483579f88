"""Functions on one tile, which all kernels of a module share that have equal ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.ir.purity import module_symbols


@dataclass
class TileFunctions:
    """The tile functions of a module, created on demand."""

    module: ModuleOp
    made: dict[object, str] = field(default_factory=dict)

    def shared(self, wanted: str, key: object, make: Callable[[str], func.FuncOp]) -> str:
        """Return the name of a function, shared by equal names and keys."""
        own = wanted, key
        if own not in self.made:
            name, number, taken = wanted, 1, module_symbols(self.module)
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            self.module.body.block.add_op(make(name))
            self.made[own] = name
        return self.made[own]
