"""The functions that compute gradients of others in a module, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in
from relax_dialect.gradient.cotangents import Path, field, is_differentiable, leaves, tensor_at
from relax_dialect.gradient.errors import GradientError, errors_in
from relax_dialect.gradient.function_values import without_function_values
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.sequences import statements
from relax_dialect.gradient.tapes import drop_unused
from relax_dialect.ir.call_graph import CallGraph, is_private, ops_inside, symbol_name, unique_name
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, has_no_effect, is_pure, module_symbols
from relax_dialect.ir.types import tuple_type
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.parsing import deep_recursion, require_module
from relax_dialect.prim.run_time_checks import called
from relax_dialect.te.emitter import name_hint
from relax_dialect.text.diagnostics import located
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase

Target = str | int
"""A parameter, by its name or its place."""


class Made:
    """The functions that compute gradients of others in a module, each made when it is first asked for."""

    def __init__(self, module: ModuleOp, name: str):
        require_module(module)
        self.module = module
        self.builder = BlockBuilder(module)
        self.builder.notes_call_sites = False
        self.builder.shares_numbers = True
        self.sizes = 0
        self._symbols = module_symbols(module)
        self._names: dict[tuple[str, tuple[int, ...] | None], str] = {}
        self._waiting: list[tuple[str, tuple[int, ...] | None]] = []
        self._prepared: dict[str, FuncOp] = {}
        self._own = without_function_values(module, name)
        """What stands for `@name` and what it reaches, if that holds function values."""

    def targets(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The places of the parameters to differentiate by."""
        parameters = self.prepared(name).body.block.args
        if wrt is None:
            return tuple(i for i, p in enumerate(parameters) if is_differentiable(p.type))
        if isinstance(wrt, str):
            raise GradientError(
                f"@{name}: wrt: expected a list of parameters, found one text; write ['{wrt}']"
            )
        found: dict[int, None] = {}
        for target in wrt:
            place = place_of(target, parameters)
            if place is None:
                names = ", ".join(f"'{n}'" for n in by_name(parameters)) or "it has none"
                raise GradientError(
                    f"@{name}: expected parameters to differentiate by ({names}), found {target!r}; "
                    f"{mend_of(target, parameters)}"
                )
            if not is_differentiable(parameters[place].type):
                raise GradientError(
                    f"@{name}: expected a parameter of floats to differentiate by, found '{target}' of "
                    f"type {parameters[place].type}; leave it out"
                )
            found[place] = None
        return tuple(found)

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

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """See `reverse.Adjoints`."""
        return self._named(name, wanted, "pullback")

    def _named(self, name: str, wanted: tuple[int, ...] | None, kind: str) -> str:
        """The name of a function that is made of another, now or when the open one is finished."""
        key = name, wanted
        if key not in self._names:
            self._names[key] = unique_name(
                f"{name}_{kind}", {*self._names.values(), *module_symbols(self.module)}
            )
            self._waiting.append(key)
        return self._names[key]

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
                self._erase(set(lifted) - self._reached(before))
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
        function = self.prepared(name)
        block, result = function.body.block, function.return_op.operands[0]
        taken = declared(block)
        if loss is None:
            taken += [(f"g{i}", type) for i, (_, type) in enumerate(leaves(result.type))]
        parameters = [block.args[i] for i in targets]
        types = tuple_type(tensor_at(v.type, path) for v, path in places_in(parameters))
        type = None if is_public else types
        with (
            errors_in(called(function)),
            self.builder.function(
                own, distinct(taken), private=not is_public, ret_type=type
            ) as values,
        ):
            reverse = Reverse(self.builder, self)
            reverse.know(block.args, values[: len(block.args)])
            reverse.vary(parameters)
            reverse.trace(block)
            if is_public:
                reverse.forward(block)
            else:
                reverse.define_symbols(block)
            if loss is None:
                for (path, _), seed in zip(leaves(result.type), values[len(block.args) :]):
                    reverse.add(result, path, seed)
            else:
                reverse.add(result, loss, op.ones_like(field(reverse.value(result), loss)))
            reverse.back(block)
            if is_public:
                gradients = tuple(_nested(reverse, p, p.type) for p in parameters)
                self.builder.emit_func_output([reverse.value(result), self.builder.emit(gradients)])
            else:
                self.builder.emit_func_output(
                    [reverse.total(*place) for place in places_in(parameters)]
                )
        made = module_symbols(self.module)[own]
        remove_dead_ops(made)
        while drop_unused(made, reverse.recorded):
            remove_dead_ops(made)


def declared(block: Block) -> list[tuple[str, Attribute]]:
    """The parameters of a function, by name and type."""
    return [(p.name_hint or f"x{i}", p.type) for i, p in enumerate(block.args)]


def by_name(parameters: Sequence[SSAValue]) -> dict[str, int]:
    """The places of parameters by name, as far as no other has it."""
    names = [p.name_hint for p in parameters]
    return {n: i for i, n in enumerate(names) if n is not None and names.count(n) == 1}


def place_of(target: Target, parameters: Sequence[SSAValue]) -> int | None:
    """The place of a parameter, counted from 0, by its name or place; None if there is no such."""
    if isinstance(target, int):
        return target if 0 <= target < len(parameters) else None
    return by_name(parameters).get(target) if isinstance(target, str) else None


def mend_of(target: Target, parameters: Sequence[SSAValue]) -> str:
    """How to name a parameter that was not found: what ends a name as in `w_1` is no part of it, so that
    several may be called alike."""
    if not isinstance(target, str):
        return f"give a name, or a place from 0 to {len(parameters) - 1}"
    name = name_hint(target)
    places = [str(i) for i, p in enumerate(parameters) if p.name_hint in (target, name)]
    if len(places) > 1:
        return f"{len(places)} are called '{name}': give its place, {' or '.join(places)}"
    return f"it is called '{name}'" if places else "correct the name"


def distinct(parameters: Sequence[tuple[str, Attribute]]) -> dict[str, Attribute]:
    """Parameters each under a name of its own."""
    found: dict[str, Attribute] = {}
    for name, type in parameters:
        own, number = name, 1
        while own in found:
            own, number = f"{name}_{number}", number + 1
        found[own] = type
    return found


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
