"""The signature of a prim func in Relax types, read from the attributes of its `func.func`.

Before bufferization a prim func takes tensors and returns tensors; after it, it takes its symbols
first, then memrefs, and writes the arguments marked `relax.result`. The signature is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    StringAttr,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError, SymbolicError
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr

DIMS = "relax.dims"
"""One symbolic expression per dimension of a tensor or memref, as a list of strings."""
SYMBOL = "relax.symbol"
"""The symbol that an `index` argument holds."""
VALUE = "relax.value"
"""On an `i64`: the symbolic expression that it is the value of."""
RESULT = "relax.result"
"""Marks a memref argument that the function writes its result to."""
UNRANKED = "relax.unranked"
"""Marks a result of a function on memrefs that holds the elements of a tensor of unknown rank; the next
result holds its sizes."""
ENTRY = "relax.entry"
"""Marks a function that callers from outside see."""
RESULT_NAMES = "relax.result_names"
"""On a Relax function: the names of its results in C and in the tools, a list of strings."""
SCHEDULE = "relax.schedule"
"""On a prim func: how it is computed, as `relax-schedule` reads it."""
SCHEDULES = "relax.schedules"
"""On a module: how prim funcs are computed, by name, as `relax-schedule` reads a file of schedules."""
JOINS = "relax.joins"
"""On a prim func: its result is its arguments one after the other, as they lie in memory."""
PARALLEL = "relax.parallel"
"""On an `scf.for`: its iterations may run in any order, or at the same time, if each has its own scratch
buffers. On a call: its first two arguments are a range of iterations that may be split, and the entries are
`step`, the distance of iterations, `least`, the fewest of a part, `cost`, the estimated work, or `fewest`,
the iterations from which on it is worth it, and `nests`, whether the callee has such calls."""
PART = "relax.part"
"""On a `memref.view`: its number among the parts of one row of bytes, of which no two overlap."""
FRAME = "relax.frame"
"""On a function on memrefs: the total bytes of its allocations with offsets."""
OFFSET = "relax.offset"
"""On an allocation: its offset, in bytes from the start of the function's frame. On a call: the offset of
the callees' frames."""


def stated_names(function: Operation) -> Sequence[str]:
    """The names that a function states for its results, `RESULT_NAMES`."""
    stated = function.attributes.get(RESULT_NAMES)
    found = stated.data if isinstance(stated, ArrayAttr) else ()
    return [name.data for name in found if isinstance(name, StringAttr)]


def result_names(function: Operation, count: int) -> Sequence[str]:
    """The names that a function states for its results, if there are as many; else none."""
    names = stated_names(function)
    return names if len(names) == count else []


@dataclass
class PrimSignature:
    """The parameters and results of a prim func, in its own symbolic variables."""

    params: list[TensorType] = field(default_factory=list)
    results: list[TensorType] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    """The symbols passed as `index` arguments, in order."""

    @property
    def unbound(self) -> list[str]:
        """Return the symbols that are not bare sizes of a parameter: `relax.call_tir` passes them in
        brackets."""
        bare = symbolic.defined_by(d for p in self.params for d in p.shape or ())
        return [s for s in self.symbols if s not in bare]


def attribute_dicts(
    attributes: ArrayAttr[DictionaryAttr] | None, count: int
) -> list[Mapping[str, Attribute]]:
    """Return the attribute dictionaries of `count` arguments or results, empty ones by default."""
    return [entry.data for entry in attributes] if attributes else [{}] * count


def symbol_of(attributes: Mapping[str, Attribute]) -> str | None:
    """Return the symbolic variable that an `index` argument with these attributes holds, if any."""
    symbol = attributes.get(SYMBOL)
    if not isinstance(symbol, StringAttr):
        return None
    try:
        return symbolic.var(symbol.data).name
    except SymbolicError as error:
        raise RelaxError(f"{SYMBOL}: {error}") from None


def tensor_parameter(
    func: FuncOp, type: Attribute, attributes: Mapping[str, Attribute]
) -> TensorType:
    """Return the Relax type of a tensor or memref parameter, with the sizes that its attributes declare."""
    if not isinstance(type, BuiltinTensorType | MemRefType):
        raise RelaxError(
            f"func.func @{func.sym_name.data}: expected tensors or memrefs and `index` arguments "
            f"marked {SYMBOL}, found {type}; only such functions can be called by relax.call_tir"
        )
    dims = attributes.get(DIMS)
    if isinstance(dims, ArrayAttr):
        try:
            shape = tuple(_dim(d) for d in dims)
        except SymbolicError as error:
            raise RelaxError(f"func.func @{func.sym_name.data}: {DIMS}: {error}") from None
    else:
        shape = tuple(None if s == DYNAMIC_INDEX else symbolic.const(s) for s in type.get_shape())
    if len(shape) != len(type.get_shape()):
        raise RelaxError(
            f"func.func @{func.sym_name.data}: expected {DIMS} of {len(type.get_shape())} sizes "
            f"for {type}, found {len(shape)}; name every dimension"
        )
    return TensorType.get(shape, type.get_element_type())


def _dim(attribute: Attribute) -> Expr | None:
    text = attribute.data if isinstance(attribute, StringAttr) else str(attribute)
    return None if text == "?" else symbolic.parse(text)


def signature(func: FuncOp) -> PrimSignature:
    """Return the signature of a prim func; `RelaxError` for a function that is none."""
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    found = PrimSignature()
    for type, attributes in zip(inputs, attribute_dicts(func.arg_attrs, len(inputs))):
        try:
            symbol = symbol_of(attributes)
        except RelaxError as error:
            raise RelaxError(f"func.func @{func.sym_name.data}: {error}") from None
        if symbol is not None:
            found.symbols.append(symbol)
        elif RESULT in attributes:
            found.results.append(tensor_parameter(func, type, attributes))
        else:
            found.params.append(tensor_parameter(func, type, attributes))
    for type, attributes in zip(outputs, attribute_dicts(func.res_attrs, len(outputs))):
        found.results.append(tensor_parameter(func, type, attributes))
    return found
