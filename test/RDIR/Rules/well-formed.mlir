// RUN: sluice-opt %s -rdir-check-well-formed --split-input-file --verify-diagnostics

// W1: the graph is acyclic.
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @cycle {
  // expected-error @+1 {{the graph has a cycle: '%t1' -> '%a1' -> '%t2' -> '%b1' -> '%t1' [W1]}}
  %t1 = rdir.task reads(%b1) discards(%a0) writes(%a1)
  %a0 = rdir.region @a initial
  // expected-note @+1 {{it passes '%a1', a version of 'a'}}
  %a1 = rdir.region @a
  // expected-note @+1 {{it passes '%t2'}}
  %t2 = rdir.task reads(%a1) discards(%b0) writes(%b1)
  %b0 = rdir.region @b initial
  // expected-note @+1 {{it passes '%b1', a version of 'b'}}
  %b1 = rdir.region @b
}

// -----
// The twin reads the version before.
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @chain {
  %t1 = rdir.task reads(%b0) discards(%a0) writes(%a1)
  %a0 = rdir.region @a initial
  %a1 = rdir.region @a
  %t2 = rdir.task reads(%a1) discards(%b0) writes(%b1)
  %b0 = rdir.region @b initial
  %b1 = rdir.region @b
}

// -----
// W1: orders count as edges.
rdir.graph @order {
  // expected-error @+1 {{the graph has a cycle: '%t1' -> '%t2' -> '%t1' [W1]}}
  %t1 = rdir.task after(%t2)
  // expected-note @+1 {{it passes '%t2'}}
  %t2 = rdir.task after(%t1)
}

// -----
// W1: a node before itself.
rdir.graph @self {
  // expected-error @+1 {{the graph has a cycle: '%t1' -> '%t1' [W1]}}
  %t1 = rdir.task after(%t1)
}

// -----
rdir.graph @ordered {
  %t1 = rdir.task after(%t2)
  %t2 = rdir.task
}

// -----
// W2: Read, Discard and Continues go from data to compute nodes.
rdir.root @a [8] {x : f64}
rdir.graph @reads {
  // expected-error @+2 {{a Discard edge goes from the task '%t3' to the data node '%a0'; it must go from a data node to a compute node [W2]}}
  // expected-note @+1 {{the edge starts here}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{a Read edge goes from the data node '%a0' to the data node '%a1'; it must go from a data node to a compute node [W2]}}
  %a1 = rdir.region @a edges(read from %a0)
  // expected-note @+1 {{the edge starts here}}
  %t1 = rdir.task
  // expected-error @+1 {{a Read edge goes from the task '%t1' to the task '%t2'; it must go from a data node to a compute node [W2]}}
  %t2 = rdir.task reads(%t1)
  // expected-note @+1 {{the edge starts here}}
  %t3 = rdir.task edges(discard to %a0)
  // expected-error @+1 {{a Continues edge goes from the task '%t1' to the task '%t4'; it must go from a data node to a compute node [W2]}}
  %t4 = rdir.task continues(%t1)
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @reads {
  %a0 = rdir.region @a initial edges(read to %t1)
  %t1 = rdir.task
  %t2 = rdir.task edges(discard from %a0) after(%t1)
}

// -----
// W3: Write and Reduce go from compute to data nodes.
rdir.root @a [8] {x : f64}
rdir.graph @writes {
  // expected-note @+1 {{the edge starts here}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{a Write edge goes from the data node '%a0' to the data node '%a1'; it must go from a compute node to a data node [W3]}}
  %a1 = rdir.region @a edges(write from %a0)
  // expected-note @+1 {{the edge starts here}}
  %t1 = rdir.task writes(%t2)
  // expected-error @+2 {{a Write edge goes from the task '%t1' to the task '%t2'; it must go from a compute node to a data node [W3]}}
  // expected-error @+1 {{a Reduce edge goes from the data node '%a0' to the task '%t2'; it must go from a compute node to a data node [W3]}}
  %t2 = rdir.task edges(reduce<"+"> from %a0)
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @writes {
  %a0 = rdir.region @a initial
  %a1 = rdir.region @a edges(write from %t1)
  %t1 = rdir.task reads(%a0)
}

// -----
// W4: HappensBefore joins compute nodes.
rdir.root @a [8] {x : f64}
rdir.graph @orders {
  // expected-note @+2 {{the edge starts here}}
  // expected-error @+1 {{a HappensBefore edge goes from the task '%t2' to the data node '%a0'; it must go from a compute node to a compute node [W4]}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{a HappensBefore edge goes from the data node '%a0' to the task '%t1'; it must go from a compute node to a compute node [W4]}}
  %t1 = rdir.task after(%a0)
  // expected-note @+1 {{the edge starts here}}
  %t2 = rdir.task edges(happens_before to %a0)
}
