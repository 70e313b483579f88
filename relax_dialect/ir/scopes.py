"""The tree of scopes: which region lies in which, with ancestors found in logarithmic time."""

from __future__ import annotations

from xdsl.ir import Block, Operation

from relax_dialect.ir.traits import Repeats, kind_has


class RegionScope:
    """A region that values are evaluated in: a function body, a block, a branch, a closure's body.

    `jump` skips many ancestors at once; it is set with the parent and never changes after that. `loop` is
    the innermost enclosing region of a loop, possibly the scope itself.
    """

    __slots__ = ("block", "depth", "jump", "loop", "owner", "parent")

    def __init__(
        self, block: Block, owner: Operation | None = None, parent: RegionScope | None = None
    ):
        self.block = block
        self.owner = owner
        self.parent: RegionScope = self
        self.jump: RegionScope = self
        self.loop: RegionScope | None = None
        self.depth = 0
        if parent is not None:
            self.enter(parent)

    def enter(self, parent: RegionScope) -> None:
        """Put this scope into another, whose own ancestors are settled."""
        self.parent = parent
        self.depth = parent.depth + 1
        repeats = self.owner is not None and kind_has(type(self.owner), Repeats)
        self.loop = self if repeats else parent.loop
        first = parent.jump
        same = parent.depth - first.depth == first.depth - first.jump.depth
        self.jump = first.jump if same else parent

    def ancestor(self, depth: int) -> RegionScope:
        """Return the scope around this one (or itself) at a depth, counted from the outermost, 0."""
        scope = self
        while scope.depth > depth:
            scope = scope.jump if scope.jump.depth >= depth else scope.parent
        return scope

    def common(self, other: RegionScope) -> RegionScope:
        """Return the least common ancestor."""
        a = self.ancestor(min(self.depth, other.depth))
        b = other.ancestor(a.depth)
        while a is not b:
            a, b = (a.jump, b.jump) if a.jump is not b.jump else (a.parent, b.parent)
        return a

    def step_towards(self, inner: RegionScope) -> Operation:
        """Return the op of this scope that encloses `inner`, a proper descendant."""
        owner = inner.ancestor(self.depth + 1).owner
        assert owner is not None
        return owner
