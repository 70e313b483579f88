"""A page that shows how a program is compiled: its graph, the IR after every pass, and the C."""

from lowering.explore.exploring import explore

__all__ = ["explore"]
