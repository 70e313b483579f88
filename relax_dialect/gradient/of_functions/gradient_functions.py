"""The gradient functions of a module, each created at its first request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, field, is_differentiable, leaves
from relax_dialect.gradient.of_functions.called_functions import CalledFunctions, seed, totals
from relax_dialect.gradient.of_functions.parameters import (
    Target,
    intermediates,
    target_values,
    targets_of,
)
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.through_loops.linear_recursion import LinearRecursion, add_parts
from relax_dialect.gradient.through_loops.recursion_adjoint import RecursionAdjoint
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.walk import symbol_name
from relax_dialect.parsing import deep_recursion
from relax_dialect.text.diagnostics import located
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import erase


class Made(CalledFunctions):
    """The gradient functions of a module, each created at its first request."""

    def __init__(self, module: ModuleOp, name: str):
        super().__init__(module, name)
        self._recursions: dict[str, LinearRecursion | None] = {}

    def targets(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The parameters and intermediate values to differentiate by: see `target_values`."""
        block = self.prepared(name).body.block
        return targets_of(name, block.args, wrt, [*intermediates(block)])

    def parameters(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The parameters to differentiate by."""
        return targets_of(name, self.prepared(name).body.block.args, wrt)

    def function(
        self, name: str, own: str, targets: tuple[int, ...], loss: Path | None = None
    ) -> str:
        """Add a function that returns the value and the gradients, with its callees."""
        with self.adding():
            self._add(name, self.free(own), targets, loss, is_public=True)
        return own

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Add the requested functions on exit; if anything fails, none is added."""
        before = set(self.module.ops)
        lifted = [f for n, f in self._own.items() if n not in self._symbols]
        self.module.body.block.add_ops(lifted)
        with located(self.module), deep_recursion():
            try:
                yield
                self.add_waiting()
                new = (symbol_name(op) for op in self.module.ops if op not in before)
                remove_unused_functions(self.module, {name for name in new if name is not None})
            except BaseException:
                for function in set(self.module.ops) - before:
                    erase(function)
                raise

    def add_waiting(self) -> None:
        """Add the requested functions, and recursively the functions that they request."""
        while self._waiting:
            name, wanted = self._waiting.pop(0)
            own = self._names[name, wanted]
            if wanted is None:
                self._add_again(name, own)
            else:
                self._add(name, own, wanted, is_public=False)

    def _add_again(self, name: str, own: str) -> None:
        """Add a function that recomputes the results of another, without its effects."""
        copy = self.prepared(name).clone()
        copy.attributes.pop(IN_PLACE, None)  # inside the module values never change
        copy.properties |= {"sym_name": StringAttr(own), "sym_visibility": StringAttr("private")}
        self.module.body.block.add_op(copy)
        self.without_effects(copy)

    def _add(
        self,
        name: str,
        own: str,
        targets: tuple[int, ...],
        loss: Path | None = None,
        *,
        is_public: bool,
    ) -> None:
        """Add `@own`: its parameters are those of `@name`, then, unless the result has a loss, a
        cotangent for each float tensor in the result. A public function returns the value and the
        gradients, others the gradients only, of all tensors in the targets."""
        linear = None if is_public else self._linear(name)
        if linear is not None:
            self._add_recursion(name, own, targets, linear)
            return
        self.add_forms(self._calls(name, targets))
        with self.opened(name, own, targets, loss is None, is_public=is_public) as (
            reverse,
            given,
        ):
            function = self.prepared(name)
            block, result = function.body.block, function.return_op.operands[0]
            if is_public:
                reverse.forward(block)
            else:
                reverse.define_symbols(block)
            if loss is None:
                seed(reverse, result, given)
            else:
                reverse.add(result, loss, op.ones_like(field(reverse.value(result), loss)))
            reverse.back(block)
            parameters = target_values(block, targets)
            if is_public:
                gradients = tuple(_nested(reverse, p, p.type) for p in parameters)
                self.builder.emit_func_output([reverse.value(result), self.builder.emit(gradients)])
            else:
                self.builder.emit_func_output(totals(reverse, parameters))

    # Recursion -------------------------------------------------------------------------------

    def _linear(self, name: str) -> LinearRecursion | None:
        """Return the parts of a function with a single recursive call, or None."""
        if name not in self._recursions:
            self._recursions[name] = add_parts(self, name) if self.is_recursive(name) else None
        return self._recursions[name]

    def _add_recursion(
        self, name: str, own: str, targets: tuple[int, ...], linear: LinearRecursion
    ) -> None:
        """Add the gradients of a function with a single recursive call: see `recursion`."""
        varied = linear.varied(targets, self.traced(linear.function, targets))
        after = *varied, len(linear.function.body.block.args)
        keys = (linear.end, varied), (linear.after, after), (linear.next, varied)
        self.add_forms(keys if set(varied).intersection(linear.changing) else keys[:2])
        with self.opened(name, own, targets, True, is_public=False) as (reverse, given):
            block = self.prepared(name).body.block
            arguments = [reverse.value(a) for a in block.args]
            found = RecursionAdjoint(reverse, self, linear, varied, arguments).gradients(given)
            places = [(i, path) for i in targets for path, _ in leaves(block.args[i].type)]
            self.builder.emit_func_output([found[place] for place in places])

    def gradients(
        self, name: str, wanted: Sequence[int], arguments: Sequence[Value], seeds: Sequence[Value]
    ) -> Sequence[Value]:
        """See `recursion.Pullbacks`."""
        key = name, tuple(wanted)
        form, types = self.form(*key), [t for i in wanted for _, t in leaves(arguments[i].type)]
        if form is None:
            back, kept = self.of_function(*key), []
            given = arguments
        else:
            found = self.builder.call(form.forward, *arguments)
            back, given = form.back, [arguments[i] for i in form.arguments]
            kept = [*(field(found[0], path) for path in form.results), *([found[1]] * form.keeps)]
        result = self.builder.call(back, *given, *seeds, *kept, result_type=tuple_type(types))
        return [self.builder.emit(result[i]) for i in range(len(types))]


def _nested(reverse: Reverse, value: SSAValue, type: Attribute, path: Path = ()) -> Value:
    """Return the gradient of a parameter: for a tuple, the tuple of the gradients of its differentiable
    fields."""
    if not isinstance(type, TupleType):
        return reverse.total(value, path)
    fields = [
        _nested(reverse, value, field, (*path, index))
        for index, field in enumerate(type.types.data)
        if is_differentiable(field)
    ]
    return reverse.builder.emit(tuple(fields))
