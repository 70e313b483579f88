"""Random ensembles of decision trees in the forms of ONNX, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def listed(
    rng: np.random.Generator,
    trees: int,
    depth: int,
    features: int,
    columns: Sequence[int],
    kind: str = "target",
    modes: Sequence[str] = MODES[:1],
    positive: bool = False,
    full: bool = False,
    several: bool = True,
) -> dict[str, Any]:
    """The attributes of TreeEnsembleRegressor (`kind` target) or TreeEnsembleClassifier (class).

    Leaves have weights for one of the columns, or for some of them if there are `several`; trees are `full`
    or end at random.
    """
    nodes: dict[str, list[Any]] = {
        k: [] for k in ("treeids", "nodeids", "modes", "featureids", "values")
    }
    nodes |= {k: [] for k in ("truenodeids", "falsenodeids", "missing_value_tracks_true")}
    leaves: dict[str, list[Any]] = {k: [] for k in ("treeids", "nodeids", "ids", "weights")}

    def add(tree: int, number: int, **own: Any) -> None:
        own |= {"treeids": tree, "nodeids": number}
        for name, values in nodes.items():
            values.append(own.get(name, 0))

    for tree in range(trees):
        level, count = [(0, 0)], 1
        while level:
            number, deep = level.pop(0)
            if deep < depth and (full or deep == 0 or rng.random() < 0.8):
                both, count = (count, count + 1), count + 2
                level += [(child, deep + 1) for child in both]
                value = float(np.float32(np.round(rng.standard_normal() * 2) / 2))
                add(
                    tree, number, modes=str(rng.choice(modes)), featureids=int(rng.integers(features)),
                    values=value, truenodeids=both[0], falsenodeids=both[1],
                    missing_value_tracks_true=int(rng.integers(2)),
                )  # fmt: skip
                continue
            add(tree, number, modes="LEAF", values=0.0)
            votes = int(rng.integers(1, len(columns) + 1)) if several else 1
            for column in rng.permutation(columns)[:votes]:
                weight = float(np.float32(rng.standard_normal()))
                own = {"treeids": tree, "nodeids": number, "ids": int(column)}
                own["weights"] = abs(weight) if positive else weight
                for name, values in leaves.items():
                    values.append(own[name])
    found = {f"nodes_{name}": values for name, values in nodes.items()}
    return found | {f"{kind}_{name}": values for name, values in leaves.items()}


def ensemble(
    rng: np.random.Generator, trees: int, depth: int, features: int, targets: int, dtype: Any
) -> dict[str, Any]:
    """The attributes of TreeEnsemble, with all modes."""
    names = (
        "modes",
        "featureids",
        "splits",
        "truenodeids",
        "falsenodeids",
        "trueleafs",
        "falseleafs",
    )
    nodes: dict[str, list[Any]] = {k: [] for k in (*names, "missing_value_tracks_true")}
    weights, columns, roots, members = list[float](), list[int](), list[int](), list[float]()

    def grow(deep: int) -> tuple[int, int]:
        """The number of a node or leaf, and whether it is a leaf."""
        if deep == depth or (deep and rng.random() < 0.2):
            weights.append(float(rng.standard_normal()))
            columns.append(int(rng.integers(targets)))
            return len(weights) - 1, 1
        number = len(nodes["modes"])
        mode = int(rng.integers(7))
        split = np.round(rng.standard_normal() * 2) / 2
        if mode == 6:
            members.extend([*rng.integers(1, 4, rng.integers(1, 4)).astype(float), np.nan])
        own = {"modes": mode, "featureids": int(rng.integers(features)), "splits": split}
        own["missing_value_tracks_true"] = int(rng.integers(2))
        for name, values in nodes.items():
            values.append(own.get(name, 0))
        for side in ("true", "false"):
            nodes[f"{side}nodeids"][number], nodes[f"{side}leafs"][number] = grow(deep + 1)
        return number, 0

    for _ in range(trees):
        roots.append(grow(0)[0])
    found: dict[str, Any] = {f"nodes_{name}": values for name, values in nodes.items()}
    found["nodes_splits"] = tensor(np.array(nodes["splits"], dtype))
    found["nodes_modes"] = tensor(np.array(nodes["modes"], np.uint8))
    found |= {"leaf_weights": tensor(np.array(weights, dtype)), "leaf_targetids": columns}
    if members:
        found["membership_values"] = tensor(np.array(members, dtype))
    return {**found, "tree_roots": roots, "n_targets": targets}


def tensor(array: Any) -> Any:
    return onnx.numpy_helper.from_array(array)


def inputs(rng: np.random.Generator, rows: int, features: int, missing: bool = True) -> Any:
    """Rows that meet the splits, with some NaNs."""
    found = (np.round(rng.standard_normal((rows, features)) * 4) / 4).astype(np.float32)
    if missing:
        found[rng.random(found.shape) < 0.1] = np.nan
    return found
