"""Importers of models in other formats: each makes a module as `relax_dialect.load` gives one."""
