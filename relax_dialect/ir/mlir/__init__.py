"""Ops and types of MLIR's own dialects that xDSL lacks."""
