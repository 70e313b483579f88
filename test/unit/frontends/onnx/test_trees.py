"""Ensembles of decision trees compared with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import check, expected, found, joined, one_node
from optional import package

import lowering
from relax_dialect.frontends.onnx import OnnxError, load

package("onnx", "onnx")
package("onnxruntime")

import random_trees  # noqa: E402
from random_trees import MODES  # noqa: E402

TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
AGGREGATES = ("SUM", "AVERAGE", "MIN", "MAX")
DOMAIN = "ai.onnx.ml"
FEATURES = 4


def regressor(rng: np.random.Generator, x: Any) -> Any:
    targets = int(rng.integers(1, 4))
    modes = MODES if rng.random() < 0.5 else [str(rng.choice(MODES))]
    given = random_trees.listed(
        rng, int(rng.integers(1, 6)), 4, FEATURES, range(targets), modes=modes
    )
    if rng.random() < 0.5:
        given["base_values"] = [float(v) for v in rng.standard_normal(targets)]
    if rng.random() < 0.3:
        del given["nodes_missing_value_tracks_true"]
    how, transform = str(rng.choice(AGGREGATES)), str(rng.choice(TRANSFORMS))
    more = {"n_targets": targets, "aggregate_function": how, "post_transform": transform}
    return one_node("TreeEnsembleRegressor", [x], 3, domain=DOMAIN, **given, **more)


def classifier(rng: np.random.Generator, x: Any) -> Any:
    classes = int(rng.integers(2, 5))
    columns = range(classes) if rng.random() < 0.6 else [int(rng.integers(min(classes, 2)))]
    given = random_trees.listed(
        rng, int(rng.integers(2, 6)), 3, FEATURES, columns, "class",
        modes=[str(rng.choice(MODES))], positive=rng.random() < 0.5, several=False,
    )  # fmt: skip
    if len(columns) == classes and rng.random() < 0.5:
        given["base_values"] = [float(v) for v in rng.standard_normal(classes)]
    more = {"classlabels_int64s": [int(v) for v in rng.permutation(9)[:classes]]}
    more["post_transform"] = str(rng.choice(TRANSFORMS))
    return one_node("TreeEnsembleClassifier", [x], 3, 2, domain=DOMAIN, **given, **more)


def ensemble(rng: np.random.Generator, x: Any) -> Any:
    dtype = np.float64 if rng.random() < 0.3 else np.float32
    given = random_trees.ensemble(
        rng, int(rng.integers(1, 6)), 4, FEATURES, int(rng.integers(1, 4)), dtype
    )
    more = {"aggregate_function": int(rng.integers(4)), "post_transform": int(rng.choice((0, 3)))}
    return one_node("TreeEnsemble", [x.astype(dtype)], 5, domain=DOMAIN, **given, **more)


KINDS = {"regressor": regressor, "classifier": classifier, "ensemble": ensemble}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [*range(10), 1130])
def test_as_onnx_runtime(kind: str, seed: int):
    rng = np.random.default_rng(seed)
    model, given = KINDS[kind](rng, random_trees.inputs(rng, 9, FEATURES))
    check(model, given, 1e-4, 1e-5)


def test_in_c():
    """All kinds in one file of C, for rows of a number that is not a multiple of the blocks."""
    rng = np.random.default_rng(1)
    models = [make(rng, random_trees.inputs(rng, 67, FEATURES)) for make in KINDS.values()]
    with lowering.compile(
        joined([load(model) for model, _ in models]), "trees", extra_flags=("-O0",)
    ) as compiled:
        for number, (model, given) in enumerate(models):
            results = compiled[f"f{number}"](*given.values())
            theirs = expected(model, given)
            ours = results if len(theirs) > 1 else [results]
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(a, b, 1e-4, 1e-5)


def test_transforms_by_number():
    """ONNX numbers SOFTMAX 1 and LOGISTIC 2; ONNX Runtime exchanges them in TreeEnsemble."""
    rng = np.random.default_rng(2)
    given = random_trees.ensemble(rng, 3, 3, FEATURES, 2, np.float32)
    x = random_trees.inputs(rng, 5, FEATURES)
    plain, softmax, logistic = (
        found(*one_node("TreeEnsemble", [x], 5, domain=DOMAIN, **given, post_transform=number))[0]
        for number in (0, 1, 2)
    )
    powers = np.exp(plain)
    np.testing.assert_allclose(softmax, powers / powers.sum(1, keepdims=True), 1e-5)
    np.testing.assert_allclose(logistic, powers / (1 + powers), 1e-5)


DAMAGE = {
    "truenodeids": (99, "nodes_truenodeids within|inputs and attributes as ONNX defines"),
    "featureids": (FEATURES, "features within 0..3"),
    "modes": ("BRANCH_UP", "modes among BRANCH_LEQ"),
}


@pytest.mark.parametrize("column", DAMAGE)
def test_damaged_nodes_are_refused(column: str):
    rng = np.random.default_rng(3)
    given = random_trees.listed(rng, 2, 3, FEATURES, [0])
    value, message = DAMAGE[column]
    given[f"nodes_{column}"][0] = value
    x = random_trees.inputs(rng, 3, FEATURES)
    model, _ = one_node("TreeEnsembleRegressor", [x], 3, domain=DOMAIN, **given, n_targets=1)
    with pytest.raises(OnnxError, match=message):
        load(model, dims={"x0": [3, FEATURES]})


def test_a_tree_without_an_end_is_refused():
    given = random_trees.listed(np.random.default_rng(4), 1, 2, FEATURES, [0], full=True)
    given["nodes_truenodeids"][1] = 0
    x = np.zeros((3, FEATURES), np.float32)
    model, _ = one_node("TreeEnsembleRegressor", [x], 3, domain=DOMAIN, **given, n_targets=1)
    with pytest.raises(OnnxError, match="trees without cycles"):
        load(model)
