"""Shared parts of passes: regions and what is in them, cloning, capturing, binding, liveness."""
