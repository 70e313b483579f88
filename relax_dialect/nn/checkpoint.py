"""Folders of models as Hugging Face writes them: `config.json`, and weights in one or several files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.tensor_files import read_tensors
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.module import Module
from relax_dialect.text.regular_files import open_inside

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
MOST = 1 << 26
"""The bytes of a JSON file that are read at most."""


def load(folder: str | Path) -> Module:
    """Return the model of a folder with its weights; see `nn.families` for those that are known.

    Raises `ModuleError` for a family that is not known, for files and tensors that are missing, and for
    tensors that the model has not.
    """
    from relax_dialect.nn.families import from_config

    model = from_config(read_json(Path(folder), CONFIG))
    model.load_state_dict(model.renamed(read_weights(folder)))
    return model


def read_weights(folder: str | Path) -> dict[str, np.ndarray]:
    """Return the tensors of a folder by name, from all of its files, mapped: they must not change."""
    folder = Path(folder)
    if (folder / WEIGHTS).is_file():
        return dict(_tensors(folder, WEIGHTS))
    if not (folder / INDEX).is_file():
        raise ModuleError(
            f"{folder}: expected the weights of a model, {WEIGHTS} or {INDEX}, found none; save the model "
            "as safetensors"
        )
    index = read_json(folder, INDEX).get("weight_map")
    if not isinstance(index, dict) or not all(isinstance(each, str) for each in index.values()):
        raise ModuleError(
            f"{folder / INDEX}: expected a weight_map from names to files, found another; save it again"
        )
    found: dict[str, np.ndarray] = {}
    for file in sorted(set(index.values())):
        found |= _tensors(folder, file)
    if missing := [name for name in index if name not in found]:
        raise ModuleError(
            f"{folder / INDEX}: expected the tensor {missing[0]} in {index[missing[0]]}, found none there; "
            "save the model again"
        )
    return found


def read_json(folder: Path, file: str) -> Mapping[str, Any]:
    """Return the object in a JSON file of a folder. Raises `ModuleError` for another file."""
    path = folder / file
    try:
        opened = open_inside(folder, file)
        if opened is None:
            raise ModuleError(f"{path}: expected a file of the folder, found a link; copy it there")
        with opened:
            text = opened.read(MOST + 1)
        found = json.loads(text) if len(text) <= MOST else None
    except OSError as error:
        raise ModuleError(
            f"{path}: expected a file, found none: {error.strerror}; pass the folder of a model"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ModuleError(
            f"{path}: expected JSON, found another text: {error}; correct it"
        ) from None
    if not isinstance(found, dict):
        raise ModuleError(f"{path}: expected an object in JSON, found another text; correct it")
    return found


def _tensors(folder: Path, file: str) -> Mapping[str, np.ndarray]:
    if Path(file).name != file:
        raise ModuleError(
            f"{folder / INDEX}: expected the names of files in the folder, found {file!r}; correct it"
        )
    try:
        return read_tensors(folder / file, mapped=True)
    except OSError as error:
        raise RelaxError(
            f"{folder / file}: expected a file of weights, found none: {error.strerror}; put it there"
        ) from None
