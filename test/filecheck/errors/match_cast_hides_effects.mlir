// RUN: not relax-opt %s -p relax-to-graph-normal-form 2>&1 | filecheck %s

// A let that widens a type hides what its value is; without it the cast cannot hold.

relax.func @f() -> !relax.object {
  %g = relax.closure () -> !relax.object impure {
    %p = relax.call_packed "tick"() : () -> !relax.object
    relax.return %p : !relax.object
  }
  %o = relax.let %g : (!relax.func<() -> !relax.object, impure>) -> !relax.object
  %h = relax.match_cast %o : !relax.object -> !relax.func<() -> !relax.object>
  relax.return %h : !relax.func<() -> !relax.object>
}

// CHECK: error: relax.match_cast (%h): expected a type that a value of !relax.func<() -> !relax.object, impure> can have, found !relax.func<() -> !relax.object>; correct the target type{{$}}
