"""Matches replaced or partitioned: rules, templates, drivers."""
