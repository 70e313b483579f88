"""Relax functions as functions on memrefs: signatures, allocation, calls, checks."""
