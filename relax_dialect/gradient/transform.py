"""`gradient`, `vjp`: functions that compute gradients, added to a module."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import field, leaves
from relax_dialect.gradient.reverse import Reverse
from relax_dialect.ir.types import tuple_type
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.core import FuncOp
from relax_dialect.ir.purity import module_symbols


class _Adjoints:
    """The functions of a module that compute gradients for others, made when they are first asked for."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.builder = BlockBuilder(module)
        self.made: dict[tuple[str, tuple[int, ...]], str] = {}
        self.waiting: list[tuple[str, tuple[int, ...]]] = []

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        key = name, wanted
        if key not in self.made:
            taken = set(self.made.values()) | self.builder._symbols.keys()
            own, number = f"{name}_vjp", 1
            while own in taken:
                number += 1
                own = f"{name}_vjp_{number}"
            self.made[key] = own
            self.waiting.append(key)
        return self.made[key]

    def make_all(self) -> None:
        while self.waiting:
            self._make(*self.waiting.pop())

    def _make(self, name: str, wanted: tuple[int, ...]) -> None:
        function = self.prepared(name)
        block = function.body.block
        result = function.return_op.operands[0]
        seeds = [(f"g{i}", type) for i, (_, type) in enumerate(leaves(result.type))]
        own = [(p.name_hint or f"x{i}", p.type) for i, p in enumerate(block.args)]
        places = [(block.args[i], path) for i in wanted for path, _ in leaves(block.args[i].type)]
        type = tuple_type([dict(leaves(v.type))[path] for v, path in places])
        with self.builder.function(
            self.made[name, wanted], unique([*own, *seeds]), private=True, ret_type=type
        ) as values:
            n = len(own)
            reverse = Reverse(
                self.builder, self, dict(zip(block.args, values)), [block.args[i] for i in wanted]
            )
            reverse.forward(block)
            for (path, _), seed in zip(leaves(result.type), values[n:]):
                reverse.add(result, path, seed)
            reverse.backward(block)
            self.builder.emit_func_output([reverse.total(v, path) for v, path in places])

    def prepared(self, name: str) -> FuncOp:
        found = module_symbols(self.module)[name]
        assert isinstance(found, FuncOp)
        copy = found.clone()
        to_a_normal_form(copy)
        return copy


def unique(params: Sequence[tuple[str, object]]) -> list:
    seen: dict[str, int] = {}
    found = []
    for name, type in params:
        own = name
        while own in seen:
            seen[name] += 1
            own = f"{name}_{seen[name]}"
        seen[own] = 1
        found.append((own, type))
    return found


def gradient(module: ModuleOp, name: str, wrt: Sequence[str] | None = None) -> str:
    adjoints = _Adjoints(module)
    function = adjoints.prepared(name)
    block = function.body.block
    own = [(p.name_hint or f"x{i}", p.type) for i, p in enumerate(block.args)]
    targets = [p for p in block.args if (wrt is None and any(leaves(p.type))) or (wrt and p.name_hint in wrt)]
    builder = adjoints.builder
    result = function.return_op.operands[0]
    with builder.function(f"{name}_adjoint", unique(own)) as values:
        reverse = Reverse(builder, adjoints, dict(zip(block.args, values)), targets)
        reverse.forward(block)
        reverse.add(result, (), op.ones_like(reverse.values[result]))
        reverse.backward(block)
        grads = [nested(reverse, p, p.type, ()) for p in targets]
        builder.emit_func_output([reverse.values[result], builder.emit(tuple(grads))])
    adjoints.make_all()
    return f"{name}_adjoint"


def nested(reverse, value, type, path):
    from xdsl.dialects.builtin import TupleType
    if isinstance(type, TupleType):
        return reverse.builder.emit(tuple(nested(reverse, value, t, (*path, i)) for i, t in enumerate(type.types.data)))
    return reverse.total(value, path)
