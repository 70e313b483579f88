"""Recurrent networks: rnn, gru and lstm, one step (a cell) or a whole sequence.

Layouts and the order of gates are PyTorch's. The directions of a sequence are the first axis of its
operands, as in ONNX: one, or two if it is bidirectional (first forward, then reverse).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import result_def

from relax_dialect import symbolic
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Operand,
    OptionalOperand,
    flag,
    inherited,
    real,
    string,
    tensor,
)
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.recurrent_activations import PARAMETERS, Activation, parse
from relax_dialect.ops.rules import shared_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, tensor_type

PLACES = {
    "T": "step",
    "N": "sample of the batch",
    "I": "input",
    "H": "hidden unit",
    "D": "direction",
    "G": "hidden unit of every gate",
    "P": "hidden unit of the gates i, f and o",
}
"""The meaning of an axis, by the letters of the layouts; O are the hidden units of every direction."""

LAYOUTS = {
    "x": "NI",
    "h": "NH",
    "c": "NH",
    "w_ih": "GI",
    "w_hh": "GH",
    "b_ih": "G",
    "b_hh": "G",
    "lengths": "N",
    "peepholes": "P",
}
"""The layouts of the operands of one step."""


class StateOp(OperatorOp):
    """The operands of every recurrent network: input and state."""

    x: Operand = tensor(FLOAT)
    h: Operand = tensor(FLOAT)


class CellStateOp(StateOp):
    """The further state of long short-term memories."""

    c: Operand = tensor(FLOAT)


class RecurrentOp(StateOp):
    """One or many steps of a recurrent network; f16 and bf16 are computed in f32, from step to step, and
    rounded once, at the end.

    `activations` are the functions of the gates, by default those of the formula, in its order, separated
    by spaces: tanh, sigmoid, relu, softsign, softplus, affine(1,0), scaled_tanh(1,1), leaky_relu(0.01),
    thresholded_relu(1), hard_sigmoid(0.2,0.5), elu(1), with these parameters by default. A bidirectional
    network may have others for its second direction: twice as many. With a `clip` above 0 the sums of
    products are limited to -clip..clip before.

    (C1) The operands but `lengths` have one floating-point element type, which is that of the results.
    (C2) The operands have the ranks of their layouts.
    (C3) Sizes of one axis are equal, and weights and biases have a row for each hidden unit of every gate;
         checked at run time unless proved.
    (C4) There are two biases, `b_ih` and `b_hh`, or none; a further operand requires all operands before
    it.
    (C7) `activations` are as many of the functions above as the formula has, or twice as many.
    (C8) `clip` is 0 or more.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE

    GATES: ClassVar[int]
    STATES: ClassVar[int] = 1

    w_ih: Operand = tensor(FLOAT)
    w_hh: Operand = tensor(FLOAT)
    b_ih: OptionalOperand = tensor(FLOAT, default=None, part_of="further")
    b_hh: OptionalOperand = tensor(FLOAT, default=None, part_of="further")
    activations: str = string(default="")
    clip: float = real(default=0.0, least=0, constraint="C8")

    if TYPE_CHECKING:
        further: Sequence[SSAValue] = inherited()
        """The optional operands that are present."""

    @property
    def usual(self) -> str:
        """The functions of the formula."""
        return "sigmoid tanh"

    @property
    def directions(self) -> int:
        return 1

    def functions(self, direction: int = 0) -> Sequence[Activation]:
        """Return the functions of the gates, in the order of the formula."""
        count, text = len(self.usual.split()), self.activations or self.usual
        try:
            found = parse(text)
        except ValueError as error:
            self.fail(
                f"a function among {', '.join(PARAMETERS)} (C7)",
                f'"{error}"',
                "correct activations",
            )
        if len(found) not in (count, count * self.directions):
            expected = f"{count} activations, or as many for each direction (C7)"
            self.fail(expected, str(len(found)), f'list them as in "{self.usual}"')
        return found[-count:] if direction else found[:count]

    def layout(self, name: str) -> str:
        """Return the layout of an operand."""
        return LAYOUTS[name]

    def layouts(self) -> list[tuple[str, str]]:
        """Return the name and the layout of every operand."""
        names = [field.name for _, field in self.PLAN.operands]
        return [(name, self.layout(name)) for name in names[: len(self.operands)]]

    def result_layouts(self) -> Sequence[str]:
        """Return the layout of every result."""
        return [self.layout("h")] * self.STATES

    def sizes(self, shapes: Sequence[Dims | None], *, constants: bool = True) -> Mapping[str, Dim]:
        """Return the size of every letter of the layouts: that of the first operand whose size is known, or
        the first constant one."""
        found: dict[str, Dim] = dict.fromkeys("TNIHDGOP")
        for (_, layout), shape in zip(self.layouts(), shapes):
            for letter, size in zip(layout, shape or ()):
                known = found[letter]
                better = constants and size and known and size.is_constant > known.is_constant
                if known is None or better:
                    found[letter] = size
        return {**found, "G": times(found["H"], self.GATES), "P": times(found["H"], 3)}

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands on the operands' shapes, as far as these are known."""
        sizes = self.sizes(shapes, constants=False)
        for (name, layout), shape in zip(self.layouts(), shapes):
            if shape is None:
                continue
            if len(shape) != len(layout):
                expected = f"'{name}' of rank {len(layout)} (C2)"
                self.fail(expected, dims_text(shape), f"reshape '{name}'")
            for letter, size in zip(layout, shape):
                expected = f"'{name}' to have one entry for each {PLACES[letter]} (C3)"
                yield from equal(expected, size, sizes[letter], f"slice or reshape '{name}'")

    def infer(self) -> Sequence[Attribute]:
        types = {
            name: tensor_type(value) for (name, _), value in zip(self.layouts(), self.operands)
        }
        if len(self.operands) > len(types) or len(self.further) == 1:
            mend = "pass b_ih and b_hh, or neither; zeros for a missing one"
            self.fail("two biases or none (C4)", str(len(self.further)), mend)
        self.functions()
        shapes = [type.shape for type in types.values()]
        dtype = shared_dtype(self, [type for name, type in types.items() if name != "lengths"])
        refuse_unmet(self, self.demands(shapes))
        sizes = self.sizes(shapes)
        layouts = self.result_layouts()
        return [TensorType.get(tuple(map(sizes.get, layout)), dtype) for layout in layouts]


