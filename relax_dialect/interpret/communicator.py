"""Ranks of one program, simulated: threads of which one runs at a time, until it waits for another.

A rank that communicates waits until the ranks it needs have reached the same exchange; the next rank that
can continue runs meanwhile, so a simulation is deterministic. If no rank can continue, all are stopped, and
the error lists where each waits. A program outside of a simulation is the only rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Semaphore, Thread
from typing import Any, TypeAlias

from relax_dialect.errors import RelaxError

Finish: TypeAlias = Callable[[Sequence[Any]], tuple[Sequence[Any], Sequence[int]]]
"""The results of all ranks of a group for their values, and the bytes that each sends."""


@dataclass(frozen=True)
class Exchange:
    """An op that ranks of a group run together, as one of them has reached it."""

    op: str
    """The name of the op."""

    where: str
    """The op as errors describe it: `@main: relax.ccl.allreduce (%s)`."""

    group: tuple[int, ...]
    """The ranks that take part, rising for collectives; the sender and the receiver of a message."""

    agreed: Mapping[str, Any]
    """Attributes and sizes that are equal on all ranks, as errors name and show them."""

    value: Any
    finish: Finish
    is_message: bool = False
    """Whether one of two ranks sends to the other."""

    def matches(self, other: Exchange) -> bool:
        """Return whether both are the same exchange, apart from what has to agree."""
        return (self.op, self.group) == (other.op, other.group)

    def blocks(self, other: Exchange, rank: int) -> bool:
        """Return whether it waits for a rank that waits for it in another collective."""
        return rank in self.group and not (self.is_message or other.is_message)


@dataclass
class Traffic:
    """The messages of a simulation."""

    sent: Counter[int] = field(default_factory=Counter[int])
    """The bytes that each rank sends, as rings of ranks would."""

    ops: Counter[str] = field(default_factory=Counter[str])
    """The exchanges by the names of ops, each once for its group."""


class Stopped(RelaxError):
    """A rank that is stopped as another one failed."""


@dataclass
class Simulation:
    """A number of ranks, and the exchanges that they wait in."""

    world: int
    traffic: Traffic = field(default_factory=Traffic)
    waiting: dict[int, Exchange] = field(default_factory=dict[int, Exchange])
    received: dict[int, Any] = field(default_factory=dict[int, Any])
    finished: set[int] = field(default_factory=set[int])
    failure: tuple[int, BaseException] | None = None
    """The rank that failed first, and its error."""

    stuck: str = ""
    """The error of ranks that all wait for each other."""

    def __post_init__(self) -> None:
        self._turns = [Semaphore(0) for _ in range(self.world)]

    def run(self, program: Callable[[Communicator], Any]) -> list[Any]:
        """Run a program on every rank; return their results. The first error of a rank is raised."""
        results: list[Any] = [None] * self.world

        def run_rank(rank: int) -> None:
            self._turns[rank].acquire()
            try:
                if self.failure is None:
                    results[rank] = program(Communicator(rank, self))
            except BaseException as error:
                self.failure = self.failure or (rank, error)
            self.finished.add(rank)
            self._pass_on(rank)

        threads = [Thread(target=run_rank, args=(rank,)) for rank in range(self.world)]
        for thread in threads:
            thread.start()
        self._turns[0].release()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self._first_error()
        return results

    def _first_error(self) -> BaseException:
        assert self.failure is not None
        rank, error = self.failure
        if isinstance(error, RelaxError) and self.world > 1:
            error.args = (f"rank {rank}: {error}",)
        return error

    def exchange(self, rank: int, exchange: Exchange) -> Any:
        """Take part in an exchange; return the result of this rank."""
        self.waiting[rank] = exchange
        self._complete(rank, exchange)
        if rank not in self.received and self._pass_on(rank):
            self._turns[rank].acquire()
        if rank in self.received:
            return self.received.pop(rank)
        if self.failure is not None:
            raise Stopped("stopped, as another rank failed")
        raise RelaxError(self.stuck)

    def _complete(self, rank: int, own: Exchange) -> None:
        """Finish an exchange if all of its ranks have reached it; refuse one that can never match."""
        arrived = {r: self.waiting.get(r) for r in own.group}
        for other, found in arrived.items():
            if found is not None and own.matches(found):
                _require_agreement(rank, own, other, found)
            elif found is not None and found.blocks(own, rank):
                raise RelaxError(
                    f"expected all ranks of a group to run the same op, found it on rank {rank} and "
                    f"{found.where} on rank {other}; run them in the same order on every rank"
                )
        if all(found is not None and own.matches(found) for found in arrived.values()):
            values = [found.value for found in arrived.values() if found is not None]
            results, sent = own.finish(values)
            for member, result, bytes in zip(own.group, results, sent):
                del self.waiting[member]
                self.received[member] = result
                self.traffic.sent[member] += bytes
            self.traffic.ops[own.op] += 1

    def _pass_on(self, rank: int) -> bool:
        """Resume the next rank that can continue; return whether that is another one."""
        order = [*range(rank + 1, self.world), *range(rank + 1)]
        open_ranks = [r for r in order if r not in self.finished]
        ready = [r for r in open_ranks if r in self.received or r not in self.waiting]
        if self.failure is not None:
            ready = open_ranks
        if not ready and open_ranks:
            self.stuck = self._all_waiting()
            ready = open_ranks[-1:] if rank in open_ranks else open_ranks
        if ready and ready[0] != rank:
            self._turns[ready[0]].release()
        return bool(ready) and ready[0] != rank

    def _all_waiting(self) -> str:
        waits = [
            f"rank {r} in {e.where} for {self._missing(r, e)}" for r, e in self.waiting.items()
        ]
        return (
            f"expected a rank that can continue, found all waiting: {'; '.join(sorted(waits))}; run the "
            "same collectives on every rank, and let one of two ranks send first"
        )

    def _missing(self, rank: int, exchange: Exchange) -> str:
        """Return the ranks that have not reached an exchange."""
        absent = [
            r
            for r in exchange.group
            if r not in self.waiting or not exchange.matches(self.waiting[r])
        ] or [rank]
        ended = [f"rank {r}" + " (returned)" * (r in self.finished) for r in absent]
        return " and ".join(ended)


def _require_agreement(rank: int, own: Exchange, other: int, found: Exchange) -> None:
    """Refuse an exchange whose ranks differ in an attribute, a size or a type."""
    for name, value in own.agreed.items():
        if value != found.agreed[name]:
            first, second = sorted([(rank, value), (other, found.agreed[name])])
            raise RelaxError(
                f"expected {name} to be equal on all ranks of a group, found {first[1]} on rank "
                f"{first[0]} and {second[1]} on rank {second[0]}; pass values of equal types and sizes"
            )


@dataclass(frozen=True)
class Communicator:
    """A rank of a simulation."""

    rank: int
    simulation: Simulation

    @property
    def world(self) -> int:
        """The number of all ranks."""
        return self.simulation.world

    def exchange(self, exchange: Exchange) -> Any:
        """Take part in an exchange; return the result of this rank."""
        return self.simulation.exchange(self.rank, exchange)


def alone() -> Communicator:
    """Return the only rank of a program that is not simulated on several."""
    return Communicator(0, Simulation(1))
