"""Which nodes of a model somebody can take; those that nobody can are refused all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from relax_dialect.frontends.onnx import evaluators, functions, registry
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.order import describe, graphs_of
from relax_dialect.frontends.onnx.schemas import schema_of


class Coverage:
    """What there is for the operators of a model: its own functions, converters, bodies."""

    def __init__(self, name: str, own: functions.Functions, opsets: Mapping[str, int]):
        self.name, self.functions, self.opsets = name, own, opsets

    def may_have_control_flow(self, node: Any) -> bool:
        """Whether a node, or the body that stands for it, may branch."""
        if any(True for _ in graphs_of(node)):
            return True
        domain = registry.normal_domain(node.domain)
        body = self.functions.get((domain, node.op_type))
        if body is not None:
            return any(map(self.may_have_control_flow, body.node))
        opset = self.opsets.get(domain, 1)
        return not self._is_converted(node, domain, opset)

    def refuse_missing(self, nodes: Iterable[Any]) -> None:
        """Refuse a model with nodes that nobody can take, all of them at once."""
        missing: dict[str, list[str]] = {}
        self._collect(nodes, self.opsets, missing, 0)
        if missing:
            lines = [
                f"{op} ({len(names)} nodes: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''})"
                for op, names in sorted(missing.items())
            ]
            raise OnnxError(
                f"{self.name}: expected operators that we have, found {len(missing)} that we have not: "
                f"{'; '.join(lines)}; export the model without them, or add converters"
            )

    def _collect(
        self,
        nodes: Iterable[Any],
        opsets: Mapping[str, int],
        missing: dict[str, list[str]],
        depth: int,
    ) -> None:
        for number, node in enumerate(nodes):
            domain = registry.normal_domain(node.domain)
            opset = opsets.get(domain)
            if opset is None and (domain, node.op_type) not in self.functions:
                raise OnnxError(
                    f"{self.name}: {describe(node, number)}: expected a version of the domain "
                    f"{shown(domain)} in opset_import, found none; correct the model"
                )
            for graph in graphs_of(node):
                self._collect(graph.node, opsets, missing, depth)
            if self._is_known(node, domain, opset or 1):
                continue
            body = self.functions.get((domain, node.op_type))
            if body is None:
                name = f"{domain}.{node.op_type}" if domain else node.op_type
                what = shown(node.name) if node.name else f"number {number}"
                missing.setdefault(name, []).append(what)
            elif depth > functions.MAX_DEPTH:
                raise OnnxError(
                    f"{self.name}: expected functions that end, found {shown(node.op_type)} calling "
                    "itself; correct the model"
                )
            else:
                inner = functions.opsets_of(body)
                self._collect(body.node, inner, missing, depth + 1)

    def _is_known(self, node: Any, domain: str, opset: int) -> bool:
        if (domain, node.op_type) in self.functions:
            return False
        if self._is_converted(node, domain, opset):
            return True
        return functions.has_body(schema_of(node.op_type, domain, opset))

    def _is_converted(self, node: Any, domain: str, opset: int) -> bool:
        has_evaluator = domain == "" and node.op_type in evaluators.table()
        return has_evaluator or registry.find(domain, node.op_type, opset) is not None