def times(size: Dim, factor: int) -> Dim:
    """Return a multiple of a size, unknown if the size is."""
    return None if size is None else guarded(lambda: size * factor)


class SequenceOp(RecurrentOp):
    """All steps of a sequence, in one or both directions.

    `lengths` are the numbers of steps of the samples: after the last step of a sample its states are
    unchanged, and its output is 0. A reverse direction begins at the last step of a sample. A length of
    more steps than x has means all of them.

    (C1) `lengths` are integers.
    (C5) `direction` is "forward", "reverse" (from the last step to the first) or "bidirectional".
    """

    lengths: OptionalOperand = tensor(INTEGER, default=None, part_of="further")
    direction: str = string(
        default="forward", among=("forward", "reverse", "bidirectional"), constraint="C5"
    )
    batch_first: bool = flag(default=False)

    @property
    def directions(self) -> int:
        return 2 if self.direction == "bidirectional" else 1

    def layout(self, name: str) -> str:
        if name == "x":
            return "NTI" if self.batch_first else "TNI"
        if name == "lengths":
            return super().layout(name)
        return "D" + super().layout(name)

    def result_layouts(self) -> Sequence[str]:
        return [self.layout("x").replace("I", "O"), *super().result_layouts()]

    def sizes(self, shapes: Sequence[Dims | None], *, constants: bool = True) -> Mapping[str, Dim]:
        found = super().sizes(shapes, constants=constants)
        count = self.directions
        return {**found, "D": symbolic.const(count), "O": times(found["H"], count)}


