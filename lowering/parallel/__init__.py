"""Loops whose iterations run on several threads."""
