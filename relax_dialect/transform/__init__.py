"""Shared parts of passes: regions, cloning, capturing, binding, liveness."""
