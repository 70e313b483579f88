"""The C of a matrix product by CBLAS.

    const int64_t rows = n, columns = 128, depth = 64;
    if (rows > INT_MAX) {
        set_error("cblas_sgemm: expected sizes up to %d", INT_MAX);
        return -1;
    }
    if (rows == 0)
        return 0;
    for (int64_t row = 0; row < rows; ++row)
        memcpy(out + row * columns, b, (size_t)columns * sizeof *out);
    if (rows == 1) {
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)depth, (int)columns, 1, w, (int)columns, x, 1, 1,
            out, 1);
    } else {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)depth, 1, x,
            (int)depth, w, (int)columns, 1, out, (int)columns);
    }
    return 0;

If there is no batch on the right, the batches on the left are more rows of one gemm; other batches are a
loop of gemms. One row is the product of a vector (`if (rows == 1)`, if that is known only then), as is one
column of constant size 1. A bias is copied to the result beforehand (beta is then 1, else 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lowering.external.generator import CKernel, CTensor, product

LETTERS = {"float": "s", "double": "d"}
"""The letter in the functions' names for each C type of elements."""

ACTIVATIONS = {"relu": "{0} < 0 ? 0 : {0}"}
"""The functions that are applied to each element of the result; NaN stays NaN."""


@dataclass
class GemmOperand:
    """One of the two matrices: the batches before it, and its sizes in the product, as C text."""

    name: str
    batch: list[str]
    rows: str
    columns: str
    transposed: bool

    @classmethod
    def of(cls, tensor: CTensor, transposed: bool, vector: Sequence[str]) -> GemmOperand:
        """Return a tensor as a factor; `vector` adds the missing sizes of a vector."""
        if len(tensor.sizes) == 1:
            rows, columns = (size or tensor.sizes[0] for size in vector)
            return cls(tensor.name, [], rows, columns, False)
        *batch, rows, columns = tensor.sizes
        if all(size == "1" for size in batch):
            batch = []
        if transposed:
            rows, columns = columns, rows
        return cls(tensor.name, batch, rows, columns, transposed)

    @property
    def turn(self) -> str:
        return "CblasTrans" if self.transposed else "CblasNoTrans"


