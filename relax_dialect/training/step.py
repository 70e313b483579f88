"""`make_step`: a loss and an optimizer as one function, a step of training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import AnyFloat, ModuleOp, StringAttr, TupleType, i64
from xdsl.ir import Attribute, BlockArgument, SSAValue

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.gradient import gradient
from relax_dialect.gradient.of_functions.parameters import (
    Target,
    by_name,
    distinct,
    mend_of,
    place_of,
    told_alone,
)
from relax_dialect.ir.in_place import IN_PLACE, in_place_attribute
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import blaming_program, require_module
from relax_dialect.training import dropout
from relax_dialect.training.clipping import Clip
from relax_dialect.training.errors import TrainingError
from relax_dialect.training.inlining import inlined
from relax_dialect.training.numbers import takes
from relax_dialect.training.optimizers import Optimizer
from relax_dialect.training.trees import field
from relax_dialect.training.updates import Updates
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase

COUNT = TensorType.get((), i64)
"""The type of the number of steps done."""


def make_step(
    module: ModuleOp,
    loss: str,
    optimizer: Optimizer,
    *,
    parameters: Sequence[Target],
    states: Sequence[Target] = (),
    clip: Clip | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> str:
    """Add `@loss_step` (or `@name`) to a module, a training step by `@loss`; returns its name.

    `@loss` returns the loss, one float; with `states`, parameters that are no weights but change from step
    to step, such as moving statistics, it returns a tuple of the loss and their new values. `@loss_step`
    takes the tuple of the `parameters`, identified by name or index, that of the optimizer's state
    (`optimizer.init`), that of the states if there are any, and the other parameters of `@loss` in their
    order. It returns these tuples with new values, and the loss; an external call writes the new values
    over the old ones.

    `clip` limits the gradients. With a `seed` from 0 to 2^31 - 1 the `relax.dropout`s of `@loss` drop
    elements, different ones in every step; without it, as elsewhere, they are identities.

    Raises `TrainingError` for names and types that do not fit, and `GradientError` as `gradient` does.
    """
    require_module(module)
    if not isinstance(optimizer, Optimizer):
        raise TrainingError(
            f"make_step: expected an optimizer, such as training.SGD(0.1), found {optimizer!r}; make one"
        )
    if clip is not None and not callable(clip):
        raise TrainingError(
            f"make_step: clip: expected a function, such as training.clip_by_norm(1.0), found {clip!r}; "
            "make one"
        )
    if clip is not None:
        takes("make_step: clip", clip, "the builder", "the gradients")
    with blaming_program(module):
        step = _Step(module, _function(module, loss), parameters, states, seed)
        own = f"{loss}_step" if name is None else name
        if own in module_symbols(module):
            raise TrainingError(
                f"@{own}: expected a free name for the step, found a symbol that has it; choose another "
                "name"
            )
        with step.adjoint(loss) as adjoint:
            step.add(own, adjoint, optimizer, clip)
    return own


def _function(module: ModuleOp, name: str) -> FuncOp:
    """Return the loss function of this name."""
    symbols = module_symbols(module)
    found = symbols.get(name)
    if not isinstance(found, FuncOp):
        known = ", ".join(f"@{n}" for n, f in symbols.items() if isinstance(f, FuncOp))
        raise TrainingError(
            f"make_step: expected a function of the module ({known or 'it has none'}), found @{name}; "
            "correct the name"
        )
    return found


class _Step:
    """The indices of parameters and states in a loss function, and the step built from them."""

    def __init__(
        self,
        module: ModuleOp,
        function: FuncOp,
        parameters: Sequence[Target],
        states: Sequence[Target],
        seed: int | None,
    ):
        self.module = module
        self.function = function
        self.where = f"@{function.sym_name.data}"
        self.arguments = function.body.block.args
        self.parameters = self._places("parameters", parameters)
        self.states = self._places("states", states)
        if not parameters:
            raise TrainingError(
                f"{self.where}: parameters: expected one at least, found none; name what is trained"
            )
        if both := [a.name_hint for a in self._of(self.states) if a.index in self.parameters]:
            raise TrainingError(
                f"{self.where}: expected '{both[0]}' among the parameters or the states, found it in "
                "both; leave it out of one"
            )
        for argument in self._of(self.parameters):
            if wrong := next(_no_floats(argument.type), None):
                raise TrainingError(
                    f"{self.where}: parameters: expected tensors of floats, found '{argument.name_hint}' "
                    f"with {wrong}; leave it out"
                )
        self._check_result(function.return_op.value.type)
        self.seed = seed
        self.keys = 0
        """The number of keys that dropouts take."""
        if seed is not None:
            dropout.check(function, seed)

    def _places(self, what: str, targets: Sequence[Target]) -> list[int]:
        if (found := told_alone(targets)) is not None:
            raise TrainingError(f"{self.where}: {what}: expected a list of names, found {found}")
        places: list[int] = []
        for target in targets:
            place = place_of(target, self.arguments)
            if place is None or place in places:
                found = repr(target) if place is None else f"{target!r} twice"
                known = ", ".join(map(repr, by_name(self.arguments))) or "it has none"
                mend = "leave it out" if place is not None else mend_of(target, self.arguments)
                raise TrainingError(
                    f"{self.where}: {what}: expected parameters of the function, each once "
                    f"({known}), found {found}; {mend}"
                )
            places.append(place)
        return places

    def _of(self, places: Sequence[int]) -> list[BlockArgument]:
        return [self.arguments[place] for place in places]

    def _check_result(self, type: Attribute) -> None:
        """The loss is one float, followed by a value for each state."""
        fields = type.types.data if isinstance(type, TupleType) else (type,)
        declared = [a.type for a in self._of(self.states)]
        own = fields[0] if fields else type
        is_loss = (
            isinstance(own, TensorType) and own.shape == () and isinstance(own.dtype, AnyFloat)
        )
        is_tuple = isinstance(type, TupleType)
        if not is_loss or is_tuple != bool(declared) or len(fields) != 1 + len(declared):
            expected = "a loss that is one float, a tensor of rank 0"
            mend = "reduce it first, with op.mean, or name the states whose new values it returns"
            if declared:
                expected = (
                    f"a tuple of {expected}, and the new value of each state, {len(declared)}"
                )
                mend = "return them in the order of the states"
            raise TrainingError(f"{self.where}: expected {expected}, found {type}; {mend}")
        for argument, found in zip(self._of(self.states), fields[1:]):
            if found != argument.type:
                raise TrainingError(
                    f"{self.where}: states: expected a new value of '{argument.name_hint}' of its type, "
                    f"{argument.type}, found {found}; convert it by match_cast or astype"
                )

    @contextmanager
    def adjoint(self, loss: str) -> Iterator[FuncOp]:
        """Yield the function of the loss and its gradients, which exists temporarily; if anything fails,
        all added functions are removed."""
        before = dict.fromkeys(self.module.ops)
        made: list[FuncOp] = []
        try:
            taken, own = module_symbols(self.module), loss
            if self.seed is not None or f"{loss}_adjoint" in taken:
                own = unique_name(f"{loss}_of_step", taken)
                made.append(copied := self.function.clone())
                copied.sym_name = StringAttr(own)
                self.module.body.block.add_op(copied)
                if self.seed is not None:
                    self.keys = dropout.draw_masks(copied)
            added = gradient(self.module, own, self.parameters)
            found = module_symbols(self.module)[added]
            assert isinstance(found, FuncOp)
            made.append(found)
            yield found
        except BaseException:
            for each in [each for each in self.module.ops if each not in before]:
                erase(each)
            raise
        for function in made:
            erase(function)

    def add(self, name: str, adjoint: FuncOp, optimizer: Optimizer, clip: Clip | None) -> None:
        """Add the step, which calls the function of the loss and its gradients."""
        builder = BlockBuilder(self.module)
        weights = tuple_type(a.type for a in self._of(self.parameters))
        kept = tuple_type((COUNT, *[weights] * len(optimizer.slots)))
        moving = tuple_type(a.type for a in self._of(self.states))
        rest = [a for a in self.arguments if a.index not in (*self.parameters, *self.states)]
        declared = distinct([(a.name_hint or f"x{a.index}", a.type) for a in rest])
        groups = [
            ("parameters", weights),
            ("state", kept),
            *([("states", moving)] if self.states else []),
        ]
        given = {unique_name(name, declared): type for name, type in groups}
        indices = in_place_attribute([*range(len(given)), -1])
        with builder.function(name, {**given, **declared}, {IN_PLACE: indices}) as values:
            trained, state, *changing = values[: len(given)]
            known: dict[SSAValue, Value] = dict(zip(rest, values[len(given) :]))
            for group, places in zip((trained, *changing), (self.parameters, self.states)):
                for index, argument in enumerate(self._of(places)):
                    known[argument] = field(builder, group, index, argument.name_hint)
            given_values = [known[old] for old in self.arguments]
            if self.seed is not None:
                given_values.append(dropout.keys(builder, self.seed, state, self.keys))
            weighed = [known[argument] for argument in self._of(self.parameters)]
            updates = Updates(builder, optimizer, weighed, state)
            result = inlined(builder, adjoint, dict(zip(adjoint.body.block.args, given_values)))
            value, gradients = (field(builder, result, index) for index in (0, 1))
            new: Sequence[Value] = updates.emit(gradients, clip)
            if changing:
                fields = [field(builder, value, i) for i in range(1 + len(self.states))]
                new, value = (*new, builder.emit(tuple(fields[1:]))), fields[0]
            builder.emit_func_output([*new, value])
        remove_dead_ops(module_symbols(self.module)[name])


def _no_floats(type: Attribute) -> Iterator[Attribute]:
    """Yield the parts of a type that are no tensors of floats."""
    if isinstance(type, TupleType):
        for field in type.types.data:
            yield from _no_floats(field)
    elif not (isinstance(type, TensorType) and isinstance(type.dtype, AnyFloat)):
        yield type
