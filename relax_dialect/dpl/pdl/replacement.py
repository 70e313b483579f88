"""Templates in PDL: ops with their attributes, and a type for each of their results.

PDL infers nothing. So the ops are built from samples: for each value of unknown type one of many types.
What differs between the samples (a constant's element type, say) PDL cannot express. The type of a
result is

* what `typed` states, or that of the root, for what replaces it;
* for an elementwise op the type of one of its operands, if that is what is inferred from every sample;
* what is inferred, where the types of all operands are stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect.builder.emitter import Emitter, Parts
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.builder.values import Expression
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.dpl.pdl.graph import Graph, Seen
from relax_dialect.dpl.templates import TypedExpression, patterns_in, substitute
from relax_dialect.dpl.text import pattern_text
from relax_dialect.dpl.type_text import read_type
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import free_variables
from relax_dialect.ops.kinds import K_BROADCAST, pattern_kind

SAMPLES = tuple(
    read_type(f"!relax.tensor<{text}>")
    for text in (
        *(
            "[n, m], f32",
            "[], f32",
            "[n], f32",
            "[1], f32",
            "[1, m], f32",
            "[n, 1], f32",
            "[m, n], f32",
        ),
        *(
            "[4, 4], f32",
            "[4], f32",
            "[2, 3, 4], f32",
            "[3, 3, 3, 3], f32",
            "[?, ?], f32",
            "[?], f32",
        ),
        *(
            "*, f32",
            "*",
            "[n, m]",
            "[n, m], f64",
            "[n, m], f16",
            "[n, m], i1",
            "[n], i1",
            "[n, m], i32",
        ),
        *("[n, m], i64", "[n, m], ui8", "[n, k, m], f32"),
    )
)
"""The types that a value of unknown type is tried with."""

ODD = tuple(map(SAMPLES.__getitem__, (0, 1, 4, 6, 7, 8, 14)))
"""Those that one value is tried with while all others have another type."""

Stages = list[tuple["_Stage", list[Attribute]]]

Ref = Seen | tuple[int, int]
"""A value of the match, or a result of a new op."""
TypeRef = Attribute | Seen
"""A type, or the value that has it."""


@dataclass
class NewOp:
    """An op that the rewrite makes."""

    name: str
    operands: list[Ref]
    attributes: dict[str, Attribute]
    types: list[TypeRef]


@dataclass
class Replacement:
    """The ops that a rewrite makes, and the value that takes the place of each result of the root."""

    ops: list[NewOp]
    values: list[Ref]


class _Stage(Emitter):
    """Places ops in a block whose arguments stand for the values of a match."""

    def __init__(self, types: Sequence[Attribute]):
        super().__init__()
        self.block = Block(arg_types=types)
        self.stated: dict[Operation, Attribute | Pattern] = {}
        self.values: list[SSAValue] = []
        """The values that replace the results of the root."""
        self._parts: Parts = {}
        self._scopes.function = "a replacement"
        for type in types:
            self._scopes.defined.update(free_variables(type))
        self._scopes.push(OpenRegion("relax.binding_block", self.block))

    def _shared(self) -> Parts:
        return self._parts

    def _make(self, expression: Expression, made: Parts) -> Operation:
        if not isinstance(expression, TypedExpression):
            return super()._make(expression, made)
        expression.checked = False
        op = super()._make(expression, made)
        self.stated[op] = expression.given
        return op


def plan(name: str, graph: Graph, template: object, known: dict[object, Stages]) -> Replacement:
    """The replacement of a template over the values of a graph; raises `PatternError`.

    `known` is what one way through a pattern leaves to the next, which differs in little.
    """
    return _Planner(name, graph, template).plan(known)


class _Planner:
    def __init__(self, name: str, graph: Graph, template: object):
        self.name = name
        self.graph = graph
        self.template = template
        self.parts = list(template) if isinstance(template, list | tuple) else [template]
        self.leaves: dict[tuple[Any, int], tuple[int, Seen]] = {}
        self.places: dict[Pattern, int] = {}
        for node in patterns_in(template):
            seen = graph.known(node)
            if seen is None or seen.index is None:
                self._fail(
                    f"{pattern_text(node)}, which "
                    + ("is several results" if seen else "takes no part in this alternative"),
                    "p[0] is one result" if seen else "make a rule of each alternative",
                )
            number, _ = self.leaves.setdefault(seen.key, (len(self.leaves), seen))
            self.places[node] = number

    def _fail(self, found: str, mend: str) -> NoReturn:
        raise PatternError(
            f"to_pdl: {self.name}: expected a replacement that PDL can express, found {found}; {mend}"
        )

    def plan(self, known: dict[object, Stages]) -> Replacement:
        results = self.graph.root.place.results
        if len(self.parts) != results:
            self._fail(
                f"{len(self.parts)} values for the {results} results of its root",
                "give a list with one for each",
            )
        key = (*self.places.items(), *(seen.type for _, seen in self.leaves.values()))
        if key not in known:
            known[key] = list(self._stages())
            self._check_equal(known[key])
        stages = known[key]
        first, _ = stages[0]
        values = [self._ref(first, value) for value in first.values]
        ops: list[NewOp] = []
        for number, op in enumerate(first.block.ops):
            operands = [self._ref(first, operand) for operand in op.operands]
            types = [
                self._type(stages, ops, number, result.index, values, operands)
                for result in op.results
            ]
            ops.append(NewOp(op.name, operands, {**op.properties, **op.attributes}, types))
        for value in (*values, *(operand for op in ops for operand in op.operands)):
            if isinstance(value, Seen) and value.place is self.graph.root.place:
                self._fail(
                    "the root itself, which is to be replaced", "use what its operands matched"
                )
        return Replacement(ops, values)

    # Samples ----------------------------------------------------------------------------------

    def _stages(self) -> Iterator[tuple[_Stage, list[Attribute]]]:
        """The template built from every sample that it can be built from."""
        error: Exception | None = None
        any_built = False
        for types in self._assignments():
            stage = _Stage(types)
            try:
                self._build(stage, types)
            except (RelaxError, VerifyException, TypeError, ValueError) as failed:
                error = error or failed
                continue
            any_built = True
            yield stage, types
        if not any_built:
            self._fail(
                f"one that can be built from no sample ({error})",
                "state the types of its values by has_type in the pattern",
            )

    def _build(self, stage: _Stage, types: list[Attribute]) -> None:
        arguments = stage.block.args

        def value_of(node: Pattern) -> SSAValue:
            return arguments[self.places[node]]

        filled: Any = substitute(self.parts, value_of, lambda node: types[self.places[node]])
        stage.values = [stage.operand(part) for part in filled]

    def _assignments(self) -> Iterator[list[Attribute]]:
        """Types for the leaves: all of one sample, and each in turn of another than the rest."""
        stated = [seen.type for _, seen in self.leaves.values()]
        samples = [*SAMPLES, *dict.fromkeys(type for type in stated if type is not None)]
        others = [*ODD, *samples[len(SAMPLES) :]]
        free = [number for number, type in enumerate(stated) if type is None]
        for common in samples:
            yield [type or common for type in stated]
            if not free:
                return
        for common in samples if len(free) > 1 else ():
            for odd in free:
                for other in others:
                    if other is not common:
                        yield [
                            type or (other if n == odd else common) for n, type in enumerate(stated)
                        ]

    def _check_equal(self, stages: Sequence[tuple[_Stage, list[Attribute]]]) -> None:
        """Refuse ops, operands or attributes that depend on the types of the match."""
        first = list(stages[0][0].block.ops)
        for op in first:
            if op.regions or "callee" in op.properties or len(op.results) != 1:
                self._fail(f"{op.name}", "PDL makes plain ops with one result")
            if "operandSegmentSizes" in op.properties:
                self._fail(f"{op.name}, which has optional operands", "keep the rule in Python")
        for stage, _ in stages[1:]:
            others = list(stage.block.ops)
            if [o.name for o in others] != [o.name for o in first]:
                self._fail(
                    "ops that depend on the types of the match",
                    "state them by has_type in the pattern",
                )
            for one, other in zip(first, others):
                mine, its = ({**o.properties, **o.attributes} for o in (one, other))
                for key in {**mine, **its}:
                    if mine.get(key) != its.get(key):
                        self._fail_attribute(one, key)

    def _fail_attribute(self, op: Operation, key: str) -> None:
        if op.name == "relax.constant":
            self._fail(
                "a number, whose element type is that of a value of the match",
                'give it one: const(2.0, "float32")',
            )
        self._fail(
            f"{op.name}, whose attribute {key} depends on the types of the match",
            "give all of its attributes",
        )

    # Values and types -------------------------------------------------------------------------

    def _ref(self, stage: _Stage, value: SSAValue) -> Ref:
        if isinstance(value, BlockArgument):
            return list(self.leaves.values())[value.index][1]
        assert isinstance(value, OpResult)
        return _number(stage, value.op), value.index

    def _type(
        self,
        stages: Sequence[tuple[_Stage, list[Attribute]]],
        ops: Sequence[NewOp],
        number: int,
        index: int,
        values: Sequence[Ref],
        operands: Sequence[Ref],
    ) -> TypeRef:
        """The type of a result of a new op."""
        stage, _ = stages[0]
        op = _op(stage, number)
        if (stated := stage.stated.get(op)) is not None:
            return self.graph.value(stated) if isinstance(stated, Pattern) else stated
        if (number, index) in values:
            place = self.graph.root.place
            result = Seen(place, values.index((number, index)))
            return result.type or result
        known = [self._type_of(ops, operand) for operand in operands]
        if all(isinstance(type, Attribute) for type in known):
            return op.results[index].type
        if pattern_kind(op) <= K_BROADCAST:
            for type in known:
                if all(
                    _op(s, number).results[index].type == self._sampled(type, types)
                    for s, types in stages
                ):
                    return type
        self._fail(
            f"{op.name}, whose result type follows from the types of the match",
            f"state it: typed(op.{op.name.removeprefix('relax.')}(...), type), where the type may be a "
            "pattern whose value has it",
        )

    def _type_of(self, ops: Sequence[NewOp], ref: Ref) -> TypeRef:
        if isinstance(ref, Seen):
            return ref.type or ref
        return ops[ref[0]].types[ref[1]]

    def _sampled(self, type: TypeRef, types: Sequence[Attribute]) -> Attribute | None:
        if isinstance(type, Attribute):
            return type
        found = self.leaves.get(type.key)
        return None if found is None else types[found[0]]


def _number(stage: _Stage, op: Operation) -> int:
    return list(stage.block.ops).index(op)


def _op(stage: _Stage, number: int) -> Operation:
    return list(stage.block.ops)[number]
