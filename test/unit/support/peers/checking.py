"""Many trials in one C module: the peer, the interpreter and the C agree on each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.support.target import NATIVE
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify

from .drawing import UnsuitableError
from .registry import Peer, Trial

FLAGS = ("-O1",)
"""Values are looked at alone: what the compiler's vectors make of each operator is tested in `ops`."""

Results = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Difference:
    """A fault that a trial shows, and its function."""

    trial: Trial
    what: str
    program: str

    def __str__(self) -> str:
        return f"{self.trial}: {self.what} (seeds {self.trial.seeds})"


def trials(peer: Peer, seed: str, functions: int, calls: int) -> Iterator[Trial]:
    """Trials of so many functions, each called so often."""
    for number in range(functions):
        for turn in range(calls):
            trial = peer.trial(f"{seed} {number}", f"{seed} {number} {turn}")
            if trial is not None:
                yield trial


def check(
    given: Iterable[Trial], opt_level: int = 0, cpus: Sequence[str] = (NATIVE,)
) -> tuple[int, list[Difference]]:
    """For how many of the trials the peers have a result, and what differs, in C for each of the CPUs."""
    accepted, differences = 0, list[Difference]()
    functions = dict[str, str]()  # text of a function -> its name in the module
    pending: list[Pending] = []
    for trial in given:
        wanted = meant(trial)
        try:
            text = str(trial.function("f"))
        except RelaxError as error:
            if has_elements(wanted):
                what = f"is refused: {error}"
                differences.append(Difference(trial, what, "\n".join(map(str, trial.types))))
            continue
        found, error = attempt(lambda t=trial: interpreted(t))
        accepted += wanted is not None
        if found is None:
            what = f"the interpreter refuses: {error}" if has_elements(wanted) else ""
        else:
            what = wanted and differs("the interpreter", found, "the peer", wanted, trial)
        if what:
            differences.append(Difference(trial, what, text))
        pending.append((trial, functions.setdefault(text, f"f{len(functions)}"), found))
    for cpu in cpus if pending else ():
        differences += compare_compiled(pending, functions, opt_level, cpu)
    return accepted, differences


Pending = tuple[Trial, str, Results | None]
"""A trial, the name of its function, and what the interpreter makes of it: nothing for an error."""


def compare_compiled(
    pending: list[Pending], functions: dict[str, str], opt_level: int, cpu: str
) -> Iterator[Difference]:
    """Differences between the interpreter and the C of all functions; halves where they do not compile."""
    texts = {name: text for text, name in functions.items()}
    made = {name: trial.function(name) for trial, name, _ in reversed(pending)}
    try:
        model = compiled_functions(list(made.values()), opt_level, cpu)
    except Exception as error:
        if len(made) == 1:
            what = f"does not compile: {type(error).__name__}: {error}"
            yield Difference(pending[0][0], what, next(iter(functions)))
            return
        for half in (set(list(made)[::2]), set(list(made)[1::2])):
            yield from compare_compiled(
                [each for each in pending if each[1] in half],
                {text: name for text, name in functions.items() if name in half},
                opt_level,
                cpu,
            )
        return
    with model:
        for trial, name, wanted in pending:
            before = list(map(copy, trial.arguments))
            found, error = attempt(lambda n=name, t=trial: results(model[n](*t.arguments)))
            if (found is None) != (wanted is None):
                what = f"the C {'refuses' if found is None else 'accepts'}: {error}"
            elif found is None or wanted is None:
                what = ""
            else:
                what = differs(f"the C for {cpu}", found, "the interpreter", wanted, trial)
            if any(not same_bytes(a, b) for a, b in zip(before, trial.arguments)):
                what = "the C wrote to an argument"
            if what:
                yield Difference(trial, what, texts[name])


def copy(argument: Any) -> Any:
    return np.copy(argument) if isinstance(argument, np.ndarray) else argument


def same_bytes(a: Any, b: Any) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def compiled_functions(functions: list[FuncOp], opt_level: int, cpu: str) -> CompiledModule:
    module = ModuleOp(functions)
    verify(module)
    return lowering.compile(module, opt_level=opt_level, cpu=cpu, extra_flags=FLAGS)


def meant(trial: Trial) -> Results | None:
    """The results of the peer for a trial; None if it refuses it."""
    try:
        return tuple(trial.meaning(*map(copy, trial.arguments)))
    except UnsuitableError:
        return None


def has_elements(wanted: Results | None) -> bool:
    """Whether a peer finds elements. A result without any, as of windows that do not fit, may be an error."""
    return wanted is not None and any(each.size for each in wanted)


def interpreted(trial: Trial) -> Results:
    return results(run(ModuleOp([trial.function("main")]), "main", *trial.arguments))


def results(found: Any) -> Results:
    return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


def attempt(call: Callable[[], Results]) -> tuple[Results | None, str]:
    try:
        return call(), ""
    except RelaxError as error:
        return None, str(error)


def differs(who: str, found: Results, whom: str, wanted: Results, trial: Trial) -> str:
    """The difference of results, and for which arguments; nothing if they agree."""
    begin = f"{who} differs from {whom}: "
    if len(found) != len(wanted):
        return f"{begin}{len(found)} results instead of {len(wanted)}"
    for place, (f, w) in enumerate(zip(found, wanted)):
        of = f"{begin}result {place}: " if len(found) > 1 else begin
        if f.shape != w.shape or f.dtype != w.dtype:
            return f"{of}{f.dtype}{list(f.shape)} instead of {w.dtype}{list(w.shape)}"
        wrong = ~agrees(f, w, *trial.peer.allowed(w.dtype))
        compared = ("peer",) if whom == "the peer" else ("C", "peer")
        if trial.peer.zeros in compared and not trial.peer.cancels and w.dtype.kind not in "iub":
            wrong |= (f == 0) & (w == 0) & (np.signbit(f) != np.signbit(w))
        if wrong.any():
            at = tuple(int(i) for i in np.unravel_index(np.argmax(wrong), wrong.shape))
            count = f"{wrong.sum()} of {wrong.size} elements"
            shown = (np.array2string(a, threshold=60) for a in map(np.asarray, trial.arguments))
            return f"{of}{count}, at {at} {f[at]} instead of {w[at]}\n" + "\n".join(shown)
    return ""


def agrees(found: np.ndarray, wanted: np.ndarray, relative: float, absolute: float) -> np.ndarray:
    """Where elements agree. Next to the largest number of a type is infinity, which may be either; so may be
    the least ones and 0."""
    if wanted.dtype.kind in "iub":
        return np.asarray(found == wanted)
    f, w = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        equal = (f == w) | (np.isnan(f) & np.isnan(w))
        equal |= abs(f - w) <= relative * abs(w) + absolute
        if relative:
            info = np.finfo(wanted.dtype if wanted.dtype.kind == "f" else np.float32)
            largest, least = 0.99 * float(info.max), 10 * max(float(info.tiny), 1e-300)
            equal |= (np.sign(f) == np.sign(w)) & (abs(f) >= largest) & (abs(w) >= largest)
            equal |= abs(f - w) <= min(least, 1e-6)
    return np.asarray(equal)
