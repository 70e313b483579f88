"""Graphs of FX: their nodes, and the source lines of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def source_line(node: Any) -> str:
    """Return the line of the model that a node comes from, `model.py:12`, or ""."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    if not frames:
        return ""
    own = [f for f in frames if "/torch/nn/" not in f[0] and "/torch/_" not in f[0]]
    file, line = (own or frames)[-1]
    return f"{file.rpartition('/')[2]}:{line}"


def nodes_of(graph_module: Any) -> Iterator[Any]:
    """Return the nodes of a graph and of the graphs inside of it."""
    work = [graph_module]
    while work:
        current = work.pop()
        for node in current.graph.nodes:
            yield node
            if node.op == "get_attr":
                inner = attribute(current, node.target)
                if hasattr(inner, "graph"):
                    work.append(inner)


def attribute(graph_module: Any, path: str) -> Any:
    """Return the attribute of a module by its path, `a.b`."""
    for part in path.split("."):
        graph_module = getattr(graph_module, part)
    return graph_module
