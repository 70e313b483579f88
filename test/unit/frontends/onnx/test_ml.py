"""Converters of ai.onnx.ml compared with ONNX Runtime, with symbolic sizes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx_models import check, one_node
from optional import package

from relax_dialect.frontends.onnx import OnnxError, load
from relax_dialect.frontends.onnx.registry import table

package("onnxruntime")

RANDOM = np.random.default_rng(2)
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
TYPES = (np.float32, np.float64, np.int64, np.int32)

Case = tuple[str, list[Any], dict[str, Any]]


def f32(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def floats(count: int) -> list[float]:
    return [float(v) for v in f32(count)]


X = np.round(f32(7, 4) * 3)
X[2] = 0
NAN = np.array([[1, np.nan, 3], [np.nan, 2, 1]], np.float32)


def feature_cases() -> list[Case]:
    of_types = [
        (name, [X.astype(dtype)], attributes)
        for dtype in TYPES
        for name, attributes in [
            ("Scaler", {"offset": floats(4), "scale": floats(4)}),
            ("Scaler", {"offset": [0.5], "scale": [3.0]}),
            *[("Normalizer", {"norm": norm}) for norm in ("MAX", "L1", "L2")],
        ]
    ]
    return [
        *of_types,
        ("Normalizer", [X[1]], {"norm": "L2"}),
        ("Imputer", [NAN], {"imputed_value_floats": [5.0], "replaced_value_float": float("nan")}),
        ("Imputer", [X], {"imputed_value_floats": floats(4), "replaced_value_float": 0.0}),
        ("Imputer", [X.astype(np.int64)], {"imputed_value_int64s": [9], "replaced_value_int64": 3}),
        ("Binarizer", [X], {"threshold": 0.5}),
        ("ArrayFeatureExtractor", [X, np.array([[2, 0]])], {}),
        ("ArrayFeatureExtractor", [X[0], np.array([1])], {}),
        ("FeatureVectorizer", [X, X[:, :2]], {"inputdimensions": [3, 4]}),
        ("OneHotEncoder", [np.array([[1, 2], [3, 9]])], {"cats_int64s": [3, 1, 2], "zeros": 1}),
    ]


def encoder_cases() -> list[Case]:
    keys = {"keys_int64s": [5, -1, 3], "keys_floats": [1.5, float("nan"), -2.0]}
    values = {"values_int64s": [7, 8, 9], "values_floats": [0.5, 1.5, 2.5]}
    elements = {
        "keys_int64s": np.array([[3, 5], [4, -1]]),
        "keys_floats": np.array([1.5, np.nan, 0, -2, 9], np.float32),
    }
    return [
        ("LabelEncoder", [elements[k]], {k: keys[k], v: values[v], **more})
        for k, v, more in product(keys, values, ({}, {"default_int64": 4, "default_float": 0.25}))
    ]


def linear_cases() -> list[Case]:
    two = {"coefficients": floats(4), "intercepts": [0.1], "classlabels_ints": [3, 5]}
    three = {"coefficients": floats(12), "intercepts": floats(3), "classlabels_ints": [3, 5, 9]}
    return [
        *(
            ("LinearClassifier", [X.astype(dtype)], {**given, "post_transform": transform})
            for given, transform, dtype in product((two, three), TRANSFORMS[:4], TYPES[:2])
        ),
        *(
            ("LinearRegressor", [X], {"coefficients": floats(8), "targets": 2, "post_transform": t})
            for t in TRANSFORMS[:4]
        ),
        ("LinearRegressor", [X], {"coefficients": floats(4), "intercepts": [0.5]}),
        ("LinearRegressor", [X[1]], {"coefficients": floats(4), "intercepts": [0.5]}),
    ]


def machine_cases() -> list[Case]:
    kinds = ("LINEAR", "POLY", "RBF", "SIGMOID")
    kernel = {kind: {"kernel_type": kind, "kernel_params": [0.1, 0.3, 2.0]} for kind in kinds}
    found: list[Case] = []
    for kind in kinds:
        regressor = {"support_vectors": floats(20), "coefficients": floats(5), "rho": [0.25]}
        found.append(("SVMRegressor", [X], {**regressor, "n_supports": 5, **kernel[kind]}))
        for classes, proba in product((2, 3, 4), (False, True)):
            pairs = classes * (classes - 1) // 2
            given = {
                "support_vectors": floats(4 * 2 * classes),
                "vectors_per_class": [1, *[2] * (classes - 2), 3],
                "coefficients": floats((classes - 1) * 2 * classes),
                "classlabels_ints": list(range(1, classes + 1)),
                "rho": floats(pairs),
                **({"prob_a": floats(pairs), "prob_b": floats(pairs)} if proba else {}),
            }
            found.append(("SVMClassifier", [X], {**given, **kernel[kind]}))
            if classes < 4:
                transforms = TRANSFORMS[1 : 4 if proba else 2]
                found += [
                    ("SVMClassifier", [X], {**found[-1][2], "post_transform": t})
                    for t in transforms
                ]
    none = {"kernel_params": [0.0, 0.0, 0.0]}
    line = {"coefficients": floats(12), "rho": [0.5], **none}
    one_class = {"support_vectors": floats(8), "coefficients": floats(2), "rho": [0.1], **none}
    return [
        *found,
        ("SVMClassifier", [X], {**line, "classlabels_ints": [0, 1, 2]}),
        (
            "SVMClassifier",
            [X[:, :2]],
            {**line, "coefficients": floats(4), "classlabels_ints": [0, 1]},
        ),
        ("SVMRegressor", [X], {"coefficients": floats(4), "rho": [0.25], **none}),
        ("SVMRegressor", [X], {**one_class, "n_supports": 2, "one_class": 1}),
    ]


CASES = [*feature_cases(), *encoder_cases(), *linear_cases(), *machine_cases()]
TWO = {"LinearClassifier", "SVMClassifier"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_as_onnx_runtime(case: Case):
    name, inputs, attributes = case
    constants = [1] if name == "ArrayFeatureExtractor" else []
    outputs = 2 if name in TWO else 1
    model, given = one_node(
        name,
        inputs,
        4 if name == "LabelEncoder" else 1,
        outputs,
        name != "FeatureVectorizer",
        constants,
        "ai.onnx.ml",
        **attributes,
    )
    check(model, given, 1e-4, 1e-5)


def test_maps_are_left_out_with_a_reason():
    model, _ = one_node("ZipMap", [X], 1, domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2, 3])
    with pytest.raises(OnnxError, match=r"ai.onnx.ml.ZipMap .*makes a map.*'zipmap': False"):
        load(model)


def test_labels_that_are_strings_are_refused():
    given = {"coefficients": floats(4), "intercepts": [0.1], "classlabels_strings": ["a", "b"]}
    model, _ = one_node("LinearClassifier", [X], 1, 2, domain="ai.onnx.ml", **given)
    with pytest.raises(OnnxError, match="found labels that are strings; export"):
        load(model)


def test_every_converter_is_compared():
    ours = {name for domain, name in table() if domain == "ai.onnx.ml"}
    trees = {"TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor"}
    assert ours - trees == {name for name, *_ in CASES}
