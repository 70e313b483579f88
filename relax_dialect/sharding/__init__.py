"""Programs on a grid of devices: values cut along named axes, with collectives between (relax-shard)."""

from relax_dialect.sharding.partition import shard
from relax_dialect.sharding.placement import Grid, Placement, ShardingError

__all__ = ["Grid", "Placement", "ShardingError", "shard"]
