"""The C compiler of the machine, and libraries from outside that programs are linked with."""
