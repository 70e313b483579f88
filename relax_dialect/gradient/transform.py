"""`gradient`, `vjp` and `jvp`: functions that compute derivatives of others, added to a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, ModuleOp, StringAttr, SymbolRefAttr, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import places_in
from relax_dialect.gradient.cotangents import Path, field, is_differentiable, leaves, tensor_at
from relax_dialect.gradient.errors import GradientError, errors_in
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.gradient.sequences import statements
from relax_dialect.ir.call_graph import ops_inside, unique_name
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, has_no_effect, is_pure, module_symbols
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.parsing import deep_recursion, require_module
from relax_dialect.text.diagnostics import located
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase

Target = str | int
"""A parameter, by its name or its place."""


def gradient(
    module: ModuleOp, name: str, wrt: Sequence[Target] | None = None, target_index: int = 0
) -> str:
    """Add `@name_adjoint` to a module; gives its name.

    It has the parameters of `@name`, and gives the value and the tuple of its gradients with respect to
    the targets `wrt`, all parameters that hold floats unless given; the gradient of a tuple is a tuple.
    Where `@name` gives a tuple, that of field `target_index` is taken, and the others are passed through.
    Raises `GradientError` where that is not one float, a target is none, or an operator between
    them has no adjoint.
    """
    made = _Made(module)
    loss = _loss(name, made.prepared(name).return_op.operands[0].type, target_index)
    return made.function(name, f"{name}_adjoint", made.targets(name, wrt), loss)


def _loss(name: str, type: Attribute, index: int) -> Path:
    """Where the loss stands in the result of a function: a number, or a field of a tuple."""
    path: Path = ()
    if isinstance(type, TupleType):
        count = len(type.types)
        if not 0 <= index < count:
            raise GradientError(
                f"@{name}: expected the index of one of the {count} results, counted from 0, "
                f"found {index}; correct target_index"
            )
        type, path = type.types.data[index], (index,)
    elif index != 0:
        raise GradientError(
            f"@{name}: expected 0 as the index of its only result, found {index}; correct target_index"
        )
    if not (isinstance(type, TensorType) and type.shape == () and isinstance(type.dtype, AnyFloat)):
        where = f"result {index}" if path else "a result"
        raise GradientError(
            f"@{name}: expected {where} that is one float, a tensor of rank 0, found {type}; reduce it "
            "first, or use vjp, which takes cotangents of any result"
        )
    return path


def vjp(module: ModuleOp, name: str, wrt: Sequence[Target] | None = None) -> str:
    """Add `@name_vjp`, the product of a cotangent with the Jacobian; gives its name.

    It has the parameters of `@name`, then a cotangent for each tensor of floats in the result, and gives
    the value and the tuple of the gradients with respect to the targets. Raises as `gradient` does.
    """
    made = _Made(module)
    return made.function(name, f"{name}_vjp", made.targets(name, wrt))


def jvp(module: ModuleOp, name: str, wrt: Sequence[Target] | None = None) -> str:
    """Add `@name_jvp`, the product of the Jacobian with a tangent; gives its name.

    It has the parameters of `@name`, then a tangent for each tensor of floats in the targets, and gives the
    value and the tuple of the tangents of the tensors of floats in it. It is the adjoint of the adjoint,
    which is linear in its cotangent: of no rule but those of reverse mode.
    """
    made = _Made(module)
    targets = made.targets(name, wrt)
    function = made.prepared(name)
    result, parameters = function.return_op.operands[0], function.body.block.args
    tangents = [tensor_at(v.type, path) for v, path in places_in([parameters[i] for i in targets])]
    cotangents = tuple(
        range(len(parameters), len(parameters) + sum(1 for _ in leaves(result.type)))
    )
    with made.adding():
        back = made.of_function(name, targets)
        forth = made.of_function(back, cotangents)
        declared = [
            *_declared(function.body.block),
            *((f"t{i}", t) for i, t in enumerate(tangents)),
        ]
        with made.builder.function(made.free(f"{name}_jvp"), _distinct(declared)) as values:
            own, given = values[: len(parameters)], values[len(parameters) :]
            value = made.builder.call(name, *own)
            seeds = [made.builder.emit(op.zeros_like(f)) for f in _fields(value)]
            moved = made.builder.call(
                forth,
                *own,
                *seeds,
                *given,
                result_type=tuple_type(t for _, t in leaves(result.type)),
            )
            made.builder.emit_func_output([value, moved])
    return f"{name}_jvp"


class _Made:
    """The functions that compute gradients of others in a module, each made when it is first asked for."""

    def __init__(self, module: ModuleOp):
        require_module(module)
        self.module = module
        self.builder = BlockBuilder(module)
        self.builder.notes_call_sites = False
        self.sizes = 0
        self._symbols = module_symbols(module)
        self._names: dict[tuple[str, tuple[int, ...] | None], str] = {}
        self._waiting: list[tuple[str, tuple[int, ...] | None]] = []
        self._prepared: dict[str, FuncOp] = {}

    def targets(self, name: str, wrt: Sequence[Target] | None) -> tuple[int, ...]:
        """The places of the parameters to differentiate by."""
        parameters = self.prepared(name).body.block.args
        known = {p.name_hint: i for i, p in enumerate(parameters) if p.name_hint is not None}
        if wrt is None:
            return tuple(i for i, p in enumerate(parameters) if is_differentiable(p.type))
        found: dict[int, None] = {}
        for target in wrt:
            place = known.get(target, -1) if isinstance(target, str) else target
            if not 0 <= place < len(parameters):
                names = ", ".join(f"'{n}'" for n in known) or "it has none"
                raise GradientError(
                    f"@{name}: expected parameters to differentiate by ({names}), found {target!r}; "
                    "correct the name"
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
        function = self._symbols.get(name) or module_symbols(self.module).get(name)
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
        with located(self.module), deep_recursion():
            try:
                yield
                while self._waiting:
                    name, wanted = self._waiting.pop(0)
                    own = self._names[name, wanted]
                    if wanted is None:
                        self._add_again(name, own)
                    else:
                        self._add(name, own, wanted, is_public=False)
            except BaseException:
                for function in set(self.module.ops) - before:
                    function.detach()
                    function.erase(safe_erase=False)
                raise

    def _add_again(self, name: str, own: str) -> None:
        """Add a function that computes what another does once more, without its effects."""
        copy = self.prepared(name).clone()
        copy.properties |= {"sym_name": StringAttr(own), "sym_visibility": StringAttr("private")}
        self.module.body.block.add_op(copy)
        with errors_in(name):
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
        declared = _declared(block)
        if loss is None:
            declared += [(f"g{i}", type) for i, (_, type) in enumerate(leaves(result.type))]
        parameters = [block.args[i] for i in targets]
        types = tuple_type(tensor_at(v.type, path) for v, path in places_in(parameters))
        type = None if is_public else types
        with (
            errors_in(name),
            self.builder.function(
                own, _distinct(declared), private=not is_public, ret_type=type
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


def _declared(block: Block) -> list[tuple[str, Attribute]]:
    """The parameters of a function, by name and type."""
    return [(p.name_hint or f"x{i}", p.type) for i, p in enumerate(block.args)]


def _distinct(parameters: Sequence[tuple[str, Attribute]]) -> dict[str, Attribute]:
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


def _fields(value: Value) -> list[Any]:
    """The tensors of floats in a value."""
    return [field(value, path) for path, _ in leaves(value.type)]
