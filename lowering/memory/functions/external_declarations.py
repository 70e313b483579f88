"""Declarations of external functions at loop level.

    func.func private @packed_f(memref<?x?xf32>) -> memref<?xf32> attributes {relax.packed = "f"}

There is one for each name and signature. The attributes hold what the types do not:

* `relax.packed`: the name that the function is registered under.
* `relax.args`: the nesting and kinds of the arguments, if they are not all tensors:
  `["tensor", ["shape", "scalar"]]`. A literal, which is passed by no operand, is part of the attribute:
  `{string = "text"}`, `{dtype = "float32"}`, `{device = "1:0"}`.
* `relax.gives`: the kind of the result if it is no tensor: `"shape"`, `["tensor", "object"]`.
* `relax.dps`: the last argument is a tensor that the function writes its result to; a number
  counts such arguments.
* `relax.inplace`: for each result the argument that it is written over, -1 for a fresh one.
* `relax.format`: the text of `relax.print` and `relax.assert_op`, which every target implements itself.
* `relax.calls`: the first argument is a function value, which is called with the others.
* `relax.makes`: the result is the function value of that function with its first arguments bound.
* `relax.level`: "set" if the first argument, before a function value, is the recursion level at which
  nested calls of this module begin; "get" for the function that returns this level.
* `relax.place`: the name of a function value's call or creation in errors, with its parameters.
* `relax.checks`: the argument has to be a function value, of any kind ("any") or without effects ("pure").
* `relax.impure`: the function value that is made may have effects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Region

from lowering.memory.functions.external_forms import (
    TENSOR,
    FunctionKind,
    Kinds,
    LiteralArgument,
    PackedForm,
)

NAME, ARGS, GIVES, DPS, INPLACE, FORMAT, CALLS, MAKES, LEVEL, PLACE, CHECKS, IMPURE = (
    f"relax.{name}"
    for name in (
        *("packed", "args", "gives", "dps", "inplace", "format", "calls", "makes", "level"),
        *("place", "checks", "impure"),
    )
)

FUNCTION = "relax.function"
"""The signature of a function value, on a parameter or result of an entry."""

PARTS = "relax.parts"
"""The graph-level signature of a function that function values are made of, part by part: its kind, with
the sizes of a shape, and the names of the parameters:
`[["tensor", ["n", "?"]], ["object"], ["'x'", "'s'"]]`."""


def attributes(form: PackedForm) -> dict[str, Attribute]:
    """Return the attributes of a declaration, for the properties that its types lack."""
    found: dict[str, Attribute] = {NAME: StringAttr(form.name)}
    if any(kind != TENSOR for kind in form.args):
        found[ARGS] = ArrayAttr(map(to_attribute, form.args))
    if form.gives is not None and form.gives != TENSOR:
        found[GIVES] = to_attribute(form.gives)
    if form.dps:
        found[DPS] = UnitAttr() if form.dps == 1 else IntegerAttr(form.dps, i64)
    if form.inplace:
        found[INPLACE] = DenseArrayBase.from_list(i64, form.inplace)
    if form.format is not None:
        found[FORMAT] = StringAttr(form.format)
    if form.calls is not None:
        found[CALLS] = to_attribute(form.calls)
    if form.makes is not None:
        found[MAKES] = SymbolRefAttr(form.makes)
    if form.level:
        found[LEVEL] = StringAttr(form.level)
    if form.place:
        found[PLACE] = StringAttr(form.place)
    if form.checks:
        found[CHECKS] = StringAttr(form.checks)
    if form.impure:
        found[IMPURE] = UnitAttr()
    return found


def declaration(
    symbol: str, form: PackedForm, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> func.FuncOp:
    """Return the declaration of an external function."""
    declared = func.FuncOp(symbol, (inputs, outputs), Region(), visibility="private")
    declared.attributes.update(attributes(form))
    return declared


def form_of(op: func.FuncOp) -> PackedForm | None:
    """Return the form that a declaration describes; None for any other function."""
    name = op.attributes.get(NAME)
    if not isinstance(name, StringAttr) or op.body.first_block is not None:
        return None
    args, gives, dps, inplace, text, calls, makes, level, place = (
        op.attributes.get(key)
        for key in (ARGS, GIVES, DPS, INPLACE, FORMAT, CALLS, MAKES, LEVEL, PLACE)
    )
    level, place, checks = (
        a.data if isinstance(a, StringAttr) else ""
        for a in (level, place, op.attributes.get(CHECKS))
    )
    places = dps.value.data if isinstance(dps, IntegerAttr) else int(dps is not None)
    count = len(op.function_type.inputs) - places - (calls is not None) - (level == "set")
    kinds = tuple(map(to_kinds, args)) if isinstance(args, ArrayAttr) else (TENSOR,) * count
    default = TENSOR if op.function_type.outputs.data else None
    called = None if calls is None else to_kinds(calls)
    assert called is None or isinstance(called, FunctionKind)
    return PackedForm(
        name.data,
        kinds,
        default if gives is None else to_kinds(gives),
        places,
        tuple(map(int, inplace.get_values())) if isinstance(inplace, DenseArrayBase) else (),
        text.data if isinstance(text, StringAttr) else None,
        called,
        makes.root_reference.data if isinstance(makes, SymbolRefAttr) else None,
        level,
        place,
        checks,
        IMPURE in op.attributes,
    )


def symbol_hint(name: str) -> str:
    """Return the name of a declaration before it is made unique: `my.f` -> `packed_my_f`."""
    return f"packed_{re.sub(r'[^A-Za-z0-9_]', '_', name)}"


def to_attribute(kinds: Kinds) -> Attribute:
    """Kinds as IR has them."""
    match kinds:
        case str():
            return StringAttr(kinds)
        case LiteralArgument():
            return DictionaryAttr({kinds.kind: StringAttr(kinds.value)})
        case FunctionKind():
            parts = (kinds.args, kinds.gives, kinds.dtypes)
            return DictionaryAttr(dict(zip(("args", "gives", "dtypes"), map(to_attribute, parts))))
        case tuple():
            return ArrayAttr(map(to_attribute, kinds))


def to_kinds(attribute: Attribute) -> Kinds:
    """Return the kinds that an attribute encodes."""
    match attribute:
        case StringAttr():
            return attribute.data
        case ArrayAttr():
            return tuple(map(to_kinds, attribute))
        case DictionaryAttr() if "args" in attribute.data:
            args, gives, dtypes = (to_kinds(attribute.data[k]) for k in ("args", "gives", "dtypes"))
            return FunctionKind(args, gives, dtypes)  # pyright: ignore[reportArgumentType]
        case DictionaryAttr():
            ((kind, value),) = attribute.data.items()
            assert isinstance(value, StringAttr)
            return LiteralArgument(kind, value.data)
        case _:
            raise AssertionError(attribute)
