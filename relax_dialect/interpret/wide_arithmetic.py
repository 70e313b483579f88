"""Programs computed in f64, whatever floats they are of."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    ModuleOp,
    f64,
)
from xdsl.ir import Attribute, ParametrizedAttribute

from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.walk import blocks_of

NARROW = (Float16Type, BFloat16Type, Float32Type)


def widened(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module whose floats are all f64, constants included. It is to be run, not
    verified: a conversion from f32 to f64 in a prim func is one from f64 to f64 there."""
    copy = module.clone()
    known: dict[Attribute, Attribute] = {}
    for op in copy.walk():
        for attributes in (op.properties, op.attributes):
            attributes.update({name: _wide(a, known) for name, a in attributes.items()})
        places = [*op.results, *(v for b in blocks_of(op) for v in b.args)]
        for value in places:
            value._type = _wide(value.type, known)  # pyright: ignore[reportPrivateUsage]
    return copy


def wide_values(value: Any) -> Any:
    """Return a value whose floats are f64."""
    if isinstance(value, tuple):
        return tuple(map(wide_values, value))
    if isinstance(value, np.ndarray) and _is_narrow(value.dtype):
        return value.astype(np.float64)
    return value


def _is_narrow(dtype: np.dtype[Any]) -> bool:
    return dtype in (np.float16, np.float32) or dtype.name == "bfloat16"


def _wide(attribute: Attribute, known: dict[Attribute, Attribute]) -> Attribute:
    """Replace the floats in an attribute by f64."""
    if attribute not in known:
        known[attribute] = _widen(attribute, known)
    return known[attribute]


def _widen(attribute: Attribute, known: dict[Attribute, Attribute]) -> Attribute:
    match attribute:
        case Float16Type() | BFloat16Type() | Float32Type():
            return f64
        case DenseIntOrFPElementsAttr():
            wide = _wide(attribute.type, known)
            if wide == attribute.type or not isinstance(attribute.get_element_type(), AnyFloat):
                return attribute
            data = from_dense(attribute).astype("<f8").tobytes()
            return DenseIntOrFPElementsAttr.new([wide, BytesAttr(data)])
        case ArrayAttr():
            return ArrayAttr(_wide(each, known) for each in attribute.data)
        case DictionaryAttr():
            return DictionaryAttr({k: _wide(v, known) for k, v in attribute.data.items()})
        case ParametrizedAttribute():
            return type(attribute).new([_wide(p, known) for p in attribute.parameters])
        case _:
            return attribute
