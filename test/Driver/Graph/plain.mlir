// A picture of a sound graph, and its page in a browser.
// RUN: sluice graph %s | FileCheck %s
// RUN: sluice graph %s -o %t.html
// RUN: %python %S/browser.py %t.html plain
// RUN: sluice graph %s -o %t.svg && FileCheck %s --check-prefix=SVG < %t.svg
// RUN: sluice graph %s --around=%%sum --within=1 | FileCheck %s --check-prefix=NEAR
// RUN: not sluice graph %s --around=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not sluice graph %s --root=nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not sluice graph %s -o %t.gif 2>&1 | FileCheck %s --check-prefix=ENDING

// CHECK: subgraph cluster_graph0 {
// CHECK-NEXT: label=<<b>main</b>>
// CHECK: n0 [shape=ellipse {{.*}} label=<parts {a}<br/>
// CHECK: n2 [shape=box {{.*}} label=<<b>task @start</b><br/>4<br/>{{.*}}%start{{.*}} peripheries=2]
// CHECK: n3 [shape=invtrapezium
// CHECK: n7 {{.*}}peripheries=2
// CHECK-DAG: n0 -> n2 [color="#999999" style=dashed]
// CHECK-DAG: n2 -> n1 [color="#333333" penwidth=1.6]
// CHECK-DAG: n5 -> n8 [color="#7a3f9d" penwidth=1.6 arrowhead=diamond label="+"]
// CHECK-DAG: n2 -> n5 [color="#555555" style=dotted constraint=false]
// SVG: <svg
// NEAR: %sum
// NEAR-NOT: %start
// NOBODY: error: no graph that is drawn has a node 'nobody'
// NOTHING: error: the module has no graph 'nothing'
// ENDING: needs an ending: .svg, .png, .pdf, .dot or .html

rdir.root @x [100] {a : f64, b : f64}
rdir.partition @parts of @x [4] disjoint complete by blocks
rdir.variable @total : f64 = 0.0
rdir.graph @main {
  %x0 = rdir.region @parts {a} initial
  %x1 = rdir.region @parts {a}
  %start = rdir.task @start over [4] discards(%x0) writes(%x1)
  rdir.close reads(%x1) writes(%xs)
  %xs = rdir.region @x {a}
  %sum = rdir.task @sum reads(%xs) continues(%total0) reduces<"+">(%total1) after(%start)
  %unused = rdir.region @x {b}
  %total0 = rdir.scalar @total initial
  %total1 = rdir.scalar @total
}
