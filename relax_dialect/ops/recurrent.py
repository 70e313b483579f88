"""Recurrent networks: rnn, gru and lstm, one step (a cell) or a whole sequence.

Layouts and the order of gates are PyTorch's. What belongs to a sequence's directions has them as its first
axis, as in ONNX: one, or two if it is bidirectional (first forward, then reverse).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, var_operand_def

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, refuse_unmet
from relax_dialect.ops.rules import flag, require_float, require_one_of, shared_dtype, tensor_type
from relax_dialect.run_time_checks import hole
from relax_dialect.types import Dim, Dims, TensorType, dims_text

Operand = SSAValue | Operation
Bias = Operand | None

NONLINEARITIES = ("tanh", "relu")
DIRECTIONS = ("forward", "reverse", "bidirectional")

PLACES = {
    "T": "step",
    "N": "sample of the batch",
    "I": "input",
    "H": "hidden unit",
    "D": "direction",
    "G": "hidden unit of every gate",
}
"""What stands along an axis, by the letters of the layouts; O are the hidden units of every direction."""


class RecurrentOp(OperatorOp):
    """One or many steps of a recurrent network; f16 and bf16 are computed in f32, from step to step, and
    rounded once, at the end.

    (C1) The operands have one floating-point element type, which is that of the results.
    (C2) The operands have the ranks of their layouts.
    (C3) Sizes of one axis are equal, and weights and biases have a row for each hidden unit of every gate;
         checked at run time where it is not proved.
    (C4) There are two biases, `b_ih` and `b_hh`, or none.
    """

    PARTS: ClassVar = ("b_ih", "b_hh")
    """The constructors' names for the biases."""
    GATES: ClassVar[int]
    STATES: ClassVar[int] = 1

    w_ih = operand_def(TensorType)
    w_hh = operand_def(TensorType)
    biases = var_operand_def(TensorType)

    def __init__(self, tensors: Sequence[Operand], biases: Sequence[Bias], **properties: object):
        given = [bias for bias in biases if bias is not None]
        count = len(self.get_irdl_definition().results)
        self.init_inferred([*tensors, given], properties, count)

    def layouts(self) -> Iterator[tuple[str, str]]:
        """The name and the layout of every operand."""
        d = self.directed
        yield "x", self.x_layout
        yield from [("h", f"{d}NH"), ("c", f"{d}NH")][: self.STATES]
        yield from [("w_ih", f"{d}GI"), ("w_hh", f"{d}GH")]
        yield from [("b_ih", f"{d}G"), ("b_hh", f"{d}G")][: len(self.biases)]

    @property
    def directed(self) -> str:
        """The first axes of whatever belongs to a direction."""
        return ""

    @property
    def x_layout(self) -> str:
        return "NI"

    @property
    def result_layouts(self) -> Sequence[str]:
        return ["NH"] * self.STATES

    def sizes(self, shapes: Sequence[Dims | None], *, constants: bool = True) -> Mapping[str, Dim]:
        """The size of every letter of the layouts: that of the first operand where it is known, or of the
        first where it is a constant."""
        found: dict[str, Dim] = dict.fromkeys("TNIHDGO")
        for (_, layout), shape in zip(self.layouts(), shapes):
            for letter, size in zip(layout, shape or ()):
                known = found[letter]
                better = constants and size and known and size.is_constant > known.is_constant
                if known is None or better:
                    found[letter] = size
        hidden = found["H"]
        found["G"] = None if hidden is None else guarded(lambda: hidden * self.GATES)
        return found

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """What must hold of the operands' shapes, as far as they are known."""
        sizes = self.sizes(shapes, constants=False)
        for (name, layout), shape in zip(self.layouts(), shapes):
            if shape is None:
                continue
            if len(shape) != len(layout):
                expected = f"'{name}' of rank {len(layout)} (C2)"
                self.fail(expected, dims_text(shape), f"reshape '{name}'")
            for letter, size in zip(layout, shape):
                wanted = sizes[letter]
                if size is not None and wanted is not None:
                    expected = f"'{name}' to have one place for each {PLACES[letter]} (C3)"
                    mend = f"slice or reshape '{name}'"
                    yield Demand(expected, size, wanted, f"{hole(size)} for {hole(wanted)}", mend)

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(operand) for operand in self.operands]
        for type in types:
            require_float(self, type)
        if len(self.biases) not in (0, 2):
            mend = "give b_ih and b_hh, or neither; zeros for what is missing"
            self.fail("two biases or none (C4)", str(len(self.biases)), mend)
        dtype, shapes = shared_dtype(self, types), [type.shape for type in types]
        refuse_unmet(self, self.demands(shapes))
        sizes = self.sizes(shapes)
        return [
            TensorType.get(tuple(sizes[letter] for letter in layout), dtype)
            for layout in self.result_layouts
        ]


