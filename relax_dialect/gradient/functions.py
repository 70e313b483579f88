"""The functions that compute gradients of others in a module, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in, without_unused
from relax_dialect.gradient.cotangents import Path, field, is_differentiable, leaves
from relax_dialect.gradient.errors import GradientError, errors_in
from relax_dialect.gradient.forms import Form, split
from relax_dialect.gradient.function_values import without_function_values
from relax_dialect.gradient.parameters import Target, declared, distinct, targets_of
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.sequences import statements
from relax_dialect.gradient.tapes import drop_unused
from relax_dialect.ir.call_graph import CallGraph, is_private, ops_inside, symbol_name, unique_name
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.order import describe, nested_symbols
from relax_dialect.ir.purity import ModuleSymbols, has_no_effect, is_pure, module_symbols
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.parsing import deep_recursion, require_module
from relax_dialect.prim.run_time_checks import called
from relax_dialect.text.diagnostics import located
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase

LEAST = 256
"""The values that each function may keep, however short it is."""

Key = tuple[str, tuple[int, ...]]
"""A function, and the numbers of the parameters that it is differentiated by."""


class Made:
    """The functions that compute gradients of others in a module, each made when it is first asked for."""

    def __init__(self, module: ModuleOp, name: str):
        require_module(module)
        self.module = module
        self.builder = BlockBuilder(module)
        self.builder.notes_call_sites = False
        self.builder.shares_numbers = True
        self._sizes: set[str] | None = None
        self._fresh = 0
        self._symbols = module_symbols(module)
        self._names: dict[tuple[str, tuple[int, ...] | None], str] = {}
        self._waiting: list[tuple[str, tuple[int, ...] | None]] = []
        self._prepared: dict[str, FuncOp] = {}
        self._forms: dict[Key, Form | None] = {}
        self._is_recursive: dict[str, bool] = {}
        self._own = without_function_values(module, name)
        """What stands for `@name` and what it reaches, if that holds function values."""

    def targets(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The places of the parameters to differentiate by."""
        return targets_of(name, self.prepared(name).body.block.args, wrt)

    def prepared(self, name: str) -> FuncOp:
        """A copy of a function in A-normal form."""
        if name in self._prepared:
            return self._prepared[name]
        function = (
            self._own.get(name) or self._symbols.get(name) or module_symbols(self.module).get(name)
        )
        if not isinstance(function, FuncOp):
            known = ", ".join(f"@{n}" for n, f in self._symbols.items() if isinstance(f, FuncOp))
            raise GradientError(
                f"@{name}: expected a function of the module ({known or 'it has none'}), found "
                f"{'none' if function is None else function.name}; correct the name"
            )
        with deep_recursion():
            copy = function.clone()
            to_a_normal_form(copy, ModuleSymbols(self.module))
        self._prepared[name] = copy
        return copy

    def fresh_size(self, name: str) -> str:
        """See `sweep.Adjoints`."""
        if self._sizes is None:
            whole = [self.module, *self._own.values()]
            self._sizes = {size for each in whole for size in nested_symbols(each)}
            for function in self._prepared.values():
                self._sizes.update(nested_symbols(function))
        self._fresh += 1
        while f"{name}_{self._fresh}" in self._sizes:
            self._fresh += 1
        return f"{name}_{self._fresh}"

    def prim_func(self, name: str) -> func.FuncOp:
        """See `sweep.Adjoints`."""
        found = self._symbols.get(name) or module_symbols(self.module)[name]
        assert isinstance(found, func.FuncOp)
        return found

    def free(self, name: str) -> str:
        """A name for a function, if no symbol has it."""
        if name in module_symbols(self.module):
            raise GradientError(
                f"@{name}: expected a free name for the function to add, found a symbol that has it; "
                "rename or remove it"
            )
        return name

    def form(self, name: str, wanted: tuple[int, ...]) -> Form | None:
        """See `sweep.Adjoints`: the functions that a function calls are made before it."""
        return self._forms.get((name, wanted))

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """See `reverse.Adjoints`."""
        return self._named(name, wanted, "pullback")

    def _named(self, name: str, wanted: tuple[int, ...] | None, kind: str) -> str:
        """The name of a function that is made of another, now or when the open one is finished."""
        key = name, wanted
        if key not in self._names:
            self._names[key] = self._free_name(f"{name}_{kind}")
            self._waiting.append(key)
        return self._names[key]

    def _free_name(self, name: str) -> str:
        return unique_name(name, {*self._names.values(), *module_symbols(self.module)})

    def may_repeat(self, operation: Operation) -> bool:
        """See `sweep.Adjoints`: without its effects, if it has any."""
        return is_pure(operation, ModuleSymbols(self.module)) or all(
            isinstance(inner, EffectOp) or (inner.name != CallOp.name and has_no_effect(inner))
            for inner in ops_inside(operation)
            if not inner.regions
        )

    def silence(self, copy: Operation) -> None:
        """See `sweep.Adjoints`: effects are gone, and calls are of functions without them."""
        symbols = ModuleSymbols(self.module)
        if is_pure(copy, symbols):
            return
        for inner in list(ops_inside(copy)):
            if isinstance(inner, EffectOp):
                erase(inner)
            elif isinstance(inner, CallOp) and not is_pure(inner, symbols):
                inner.properties["callee"] = SymbolRefAttr(
                    self._named(inner.callee_name, None, "again")
                )
            elif not (inner.regions or isinstance(inner, CallOp) or has_no_effect(inner)):
                raise GradientError(
                    f"{describe(inner)}: expected ops without effects among those computed anew on "
                    "the way back, found one that has or may have an effect; compute it before the branch, "
                    "loop or call that it is in"
                )

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
        with errors_in(called(copy)):
            for operation in statements(copy.body.block):
                self.silence(operation)
        remove_dead_ops(copy)

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
        self._add_forms(name, targets)
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
            reverse = self._traced(name, targets)
            reverse.know(block.args, values[: len(block.args)])
            yield reverse, values[len(block.args) :]
        made = module_symbols(self.module)[own]
        remove_dead_ops(made)
        while drop_unused(made, reverse.recorded) or without_unused(reverse):
            remove_dead_ops(made)

    # Forms of called functions ---------------------------------------------------------------

    def _add_forms(self, name: str, wanted: tuple[int, ...]) -> None:
        """Add the forms of the functions that a function calls, of those that these call before."""
        pending = self._calls(name, wanted)
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
            reverse = self._traced(name, wanted)
        found = (
            (op.callee_name, reverse.wanted(op))
            for op in ops_inside(function)
            if isinstance(op, CallOp) and reverse.depends(op) and is_differentiable(op.result.type)
        )
        return [key for key in dict.fromkeys(found) if self._keeps(key[0])]

    def _keeps(self, name: str) -> bool:
        """Whether values inside of a function are kept for the way back, and not computed anew."""
        if name not in self._is_recursive:
            graph = CallGraph.below([name], module_symbols(self.module))
            recursive = graph.recursive()
            self._is_recursive.update((n, n in recursive) for n in graph.symbols)
        return not (self._is_recursive[name] or CHECKPOINT in self.prepared(name).attributes)

    def _traced(self, name: str, wanted: tuple[int, ...]) -> Reverse:
        reverse, block = Reverse(self.builder, self), self.prepared(name).body.block
        reverse.vary([block.args[i] for i in wanted])
        reverse.trace(block)
        return reverse

    def _form_of(self, name: str, wanted: tuple[int, ...]) -> Form | None:
        """Add the two functions that stand for one: see `forms`. None if more would be kept than there are
        ops: each function may call another twice."""
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        forward, back = (self._free_name(f"{name}_{kind}") for kind in ("forward", "pullback"))
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
        if form.kept > max(LEAST, self._size(name)):
            return None
        self.builder.add_func(form.back)
        return form

    def _size(self, name: str) -> int:
        """How many ops there are in a function and in those that it reaches."""
        reached = CallGraph.below([name], module_symbols(self.module)).symbols
        return sum(1 for function in reached.values() for _ in ops_inside(function))

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
