"""Templates in PDL: ops with their attributes, and the type of the result of each.

PDL infers no types. So the ops are built from samples: for each value of unknown type one of many types.
Properties that differ between the samples (such as a constant's element type) cannot be expressed in PDL.
The type of a result is

* the type stated by `typed`, or for a replacement of the root that of the root;
* for an elementwise op the type of one of its operands, if that is inferred from every sample;
* the inferred type, if the types of all operands are stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.pdl.graph import GraphNode, PatternGraph, Seen
from relax_dialect.dpl.pdl.trial import Trial
from relax_dialect.dpl.rewriter.templates import patterns_in
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.dpl.syntax.type_text import read_type
from relax_dialect.errors import RelaxError
from relax_dialect.ops.kinds import K_BROADCAST, pattern_kind

Ref = Seen | int
"""A value of the match, or the result of the new op of a number."""
TypeRef = Attribute | Seen
"""A type, or the value that has it."""


@dataclass
class NewOp:
    """An op that the rewrite makes."""

    name: str
    operands: list[Ref]
    attributes: dict[str, Attribute]
    type: TypeRef


@dataclass
class Replacement:
    """The ops that a rewrite creates, and the replacement of each result of the root."""

    ops: list[NewOp]
    values: list[Ref]


def plan(
    name: str, graph: PatternGraph, template: object, known: dict[object, list[Trial]]
) -> Replacement:
    """Return the replacement of a template over the values of a graph; raises `PatternError`.

    `known` is reused by the next way through the pattern, which differs little.
    """
    return _Planner(name, graph, template).plan(known)


class _Planner:
    def __init__(self, name: str, graph: PatternGraph, template: object):
        self.name = name
        self.graph = graph
        self.template = list(template) if isinstance(template, list | tuple) else [template]
        self.leaves: list[Seen] = []
        """The values of the match that the template uses."""
        self.leaf_numbers: dict[tuple[GraphNode, int], int] = {}
        self.node_numbers = {node: self._leaf(node) for node in patterns_in(template)}

    def _leaf(self, node: Pattern) -> int:
        """Return the number of the leaf that a node of the pattern is."""
        seen = self.graph.known(node)
        if seen is None:
            found, mend = "takes no part in this alternative", "make a rule of each alternative"
            self._fail(f"{pattern_text(node)}, which {found}", mend)
        if seen.index is None:
            self._fail(f"{pattern_text(node)}, which is several results", "p[0] is one result")
        if seen.key not in self.leaf_numbers:
            self.leaf_numbers[seen.key] = len(self.leaves)
            self.leaves.append(seen)
        return self.leaf_numbers[seen.key]

    def _fail(self, found: str, mend: str) -> NoReturn:
        raise PatternError(
            f"to_pdl: {self.name}: expected a replacement that PDL can express, found {found}; {mend}"
        )

    def plan(self, known: dict[object, list[Trial]]) -> Replacement:
        root = self.graph.root.place
        if len(self.template) != root.results:
            found = f"{len(self.template)} values for the {root.results} results of its root"
            self._fail(found, "pass a list with one for each")
        key = (*self.node_numbers.items(), *(leaf.type for leaf in self.leaves))
        if key not in known:
            known[key] = self._trials()
            self._check_equal(known[key])
        trials = known[key]
        ops = self._ops(trials)
        values = [self._ref(trials[0], value) for value in trials[0].values]
        for value in (*values, *(operand for op in ops for operand in op.operands)):
            if isinstance(value, Seen) and value.place is root:
                found = "the root itself, which is to be replaced"
                self._fail(found, "use what its operands matched")
        return Replacement(ops, values)

    # Samples ----------------------------------------------------------------------------------

    def _trials(self) -> list[Trial]:
        """Return the template built from every sample that it can be built from."""
        trials: list[Trial] = []
        error: Exception | None = None
        for types in assignments([leaf.type for leaf in self.leaves]):
            try:
                trials.append(Trial(self.template, self.node_numbers, types))
            except (RelaxError, VerifyException, TypeError, ValueError) as failed:
                error = error or failed
        if not trials:
            found = f"one that can be built from no sample ({error})"
            self._fail(found, "state the types of its values by has_type in the pattern")
        return trials

    def _check_equal(self, trials: Sequence[Trial]) -> None:
        """Refuse ops that PDL does not make, ops and attributes that depend on the types of the match."""
        first = trials[0].ops
        for op in first:
            if op.regions or "callee" in op.properties or len(op.results) != 1:
                self._fail(op.name, "PDL makes plain ops with one result")
            if "operandSegmentSizes" in op.properties:
                self._fail(f"{op.name}, which has optional operands", "keep the rule in Python")
        for trial in trials[1:]:
            if [op.name for op in trial.ops] != [op.name for op in first]:
                found = "ops that depend on the types of the match"
                self._fail(found, "state them by has_type in the pattern")
            for op, other in zip(first, trial.ops):
                self._check_attributes(op, _attributes(op), _attributes(other))

    def _check_attributes(
        self, op: Operation, one: dict[str, Attribute], other: dict[str, Attribute]
    ) -> None:
        for name in {**one, **other}:
            if one.get(name) == other.get(name):
                continue
            if op.name == "relax.constant":
                found = "a number, whose element type is that of a value of the match"
                self._fail(found, 'state it: const(2.0, "float32")')
            found = f"{op.name}, whose attribute {name} depends on the types of the match"
            self._fail(found, "state all of its attributes")

    # Values and types -------------------------------------------------------------------------

    def _ops(self, trials: Sequence[Trial]) -> list[NewOp]:
        first = trials[0]
        types: list[TypeRef] = []
        ops: list[NewOp] = []
        for number, op in enumerate(first.ops):
            operands = [self._ref(first, operand) for operand in op.operands]
            known = [types[o] if isinstance(o, int) else o.type or o for o in operands]
            types.append(self._type(trials, number, known))
            ops.append(NewOp(op.name, operands, _attributes(op), types[-1]))
        return ops

    def _ref(self, trial: Trial, value: SSAValue) -> Ref:
        if isinstance(value, BlockArgument):
            return self.leaves[value.index]
        assert isinstance(value.owner, Operation)
        return trial.ops.index(value.owner)

    def _type(self, trials: Sequence[Trial], number: int, operands: Sequence[TypeRef]) -> TypeRef:
        """Return the type of the result of a new op, from those of its operands."""
        first = trials[0]
        op = first.ops[number]
        if (stated := first.stated.get(op)) is not None:
            return self.graph.value(stated) if isinstance(stated, Pattern) else stated
        result = op.results[0]
        if result in first.values:
            replaced = Seen(self.graph.root.place, first.values.index(result))
            return replaced.type or replaced
        if all(isinstance(type, Attribute) for type in operands):
            return result.type
        if pattern_kind(op) <= K_BROADCAST:
            for type in operands:
                if all(t.ops[number].results[0].type == self._sampled(type, t) for t in trials):
                    return type
        self._fail(
            f"{op.name}, whose result type follows from the types of the match",
            f"state it: typed(op.{op.name.removeprefix('relax.')}(...), type), where the type may be a "
            "pattern whose value has it",
        )

    def _sampled(self, type: TypeRef, trial: Trial) -> Attribute | None:
        """Return a type as it is in a trial; None for the type of a value that the template does not
        use."""
        if isinstance(type, Attribute):
            return type
        number = self.leaf_numbers.get(type.key)
        return None if number is None else trial.types[number]


def _attributes(op: Operation) -> dict[str, Attribute]:
    return {**op.properties, **op.attributes}


# Types that the values of a match are tried with ------------------------------------------------


def _tensors(*texts: str) -> tuple[Attribute, ...]:
    return tuple(read_type(f"!relax.tensor<{each}>") for text in texts for each in text.split("; "))


SAMPLES = _tensors(
    "[n, m], f32; [], f32; [n], f32; [1], f32; [1, m], f32; [n, 1], f32; [m, n], f32",
    "[4, 4], f32; [4], f32; [2, 3, 4], f32; [3, 3, 3, 3], f32; [?, ?], f32; [?], f32",
    "*, f32; *; [n, m]; [n, m], f64; [n, m], f16; [n, m], i1; [n], i1; [n, m], i32",
    "[n, m], i64; [n, m], ui8; [n, k, m], f32",
)
"""Each is tried as the type of all values."""

ODD = _tensors("[n, m], f32; [], f32; [1, m], f32; [m, n], f32; [4, 4], f32; [4], f32; *")
"""Each is tried as the type of one value while all others have one of `SAMPLES`."""


def assignments(stated: Sequence[Attribute | None]) -> Iterator[list[Attribute]]:
    """Yield types for values, some with a stated type: all others equal, then each in turn different."""
    own = dict.fromkeys(type for type in stated if type is not None)
    samples, odd_ones = [*SAMPLES, *own], [*ODD, *own]
    free = [number for number, type in enumerate(stated) if type is None]
    if not free:
        samples = samples[:1]
    for common in samples:
        yield [type or common for type in stated]
    if len(free) < 2:
        return
    for common in samples:
        types = [type or common for type in stated]
        for number in free:
            for odd in odd_ones:
                if odd is not common:
                    yield [*types[:number], odd, *types[number + 1 :]]
