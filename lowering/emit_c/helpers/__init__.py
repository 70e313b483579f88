"""The C functions that emitted code calls, each emitted only where it is used."""