@dataclass
class Gemm:
    """The lines for one kernel; `names` are the variables of its sizes."""

    kernel: CKernel
    left: GemmOperand = field(init=False)
    right: GemmOperand = field(init=False)
    sizes: dict[str, str] = field(init=False)
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        options, (lhs, rhs, *_) = self.kernel.options, self.kernel.inputs
        self.left = GemmOperand.of(lhs, "transpose_lhs" in options, ("1", ""))
        self.right = GemmOperand.of(rhs, "transpose_rhs" in options, ("", "1"))
        if not self.right.batch and not self.left.transposed:
            self.left.rows = product([*self.left.batch, self.left.rows])
            self.left.batch = []
        rows, columns, depth = self.left.rows, self.right.columns, self.left.columns
        self.sizes = {"rows": rows, "columns": columns, "depth": depth}
        if batch := self.left.batch or self.right.batch:
            self.sizes["count"] = product(batch)
        self.names = {what: self.kernel.fresh(what) for what in self.sizes}

    def lines(self) -> Iterator[str]:
        """Yield the statements."""
        body = [*self._checks(), *self._bias(), *self._product(), *self._activation(), "return 0;"]
        used = set(re.findall(r"\w+", " ".join(body)))
        sizes = [
            f"{self.names[w]} = {size}" for w, size in self.sizes.items() if self.names[w] in used
        ]
        yield f"const int64_t {', '.join(sizes)};"
        yield from body

    def _checks(self) -> Iterator[str]:
        """Sizes of CBLAS are of type int; if the result is empty, nothing is read or written."""
        unknown = [name for what, name in self.names.items() if not self.sizes[what].isdigit()]
        if limited := [name for name in unknown if name != self.names.get("count")]:
            yield f"if ({' || '.join(f'{name} > INT_MAX' for name in limited)}) {{"
            yield f'    set_error("{self._function("gemm")}: expected sizes up to %d", INT_MAX);'
            yield "    return -1;"
            yield "}"
        zeros = [self.names[what] for what, size in self.sizes.items() if size == "0"]
        if outer := [n for n in (*unknown, *zeros) if n != self.names["depth"]]:
            yield f"if ({' || '.join(f'{name} == 0' for name in outer)})"
            yield "    return 0;"

    def _bias(self) -> Iterator[str]:
        """Copy the bias to the result, to which the product is added."""
        out, columns, bias = self.kernel.output.name, self.names["columns"], self._bias_name
        if self.kernel.options.get("bias") == "row":
            row = self.kernel.fresh("row")
            yield f"for (int64_t {row} = 0; {row} < {self._all_rows}; ++{row})"
            yield f"    memcpy({out} + {row} * {columns}, {bias}, (size_t){columns} * sizeof *{out});"
        elif bias is not None:
            yield f"memcpy({out}, {bias}, (size_t)({self._all_rows} * {columns}) * sizeof *{out});"

    def _product(self) -> Iterator[str]:
        """One gemm or a loop of them, or the product of a vector if that suffices."""
        if "count" in self.names:
            batch = self.kernel.fresh("batch")
            yield f"for (int64_t {batch} = 0; {batch} < {self.names['count']}; ++{batch})"
            yield f"    {self._gemm(batch)}"
        elif self.sizes["columns"] == "1":
            yield from self._gemv(self.left, self.right, "rows")
        elif self.sizes["rows"] == "1":
            yield from self._gemv(self.right, self.left, "columns")
        elif self.sizes["rows"].isdigit():
            yield self._gemm()
        else:
            yield f"if ({self.names['rows']} == 1) {{"
            yield from (f"    {line}" for line in self._gemv(self.right, self.left, "columns"))
            yield "} else {"
            yield f"    {self._gemm()}"
            yield "}"

    def _gemm(self, batch: str | None = None) -> str:
        """Return the call for a batch, or for all."""
        rows, columns, depth = (self.names[what] for what in ("rows", "columns", "depth"))
        a, b, c = self.left.name, self.right.name, self.kernel.output.name
        if batch is not None:
            a += f" + {batch} * ({rows} * {depth})" if self.left.batch else ""
            b += f" + {batch} * ({depth} * {columns})" if self.right.batch else ""
            c += f" + {batch} * ({rows} * {columns})"
        arguments = [
            *("CblasRowMajor", self.left.turn, self.right.turn),
            *(f"(int){size}" for size in (rows, columns, depth)),
            *("1", a, self._step("rows" if self.left.transposed else "depth")),
            *(b, self._step("depth" if self.right.transposed else "columns")),
            *("0" if self._bias_name is None else "1", c, self._step("columns")),
        ]
        return f"{self._function('gemm')}({', '.join(arguments)});"

    def _gemv(self, matrix: GemmOperand, vector: GemmOperand, length: str) -> Iterator[str]:
        """Yield the product of a matrix and a vector, added to a bias or to zeros: a vector of a length."""
        out = self.kernel.output.name
        if self._bias_name is None:
            yield f"memset({out}, 0, (size_t){self.names[length]} * sizeof *{out});"
        is_left = matrix is self.left
        stored = (length, "depth") if matrix.transposed is not is_left else ("depth", length)
        arguments = [
            *("CblasRowMajor", "CblasTrans" if stored[0] == "depth" else "CblasNoTrans"),
            *(f"(int){self.names[what]}" for what in stored),
            *("1", matrix.name, self._step(stored[1]), vector.name, "1", "1", out, "1"),
        ]
        yield f"{self._function('gemv')}({', '.join(arguments)});"

    def _step(self, what: str) -> str:
        """Return the distance between rows of a matrix, which CBLAS wants to be at least 1."""
        size, name = self.sizes[what], self.names[what]
        may_be_0 = what == "depth" and (size == "0" or not size.isdigit())
        return f"{name} > 0 ? (int){name} : 1" if may_be_0 else f"(int){name}"

    def _activation(self) -> Iterator[str]:
        """Each element of the result once more."""
        if (name := self.kernel.options.get("activation")) is not None:
            i = self.kernel.fresh("i")
            element = f"{self.kernel.output.name}[{i}]"
            yield f"for (int64_t {i} = 0; {i} < {self._all_rows} * {self.names['columns']}; ++{i})"
            yield f"    {element} = {ACTIVATIONS[str(name)].format(element)};"

    def _function(self, name: str) -> str:
        return f"cblas_{LETTERS[self.kernel.output.element]}{name}"

    @property
    def _bias_name(self) -> str | None:
        return next((tensor.name for tensor in self.kernel.inputs[2:]), None)

    @property
    def _all_rows(self) -> str:
        """The rows of the result over all batches."""
        return " * ".join(self.names[what] for what in ("count", "rows") if what in self.names)
