"""Ensembles of decision trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.imported_values import Array
from relax_dialect.frontends.onnx.ml import DOMAIN
from relax_dialect.frontends.onnx.ml.forest import Branches, Forest
from relax_dialect.frontends.onnx.ml.scores import (
    NUMBERED,
    TRANSFORMS,
    both_classes,
    chosen,
    labels,
    one_of_two,
    probit,
    rows,
    transformed,
)
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
"""The aggregates, by the numbers that TreeEnsemble has for them."""
MODE_NAMES = {
    f"BRANCH_{name}": number for number, name in enumerate(("LEQ", "LT", "GTE", "GT", "EQ", "NEQ"))
}


@dataclass(frozen=True)
class Votes:
    """The votes of leaves for targets: a weight for each, and whether there is one."""

    forest: Forest
    weights: Array
    given: Array

    @classmethod
    def of(
        cls, forest: Forest, targets: int, places: tuple[Array, Array], values: Array, how: str
    ) -> Votes:
        """Build votes from entries; several of a leaf and target are aggregated too."""
        given = np.zeros((forest.leaves, targets), bool)
        given[places] = True
        neutral = {"MIN": np.inf, "MAX": -np.inf}.get(how, 0)
        weights = np.full((forest.leaves, targets), neutral, values.dtype)
        {"MIN": np.minimum, "MAX": np.maximum}.get(how, np.add).at(weights, places, values)
        return cls(forest, weights, given)

    def aggregated(self, node: OnnxNode, reached: Value, how: str) -> Value:
        """Aggregate the weights of the leaves that rows reach, over all trees."""
        found = op.take(self.weights, reached, 0)
        if how in ("MIN", "MAX"):
            return node.emit(op.min(found, 1) if how == "MIN" else op.max(found, 1))
        total = op.sum(found, 1)
        return node.emit(
            op.divide(total, float(len(self.forest.roots))) if how == "AVERAGE" else total
        )

    def seen(self, node: OnnxNode, reached: Value) -> Value | None:
        """Returns, by row and target, whether a reached leaf has a weight; None if that always holds."""
        trees = self.forest.trees
        whole = np.ones((len(self.forest.roots), self.given.shape[1]), bool)
        np.logical_and.at(whole, trees[trees >= 0], self.given[trees >= 0])
        if whole.any(0).all():
            return None
        return node.emit(op.any(op.take(self.given, reached, 0), 1))


def column(node: OnnxNode, name: str, dtype: Any, default: Any = None) -> Array:
    """Return an attribute that is a list of numbers, or a tensor under the name with `_as_tensor`."""
    found = node.attr(f"{name}_as_tensor", None)
    found = node.attr(name, default) if found is None else found
    return np.asarray([] if found is None else found).reshape(-1).astype(dtype)


def input_rows(node: OnnxNode) -> Value:
    """Return the rows in the type to compute in: f64 as it is, any other as f32."""
    return rows(node, "float64" if node.dtype(0).name == "float64" else "float32")


# Ensembles of opsets below 5 ---------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """Nodes that are identified by the numbers of their tree and of them in it."""

    forest: Forest
    places: dict[tuple[int, int], int]

    @classmethod
    def of(cls, node: OnnxNode, dtype: Any) -> Listed:
        trees, ids = (column(node, f"nodes_{name}", np.int64) for name in ("treeids", "nodeids"))
        modes = np.array(node.attr("nodes_modes"))
        is_leaf = modes == "LEAF"
        unknown = set(modes[~is_leaf].tolist()) - set(MODE_NAMES)
        if unknown:
            node.fail(
                f"modes among {', '.join(MODE_NAMES)}", str(min(unknown)), "correct the model"
            )
        count = int(is_leaf.sum())
        numbers = np.where(is_leaf, np.cumsum(is_leaf) - 1, count + np.cumsum(~is_leaf) - 1)
        places = dict(zip(zip(trees.tolist(), ids.tolist()), numbers.tolist()))
        _, first = np.unique(trees, return_index=True)
        own = np.flatnonzero(~is_leaf)
        missing = column(node, "nodes_missing_value_tracks_true", bool)
        true, false = (
            np.array(
                [places[k] for k in zip(trees[own].tolist(), children[own].tolist())], np.int64
            )
            for children in (
                column(node, f"nodes_{side}nodeids", np.int64) for side in ("true", "false")
            )
        )
        branches = Branches(
            np.array([MODE_NAMES[mode] for mode in modes[own]], np.int64),
            column(node, "nodes_featureids", np.int64)[own],
            column(node, "nodes_values", dtype)[own],
            true,
            false,
            missing[own] if missing.size == len(trees) else np.zeros(len(own), bool),
        )
        return cls(Forest(count, numbers[np.sort(first)], branches), places)

    def votes(self, node: OnnxNode, kind: str, targets: int, dtype: Any, how: str) -> Votes:
        """Return the weights of targets or classes."""
        trees, ids, columns = (
            column(node, f"{kind}_{name}", np.int64) for name in ("treeids", "nodeids", "ids")
        )
        leaves = np.array([self.places[k] for k in zip(trees.tolist(), ids.tolist())], np.int64)
        kept = leaves < self.forest.leaves
        if columns.size and (columns.min() < 0 or columns.max() >= targets):
            node.fail(
                f"{kind}_ids within 0..{targets - 1}", str(columns.max()), "correct the model"
            )
        values = column(node, f"{kind}_weights", dtype)
        places = leaves[kept], columns[kept]
        return Votes.of(self.forest, targets, places, values[kept], how)


@converter("TreeEnsembleRegressor", domain=DOMAIN)
def regressor(node: OnnxNode) -> Any:
    x, targets = input_rows(node), node.attr("n_targets")
    dtype = computed_in(node)
    listed, how = Listed.of(node, dtype), node.attr("aggregate_function")
    votes = listed.votes(node, "target", targets, dtype, _aggregate(node, how))
    reached = listed.forest.reached(node, x)
    scores = votes.aggregated(node, reached, how)
    base, seen = column(node, "base_values", dtype), votes.seen(node, reached)
    found: Any = op.add(scores, base) if base.size in (1, targets) else scores
    if seen is not None:
        found = op.where(seen, found, np.zeros((), dtype))
    return op.astype(transformed(node, node.emit(found)), "f32")


def computed_in(node: OnnxNode) -> Any:
    """Return the type that rows, splits and weights are compared and added in."""
    return np.dtype(np.float64 if node.dtype(0).name == "float64" else np.float32)


def _aggregate(node: OnnxNode, name: str) -> str:
    if name not in AGGREGATES:
        node.fail(f"an aggregate among {', '.join(AGGREGATES)}", repr(name), "correct the model")
    return name


@converter("TreeEnsembleClassifier", domain=DOMAIN)
def classifier(node: OnnxNode) -> Any:
    x, dtype = input_rows(node), computed_in(node)
    listed, classes = Listed.of(node, dtype), labels(node, "classlabels_int64s")
    votes = listed.votes(node, "class", len(classes), dtype, "SUM")
    reached = listed.forest.reached(node, x)
    scores, seen = votes.aggregated(node, reached, "SUM"), votes.seen(node, reached)
    base = column(node, "base_values", dtype)
    if len(classes) > 2:
        label, found = _of_many(node, scores, classes, base, seen)
    else:
        label, found = _of_two(node, scores, classes, base, seen)
    return label, op.astype(found, "f32")


def _of_many(
    node: OnnxNode, scores: Value, classes: Array, base: Array, seen: Value | None
) -> tuple[Any, Any]:
    """Return the class of the largest score among the classes that have votes."""
    compared: Any = scores
    if base.size:
        compared = scores = node.emit(op.add(scores, base))
    elif seen is not None:
        compared = op.where(seen, scores, np.array(-np.inf, base.dtype))
    return chosen(classes, op.argmax(compared, -1)), transformed(node, scores)


def _of_two(
    node: OnnxNode, scores: Value, classes: Array, base: Array, seen: Value | None
) -> tuple[Any, Any]:
    """Convert two classes as in ONNX Runtime: the votes for the first class alone are those for the
    second."""
    ids, weights = column(node, "class_ids", np.int64), column(node, "class_weights", np.float64)
    positive, is_binary = bool((weights >= 0).all()), len(set(ids.tolist())) == 1
    first, second = (
        node.emit(
            op.strided_slice(scores, [1], [min(i, len(classes) - 1)], [min(i + 1, len(classes))])
        )
        for i in (0, 1)
    )
    has_second = _has_second(node, ids, seen)
    least = 0.5 if positive and is_binary else 0.0
    two = classes if is_binary and len(classes) == 2 else np.arange(2)
    if base.size == 1:
        first = node.emit(op.add(first, base[0]))
    if base.size == 2:
        first, second = _with_two_bases(node, first, second, base, has_second)
    decisive = _either(has_second, second, first)
    label = one_of_two(op.greater(op.reshape(decisive, [-1]), least), two)
    both: Any = op.concat([first, second], -1)
    if base.size == 2 and seen is not None:
        both = op.where(seen, both, np.zeros((), base.dtype))
    both = transformed(node, node.emit(both))
    if base.size == 2 or has_second is True:
        return label, both
    if len(classes) == 1:
        return label, transformed(node, first)
    alone = both_classes(node, first, positive=positive and is_binary)
    return label, _either(has_second, both, alone)


def _either(condition: Value | bool, yes: Any, no: Any) -> Any:
    """Return one of two values, by a condition that may be known."""
    if isinstance(condition, bool):
        return yes if condition else no
    return op.where(condition, yes, no)


def _has_second(node: OnnxNode, ids: Array, seen: Value | None) -> Value | bool:
    """Returns whether a leaf that a row reaches has votes for the second class."""
    if seen is None or not (ids == 1).any():
        return bool((ids == 1).any())
    return node.emit(op.strided_slice(seen, [1], [1], [2]))


def _with_two_bases(
    node: OnnxNode, first: Value, second: Value, base: Array, has_second: Value | bool
) -> tuple[Value, Value]:
    """Add base values to the scores of both classes; that of the second is added to the first score if
    there are votes for the second."""
    added = node.emit(op.add(first, base[1]))
    own = [op.add(first, base[0]), op.add(second, base[1])]
    return tuple(
        node.emit(_either(has_second, *pair)) for pair in zip((op.negative(added), added), own)
    )  # pyright: ignore[reportReturnType]


# TreeEnsemble ------------------------------------------------------------------------------------


@converter("TreeEnsemble", since=5, domain=DOMAIN)
def tree_ensemble(node: OnnxNode) -> Any:
    x, dtype = input_rows(node), np.dtype(node.dtype(0))
    wide = np.float64 if dtype == np.float64 else np.float32
    forest, targets = _forest(node, wide), node.attr("n_targets")
    how = dict(enumerate(AGGREGATES))[node.attr("aggregate_function")]
    columns = column(node, "leaf_targetids", np.int64)
    weights = column(node, "leaf_weights", wide)
    votes = Votes.of(forest, targets, (np.arange(forest.leaves), columns), weights, how)
    reached = forest.reached(node, x)
    scores, seen = votes.aggregated(node, reached, how), votes.seen(node, reached)
    found: Any = scores if seen is None else op.where(seen, scores, np.zeros((), wide))
    transform = TRANSFORMS[NUMBERED[node.attr("post_transform")]]
    if targets > 1 or transform is probit:
        found = transform(node.emit(found))
    return found if dtype == wide else op.astype(found, dtype.name)


def _forest(node: OnnxNode, dtype: Any) -> Forest:
    leaves = len(node.attr("leaf_targetids"))
    is_leaf = {k: column(node, f"nodes_{k}leafs", bool) for k in ("true", "false")}
    children = {
        k: column(node, f"nodes_{k}nodeids", np.int64) + np.where(is_leaf[k], 0, leaves)
        for k in is_leaf
    }
    modes = column(node, "nodes_modes", np.int64)
    missing = column(node, "nodes_missing_value_tracks_true", bool)
    features, splits = (
        column(node, f"nodes_{name}", kind)
        for name, kind in (("featureids", np.int64), ("splits", dtype))
    )
    missing = missing if missing.size else np.zeros(len(modes), bool)
    branches = Branches(modes, features, splits, children["true"], children["false"], missing)
    roots = leaves + column(node, "tree_roots", np.int64)
    members = column(node, "membership_values", dtype)
    ends = np.flatnonzero(np.isnan(members))
    sets = [part[~np.isnan(part)].tolist() for part in np.split(members, ends)]
    return Forest(leaves, roots, branches).with_members(sets)
