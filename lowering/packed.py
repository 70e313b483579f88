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
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Region

NAME, ARGS, GIVES, DPS, FORMAT = (
    f"relax.{name}" for name in ("packed", "args", "gives", "dps", "format")
)

TENSOR, SHAPE, SCALAR = "tensor", "shape", "scalar"

Kinds: TypeAlias = "str | tuple[Kinds, ...]"
"""What an argument is: one of the three, or a tuple of arguments."""


@dataclass(frozen=True)
class PackedForm:
    """A function from outside as some calls use it: its name, and what goes in and out."""

    name: str
    args: tuple[Kinds, ...]
    gives: str | None = None
    """What the result is, None if nobody looks at it."""
    dps: bool = False
    format: str | None = None

    @property
    def fails(self) -> bool:
        """Whether a call may fail: all but a print."""
        return not self.is_print

    @property
    def is_print(self) -> bool:
        return self.format is not None and self.name == "relax.print"

    def attributes(self) -> dict[str, Attribute]:
        """What the declaration says beyond its types."""
        found: dict[str, Attribute] = {NAME: StringAttr(self.name)}
        if any(kind != TENSOR for kind in self.args):
            found[ARGS] = ArrayAttr(map(_to_attribute, self.args))
        if self.gives not in (None, TENSOR):
            found[GIVES] = StringAttr(self.gives)
        if self.dps:
            found[DPS] = UnitAttr()
        if self.format is not None:
            found[FORMAT] = StringAttr(self.format)
        return found


def declaration(
    symbol: str, form: PackedForm, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> func.FuncOp:
    """The declaration of a function from outside."""
    declared = func.FuncOp(symbol, (inputs, outputs), Region(), visibility="private")
    declared.attributes.update(form.attributes())
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