class SequenceOp(RecurrentOp):
    """All steps of a sequence, in one or both directions.

    (C5) `direction` is "forward", "reverse" (from the last step to the first) or "bidirectional".
    """

    direction = opt_prop_def(StringAttr)
    batch_first = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        tensors: Sequence[Operand],
        biases: Sequence[Bias],
        direction: str,
        batch_first: bool,
        **properties: object,
    ):
        properties["direction"] = None if direction == "forward" else StringAttr(direction)
        properties["batch_first"] = batch_first or None
        super().__init__(tensors, biases, **properties)

    @property
    def order(self) -> str:
        """The direction, one of `DIRECTIONS`."""
        return "forward" if self.direction is None else self.direction.data

    @property
    def directed(self) -> str:
        return "D"

    @property
    def x_layout(self) -> str:
        return "NTI" if flag(self.batch_first) else "TNI"

    @property
    def result_layouts(self) -> Sequence[str]:
        return [self.x_layout.replace("I", "O"), *["DNH"] * self.STATES]

    def sizes(self, shapes: Sequence[Dims | None], *, constants: bool = True) -> Mapping[str, Dim]:
        found = super().sizes(shapes, constants=constants)
        count, hidden = 2 if self.order == "bidirectional" else 1, found["H"]
        outputs = None if hidden is None else guarded(lambda: hidden * count)
        return {**found, "D": symbolic.const(count), "O": outputs}

    def infer(self) -> Sequence[Attribute]:
        require_one_of(self, "direction", self.order, DIRECTIONS, "C5")
        return super().infer()


class RnnStep(RecurrentOp):
    """A step of an Elman network, with one of the `NONLINEARITIES`."""

    GATES: ClassVar[int] = 1

    x = operand_def(TensorType)
    h = operand_def(TensorType)
    nonlinearity = opt_prop_def(StringAttr)

    @property
    def activation(self) -> str:
        """The nonlinearity, one of `NONLINEARITIES`."""
        return "tanh" if self.nonlinearity is None else self.nonlinearity.data

    def infer(self) -> Sequence[Attribute]:
        require_one_of(self, "nonlinearity", self.activation, NONLINEARITIES, "C6")
        return super().infer()


class GruStep(RecurrentOp):
    """A step of a network of gated recurrent units."""

    GATES: ClassVar[int] = 3

    x = operand_def(TensorType)
    h = operand_def(TensorType)
    linear_before_reset = opt_prop_def(IntegerAttr)

    @property
    def resets_after(self) -> bool:
        """Whether the state is reset behind the product with its weights, not before."""
        return self.linear_before_reset is None or flag(self.linear_before_reset)


class LstmStep(RecurrentOp):
    """A step of a network of long short-term memories."""

    GATES: ClassVar[int] = 4
    STATES: ClassVar[int] = 2

    x = operand_def(TensorType)
    h = operand_def(TensorType)
    c = operand_def(TensorType)


def _unless_tanh(nonlinearity: str) -> StringAttr | None:
    return None if nonlinearity == "tanh" else StringAttr(nonlinearity)


def _unless_set(linear_before_reset: bool) -> bool | None:
    return None if linear_before_reset else False


