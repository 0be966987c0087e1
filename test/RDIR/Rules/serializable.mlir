// RUN: sluice-opt %s -rdir-check-serializable --split-input-file --verify-diagnostics

// S1: the example of the specification: no serial order gives both tasks the
// versions that they read.
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @exchange {
  %a0 = rdir.region @a initial
  %b0 = rdir.region @b initial
  // expected-error @+2 {{no serial order of the tasks gives each the versions that it reads: '%t1' -> '%t2' -> '%t1'; let a task read the later version, or write another region [S1]}}
  // expected-note @+1 {{'%t1' reads 'b' (version '%b0') and '%t2' writes the later version '%b1', so '%t1' must come before '%t2'}}
  %t1 = rdir.task reads(%a0, %b0) writes(%a1)
  %a1 = rdir.region @a
  // expected-note @+1 {{'%t2' reads 'a' (version '%a0') and '%t1' writes the later version '%a1', so '%t2' must come before '%t1'}}
  %t2 = rdir.task reads(%a0, %b0) writes(%b1)
  %b1 = rdir.region @b
}

// -----
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @oneAfterTheOther {
  %a0 = rdir.region @a initial
  %b0 = rdir.region @b initial
  %t1 = rdir.task reads(%a0, %b0) writes(%a1)
  %a1 = rdir.region @a
  %t2 = rdir.task reads(%a1, %b0) writes(%b1)
  %b1 = rdir.region @b
}

// -----
// S1: an order that the graph has of its own joins in.
rdir.root @a [8] {x : f64}
rdir.graph @order {
  %a0 = rdir.region @a initial
  // expected-error @+2 {{no serial order of the tasks gives each the versions that it reads: '%t1' -> '%t2' -> '%t1'; let a task read the later version, or write another region [S1]}}
  // expected-note @+1 {{'%t1' reads 'a' (version '%a0') and '%t2' writes the later version '%a1', so '%t1' must come before '%t2'}}
  %t1 = rdir.task reads(%a0) after(%t2)
  // expected-note @+1 {{'%t2' comes before '%t1', as the graph says}}
  %t2 = rdir.task reads(%a0) writes(%a1)
  %a1 = rdir.region @a
}
