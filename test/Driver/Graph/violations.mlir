// What the checks find is drawn in red, and the page lists it. Text from the
// source stays text there.
// RUN: sluice graph %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// RUN: sluice graph %s -o %t.html 2>/dev/null
// RUN: %python %S/browser.py %t.html violations

// NOTE: note: 2 problems are drawn in red; 'sluice check {{.*}}violations.mlir' describes them
// CHECK: label=<<b>main</b>>
// CHECK: label=<<b>task @t1</b>{{.*}} color="#c62828" penwidth=2]
// CHECK: [style=dotted constraint=false penwidth=2.5 color="#c62828" fontcolor="#c62828" label="must come before [S1]"]
// CHECK: label=<<b>other</b>>
// CHECK: label="missing [D2]"]

rdir.root @"<b>" [100] {x : f64}
rdir.root @B [100] {x : f64}
rdir.graph @main {
  %a0 = rdir.region @"<b>" initial
  %b0 = rdir.region @B initial
  %t1 = rdir.task @t1 reads(%a0, %b0) writes(%a1)
  %t2 = rdir.task @t2 reads(%a0, %b0) writes(%b1)
  %a1 = rdir.region @"<b>"
  %b1 = rdir.region @B
}
rdir.graph @other {
  %a0 = rdir.region @B initial
  %a1 = rdir.region @B
  %a2 = rdir.region @B
  %t1 = rdir.task @t1 reads(%a0) writes(%a1)
  %t2 = rdir.task @t2 reads(%a0) writes(%a2)
}
