"""The reduction of a failing program to a small one."""
