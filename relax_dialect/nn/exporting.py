"""From modules to a program: a function for each method that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder, Value, const
from relax_dialect.ir.in_place import IN_PLACE, in_place_attribute
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.kv_cache import KVCache, OpenCache, open_cache
from relax_dialect.nn.module import Module, Parameter, emit, emitting

Spec: TypeAlias = Mapping[str, Attribute | KVCache]
"""The arguments of a method by name: their types, or the caches that they take."""


_CONTROL_FLOW = "has_control_flow"


def control_flow(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a method that emits branches or loops, which no dataflow block contains."""
    setattr(method, _CONTROL_FLOW, True)
    return method


def export(
    model: Module,
    spec: Mapping[str, Spec],
    weights: Literal["constants", "parameters"] = "constants",
) -> ModuleOp:
    """Return a program with a function for each method in `spec`.

    Weights are constants, or parameters after the others, in the order of `named_parameters`. The arrays of
    a `KVCache` are results as well, which overwrite the parameters: `inplace_indices`.
    """
    named = dict(model.named_parameters())
    if weights not in ("constants", "parameters"):
        raise ModuleError(
            f"export: expected weights to be 'constants' or 'parameters', found {weights!r}; correct it"
        )
    if weights == "constants" and (missing := [n for n, p in named.items() if p.data is None]):
        raise ModuleError(
            f"export: expected all weights, found {len(missing)} of {len(named)} that are not loaded, such "
            f"as {missing[0]}; load them with load_state_dict, or pass weights='parameters'"
        )
    bb = BlockBuilder()
    for name, arguments in spec.items():
        _Method(bb, model, name, arguments).export(named, weights == "parameters")
    return bb.get()


class _Method:
    """A method on its way to a function."""

    def __init__(self, bb: BlockBuilder, model: Module, name: str, arguments: Spec):
        self.bb, self.name, self.arguments = bb, name, arguments
        self.method = getattr(model, name, None)
        if not callable(self.method):
            raise ModuleError(
                f"export: expected a method of {type(model).__name__}, found {name!r}; correct the name"
            )

    @property
    def has_control_flow(self) -> bool:
        """Whether the method emits branches or loops."""
        return getattr(self.method, _CONTROL_FLOW, False)

    def export(self, named: Mapping[str, Parameter], as_parameters: bool) -> None:
        declared: dict[str, Attribute] = {}
        for name, type in self.arguments.items():
            declared |= type.parameters() if isinstance(type, KVCache) else {name: type}
        own = list(named.values()) if as_parameters else []
        for path, parameter in named.items():
            parameter.rename(path.replace(".", "_"))
        try:
            params = [*declared.items(), *own]
            with self.bb.function(self.name, params) as values:
                taken = dict(zip(declared, values))
                with nullcontext() if self.has_control_flow else self.bb.dataflow():
                    if not as_parameters:
                        _bind_constants(self.bb, named)
                    outputs, caches = self._outputs(taken)
                    placed = [*outputs, *caches]
                    if not self.has_control_flow:
                        placed = [self.bb.emit_output(each) for each in placed]
                self.bb.emit_func_output(placed if len(placed) > 1 else placed[0])
            if caches:
                function = values[0].value.owner.parent_op()
                self._mark(function, list(declared), len(outputs))
        finally:
            for parameter in named.values():
                parameter.unbind()

    def _outputs(self, taken: Mapping[str, Value]) -> tuple[list[Value], list[Value]]:
        """Return the results of the method, and the caches after it."""
        given: dict[str, Any] = {}
        opened: list[OpenCache] = []
        for name, type in self.arguments.items():
            if isinstance(type, KVCache):
                opened.append(open_cache(type, [taken[each] for each in type.parameters()]))
                given[name] = opened[-1]
            else:
                given[name] = taken[name]
        assert self.method is not None
        with emitting(self.bb):
            found = emit(self.method(**given))
        outputs = list(found) if isinstance(found, list | tuple) else [found]
        if not all(isinstance(each, Value) for each in outputs):
            raise ModuleError(
                f"export: expected {self.name} to return tensors, found {found!r}; return them"
            )
        return outputs, [each for cache in opened for each in cache.results]

    def _mark(self, function: Any, names: Sequence[str], outputs: int) -> None:
        """State that the caches are written over."""
        arrays = {n for c in self.arguments.values() if isinstance(c, KVCache) for n in c.names}
        numbers = [i for i, name in enumerate(names) if name in arrays]
        function.attributes[IN_PLACE] = in_place_attribute([-1] * outputs + numbers)


def _bind_constants(bb: BlockBuilder, named: Mapping[str, Parameter]) -> None:
    """Make the weights constants of the open region."""
    for name, parameter in named.items():
        parameter.bind(bb.emit(const(parameter.data), name.replace(".", "_")).value)
