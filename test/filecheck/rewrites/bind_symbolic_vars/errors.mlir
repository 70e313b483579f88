// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{vars=k sizes=4}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{vars=n sizes=4,5}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{vars=n sizes=-1}' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{vars=n sizes=5}' 2>&1 | filecheck %s --check-prefix=CONTRADICTION

// NAME: relax-bind-symbolic-vars: expected variables of the parameters (n), found 'k'; correct the name
// COUNT: relax-bind-symbolic-vars: expected one size for each variable, found vars=n sizes=4,5
// NEGATIVE: relax-bind-symbolic-vars: expected a size of at least 0 for 'n', found -1; correct it
// CONTRADICTION: relax.match_cast (%y): expected a type that a value of !relax.tensor<[5], f32> can have (C1), found !relax.tensor<[4], f32>

relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[4], f32> {
  %y = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[4], f32>
  relax.return %y : !relax.tensor<[4], f32>
}
