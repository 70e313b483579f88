// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-run %s --backend interpret | filecheck %s --check-prefix=VALUES
// RUN: not relax-opt %s -p relax-to-loops 2>&1 | filecheck %s --check-prefix=LOWERED

relax.func @main() -> tuple<!relax.object, !relax.object> {
  %s = relax.literal "text"
  %t = relax.literal f16
  %r = relax.tuple %s, %t : (!relax.object, !relax.object) -> tuple<!relax.object, !relax.object>
  relax.return %r : tuple<!relax.object, !relax.object>
}

// CHECK: %s = relax.literal "text"
// CHECK-NEXT: %t = relax.literal f16
// VALUES: text
// VALUES: float16
// LOWERED: relax.literal (%s): expected ops that can be compiled
// LOWERED-SAME: found this one; interpret the function instead