class RnnStep(RecurrentOp):
    """A step of an Elman network.

    (C6) `nonlinearity` is "tanh" or "relu".
    """

    GATES: ClassVar[int] = 1

    nonlinearity: str = string(default="tanh", among=("tanh", "relu"), constraint="C6")

    @property
    def usual(self) -> str:
        return self.nonlinearity


class GruStep(RecurrentOp):
    """A step of a network of gated recurrent units."""

    GATES: ClassVar[int] = 3

    linear_before_reset: bool = flag(default=True)


class LstmStep(RecurrentOp, CellStateOp):
    """A step of a network of long short-term memories.

    `peepholes` [3 * hidden] (of each direction, if there are directions) are the blocks p, q and s of
    peephole connections (Gers and others, 2002): `i + p * c` and `f + q * c` replace i and f, and
    `o + s * next_c` replaces o. With `input_forget` the forget gate is `1 - sigmoid(i)`.
    """

    GATES: ClassVar[int] = 4
    STATES: ClassVar[int] = 2

    peepholes: OptionalOperand = tensor(FLOAT, default=None, part_of="further")
    input_forget: bool = flag(default=False)

    @property
    def usual(self) -> str:
        return "sigmoid tanh tanh"


@operator("relax.rnn_cell")
class RnnCellOp(RnnStep):
    """One step of an Elman network (Elman, 1990): `f(Wx + Uh)`, where f is tanh or relu,
    `Wx = x @ transpose(w_ih) + b_ih` and `Uh = h @ transpose(w_hh) + b_hh`.

    x is [batch, inputs], h [batch, hidden], `w_ih` [hidden, inputs], `w_hh` [hidden, hidden], and a bias
    [hidden]; the result is the next h.
    """

    next_h = result_def(TensorType)


@operator("relax.gru_cell")
class GruCellOp(GruStep):
    """One step of gated recurrent units (Cho and others, 2014): `(1 - z) * n + z * h`, where
    `r = sigmoid(Wx_r + Uh_r)`, `z = sigmoid(Wx_z + Uh_z)` and `n = tanh(Wx_n + r * Uh_n)`; without
    `linear_before_reset` the last is `tanh(Wx_n + U(r * h)_n)`.

    The operands are those of `relax.rnn_cell`, but weights and biases have three blocks of `hidden` rows,
    for the gates r, z and n; `Wx_r` is the part of `Wx` from the block of r.
    """

    next_h = result_def(TensorType)


@operator("relax.lstm_cell")
class LstmCellOp(LstmStep):
    """One step of long short-term memories (Hochreiter and Schmidhuber, 1997; with the forget gate of Gers
    and others, 1999): `next_c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and
    `next_h = sigmoid(o) * tanh(next_c)`.

    The operands are those of `relax.rnn_cell` and c, of h's shape; weights and biases have four blocks of
    `hidden` rows, for the gates i, f, g and o, each of which is its part of `Wx + Uh`.
    """

    next_h = result_def(TensorType)
    next_c = result_def(TensorType)


@operator("relax.rnn")
class RnnOp(RnnStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.rnn_cell`.

    x is [steps, batch, inputs], or with `batch_first` [batch, steps, inputs]. h, weights and biases are
    those of the cell for each direction: they have one axis more, the first, of size 1, or of size 2 if
    the network reads in both directions (first forward, then reverse). The results are the output, which
    has h after every step, [steps, batch, directions * hidden] in the order of x, and the last h.
    """

    FIRST_IN_TEXT: ClassVar = ("nonlinearity",)

    output = result_def(TensorType)
    last_h = result_def(TensorType)


@operator("relax.gru")
class GruOp(GruStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.gru_cell`; shapes and results are
    as in `relax.rnn`."""

    FIRST_IN_TEXT: ClassVar = ("linear_before_reset",)

    output = result_def(TensorType)
    last_h = result_def(TensorType)


@operator("relax.lstm")
class LstmOp(LstmStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.lstm_cell`; shapes and results are
    as in `relax.rnn`, with c of h's shape, and the last c."""

    output = result_def(TensorType)
    last_h = result_def(TensorType)
    last_c = result_def(TensorType)


OPS = operators_in(globals())
