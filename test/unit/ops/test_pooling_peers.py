"""Pools against PyTorch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.interpret.values import dtype_name
from relax_dialect.ops.pooling import OPS, AdaptivePoolOp, MaxPoolOp

from .compiled import Case, compile_cases, tensor
from .onnx_peer import onnx_runtime
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
    """PyTorch's average has no dilation, its maximum no padding to count."""
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


# Random attributes ------------------------------------------------------------------------------


def drawn(rng: random.Random, rank: int, maximum: bool, symmetric: bool) -> dict[str, Any]:
    """Attributes of a pool, with windows that do not fit evenly."""
    sizes = [rng.randint(1, 4) for _ in range(rank)]
    before = [rng.randint(0, size // 2) for size in sizes]
    after = before if symmetric else [rng.randint(0, size - 1) for size in sizes]
    dilated = maximum or not symmetric
    return {
        "pool_size": sizes,
        "strides": [rng.randint(1, 4) for _ in range(rank)],
        "padding": [*before, *after],
        "dilation": [rng.randint(1, 3) if dilated else 1 for _ in range(rank)],
        "ceil_mode": rng.random() < 0.7,
        "count_include_pad": not maximum and rng.random() < 0.5,
    }


def by_torch(op: Any, x: np.ndarray, how: dict[str, Any]) -> np.ndarray:
    rank = x.ndim - 2
    names = {"dilation"} if issubclass(op, MaxPoolOp) else {"count_include_pad"}
    theirs = {name: how[name] for name in ("ceil_mode", *names)}
    theirs |= {theirs_: how[ours] for theirs_, ours in NAMES.items()}
    pool = getattr(functional, op.name.removeprefix("relax."))
    return pool(torch.tensor(x), padding=how["padding"][:rank], **theirs).numpy()


def by_onnx(op: Any, x: np.ndarray, how: dict[str, Any]) -> np.ndarray:
    name = "MaxPool" if issubclass(op, MaxPoolOp) else "AveragePool"
    more = {} if issubclass(op, MaxPoolOp) else {"count_include_pad": int(how["count_include_pad"])}
    (found,) = onnx_runtime(
        name,
        [x],
        opset=22,
        kernel_shape=how["pool_size"],
        strides=how["strides"],
        pads=how["padding"],
        dilations=how["dilation"],
        ceil_mode=int(how["ceil_mode"]),
        **more,
    )
    return np.where(found == np.finfo(found.dtype).min, -np.inf, found)  # windows that see nothing


@pytest.mark.parametrize("peer", [by_torch, by_onnx])
def test_pools_with_random_attributes(peer: Callable[..., np.ndarray]):
    """Odd sizes, strides and dilations, rounded up and down, with padding counted and not."""
    rng = random.Random(3)
    pools = [op for op, _ in RANKED if not issubclass(op, AdaptivePoolOp)]
    cases, expected = dict[str, Case](), dict[str, tuple[np.ndarray, np.ndarray, str]]()
    while len(cases) < 30:
        op = rng.choice(pools)
        rank, seed = int(op.name[-2]), len(cases)
        how = drawn(rng, rank, issubclass(op, MaxPoolOp), peer is by_torch)
        shape = (1, 2, *(rng.randint(1, 9) for _ in range(rank)))
        x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        if peer is by_torch and not issubclass(op, MaxPoolOp) and seed % 2:
            x = np.asarray(x * 100, np.int64)  # the one integer type that PyTorch averages
        try:
            type = tensor(*shape, dtype=dtype_name(x.dtype))
            case = Case(lambda a, op=op, how=how: op(a, **how), [type], None)
            assert issubclass(case.tested, op)
            wanted = peer(op, x, how)
        except (RelaxError, RuntimeError):
            continue  # a window larger than x; PyTorch refuses it also where half of it would do
        cases[f"pool{seed}"] = case
        expected[f"pool{seed}"] = x, wanted, f"{op.name} of {shape}, {how}"
    model = compile_cases(cases)
    for name, (x, wanted, what) in expected.items():
        interpreted = run(ModuleOp([cases[name].function("main")]), "main", x)
        for found, who in ((interpreted, "interpreter"), (model[name](x), "C")):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), f"{who}: {what}"
            np.testing.assert_allclose(found, wanted, 1e-5, 1e-6, err_msg=f"{who}: {what}")
