"""Coverage of the nodes of a model; unsupported ones are refused all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from relax_dialect.frontends.onnx import model_functions, registry
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.evaluation import evaluators
from relax_dialect.frontends.onnx.model.node_order import describe, graphs_of
from relax_dialect.frontends.onnx.model.schemas import schema_of

FREE = 1 << 11
"""The nodes that every model may have when bodies replace calls: a third of a second."""
SHARE = 1 << 15
MOST_NODES = 200_000


def most_nodes(size: int) -> int:
    """Return the number of nodes that a model of so many bytes may have when bodies replace calls.

    A node, and a call, takes some 60 bytes: functions that call no others reach a part of the square of the
    bytes. More is reached where functions call each other, which doubles the nodes with every line.
    """
    return min(FREE + size // 8 + size * size // SHARE, MOST_NODES)


MAPS = "works on maps or strings, which tensors of programs do not hold"

LEFT_OUT = {
    "ai.onnx.ml.CastMap": MAPS,
    "ai.onnx.ml.CategoryMapper": MAPS,
    "ai.onnx.ml.DictVectorizer": MAPS,
    "ai.onnx.ml.ZipMap": "makes a map of each row of scores; export the scores as a tensor "
    "(skl2onnx: options={'zipmap': False})",
}
"""Operators out of scope, with the reason."""


class Coverage:
    """The support for a model's operators: the model's functions, converters, bodies."""

    def __init__(self, name: str, own: model_functions.Functions, opsets: Mapping[str, int]):
        self.name, self.functions, self.opsets = name, own, opsets
        self.missing: dict[str, list[str]] = {}
        """The unsupported nodes, by operator."""
        self._sizes: dict[tuple[str, str], int] = {}
        self._branches: dict[tuple[str, str], bool] = {}

    def may_have_control_flow(self, node: Any) -> bool:
        """Returns whether a node, or its inlined body, may branch."""
        key = registry.normal_domain(node.domain), node.op_type
        if any(True for _ in graphs_of(node)) or registry.may_loop(*key):
            return True
        body = self.functions.get(key)
        if body is None:
            return not self._is_converted(node, key[0], self.opsets.get(key[0], 1))
        if key not in self._branches:
            self._branches[key] = any(map(self.may_have_control_flow, body.node))
        return self._branches[key]

    def refuse_missing(self, nodes: Iterable[Any], size: int) -> int:
        """Refuse a model with unsupported nodes, all of them at once, or with too many nodes. Returns the
        number of further nodes that a model of `size` bytes may have."""
        count = self._counted(nodes, self.opsets, 0)
        if self.missing:
            lines = [
                f"{op} ({len(names)} nodes: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''})"
                + (f", which {LEFT_OUT[op]}" if op in LEFT_OUT else "")
                for op, names in sorted(self.missing.items())
            ]
            raise OnnxError(
                f"{self.name}: expected operators that we have, found {len(lines)} that we have not: "
                f"{'; '.join(lines)}; export the model without them, or add converters"
            )
        if count > (most := most_nodes(size)):
            raise OnnxError(
                f"{self.name}: expected at most {most} nodes after inlining the bodies "
                f"of functions, for a model of {size} bytes, found {count}; inline them "
                "(onnx.inliner.inline_local_functions), or correct the model"
            )
        return most - count

    def _counted(self, nodes: Iterable[Any], opsets: Mapping[str, int], depth: int) -> int:
        """Count the nodes, including those of nested graphs and called functions."""
        count = 0
        for number, node in enumerate(nodes):
            domain = registry.normal_domain(node.domain)
            opset = opsets.get(domain)
            if opset is None and (domain, node.op_type) not in self.functions:
                raise OnnxError(
                    f"{self.name}: {describe(node, number)}: expected a version of the domain "
                    f"{shown(domain)} in opset_import, found none; correct the model"
                )
            count += 1 + sum(self._counted(g.node, opsets, depth) for g in graphs_of(node))
            if (domain, node.op_type) in self.functions:
                count += self._counted_in(domain, node.op_type, depth + 1)
            elif not self._is_known(node, domain, opset or 1):
                name = f"{domain}.{node.op_type}" if domain else node.op_type
                what = shown(node.name) if node.name else f"number {number}"
                self.missing.setdefault(name, []).append(what)
        return count

    def _counted_in(self, domain: str, name: str, depth: int) -> int:
        if (domain, name) not in self._sizes:
            if depth > model_functions.MAX_DEPTH:
                raise OnnxError(
                    f"{self.name}: expected functions that end, at most {model_functions.MAX_DEPTH} "
                    f"inside of one another, found {shown(name)} calling itself or more; correct the model"
                )
            body = self.functions[domain, name]
            found = self._counted(body.node, model_functions.opsets_of(body), depth)
            self._sizes[domain, name] = found
        return self._sizes[domain, name]

    def _is_known(self, node: Any, domain: str, opset: int) -> bool:
        if self._is_converted(node, domain, opset):
            return True
        return model_functions.has_body(schema_of(node.op_type, domain, opset))

    def _is_converted(self, node: Any, domain: str, opset: int) -> bool:
        has_evaluator = domain == "" and node.op_type in evaluators.table()
        return has_evaluator or registry.find(domain, node.op_type, opset) is not None
