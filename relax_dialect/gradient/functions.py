"""The functions that compute gradients of others in a module, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in, without_unused
from relax_dialect.gradient.cotangents import Path, field, is_differentiable, leaves
from relax_dialect.gradient.errors import errors_in
from relax_dialect.gradient.forms import Form, split
from relax_dialect.gradient.linear_recursion import Linear, add_parts
from relax_dialect.gradient.module_functions import ModuleFunctions
from relax_dialect.gradient.parameters import Target, declared, distinct, targets_of
from relax_dialect.gradient.recursion import Recursion
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.tapes import drop_unused
from relax_dialect.ir.call_graph import CallGraph, is_private, ops_inside, symbol_name
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import deep_recursion
from relax_dialect.prim.run_time_checks import called
from relax_dialect.text.diagnostics import located
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase

LEAST = 256
"""The values that each function may keep, however short it is."""

Key = tuple[str, tuple[int, ...]]
"""A function, and the numbers of the parameters that it is differentiated by."""


class Made(ModuleFunctions):
    """The functions that compute gradients of others in a module, each made when it is first asked for."""

    def __init__(self, module: ModuleOp, name: str):
        super().__init__(module, name)
        self._forms: dict[Key, Form | None] = {}
        self._recursions: dict[str, Linear | None] = {}

    def targets(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The places of the parameters to differentiate by."""
        return targets_of(name, self.prepared(name).body.block.args, wrt)

    def form(self, name: str, wanted: tuple[int, ...]) -> Form | None:
        """See `sweep.Adjoints`: the functions that a function calls are made before it."""
        return self._forms.get((name, wanted))

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """See `reverse.Adjoints`."""
        return self.named(name, wanted, "pullback")

    def function(
        self, name: str, own: str, targets: tuple[int, ...], loss: Path | None = None
    ) -> str:
        """Add a function that gives the value and the gradients, with what it calls."""
        with self.adding():
            self._add(name, self.free(own), targets, loss, is_public=True)
        return own

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Then add the functions that were asked for; if anything fails, none is."""
        before = set(self.module.ops)
        lifted = [f for n, f in self._own.items() if n not in self._symbols]
        self.module.body.block.add_ops(lifted)
        with located(self.module), deep_recursion():
            try:
                yield
                self.add_waiting()
                self._erase({*self.module.ops} - before - self._reached(before))
            except BaseException:
                self._erase(set(self.module.ops) - before)
                raise

    def _reached(self, before: set[Operation]) -> set[Operation]:
        """The functions that the public ones among the new ones reach."""
        new = [op for op in self.module.ops if op not in before and not is_private(op)]
        names = [name for op in new if (name := symbol_name(op)) is not None]
        return set(CallGraph.below(names, module_symbols(self.module)).symbols.values())

    def _erase(self, functions: Iterable[Operation]) -> None:
        for function in functions:
            erase(function)

    def add_waiting(self) -> None:
        """Add the functions that were asked for, and those that they ask for."""
        while self._waiting:
            name, wanted = self._waiting.pop(0)
            own = self._names[name, wanted]
            if wanted is None:
                self._add_again(name, own)
            else:
                self._add(name, own, wanted, is_public=False)

    def _add_again(self, name: str, own: str) -> None:
        """Add a function that computes what another does once more, without its effects."""
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
        """Add `@own`: its parameters are those of `@name`, then, unless the result has a loss, a cotangent
        for each tensor of floats in it. A public one gives the value and the gradients, others the
        gradients alone, of all tensors in the targets."""
        linear = None if is_public else self._linear(name)
        if linear is not None:
            self._add_recursion(name, own, targets, linear)
            return
        self._add_forms(self._calls(name, targets))
        with self._opened(name, own, targets, loss is None, is_public=is_public) as (
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
                self._seed(reverse, result, given)
            else:
                reverse.add(result, loss, op.ones_like(field(reverse.value(result), loss)))
            reverse.back(block)
            parameters = [block.args[i] for i in targets]
            if is_public:
                gradients = tuple(_nested(reverse, p, p.type) for p in parameters)
                self.builder.emit_func_output([reverse.value(result), self.builder.emit(gradients)])
            else:
                self.builder.emit_func_output(_totals(reverse, parameters))

    @contextmanager
    def _opened(
        self, name: str, own: str, targets: tuple[int, ...], cotangents: bool, *, is_public: bool
    ) -> Iterator[tuple[Reverse, Sequence[Value]]]:
        """Open a function that has the parameters of another, and then cotangents of its result; gives what
        goes through the other one, and these."""
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        taken = declared(block)
        if cotangents:
            taken += [(f"g{i}", type) for i, (_, type) in enumerate(leaves(result.type))]
        with (
            errors_in(called(function)),
            self.builder.function(own, distinct(taken), private=not is_public) as values,
        ):
            reverse = self._traced(function, targets)
            reverse.know(block.args, values[: len(block.args)])
            yield reverse, values[len(block.args) :]
        made = module_symbols(self.module)[own]
        remove_dead_ops(made)
        while drop_unused(made, reverse.recorded) or without_unused(reverse):
            remove_dead_ops(made)

    # Forms of called functions ---------------------------------------------------------------

    def _add_forms(self, keys: Iterable[Key]) -> None:
        """Add the forms of functions, of those that these call before."""
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
        """The calls in a function of those that get forms: neither checkpoints nor recursive."""
        function = self.prepared(name)
        with errors_in(called(function)):
            reverse = self._traced(function, wanted)
        found = (
            (op.callee_name, reverse.wanted(op))
            for op in ops_inside(function)
            if isinstance(op, CallOp) and reverse.depends(op) and is_differentiable(op.result.type)
        )
        return [key for key in dict.fromkeys(found) if self._keeps(key[0])]

    def _keeps(self, name: str) -> bool:
        """Whether values inside of a function are kept for the way back, and not computed anew."""
        return not (self.is_recursive(name) or CHECKPOINT in self.prepared(name).attributes)

    def _traced(self, function: FuncOp, wanted: tuple[int, ...]) -> Reverse:
        reverse, block = Reverse(self.builder, self), function.body.block
        reverse.vary([block.args[i] for i in wanted])
        reverse.trace(block)
        return reverse

    def _form_of(self, name: str, wanted: tuple[int, ...]) -> Form | None:
        """Add the two functions that stand for one: see `forms`. None if more would be kept than there are
        ops: each function may call another twice."""
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        forward, back = (self.free_name(f"{name}_{kind}") for kind in ("forward", "pullback"))
        with self._opened(name, forward, wanted, True, is_public=False) as (reverse, given):
            reverse.forward(block)
            mark = self.builder.emit((reverse.value(result),))
            self._seed(reverse, result, given)
            reverse.back(block)
            gradients = _totals(reverse, [block.args[i] for i in wanted])
            self.builder.emit_func_output([mark, self.builder.emit(tuple(gradients))])
        made = module_symbols(self.module)[forward]
        assert isinstance(made, FuncOp)
        form = split(made, len(block.args), function.function_type.output, back)
        if form.kept > max(LEAST, self.size(name)):
            return None
        self.builder.add_func(form.back)
        return form

    # Recursion -------------------------------------------------------------------------------

    def _linear(self, name: str) -> Linear | None:
        """A function that calls itself at one place."""
        if name not in self._recursions:
            self._recursions[name] = add_parts(self, name) if self.is_recursive(name) else None
        return self._recursions[name]

    def _add_recursion(self, name: str, own: str, targets: tuple[int, ...], linear: Linear) -> None:
        """Add the gradients of a function that calls itself at one place: see `recursion`."""
        varied = linear.varied(targets, self._traced(linear.function, targets))
        after = *varied, len(linear.function.body.block.args)
        keys = (linear.end, varied), (linear.after, after), (linear.next, varied)
        self._add_forms(keys if set(varied).intersection(linear.changing) else keys[:2])
        with self._opened(name, own, targets, True, is_public=False) as (reverse, given):
            block = self.prepared(name).body.block
            arguments = [reverse.value(a) for a in block.args]
            found = Recursion(reverse, self, linear, varied, arguments).gradients(given)
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

    @staticmethod
    def _seed(reverse: Reverse, result: SSAValue, given: Sequence[Value]) -> None:
        """Begin with the cotangents of a result."""
        for (path, _), seed in zip(leaves(result.type), given):
            reverse.add(result, path, seed)


def _totals(reverse: Reverse, parameters: Sequence[SSAValue]) -> list[Value]:
    """The gradients of all tensors in parameters."""
    return [reverse.total(*place) for place in places_in(parameters)]


def _nested(reverse: Reverse, value: SSAValue, type: Attribute, path: Path = ()) -> Value:
    """The gradient of a parameter: of a tuple that of the fields which have one, in a tuple."""
    if not isinstance(type, TupleType):
        return reverse.total(value, path)
    fields = [
        _nested(reverse, value, field, (*path, index))
        for index, field in enumerate(type.types.data)
        if is_differentiable(field)
    ]
    return reverse.builder.emit(tuple(fields))
