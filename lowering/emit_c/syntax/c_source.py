"""The result of emission: the C text, its header, its weights, and the signatures of its entry points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lowering.emit_c.syntax.weights_file import Content, Pieces
from lowering.memory.functions.external_forms import FunctionKind, PackedForm
from lowering.support.external_library import ExternalLibrary
from lowering.support.target import NATIVE
from lowering.support.whole_files import write_whole

SIDECAR_THRESHOLD = 4096
"""Constants of more bytes than this go to the `.weights` file."""

ABI_VERSION = 2
"""The calling convention of emitted code, `RELAX_ABI_VERSION` in the headers."""

MOST_THREADS = 256
"""The most threads of a model."""


@dataclass(frozen=True)
class Parameter:
    """A parameter or result of an entry point; a scalar has no dims, a written one is changed."""

    name: str
    kind: Literal["tensor", "scalar", "object"]
    dtype: str
    dims: tuple[str, ...] = ()
    written: bool = False
    function: FunctionKind | None = None
    """The signature of an object that is a function value."""
    unranked: bool = False
    """Whether a call determines the rank; there are no dims then."""

    def __str__(self) -> str:
        """`[n, 3] float32` for a tensor, `[*] float32` for one of any rank, `int64` for a number."""
        dims = "*" if self.unranked else ", ".join(self.dims)
        return f"[{dims}] {self.dtype}" if self.kind == "tensor" else self.dtype


@dataclass(frozen=True)
class EntryPoint:
    """A function that C callers see: `c_name(const DLTensor *x, ..., DLTensor *out0, ...)`."""

    name: str
    c_name: str
    params: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    communicates: bool = False
    """Whether it communicates with other ranks."""

    def __str__(self) -> str:
        """`main(x: float32 [n, 3]) -> out0: float32 [n]`."""
        params, results = (
            ", ".join(map(_declared, ports)) for ports in (self.params, self.results)
        )
        return f"{self.name}({params}) -> {results or 'nothing'}"


def _declared(port: Parameter) -> str:
    dims = "*" if port.unranked else ", ".join(port.dims)
    return f"{port.name}: {port.dtype}" + (f" [{dims}]" if port.kind == "tensor" else "")


@dataclass(frozen=True)
class RelaxSignature:
    """A public Relax function as its program declares it: its parameter and result types, as text."""

    name: str
    params: tuple[tuple[str, str], ...]
    output: str
    in_place: tuple[int, ...] = ()
    """For each field of the result the parameter that it is written over, or -1; nothing for none."""


@dataclass(frozen=True)
class PackedCall:
    """An external function as some calls use it; registering `@symbol` affects these calls alone."""

    symbol: str
    form: PackedForm
    dtypes: tuple[str, ...]
    """The element types of the results."""


@dataclass(frozen=True)
class CSource:
    """A module as C: `name.c`, `name.h` and, if it has big constants, `name.weights`."""

    name: str
    c: str
    h: str
    weights: Content | None
    entries: tuple[EntryPoint, ...]
    packed: tuple[PackedCall, ...] = ()
    """The functions that must be registered before they are called."""
    libraries: tuple[ExternalLibrary, ...] = ()
    """The libraries that kernels call, to be linked with."""
    has_objects: bool = False
    """Whether its functions take, make or return objects."""
    cpu: str = NATIVE
    """The CPU that it is compiled for, known to `lowering.support.target.find`."""
    parts: int = 1
    """The number of parts in which the C can be compiled at the same time: `-DNAME_PART=0` and so on."""
    arena: tuple[str, ...] | None = None
    """The symbolic variables that `NAME_arena_size` takes; None if calls allocate their memory."""
    signatures: tuple[RelaxSignature, ...] = ()
    """The functions as the program declares them, if that is known."""

    @property
    def has_threads(self) -> bool:
        """Whether threads may share its loops."""
        return f"{self.name}_set_threads(" in self.h

    def alone(self) -> str:
        """Return the C with its header in it: one file."""
        return self.c.replace(f'#include "{self.name}.h"\n', self.h, 1)

    def write(self, directory: str | Path) -> list[Path]:
        """Write the files; return their paths."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        files: dict[Path, Content] = {
            folder / f"{self.name}.c": self.c.encode(),
            folder / f"{self.name}.h": self.h.encode(),
        }
        if self.weights is not None:
            files[folder / f"{self.name}.weights"] = self.weights
        for file, content in files.items():
            pieces = Pieces.of(content)
            if not _holds(file, pieces):
                write_whole(file, pieces.blocks())
        return list(files)


def _holds(path: Path, content: Pieces) -> bool:
    """Return whether a file has some content already: large ones need not be written again."""
    try:
        if path.stat().st_size != len(content):
            return False
        with path.open("rb") as file:
            return all(file.read(len(block)) == block for block in content.blocks())
    except OSError:
        return False
