// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cast does not make a function pure, not even within a tuple.

relax.func @f(%p: tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object, impure>>) -> !relax.object {
  %q = relax.match_cast %p : tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object, impure>> -> tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object>>
  relax.return %q : tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object>>
}

// CHECK: match_cast_C2.mlir:6:8: error: @f: relax.match_cast (%q): expected a type that keeps the effects of tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object, impure>> (C2), found tuple<!relax.shape<[n]>, !relax.func<(!relax.object) -> !relax.object>>; write 'impure' in the target type: no check at run time makes a function pure{{$}}
