"""The functions of a module as gradients see them: in A-normal form, without function values, and copies
without effects."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder
from relax_dialect.gradient.checkpointed_blocks import is_checkpoint, outline_checkpoints
from relax_dialect.gradient.errors import GradientError, errors_in
from relax_dialect.gradient.free_values import statements
from relax_dialect.gradient.through_loops.loop_forms import plain_loops
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, has_no_effect, is_pure, module_symbols
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, MakeClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.parsing import deep_recursion, require_module
from relax_dialect.prim.run_time_checks import called
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.transform.blocked_layouts import expand_all_blocks
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase, functions

Asked = tuple[str, tuple[int, ...] | None]
"""A function to derive from another: its gradients by some parameters, or a copy without its effects."""


class ModuleFunctions:
    """The functions of a module, and fresh names for functions derived from them."""

    def __init__(self, module: ModuleOp, name: str):
        require_module(module)
        self.module = module
        self.builder = BlockBuilder(module)
        self.builder.notes_call_sites = False
        self.builder.shares_numbers = True
        self._sizes: set[str] | None = None
        self._fresh = 0
        self._symbols = module_symbols(module)
        self._names: dict[Asked, str] = {}
        self._waiting: list[Asked] = []
        """The requested functions that have not been created yet."""
        self._prepared: dict[str, FuncOp] = {}
        self._components: dict[str, tuple[str, ...]] = {}
        self._own = without_function_values(module, name)
        """First-order replacements of `@name` and its callees, if they hold function values."""

    def prepared(self, name: str) -> FuncOp:
        """A copy of a function in A-normal form, with plain loops and layouts."""
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
            expand_all_blocks(copy)
            symbols = ModuleSymbols(self.module)
            to_a_normal_form(copy, symbols)
            plain_loops(copy, symbols, self.fresh_size)
        self._prepared[name] = copy
        return copy

    def fresh_size(self, name: str) -> str:
        """See `adjoint_provider.Adjoints`."""
        if self._sizes is None:
            whole = [self.module, *self._own.values()]
            self._sizes = {size for each in whole for size in named_symbols(each)}
            for function in self._prepared.values():
                self._sizes.update(named_symbols(function))
        self._fresh += 1
        while f"{name}_{self._fresh}" in self._sizes:
            self._fresh += 1
        return f"{name}_{self._fresh}"

    def prim_func(self, name: str) -> func.FuncOp:
        """See `adjoint_provider.Adjoints`."""
        found = self._symbols.get(name) or module_symbols(self.module)[name]
        assert isinstance(found, func.FuncOp)
        return found

    def free(self, name: str) -> str:
        """Return a name for a function, if no symbol has it."""
        if name in module_symbols(self.module):
            raise GradientError(
                f"@{name}: expected a free name for the function to add, found a symbol that has it; "
                "rename or remove it"
            )
        return name

    def named(self, name: str, wanted: tuple[int, ...] | None, kind: str) -> str:
        """Return the name of a function that is made of another, now or when the open one is finished."""
        key = name, wanted
        if key not in self._names:
            self._names[key] = self.free_name(f"{name}_{kind}")
            self._waiting.append(key)
        return self._names[key]

    def free_name(self, name: str) -> str:
        """Return a name for a private function."""
        return unique_name(name, {*self._names.values(), *module_symbols(self.module)})

    def may_repeat(self, operation: Operation) -> bool:
        """See `adjoint_provider.Adjoints`: without its effects, if it has any."""
        return is_pure(operation, ModuleSymbols(self.module)) or all(
            isinstance(inner, EffectOp) or (inner.name != CallOp.name and has_no_effect(inner))
            for inner in walk_ops(operation)
            if not inner.regions
        )

    def silence(self, copy: Operation) -> None:
        """See `adjoint_provider.Adjoints`: effects are gone, and calls are of functions without them."""
        symbols = ModuleSymbols(self.module)
        if is_pure(copy, symbols):
            return
        for inner in list(walk_ops(copy)):
            if isinstance(inner, EffectOp):
                erase(inner)
            elif isinstance(inner, CallOp) and not is_pure(inner, symbols):
                inner.properties["callee"] = SymbolRefAttr(
                    self.named(inner.callee_name, None, "again")
                )
            elif not (inner.regions or isinstance(inner, CallOp) or has_no_effect(inner)):
                raise GradientError(
                    f"{describe(inner)}: expected ops without effects among those computed anew on "
                    "the way back, found one that has or may have an effect; compute it before the branch, "
                    "loop or call that it is in"
                )

    def without_effects(self, function: FuncOp) -> None:
        """Remove effects and dead ops from a function."""
        with errors_in(called(function)):
            for operation in statements(function.body.block):
                self.silence(operation)
        remove_dead_ops(function)

    def component(self, name: str) -> tuple[str, ...]:
        """Return the functions that a function calls, directly or through others, and that call it so;
        none if it does not call itself."""
        if name not in self._components:
            graph = CallGraph.below([name], module_symbols(self.module))
            recursive = graph.recursive()
            for component in graph.components:
                self._components.update((n, component if n in recursive else ()) for n in component)
        return self._components[name]

    def is_recursive(self, name: str) -> bool:
        """Return whether a function may call itself, directly or through others."""
        return bool(self.component(name))

    def size(self, name: str) -> int:
        """Return the number of ops in a function and its callees."""
        reached = CallGraph.below([name], module_symbols(self.module)).symbols
        return sum(1 for function in reached.values() for _ in walk_ops(function))


# Elimination of function values -----------------------------------------------------------------


def without_function_values(module: ModuleOp, name: str) -> dict[str, FuncOp]:
    """Return first-order copies of a function and of its callees: the function under its own name, the
    others as private functions under fresh names. Empty if they hold no function value and no checkpoint.

    relax-lambda-lift and relax-defunctionalize change a copy; the module is unchanged.
    """
    reached = CallGraph.below([name], module_symbols(module)).symbols
    inside = (op for function in reached.values() for op in walk_ops(function))
    if not any(
        isinstance(op, ClosureOp | MakeClosureOp | CallClosureOp) or is_checkpoint(op)
        for op in inside
    ):
        return {}
    with deep_recursion():
        copy = ModuleOp([function.clone() for function in reached.values()])
        for function in functions(copy):
            function.attributes.pop(IN_PLACE, None)  # inside the module values never change
            if function.sym_name.data != name:
                function.properties["sym_visibility"] = StringAttr("private")
        outline_checkpoints(copy)
        lambda_lift(copy)
        defunctionalize(copy)
    changed = _changed(copy, reached) - {name}
    taken = {*module_symbols(module), *module_symbols(copy)}
    names: dict[str, str] = {}
    for old in changed:
        names[old] = unique_name(f"{old}_lifted", taken)
        taken.add(names[old])
    found: dict[str, FuncOp] = {}
    for function in functions(copy):
        if (old := function.sym_name.data) in {name, *changed}:
            for op in walk_ops(function):
                if isinstance(op, CallOp | MakeClosureOp) and op.callee_name in names:
                    op.properties["callee"] = SymbolRefAttr(names[op.callee_name])
            function.sym_name = StringAttr(names.get(old, old))
            function.detach()
            found[function.sym_name.data] = function
    return found


def _changed(copy: ModuleOp, before: Mapping[str, Operation]) -> set[str]:
    """Return the functions of a module that have changed, or that reach a changed function."""
    graph = CallGraph.of(copy)
    changed: set[str] = set()
    for component in graph.components:  # callees first
        for name in component:
            function, old = graph.symbols[name], before.get(name)
            same = old is not None and function.regions[0].is_structurally_equivalent(
                old.regions[0]
            )
            if not same or changed.intersection(graph.callees[name]):
                changed.update(n for n in component if isinstance(graph.symbols[n], FuncOp))
    return changed