@irdl_op_definition
class RnnCellOp(RnnStep):
    """One step of an Elman network (Elman, 1990): `f(Wx + Uh)`, where f is tanh or relu,
    `Wx = x @ transpose(w_ih) + b_ih` and `Uh = h @ transpose(w_hh) + b_hh`.

    x is [batch, inputs], h [batch, hidden], `w_ih` [hidden, inputs], `w_hh` [hidden, hidden], and a bias
    [hidden]; the result is the next h.

    (C6) `nonlinearity` is "tanh" or "relu".
    """

    name = "relax.rnn_cell"

    next_h = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
        nonlinearity: str = "tanh",
    ):
        own = {"nonlinearity": _unless_tanh(nonlinearity)}
        super().__init__((x, h, w_ih, w_hh), (b_ih, b_hh), **own)


@irdl_op_definition
class GruCellOp(GruStep):
    """One step of gated recurrent units (Cho and others, 2014): `(1 - z) * n + z * h`, where
    `r = sigmoid(Wx_r + Uh_r)`, `z = sigmoid(Wx_z + Uh_z)` and `n = tanh(Wx_n + r * Uh_n)`; without
    `linear_before_reset` the last is `tanh(Wx_n + U(r * h)_n)`.

    The operands are those of `relax.rnn_cell`, but weights and biases have three blocks of `hidden` rows,
    for the gates r, z and n; `Wx_r` is the part of `Wx` that the block of r gives.
    """

    name = "relax.gru_cell"

    next_h = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
        linear_before_reset: bool = True,
    ):
        own = {"linear_before_reset": _unless_set(linear_before_reset)}
        super().__init__((x, h, w_ih, w_hh), (b_ih, b_hh), **own)


@irdl_op_definition
class LstmCellOp(LstmStep):
    """One step of long short-term memories (Hochreiter and Schmidhuber, 1997; with the forget gate of Gers
    and others, 1999): `next_c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and
    `next_h = sigmoid(o) * tanh(next_c)`.

    The operands are those of `relax.rnn_cell` and c, of h's shape; weights and biases have four blocks of
    `hidden` rows, for the gates i, f, g and o, each of which is its part of `Wx + Uh`.
    """

    name = "relax.lstm_cell"

    next_h = result_def(TensorType)
    next_c = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        c: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
    ):
        super().__init__((x, h, c, w_ih, w_hh), (b_ih, b_hh))


@irdl_op_definition
class RnnOp(RnnStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.rnn_cell`.

    x is [steps, batch, inputs], or with `batch_first` [batch, steps, inputs]. h, weights and biases are
    those of the cell for each direction: they have one axis more, the first, of size 1, or of size 2 if
    the network reads in both directions (first forward, then reverse). The results are the output, which
    has h behind every step, [steps, batch, directions * hidden] in the order of x, and the last h.

    (C6) `nonlinearity` is "tanh" or "relu".
    """

    name = "relax.rnn"

    output = result_def(TensorType)
    last_h = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
        direction: str = "forward",
        batch_first: bool = False,
        nonlinearity: str = "tanh",
    ):
        own = {"nonlinearity": _unless_tanh(nonlinearity)}
        tensors = (x, h, w_ih, w_hh)
        super().__init__(tensors, (b_ih, b_hh), direction, batch_first, **own)


@irdl_op_definition
class GruOp(GruStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.gru_cell`; shapes and results are
    as in `relax.rnn`."""

    name = "relax.gru"

    output = result_def(TensorType)
    last_h = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
        direction: str = "forward",
        batch_first: bool = False,
        linear_before_reset: bool = True,
    ):
        own = {"linear_before_reset": _unless_set(linear_before_reset)}
        tensors = (x, h, w_ih, w_hh)
        super().__init__(tensors, (b_ih, b_hh), direction, batch_first, **own)


@irdl_op_definition
class LstmOp(LstmStep, SequenceOp):
    """The steps of a sequence one after the other, each that of `relax.lstm_cell`; shapes and results are
    as in `relax.rnn`, with c of h's shape, and the last c."""

    name = "relax.lstm"

    output = result_def(TensorType)
    last_h = result_def(TensorType)
    last_c = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        h: Operand,
        c: Operand,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Bias = None,
        b_hh: Bias = None,
        direction: str = "forward",
        batch_first: bool = False,
    ):
        tensors = (x, h, c, w_ih, w_hh)
        super().__init__(tensors, (b_ih, b_hh), direction, batch_first)


OPS: list[type[Operation]] = [RnnCellOp, GruCellOp, LstmCellOp, RnnOp, GruOp, LstmOp]
