"""Importers of models in other formats: each returns a module, as `relax_dialect.load` does."""
