"""Stages that move elements as blocks of TIR: pads, views and assembled parts."""

from __future__ import annotations

from collections.abc import Sequence

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.block_text import BlockWriter
from relax_dialect.frontends.tvmscript.prim_funcs.scalar_text import ScalarText
from relax_dialect.symbolic import Expr, product
from relax_dialect.te.assemble import AssembledStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reshape import ReshapeStage, reassociation
from relax_dialect.te.scalar import ScalarConstant


class MovedWriter(BlockWriter):
    """Writes the stages that compute nothing."""

    def _padded(self, stage: PadStage) -> list[str]:
        (out,), source = stage.outputs, stage.source

        def line(text: ScalarText, at: list[str]) -> str:
            indices, tests = list[str](), list[str]()
            for place, before, own, whole in zip(at, stage.before, source.shape, out.shape):
                indices.append(_moved(text, place, before, "-"))
                if before.value != 0:
                    tests.append(f"{text.size(before)} <= {place}")
                if before + own is not whole:
                    tests.append(f"{place} < {text.size(before + own)}")
            value = f"{self.tensors[source]}[{', '.join(indices) or '()'}]"
            if tests:
                value = (
                    f"T.if_then_else({' and '.join(tests)}, {value}, {text.constant(stage.value)})"
                )
            return f"{self.tensors[out]}[{', '.join(at) or '()'}] = {value}"

        return self._elementwise(out, out.shape, line)

    def _reshaped(self, stage: ReshapeStage) -> list[str]:
        (out,), source = stage.outputs, stage.source
        if any(size.value == 0 for size in out.shape):
            return self._elementwise(
                out,
                out.shape,
                lambda text, at: (
                    f"{self.tensors[out]}[{', '.join(at)}] = "
                    f"{text.constant(ScalarConstant(0, out.dtype))}"
                ),
            )
        groups = reassociation(source.shape, out.shape)

        def line(text: ScalarText, at: list[str]) -> str:
            indices = [text.number(0)] * source.ndim
            for old, new in groups:
                flat = _flat(text, [at[d] for d in new], [out.shape[d] for d in new])
                for d, index in zip(old, _split(text, flat, [source.shape[d] for d in old])):
                    indices[d] = index
            place = ", ".join(at) or "()"
            return f"{self.tensors[out]}[{place}] = {self.tensors[source]}[{', '.join(indices)}]"

        return self._elementwise(out, out.shape, line)

    def _assembled(self, stage: AssembledStage) -> list[str]:
        (out,) = stage.outputs
        lines: list[str] = []
        for part in stage.parts:

            def line(text: ScalarText, at: list[str], part=part) -> str:
                place = (
                    ", ".join(_moved(text, i, first, "+") for i, first in zip(at, part.at)) or "()"
                )
                if isinstance(part.source, ScalarConstant):
                    value = text.constant(part.source)
                else:
                    where = ", ".join(
                        _stepped(text, i, first, step)
                        for i, first, step in zip(at, part.start, part.steps)
                    )
                    value = f"{self.tensors[part.source]}[{where or '()'}]"
                return f"{self.tensors[out]}[{place}] = {value}"

            lines += self._elementwise(out, part.shape, line)
        return lines


def _moved(text: ScalarText, place: str, by: Expr, sign: str) -> str:
    """Return the text of an index that is moved."""
    if by.value == 0:
        return place
    size = text.size(by)
    return f"{place} {sign} {size if by.value is not None or by.is_variable else f'({size})'}"


def _stepped(text: ScalarText, place: str, first: Expr, step: int) -> str:
    if step == 0:
        return text.size(first)
    moved = place if abs(step) == 1 else f"{place} * {text.number(abs(step))}"
    if step > 0:
        return _moved(text, moved, first, "+")
    return f"{text.size(first)} - {moved}"


def _flat(text: ScalarText, at: Sequence[str], shape: Sequence[Expr]) -> str:
    """Return the flat index of an element."""
    parts: list[str] = []
    for d, place in enumerate(at):
        if shape[d].value == 1:
            continue
        rest = product(shape[d + 1 :]) if d + 1 < len(shape) else symbolic.const(1)
        parts.append(place if rest.value == 1 else f"{place} * ({text.size(rest)})")
    return " + ".join(parts) or text.number(0)


def _split(text: ScalarText, flat: str, shape: Sequence[Expr]) -> list[str]:
    """Return the indices of an element by its flat index."""
    found: list[str] = []
    first = next((d for d, size in enumerate(shape) if size.value != 1), 0)
    for d, size in enumerate(shape):
        if size.value == 1:
            found.append(text.number(0))
            continue
        rest = product(shape[d + 1 :]) if d + 1 < len(shape) else symbolic.const(1)
        index = flat if rest.value == 1 else f"({flat}) // ({text.size(rest)})"
        found.append(index if d == first else f"({index}) % ({text.size(size)})")
    return found
