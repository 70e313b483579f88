"""Operators tied by `>>` and `^` in a context, against all assignments of values to them."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest
from dpl.test_against_tvm import Program, build, random_program

from relax_dialect.dpl import PatternContext, is_op
from relax_dialect.ops.blocks import DataflowOp

Edge = tuple[int, int, int | None, bool]
"""Producer, consumer, the operand of the consumer or None for any, whether it is the only user."""


def random_edges(random: Random, program: Program) -> tuple[list[str], list[Edge]]:
    """Names of operators, most of them as in the program, and ties between them in any order."""
    chosen = random.sample(range(len(program)), min(len(program), random.randrange(2, 5)))
    names = [program[row][0] for row in chosen]
    edges: list[Edge] = []
    for consumer, row in enumerate(chosen):
        for index, operand in enumerate(program[row][1:]):
            if operand - 2 in chosen and random.random() < 0.9:
                place = index if random.random() < 0.3 else None
                edges.append((chosen.index(operand - 2), consumer, place, random.random() < 0.3))
    if random.random() < 0.2:
        edges.append((*random.sample(range(len(names)), 2), None, False))
    random.shuffle(edges)
    tied = {node for first, second, *_ in edges for node in (first, second)}
    return [name for i, name in enumerate(names) if i in tied], [
        (sum(n in tied for n in range(a)), sum(n in tied for n in range(b)), *rest)
        for a, b, *rest in edges
    ]


def assignments(program: Program, names: list[str], edges: list[Edge]) -> list[tuple[int, ...]]:
    """All that fit: by operator, by operands and by users, each operator at a value of its own."""
    users = {
        number: {i for i, (_, *operands) in enumerate(program, 2) if number in operands}
        for number in range(len(program) + 2)
    }

    def fits(found: tuple[int, ...]) -> bool:
        for producer, consumer, index, only in edges:
            operands = program[found[consumer] - 2][1:]
            used = operands if index is None else operands[index : index + 1]
            if found[producer] not in used or (only and len(users[found[producer]]) != 1):
                return False
        return True

    rows = range(2, len(program) + 2)
    return [
        found
        for found in permutations(rows, len(names))
        if all(program[row - 2][0] == name for row, name in zip(found, names)) and fits(found)
    ]


def matched(program: Program, names: list[str], edges: list[Edge]) -> tuple[int, ...] | None:
    module, values = build(program)
    numbers = {value.value: number for number, value in enumerate(values)}
    block = next(o for o in module.walk() if isinstance(o, DataflowOp))
    with PatternContext() as context:
        made = [is_op(name) for name in names]
        for producer, consumer, index, only in edges:
            tie = made[producer].only_used_by if only else made[producer].used_by
            tie(made[consumer], index)
        found = context.match_dfb(block)
    return None if found is None else tuple(numbers[found[node].value] for node in made)


def test_random_ties() -> None:
    """Joins, diamonds and chains whose ties are made in any order."""
    several = 0
    for seed in range(300):
        random = Random(seed)
        program = random_program(random)
        names, edges = random_edges(random, program)
        if not edges:
            continue
        expected, found = assignments(program, names, edges), matched(program, names, edges)
        assert found in expected if expected else found is None, (seed, program, names, edges)
        several += bool(expected) and len(edges) > 1
    assert several > 30


DIAMOND: list[list[Any]] = [["exp", 0], ["add", 2, 2]]
PARALLEL: list[list[Any]] = [["exp", 0], ["exp", 0], ["add", 2, 3]]


@pytest.mark.parametrize(
    ("program", "producers", "edges", "matches"),
    [
        (DIAMOND, 1, [(0, 1, 0, True), (0, 1, 1, True)], True),
        (PARALLEL, 1, [(0, 1, 0, True), (0, 1, 1, True)], False),
        (DIAMOND, 2, [(0, 2, None, True), (1, 2, None, True)], False),
        (PARALLEL, 2, [(0, 2, None, True), (1, 2, None, True)], True),
    ],
)
def test_a_diamond_is_no_pair(
    program: Program, producers: int, edges: list[Edge], matches: bool
) -> None:
    """One producer of both operands, or two producers of one each: `a >> j; b >> j`."""
    found = matched(program, ["exp"] * producers + ["add"], edges)
    assert (found is not None) == matches
