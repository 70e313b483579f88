"""The C functions that emitted code calls, each emitted only if it is used."""
