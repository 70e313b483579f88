"""Compiled functions called as the interpreter is: with tuples and shapes, which C knows only in parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute
from xdsl.parser import Parser

from lowering.emit_c.syntax.c_source import RelaxSignature
from relax_dialect import symbolic
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import parameter_names
from relax_dialect.interpret.arguments import refuse_unwritable
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.runtime_values import as_scalar
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.ir.in_place import fields_of, in_place
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ir.types import Dim, PrimType, ShapeType, TensorType, leaf_types
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import new_context


@dataclass(frozen=True)
class NestedSignature:
    """The signature of a function in Relax: tuples as tuples, shapes as tuples of ints."""

    names: tuple[str, ...]
    params: tuple[Attribute, ...]
    output: Attribute
    in_place: tuple[int, ...] = ()
    """For each field of the result the parameter that it is written over, or -1; nothing for none."""

    @property
    def is_composed(self) -> bool:
        """Whether C takes or returns something in parts."""
        return self.takes_parts or is_composed(self.output) or bool(self.in_place)

    @cached_property
    def takes_parts(self) -> bool:
        """Whether C takes an argument in parts."""
        return any(map(is_composed, self.params))

    @cached_property
    def is_of_tensors(self) -> bool:
        """Whether it takes tensors alone, or tuples of them: C sees all of that but how it is nested."""
        return all(isinstance(t, TensorType) for param in self.params for t in leaf_types(param))

    def flat(self, where: str, args: Sequence[Any]) -> Sequence[Any]:
        """Return the arguments as C takes them; as many others as C takes parts are passed on."""
        if not self.takes_parts or len(args) != len(self.params):
            return args
        if self.is_of_tensors and (arrays := _arrays(self.params, args)) is not None:
            return arrays
        args = [
            from_python(value, f"{where}: argument '{name}'") if is_composed(type) else value
            for name, type, value in zip(self.names, self.params, args)
        ]
        self._check_composed(where, args)
        return flat_arguments(self.params, args)

    def check(self, where: str, args: Sequence[Any]) -> None:
        """Refuse arguments that the interpreter refuses, with the same messages."""
        if len(args) != len(self.params):
            names = ", ".join(f"'{name}'" for name in self.names) or "none"
            raise ExecutionError(
                f"{where}: expected {len(self.params)} arguments ({names}), found {len(args)}"
            )
        names = [f"{where}: argument '{name}'" for name in self.names]
        values = map(from_python, map(as_scalar, self.params, args), names)
        match_types(map(TypedValue, names, self.params, values), {})
        refuse_unwritable(where, self.names, self.in_place, args)

    def _check_composed(self, where: str, args: Sequence[Any]) -> None:
        """Check the properties that C does not see: the nesting of tuples, and sizes that a tensor has
        too."""
        entries: list[TypedValue] = []
        for name, type, value in zip(self.names, self.params, args):
            if isinstance(type, TensorType):  # C checks the rest of it
                if type.shape is None or np.ndim(value) != len(type.shape):
                    continue
                type, value = ShapeType(type.shape), np.shape(value)
            value = as_scalar(type, value)
            if is_composed(type) or isinstance(type, PrimType):
                entries.append(TypedValue(f"{where}: argument '{name}'", type, value))
        match_types(entries, {})

    def nested(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        """Rebuild the value that the function returns from the results of C and its arguments."""
        if self.in_place:
            parts = iter(results)
            fields = tuple(
                args[index] if index >= 0 else nested(type, parts)
                for type, index in zip(fields_of(self.output), self.in_place)
            )
            return fields if isinstance(self.output, TupleType) else fields[0]
        types = leaf_types(self.output)
        rest = len(results) - sum(
            len(t.shape or ()) if isinstance(t, ShapeType) else 1 for t in types
        )
        if rest == 0 or (rest > 0 and types.count(ShapeType(None)) == 1):
            return nested(self.output, iter(results), rest)
        # the declared type does not determine the results
        return results[0] if len(results) == 1 else tuple(results) or None


def is_composed(type: Attribute) -> bool:
    """Return whether C takes values of a type in parts."""
    return isinstance(type, TupleType | ShapeType)


def signatures(module: ModuleOp) -> Mapping[str, NestedSignature]:
    """Return the signatures of the public Relax functions by name."""
    found: dict[str, NestedSignature] = {}
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and not op.is_private:
            params, output = tuple(op.function_type.inputs), op.return_op.value.type
            names, indices = tuple(parameter_names(op)), tuple(in_place(op))
            found[op.sym_name.data] = NestedSignature(names, params, output, indices)
    return found


def as_text(signatures: Mapping[str, NestedSignature]) -> tuple[RelaxSignature, ...]:
    """Signatures as a file of them holds them."""
    return tuple(
        RelaxSignature(name, tuple(zip(s.names, map(str, s.params))), str(s.output), s.in_place)
        for name, s in signatures.items()
    )


def from_text(signatures: Sequence[RelaxSignature]) -> Mapping[str, NestedSignature]:
    """Return the signatures that a file holds; an error of xDSL where it holds none."""
    context = new_context()

    def parsed(type: str) -> Attribute:
        return Parser(context, type).parse_type()

    return {
        s.name: NestedSignature(
            tuple(name for name, _ in s.params),
            tuple(parsed(type) for _, type in s.params),
            parsed(s.output),
            s.in_place,
        )
        for s in signatures
    }


def flat_arguments(types: Sequence[Attribute], values: Sequence[Any]) -> list[Any]:
    """Flatten arguments for C: tuples part by part, then the sizes that no tensor defines."""
    flat: list[Any] = []
    told: list[Attribute] = []
    dims: list[Dim] = []
    sizes: list[int] = []
    stack = list(reversed(list(zip(types, values))))
    while stack:
        type, value = stack.pop()
        if isinstance(type, TupleType):
            stack.extend(reversed(list(zip(type.types, value))))
        elif isinstance(type, ShapeType):
            for dim, size in zip(type.shape or (), value):
                if dim is None:
                    flat.append(size)
                dims.append(dim)
                sizes.append(size)
        else:
            flat.append(value)
            if isinstance(type, TensorType | PrimType) and type.shape is not None:
                told.append(type)
                found = np.shape(value) if isinstance(type, TensorType) else [int(value)]
                dims += type.shape if len(found) == len(type.shape) else ()
                sizes += found if len(found) == len(type.shape) else ()
    known = frozenset(defined_variables(told))
    return flat + [
        size for name, size in symbolic.solved_sizes(dims, sizes).items() if name not in known
    ]


def _arrays(types: Sequence[Attribute], values: Sequence[Any]) -> list[Any] | None:
    """Return the arrays in tuples that are nested as their types are; None if another value is found."""
    found: list[Any] = []
    for type, value in zip(types, values):
        if not isinstance(type, TupleType):
            found.append(value)
            continue
        fits = isinstance(value, tuple) and len(value) == len(type.types.data)
        inner = _arrays(type.types.data, value) if fits else None
        if inner is None:
            return None
        found += inner
    return found


def nested(type: Attribute, parts: Iterator[Any], rest: int = 0) -> Any:
    """Rebuild the tuple that the function returns from the results of C, part by part; a shape of unknown
    rank gets `rest` parts."""
    if isinstance(type, TupleType):
        return tuple(nested(t, parts, rest) for t in type.types)
    if isinstance(type, ShapeType):
        return tuple(next(parts) for _ in range(rest if type.shape is None else len(type.shape)))
    return next(parts)
