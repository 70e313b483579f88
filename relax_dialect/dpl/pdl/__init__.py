"""The bridge to MLIR's pattern language: rules to the `pdl` dialect, and back."""

from relax_dialect.dpl.pdl.reading import from_pdl
from relax_dialect.dpl.pdl.writing import to_pdl

__all__ = ["from_pdl", "to_pdl"]
