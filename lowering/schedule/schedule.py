"""Schedules as data: lists of primitives, in Python or as text.

    @matmul:
      fuse_epilogue()
      when d0 >= 2 {
        tile(d1, 48, multiple=16)
        pack_constant(in1, d1)
        tile(d0, 8, balanced=true)
        specialize(d0)
        vectorize(d1, 16)
        unroll_and_jam(d0)
        unroll_and_jam(d1)
        outline(contract)
      }

A name denotes a prim func, `@softmax#1` the second of its kernels, `@softmax#0-3` the first four together.
`//` begins a comment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from lowering.schedule.emit.materialize import finish
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.primitives.align_loads import AlignLoads
from lowering.schedule.primitives.base import Primitive, is_positional
from lowering.schedule.primitives.cache_read import CacheRead
from lowering.schedule.primitives.cache_write import CacheWrite
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.expect import Expect
from lowering.schedule.primitives.factor_out import FactorOut
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.fuse_producer import FuseProducer
from lowering.schedule.primitives.fuse_stages import FuseStages
from lowering.schedule.primitives.hoist import Hoist
from lowering.schedule.primitives.hoist_buffers import HoistBuffers
from lowering.schedule.primitives.img2col import Img2col
from lowering.schedule.primitives.interchange import Interchange
from lowering.schedule.primitives.intrinsic import Intrinsic
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.pad_reduction import PadReduction
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.recenter import Recenter
from lowering.schedule.primitives.separate import Separate
from lowering.schedule.primitives.skip_zeros import SkipZeros
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.split import Split
from lowering.schedule.primitives.split_accumulators import SplitAccumulators
from lowering.schedule.primitives.split_reduction import SplitReduction
from lowering.schedule.primitives.strip import Strip
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.transpose import Transpose
from lowering.schedule.primitives.unroll import Unroll
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.primitives.when import AtLeast, When
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import SCHEDULE
from relax_dialect.text.wording import nearest

Schedule: TypeAlias = Sequence[Primitive]
"""The steps that transform a kernel, in this order."""

LOOPS = "tuple[str, ...]"
"""The type of an argument that is all names in brackets."""

PRIMITIVES: Mapping[str, type[Primitive]] = {
    kind.NAME: kind
    for kind in (
        Expect,
        Collapse,
        Img2col,
        Recenter,
        PadReduction,
        Split,
        FuseEpilogue,
        FuseProducer,
        FuseStages,
        HoistBuffers,
        Tile,
        Strip,
        CacheRead,
        CacheWrite,
        Separate,
        Pack,
        PackConstant,
        Hoist,
        SkipZeros,
        Pad,
        Interchange,
        Specialize,
        Transpose,
        AlignLoads,
        Vectorize,
        SplitReduction,
        SplitAccumulators,
        FactorOut,
        Unroll,
        UnrollAndJam,
        Prefetch,
        Intrinsic,
        Outline,
    )
}
"""The primitives by their names; `when` has blocks of others."""


def apply(schedule: Iterable[Primitive], kernel: Kernel) -> None:
    """Apply the steps of a schedule in order, in place. Raises `RelaxError` if one is illegal."""
    for step in schedule:
        if kernel.stages and not step.TAKES_STAGES:
            raise step.refused(
                kernel,
                f"expected one kernel, as in @{kernel.name}#{max(kernel.stages)}, found several stages; "
                "say it for each of them",
            )
        step.apply(kernel)
    finish(kernel)


# Text


def text(schedule: Schedule, indent: str = "  ") -> str:
    """Return a schedule as `parse` reads it."""
    return "".join(f"{indent}{line}\n" for step in schedule for line in _lines(step))


def as_text(schedules: Mapping[str, Schedule] | str) -> str:
    """Schedules by kernel as the text of a file. Raises `RelaxError` for values that are no schedule."""
    if isinstance(schedules, str):
        return schedules
    for name, steps in schedules.items():
        if isinstance(steps, str) or not all(isinstance(step, Primitive) for step in steps):
            raise RelaxError(
                f"schedule of @{name}: expected a list of primitives, found {steps!r}; make one, as with "
                "parse_steps"
            )
    return "".join(f"@{name}:\n{text(steps)}" for name, steps in schedules.items())


def _lines(step: Primitive) -> Iterator[str]:
    if not isinstance(step, When):
        yield str(step)
        return
    yield f"{step} {{"
    for steps, end in ((step.then, "} else {" if step.otherwise else "}"), (step.otherwise, "}")):
        yield from (f"  {line}" for own in steps for line in _lines(own))
        if steps or end != "}" or steps is step.then:
            yield end


def parse_steps(source: str, place: str) -> Schedule:
    """Parse the steps of one schedule, as in the attribute of a prim func; `place` names it in errors.
    Raises `RelaxError` with the line at fault."""
    parser = _Parser(source, place)
    steps = parser.steps(None)
    if parser.place < len(parser.lines):
        line = parser.lines[parser.place]
        raise parser.error(line, "expected steps of one kernel, found the name of one; take it out")
    return steps


def attach(function: FuncOp, schedule: Schedule) -> None:
    """Attach a schedule to a prim func. Prim funcs that `relax-fuse-elementwise` fuses from it keep the
    schedule."""
    function.attributes[SCHEDULE] = StringAttr(text(schedule, ""))


def parse(source: str, file: str = "<schedule>") -> dict[str, Schedule]:
    """Return the schedules of a text, by kernel. Raises `RelaxError` with the line at fault."""
    return _Parser(source, file).schedules()


@dataclass
class _Line:
    number: int
    text: str


class _Parser:
    def __init__(self, source: str, file: str):
        self.file = file
        lines = (
            _Line(number, re.sub("//.*", "", line).strip())
            for number, line in enumerate(source.splitlines(), 1)
        )
        self.lines = [line for line in lines if line.text]
        self.place = 0

    def error(self, line: _Line, why: str) -> RelaxError:
        return RelaxError(f"{self.file}:{line.number}: {line.text}: {why}")

    def schedules(self) -> dict[str, Schedule]:
        found: dict[str, Schedule] = {}
        while self.place < len(self.lines):
            line = self.lines[self.place]
            match = re.fullmatch(r"@([\w.$-]+(?:#\d+(?:-\d+)?)?)\s*:", line.text)
            if match is None:
                raise self.error(
                    line, "expected a kernel as in `@name:`, found none; name one before its steps"
                )
            if match[1] in found:
                raise self.error(
                    line, "expected one schedule of a kernel, found a second; join them"
                )
            self.place += 1
            found[match[1]] = self.steps(None)
        return found

    def steps(self, opened: _Line | None) -> tuple[Primitive, ...]:
        """Steps up to the next kernel, or to the end of a block."""
        found: list[Primitive] = []
        while self.place < len(self.lines):
            line = self.lines[self.place]
            if line.text.startswith("@") and opened is None:
                break
            if line.text.startswith("}"):
                if opened is None:
                    raise self.error(line, "expected a step, found the end of a block; take it out")
                return tuple(found)
            self.place += 1
            found.append(self._when(line) if line.text.startswith("when ") else self._step(line))
        if opened is not None:
            raise self.error(
                opened, "expected `}` after the steps of a block, found the end; add it"
            )
        return tuple(found)

    def _when(self, line: _Line) -> When:
        match = re.fullmatch(r"when (.*)\{", line.text)
        if match is None:
            raise self.error(line, "expected `{` after the condition, found none; add it")
        conditions: list[AtLeast] = []
        for part in match[1].split(" and "):
            sizes = re.fullmatch(r"((?:\w+\s*\*\s*)*\w+)\s*>=\s*(\d+)", part.strip())
            if sizes is None:
                raise self.error(
                    line,
                    f"expected conditions as in `d0 * d1 >= 64`, found {part.strip()}; correct it",
                )
            conditions.append(AtLeast(tuple(re.split(r"\s*\*\s*", sizes[1])), int(sizes[2])))
        then, otherwise = self.steps(line), ()
        if self.lines[self.place].text == "} else {":
            self.place += 1
            otherwise = self.steps(line)
        end = self.lines[self.place]
        if end.text != "}":
            raise self.error(end, "expected `}` or `} else {`, found something else; correct it")
        self.place += 1
        return When(tuple(conditions), then, otherwise)

    def _step(self, line: _Line) -> Primitive:
        try:
            call = ast.parse(line.text, mode="eval").body
        except (SyntaxError, ValueError):
            call = None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise self.error(line, "expected a step as in `tile(d0, 8)`, found none; correct it")
        kind = PRIMITIVES.get(call.func.id)
        if kind is None:
            meant = nearest(call.func.id, (*PRIMITIVES, When.NAME))
            raise self.error(
                line,
                f"expected one of {', '.join(sorted((*PRIMITIVES, When.NAME)))}, found "
                f"{call.func.id}; " + (f"is {meant} meant?" if meant else "correct the name"),
            )
        given = [self._argument(line, argument) for argument in call.args]
        named = {word.arg: self._argument(line, word.value) for word in call.keywords}
        return self._made(line, kind, given, named)

    def _argument(self, line: _Line, node: ast.expr) -> str | int | bool:
        match node:
            case ast.Name(id="true" | "false" as word):
                return word == "true"
            case ast.Name(id=name):
                return name
            case ast.Constant(value=int(value)):
                return value
            case _:
                raise self.error(
                    line, f"expected names and numbers, found {ast.unparse(node)}; correct it"
                )

    def _made(
        self,
        line: _Line,
        kind: type[Primitive],
        given: Sequence[str | int | bool | tuple[str, ...]],
        named: Mapping[str | None, str | int | bool],
    ) -> Primitive:
        """Return a primitive of its arguments, checked against its fields."""
        positional = [own for own in fields(kind) if is_positional(own)]
        options = {own.name: own for own in fields(kind) if not is_positional(own)}
        if [own.type for own in positional] == [LOOPS]:
            given = [tuple(map(str, given))]
        if len(given) != len(positional):
            names = ", ".join(own.name.removesuffix("_name") for own in positional) or "nothing"
            raise self.error(line, f"expected {names} in brackets, found {len(given)} arguments")
        for name in named:
            if name not in options:
                known = ", ".join(options) or "none"
                raise self.error(line, f"expected options {known}, found {name}; correct the name")
        pairs = [*zip(positional, given), *((options[str(n)], v) for n, v in named.items())]
        for own, value in pairs:
            if not isinstance(value, tuple) and type(value).__name__ != own.type:
                words = {"str": "a name", "int": "a number", "bool": "true or false"}
                raise self.error(
                    line,
                    f"expected {words[str(own.type)]} as {own.name.removesuffix('_name')}, found "
                    f"{value}; correct it",
                )
        return kind(**{own.name: value for own, value in pairs})
