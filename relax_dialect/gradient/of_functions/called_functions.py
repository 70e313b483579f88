"""Callees, split into an augmented forward and a backward function: see `forms`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in, without_unused
from relax_dialect.gradient.cotangents import is_differentiable, leaves
from relax_dialect.gradient.errors import errors_in
from relax_dialect.gradient.of_functions.forms import ForwardBackward, split
from relax_dialect.gradient.of_functions.module_functions import ModuleFunctions
from relax_dialect.gradient.of_functions.parameters import declared, distinct, target_values
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.through_loops.tapes import drop_unused
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.run_time_checks import called
from relax_dialect.transform.liveness import remove_dead_ops

LEAST = 256
"""The values that each function may keep, however short it is."""

Key = tuple[str, tuple[int, ...]]
"""A function, and the numbers of the parameters that it is differentiated by."""


class CalledFunctions(ModuleFunctions):
    """The functions of a module, and the forward and backward functions of their callees."""

    def __init__(self, module: ModuleOp, name: str):
        super().__init__(module, name)
        self._forms: dict[Key, ForwardBackward | None] = {}

    def form(self, name: str, wanted: tuple[int, ...]) -> ForwardBackward | None:
        """See `adjoint_provider.Adjoints`: the functions that a function calls are made before it."""
        return self._forms.get((name, wanted))

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """See `adjoint_provider.Adjoints`."""
        return self.named(name, wanted, "pullback")

    @contextmanager
    def opened(
        self, name: str, own: str, targets: tuple[int, ...], cotangents: bool, *, is_public: bool
    ) -> Iterator[tuple[Reverse, Sequence[Value]]]:
        """Open a function with the parameters of another, then cotangents of its result; yields the
        sweep over the other function, and the cotangents."""
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        taken = declared(block)
        if cotangents:
            taken += [(f"g{i}", type) for i, (_, type) in enumerate(leaves(result.type))]
        with (
            errors_in(called(function)),
            self.builder.function(own, distinct(taken), private=not is_public) as values,
        ):
            reverse = self.traced(function, targets)
            reverse.know(block.args, values[: len(block.args)])
            yield reverse, values[len(block.args) :]
        made = module_symbols(self.module)[own]
        remove_dead_ops(made)
        while drop_unused(made, reverse.recorded) or without_unused(reverse):
            remove_dead_ops(made)

    def add_forms(self, keys: Iterable[Key]) -> None:
        """Add the forms of functions, callees first."""
        pending = list(keys)
        while pending:
            key = pending[-1]
            missing = [k for k in self._calls(*key) if k not in self._forms]
            if key in self._forms or not missing:
                pending.pop()
                if key not in self._forms:
                    self._forms[key] = self._form_of(*key)
            else:
                pending += missing

    def _calls(self, name: str, wanted: tuple[int, ...]) -> list[Key]:
        """Return the calls in a function whose callees get forms: neither checkpoints nor recursive
        functions."""
        function = self.prepared(name)
        with errors_in(called(function)):
            reverse = self.traced(function, wanted)
        found = (
            (op.callee_name, reverse.wanted(op))
            for op in walk_ops(function)
            if isinstance(op, CallOp) and reverse.depends(op) and is_differentiable(op.result.type)
        )
        return [key for key in dict.fromkeys(found) if self._keeps(key[0])]

    def _keeps(self, name: str) -> bool:
        """Return whether values inside of a function are kept for the backward pass, and not
        recomputed."""
        return not (self.is_recursive(name) or CHECKPOINT in self.prepared(name).attributes)

    def traced(self, function: FuncOp, wanted: tuple[int, ...]) -> Reverse:
        reverse, block = Reverse(self.builder, self), function.body.block
        values = target_values(block, wanted)
        reverse.vary(values)
        reverse.keep(v for v, i in zip(values, wanted) if i >= len(block.args))
        reverse.trace(block)
        return reverse

    def _form_of(self, name: str, wanted: tuple[int, ...]) -> ForwardBackward | None:
        """Add the forward and the backward function of a function: see `forms`. None if more values
        would be kept than there are ops: each function may call another twice."""
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        forward, back = (self.free_name(f"{name}_{kind}") for kind in ("forward", "pullback"))
        with self.opened(name, forward, wanted, True, is_public=False) as (reverse, given):
            reverse.forward(block)
            mark = self.builder.emit((reverse.value(result),))
            seed(reverse, result, given)
            reverse.back(block)
            gradients = totals(reverse, [block.args[i] for i in wanted])
            self.builder.emit_func_output([mark, self.builder.emit(tuple(gradients))])
        made = module_symbols(self.module)[forward]
        assert isinstance(made, FuncOp)
        form = split(made, len(block.args), function.function_type.output, back)
        if form.kept > max(LEAST, self.size(name)):
            return None
        self.builder.add_func(form.back)
        return form


def seed(reverse: Reverse, result: SSAValue, given: Sequence[Value]) -> None:
    """Begin with the cotangents of a result."""
    for (path, _), cotangent in zip(leaves(result.type), given):
        reverse.add(result, path, cotangent)


def totals(reverse: Reverse, parameters: Sequence[SSAValue]) -> list[Value]:
    """Return the gradients of all tensors in parameters."""
    return [reverse.total(*place) for place in places_in(parameters)]
