"""Pools against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.pooling import OPS, AdaptivePoolOp, MaxPoolOp

from .peers import agree

torch = package("torch")
functional = torch.nn.functional

SHAPES = {1: (2, 3, 11), 2: (2, 3, 8, 9), 3: (1, 2, 6, 5, 7)}

POOLS: list[dict[str, Any]] = [
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": 3, "stride": 3, "ceil_mode": True},
    {"kernel_size": 3, "stride": 1, "padding": 1, "dilation": 2},
    {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": True},
]
NAMES = {"kernel_size": "pool_size", "stride": "strides"}
"""Our names of PyTorch's arguments, where they differ."""

RANKED = [(op, int(op.name[-2])) for op in OPS]


@pytest.mark.parametrize("how", POOLS, ids=lambda how: "-".join(how))
@pytest.mark.parametrize(
    ("op", "rank"), [pair for pair in RANKED if not issubclass(pair[0], AdaptivePoolOp)]
)
def test_pools_agree_with_torch(op: Any, rank: int, how: dict[str, Any]):
    """PyTorch's average has no dilation, its maximum no padding to count. (With `ceil_mode` PyTorch
    drops a last window that has no element of x; here it stays.)"""
    only = "count_include_pad" if issubclass(op, MaxPoolOp) else "dilation"
    how = {"stride": how["kernel_size"], **how}
    theirs = {name: value for name, value in how.items() if name != only}
    if not issubclass(op, MaxPoolOp):
        theirs = {"count_include_pad": False, **theirs}
    x = np.random.default_rng(0).standard_normal(SHAPES[rank]).astype(np.float32)
    expected = getattr(functional, op.name.removeprefix("relax."))(torch.tensor(x), **theirs)
    ours = {NAMES.get(name, name): value for name, value in theirs.items()}
    agree(lambda a: op(a, **ours), [x], expected.numpy(), compiled=rank == 2)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize(
    ("op", "rank"), [pair for pair in RANKED if issubclass(pair[0], AdaptivePoolOp)]
)
def test_adaptive_pools_agree_with_torch(op: Any, rank: int, size: int):
    x = np.random.default_rng(0).standard_normal(SHAPES[rank]).astype(np.float32)
    expected = getattr(functional, op.name.removeprefix("relax."))(torch.tensor(x), size)
    agree(lambda a: op(a, size), [x], expected.numpy(), compiled=rank == 2)
