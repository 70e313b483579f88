"""The likelihood that rows of four numbers belong to a class, by a model compiled when the wheel is built.

>>> relax_classifier.probability(numpy.zeros((1, 4), "float32"))
array([0.5], dtype=float32)
"""

from pathlib import Path

import numpy as np

import lowering

_model = lowering.load(Path(__file__).with_name("model") / "classifier")


def probability(rows: np.ndarray) -> np.ndarray:
    """Return a number from 0 to 1 for each row."""
    return _model.probability(rows)
