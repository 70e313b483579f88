"""The rules of sharding, each in the file that has the name of its operator family."""
