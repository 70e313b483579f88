// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch may not run: what it defines ends with it.

relax.func @f(%c: i1, %p: !relax.object) -> !relax.object {
  %y = scf.if %c -> (!relax.object) {
    %m = relax.match_cast %p : !relax.object -> !relax.tensor<[m], f32>
    scf.yield %p : !relax.object
  } else {
    scf.yield %p : !relax.object
  }
  %s = relax.shape [m]
  relax.return %p : !relax.object
}

// CHECK: symbol_escapes_branch.mlir:12:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
