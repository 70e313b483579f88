"""`relax-opt`: xDSL's optimizer driver, with the Relax dialect, its passes and the C target; it reads TVM's
scripts too."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import parse_pipeline, parse_spec
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    VerifyException,
)
from xdsl.xdsl_opt_main import xDSLOptMain

from lowering.pipeline import ALL_PASSES, PipelineCallback, run
from lowering.support.pass_options import make_pass
from lowering.tools.common import check_output, run_tool
from lowering.tools.inputs.program import check_program, decoded, is_onnx, parse_program
from lowering.tools.option_values import read_values
from lowering.tools.options import GENERAL, HelpFormatter, add_options
from lowering.tools.pass_listing import listing, refuse_foreign_spellings
from lowering.tools.proving import Proofs
from lowering.universe import RELAX_UNIVERSE
from relax_dialect.errors import RelaxError
from relax_dialect.extensions import OPTION
from relax_dialect.parsing import mpi_dialect, parse_unverified, read, verify
from relax_dialect.text.diagnostics import describe
from relax_dialect.text.wording import nearest


class RelaxOptMain(xDSLOptMain):
    """xDSL's driver; every error is one message and a non-zero exit."""

    _line_offset = 0
    """The lines of the input before the chunk that is parsed."""
    _report_passes: PipelineCallback | None = None
    """The callback of xDSL's driver between passes: timing and printing."""

    _proofs: Proofs | None = None
    """The proofs of --prove."""
    _other_callback: PipelineCallback | None = None

    def register_all_dialects(self) -> None:
        super().register_all_dialects()
        if self.ctx.get_optional_dialect("relax") is None:
            for name, factory in RELAX_UNIVERSE.all_dialects.items():
                self.ctx.register_dialect(name, factory)
        # its ops that xDSL lacks are added when it is loaded
        self.ctx._registered_dialects["mpi"] = mpi_dialect  # pyright: ignore[reportPrivateUsage]

    def register_all_passes(self) -> None:
        super().register_all_passes()
        for name, factory in RELAX_UNIVERSE.all_passes.items():
            self.register_pass(name, factory)

    def register_all_targets(self) -> None:
        super().register_all_targets()
        self.available_targets.update(RELAX_UNIVERSE.all_targets)

    def register_all_frontends(self) -> None:
        super().register_all_frontends()

        def parse_mlir(io: IO[bytes]) -> ModuleOp:
            return parse_unverified(
                decoded(io.read()), self.get_input_name(), self.ctx, self._line_offset
            )

        def parse_script(io: IO[bytes]) -> ModuleOp:
            return parse_program(decoded(io.read()), self.get_input_name())

        self.available_frontends |= {"mlir": parse_mlir, "py": parse_script}

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        arg_parser.formatter_class = HelpFormatter
        super().register_all_arguments(arg_parser)
        ours = arg_parser.add_argument_group("options of Relax", conflict_handler="resolve")
        where = "the file that the result is written to (default: standard output)"
        ours.add_argument(
            "-o", "--output", "--output-file", metavar="FILE", dest="output_file", help=where
        )
        add_options(ours, "--time-passes", "--print-between-passes", "--allow-unregistered-dialect")
        add_options(ours, "-p, --passes", "--list-passes", "--header")
        add_options(ours, "--prove", "--prove-over", "--prove-limit", *GENERAL)

    def setup_pipeline(self) -> None:
        try:
            specs = tuple(parse_pipeline(self.args.passes))
        except ArgSpecParseError as error:  # no Exception, so that no handler would see it
            raise RelaxError(f"error: {str(error).strip()}") from None
        for spec in specs:
            if spec.name not in self.available_passes:
                ours = ", ".join(RELAX_UNIVERSE.all_passes)
                meant = nearest(spec.name, self.available_passes)
                raise RelaxError(
                    f"pass '{spec.name}': expected the name of a pass, found no such pass; "
                    + (f"is {meant} meant? " if meant else "")
                    + f"Relax has {ours}; --list-passes lists those of xDSL"
                )
            make_pass(self.available_passes[spec.name](), spec)
        super().setup_pipeline()
        if not self.args.disable_verify:
            self.args.disable_verify = True  # xDSL's own check dumps the module
            self._report_passes = self.pipeline.callback
            self.pipeline = PassPipeline(self.pipeline.passes, self._between_passes)
        read_values(self.args, ("prove_limit",))
        if self.args.prove:
            self._proofs, self._other_callback = Proofs(self.args), self.pipeline.callback
            self.pipeline = PassPipeline(self.pipeline.passes, self._between_proofs)

    def _between_passes(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        verify(module, self.get_input_name())
        if self._report_passes is not None:
            self._report_passes(previous, module, following)

    def _between_proofs(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if self._other_callback is not None:
            self._other_callback(previous, module, following)
        assert self._proofs is not None
        self._proofs.between(previous, module, following)

    def apply_passes(self, prog: ModuleOp) -> None:
        run(self.pipeline, prog, self.ctx)

    def output_resulting_program(self, prog: ModuleOp) -> str:
        if self.args.header is not None:
            spec = parse_spec(self.args.target)
            if spec.name != "c":
                raise RelaxError(
                    f"--header {self.args.header}: expected the target c, found {spec.name}; add -t c"
                )
            spec.parameters["header"] = (self.args.header,)
            self.args.target = str(spec)
        return super().output_resulting_program(prog)

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        self._line_offset = start_offset
        return super().parse_chunk(chunk, file_extension, start_offset)

    def run(self) -> None:
        """Process the input; with --verify-diagnostics a chunk's error is printed instead of its output."""
        if self.args.list_passes:
            sys.stdout.write(listing(self.available_passes, RELAX_UNIVERSE.all_passes))
            return
        if self.args.input_file is not None:
            self._check_kind(Path(self.args.input_file))
            read(self.args.input_file)
        chunks, extension = self.prepare_input()
        if (target := self.args.output_file) is not None:
            check_output(target)
            Path(target).parent.mkdir(parents=True, exist_ok=True)
        output = self.prepare_output()
        try:
            for index, (chunk, offset) in enumerate(chunks):
                if index > 0:
                    output.write("// -----\n")
                self._run_chunk(chunk, extension, offset, output)
                output.flush()
        finally:
            if output is not sys.stdout:
                output.close()
        if self._proofs is not None:
            self._proofs.finish()

    def _check_kind(self, file: Path) -> None:
        """Refuse a file whose name does not determine its format."""
        is_known = file.suffix.removeprefix(".") in self.available_frontends
        if is_known or self.args.frontend or not file.is_file():
            return
        check_program(str(file))
        *others, last = sorted(f".{known}" for known in self.available_frontends)
        mend = "say what it is, with --frontend mlir"
        if is_onnx(str(file)):
            mend = f"import it: relax-translate --import-onnx {file} -o {file.stem}.mlir"
        raise RelaxError(
            f"{file}: expected a file named {', '.join(others)} or {last}, found {file.name}; {mend}"
        )

    def _run_chunk(self, chunk: IO[bytes], extension: str, offset: int, output: IO[str]) -> None:
        try:
            with chunk:
                module = self.parse_chunk(chunk, extension, offset)
            if module is not None:
                self.apply_passes(module)
                output.write(self.output_resulting_program(module))
        except (ParseError, VerifyException, DiagnosticException, RelaxError) as error:
            if not (self.args.verify_diagnostics or self.args.parsing_diagnostics):
                raise
            output.write(describe(error) + "\n")


@contextmanager
def settings_restored() -> Iterator[None]:
    """Restore `--disable-verify` and `--syntax-highlight`, which xDSL sets for good, after a run."""
    verifies, is_colored = Attribute.__post_init__, Diagnostic.colored
    try:
        yield
    finally:
        Attribute.__post_init__, Diagnostic.colored = verifies, is_colored


def without_dashes(words: Sequence[str]) -> list[str]:
    """The command line without `-` and `-o -`: standard input and output are the defaults."""
    kept: list[str] = []
    for word in words:
        if word != "-":
            kept.append(word)
        elif kept and kept[-1] in ("-o", "--output-file"):
            kept.pop()
    return kept


@settings_restored()
def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-opt`."""
    # xDSL's driver registers dialects and passes before it reads the command line
    words = without_dashes(sys.argv[1:] if args is None else args)

    def tool() -> None:
        refuse_foreign_spellings(words, (*get_all_passes(), *ALL_PASSES))
        RelaxOptMain("Relax modular optimizer driver", words).run()

    return run_tool(tool, OPTION not in words)


if __name__ == "__main__":
    sys.exit(main())
