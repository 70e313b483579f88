"""relax-shard{func=main}: a function becomes the program of one rank of a grid of devices.

```mlir
module attributes {relax.grid = {tp = 2 : i64}} {
relax.func @main(%x: tensor<[n, 8]>, %a: tensor<[8, 32]>, %b: tensor<[32, 8]>) -> tensor<[n, 8]>
    attributes {relax.sharding = {a = ["", "tp"], b = ["tp", ""]}} {
  %0 = relax.matmul %x, %a : ... -> tensor<[n, 32]>
  %1 = relax.relu %0 : ...
  %2 = relax.matmul %1, %b : ... -> tensor<[n, 8]>
->
relax.func @main(%x: tensor<[n, 8]>, %a: tensor<[8, 16]>, %b: tensor<[16, 8]>) -> tensor<[n, 8]>
    attributes {relax.sharded = {a = ["", "tp"], b = ["tp", ""]}} {
  %0 = relax.matmul %x, %a : ... -> tensor<[n, 16]>
  %1 = relax.relu %0 : ...
  %2 = relax.matmul %1, %b : ... -> tensor<[n, 8]>
  %3 = relax.ccl.allreduce %2 {grid = array<i64: 2>, grid_axes = array<i64: 0>} : ...
```

`relax.sharding` names parameters and other values of the function, and for each dimension the grid axis
that cuts it. All other values are cut where that moves fewest bytes. Results are whole on every rank,
unless they are named. A variable n of a cut dimension means the size of a rank's part afterwards. With
`report=true` the collectives and their bytes are printed, and what they cost on up to 1,024 ranks.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.sharding.shard_report import report
from relax_dialect.sharding.sharder import shard
from relax_dialect.sharding.value_sharding import Grid


@dataclass(frozen=True)
class ShardPass(ModulePass):
    """Make a function the program of one rank of a grid of devices."""

    name = "relax-shard"

    func: str = "main"
    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        moves = shard(op, self.func)
        if self.report:
            print(report(self.func, moves, Grid.of(op)), file=sys.stderr)
