"""Programs on a grid of devices: values cut along named axes, with collectives between (relax-shard)."""

from relax_dialect.sharding.partition import shard
from relax_dialect.sharding.placement import Grid, Placement, ShardingError
from relax_dialect.sharding.registry import Factors, factors_of, shards
from relax_dialect.sharding.report import report
from relax_dialect.sharding.weights import arguments_by_rank, parameters, read_parts

__all__ = [
    "Factors",
    "Grid",
    "Placement",
    "ShardingError",
    "arguments_by_rank",
    "factors_of",
    "parameters",
    "read_parts",
    "report",
    "shard",
    "shards",
]
