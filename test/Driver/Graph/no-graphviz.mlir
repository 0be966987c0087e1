// Where Graphviz is missing, a picture is refused with what to install, and the
// text for it can be written.

// RUN: mkdir -p %t.empty
// RUN: not env PATH=%t.empty %sluice graph %s -o %t.svg 2>&1 | FileCheck %s
// CHECK: error: cannot find the program 'dot': install Debian's graphviz
// RUN: env PATH=%t.empty %sluice graph %s -o %t.dot
// RUN: FileCheck %s --check-prefix=DOT < %t.dot
// DOT: digraph

rdir.root @R [4] {x : f64}
rdir.graph @main {
  %0 = rdir.region @R
  %1 = rdir.region @R
  rdir.task @make discards(%0) writes(%1)
}
