"""Declarations of functions from outside, as they stand at loop level.

    func.func private @packed_f(memref<?x?xf32>) -> memref<?xf32> attributes {relax.packed = "f"}

There is one for each name and signature. What a caller must know beyond the types:

* `relax.packed`: the name that the function is registered under.
* `relax.args`: how the arguments were nested and what they were, where not all of them were tensors:
  `["tensor", ["shape", "scalar"]]`.
* `relax.gives`: what the result is where it is no tensor: `"shape"`, `"scalar"`.
* `relax.dps`: the last argument is a tensor that the function writes its result to.
* `relax.format`: the text of `relax.print` and `relax.assert_op`, which every target has itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Region

from lowering.packed_form import TENSOR, Kinds, PackedForm

NAME, ARGS, GIVES, DPS, FORMAT = (
    f"relax.{name}" for name in ("packed", "args", "gives", "dps", "format")
)


def attributes(form: PackedForm) -> dict[str, Attribute]:
    """What a declaration says beyond its types."""
    found: dict[str, Attribute] = {NAME: StringAttr(form.name)}
    if any(kind != TENSOR for kind in form.args):
        found[ARGS] = ArrayAttr(map(_to_attribute, form.args))
    if form.gives is not None and form.gives != TENSOR:
        found[GIVES] = StringAttr(form.gives)
    if form.dps:
        found[DPS] = UnitAttr()
    if form.format is not None:
        found[FORMAT] = StringAttr(form.format)
    return found


def declaration(
    symbol: str, form: PackedForm, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> func.FuncOp:
    """The declaration of a function from outside."""
    declared = func.FuncOp(symbol, (inputs, outputs), Region(), visibility="private")
    declared.attributes.update(attributes(form))
    return declared


def form_of(op: func.FuncOp) -> PackedForm | None:
    """The form that a declaration describes; None for any other function."""
    name = op.attributes.get(NAME)
    if not isinstance(name, StringAttr) or op.body.first_block is not None:
        return None
    dps = DPS in op.attributes
    args, gives, text = (op.attributes.get(key) for key in (ARGS, GIVES, FORMAT))
    count = len(op.function_type.inputs) - dps
    kinds = tuple(map(_to_kinds, args)) if isinstance(args, ArrayAttr) else (TENSOR,) * count
    default = TENSOR if op.function_type.outputs.data else None
    return PackedForm(
        name.data,
        kinds,
        gives.data if isinstance(gives, StringAttr) else default,
        dps,
        text.data if isinstance(text, StringAttr) else None,
    )


def symbol_hint(name: str) -> str:
    """What a declaration is called before it is made unique: `my.f` -> `packed_my_f`."""
    return f"packed_{re.sub(r'[^A-Za-z0-9_]', '_', name)}"


def _to_attribute(kinds: Kinds) -> Attribute:
    return StringAttr(kinds) if isinstance(kinds, str) else ArrayAttr(map(_to_attribute, kinds))


def _to_kinds(attribute: Attribute) -> Kinds:
    if isinstance(attribute, ArrayAttr):
        return tuple(map(_to_kinds, attribute))
    assert isinstance(attribute, StringAttr)
    return attribute.data
