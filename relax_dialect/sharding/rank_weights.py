"""The parts of arrays that ranks hold: of arrays in memory, and of safetensors files, read in part.

```python
parts = arguments_by_rank(module, "main", [x, a, b])       # for interpret.run_spmd
weights = read_parts("model.safetensors", parameters(module, "main"), Grid.of(module), rank)
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

from relax_dialect.interpret import PerRank
from relax_dialect.interpret.tensor_files import read_tensors
from relax_dialect.ir.device_grid import coordinates
from relax_dialect.ops.core import FuncOp
from relax_dialect.sharding.value_sharding import SHARDED, Grid, Sharding, ShardingError, read


def cuts(shape: Sequence[int], placement: Sharding, grid: Grid, rank: int) -> tuple[slice, ...]:
    """Return the slices of a rank's part; `ShardingError` if the grid does not divide the shape."""
    where = dict(zip(grid.axes, coordinates(rank, [*grid.axes.values()])))
    found: list[slice] = []
    for size, axis in zip(shape, placement.dims, strict=True):
        count, index = (1, 0) if axis is None else (grid.axes[axis], where[axis])
        if size % count:
            raise ShardingError(
                f"expected a size that the {count} ranks of '{axis}' divide, found {size} of "
                f"{list(shape)}; pad the array"
            )
        found.append(slice(index * (size // count), (index + 1) * (size // count)))
    return tuple(found)


def parameters(module: ModuleOp, name: str) -> dict[str, Sharding]:
    """Return the placements of the parameters of a function that relax-shard has made, by name."""
    grid = Grid.of(module)
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data == name:
            found = function.attributes.get(SHARDED)
            told = found.data if isinstance(found, DictionaryAttr) else {}
            arguments = {a.name_hint or "": a for a in function.body.block.args}
            return {
                n: read(told[n], f"@{name}: '{n}'", grid, getattr(a.type, "shape", ()))
                if n in told
                else Sharding((None,) * len(getattr(a.type, "shape", None) or ()))
                for n, a in arguments.items()
            }
    raise ShardingError(f"expected the name of a function of the module, found @{name}")


def arguments_by_rank(module: ModuleOp, name: str, args: Sequence[Any]) -> list[Any]:
    """Return the arguments of all ranks for those of one device."""
    grid, found = Grid.of(module), list[Any]()
    for placement, array in zip(parameters(module, name).values(), args, strict=True):
        if any(placement.dims):
            ranks = range(grid.ranks)
            parts = [
                np.ascontiguousarray(array[cuts(array.shape, placement, grid, r)]) for r in ranks
            ]
            found.append(PerRank(parts))
        else:
            found.append(array)
    return found


def read_parts(
    file: str | Path, placements: Mapping[str, Sharding], grid: Grid, rank: int
) -> dict[str, np.ndarray[Any, Any]]:
    """Return a rank's parts of the tensors of a safetensors file, by name; other bytes are not read.

    Tensors that `placements` does not name are whole.
    """
    found: dict[str, np.ndarray[Any, Any]] = {}
    for name, array in read_tensors(file, mapped=True).items():
        placement = placements.get(name, Sharding((None,) * array.ndim))
        found[name] = np.array(array[cuts(array.shape, placement, grid, rank)])
    return found
