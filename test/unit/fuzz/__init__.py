"""Random search for faults: `python test/unit/fuzz --cases 100000`, with a small part of it in the tests.

| kind        | a case                                                                                        |
|-------------|-----------------------------------------------------------------------------------------------|
| `texts`     | a program with damaged text is read, printed and read again, or refused                       |
| `ops`       | a program changed by meaning goes through every pass, to C and through random pipelines       |
| `damaged`   | the same for damaged text                                                                     |
| `retyped`   | the same for a program some of whose parameters got other types                               |
| `graphs`    | dataflow over symbolic sizes means the same after random passes, interpreted and compiled     |
| `functions` | branches, loops, closures and effects do                                                      |
| `calls`     | an entry point is called from C, under sanitizers, with right tensors and wrong ones          |
| `adjoints`  | functions of floats with all kinds of control flow, by differences, forth, back and in C      |
| `operators` | PyTorch, ONNX Runtime or numpy, the interpreter and C agree on one call of an operator        |
| `special`   | the same with NaN, infinities, ..., about multiples of the lanes, in C for three kinds of CPU |
| `models`    | a damaged ONNX model is imported or refused, in little time and memory, from its folder alone |
| `onnx`      | ONNX Runtime, the interpreter and C agree on a model of one node                              |

A fault is written to a file with the kind, the seed and what is wrong; the same seed finds it again, and
`relax-reduce` makes the program small.
"""
