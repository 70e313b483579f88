"""Programs on a grid of devices: values cut along named axes, with collectives between (relax-shard)."""

from relax_dialect.sharding.rank_weights import arguments_by_rank, parameters, read_parts
from relax_dialect.sharding.registry import Factors, factors_of, shards
from relax_dialect.sharding.shard_report import report
from relax_dialect.sharding.sharder import shard
from relax_dialect.sharding.value_sharding import Grid, Sharding, ShardingError

__all__ = [
    "Factors",
    "Grid",
    "Sharding",
    "ShardingError",
    "arguments_by_rank",
    "factors_of",
    "parameters",
    "read_parts",
    "report",
    "shard",
    "shards",
]
