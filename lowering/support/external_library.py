"""The library that a code generator calls, as the C compiler and the loader see it; knows no IR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExternalLibrary:
    """A library that the emitted C uses: its headers, and how to link it."""

    name: str
    """The name of the code generator."""
    includes: tuple[str, ...] = ()
    """Headers, as in `#include <cblas.h>`."""
    libraries: tuple[str, ...] = ()
    """Libraries to link, as in `-lopenblas`, in the order of the command line."""
    reserved: str = ""
    """A regular expression of the identifiers that the headers take; ours keep away from them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the library reads when it is loaded, unless the user has set them."""
    install: str = ""
    """The way to install the library, for the error if it is missing."""

    wrapper: str = ""
    """The compiler that adds the flags of the library by itself."""

    @property
    def user(self) -> str:
        """The part of the compiler that calls the library, as errors name it."""
        return f"the code generator {self.name!r}" if not self.wrapper else "communication"

    def flags(self) -> list[str]:
        """Return the arguments of the C compiler."""
        return [f"-l{library}" for library in self.libraries]
