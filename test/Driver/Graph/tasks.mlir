// Pictures of task graphs; nothing of their kernels is looked for.
// RUN: sluice graph %s | FileCheck %s
// RUN: sluice graph %s -o %t.svg && FileCheck %s --check-prefix=SVG < %t.svg
// RUN: sluice graph %s -o %t.html && FileCheck %s --check-prefix=HTML < %t.html
// RUN: sluice graph %s --root=second | FileCheck %s --check-prefix=SECOND --implicit-check-not=blur
// RUN: not sluice graph %s --root=third 2>&1 | FileCheck %s --check-prefix=THIRD

// CHECK: subgraph cluster_graph0 {
// CHECK-NEXT: label=<<b>first</b>>
// CHECK: n0 [label={{.*}}bgcolor="#d8efd3"{{.*}}<b>blur</b>{{.*}}halide halide_blur, 2 variants{{.*}}writes a.bmp{{.*}}img[0:3:2, 0:2] <i>in</i>{{.*}}out <i>out</i>{{.*}}gain <i>value</i>
// CHECK: n1 [label={{.*}}<b>save</b>{{.*}}c save_&lt;t&gt;, 4 × 8{{.*}}out <i>in</i>
// CHECK: n2 [label={{.*}}<b>m.plot</b>{{.*}}python m.plot{{.*}}state <i>inout</i>
// CHECK: n3 [label={{.*}}<b>again</b>
// CHECK: n4 [label={{.*}}<b>m.plot#2</b>
// Data, a file, only stated, only memory.
// CHECK: n0:s -> n1:n [arrowsize=0.6 fontsize=8 label=<out>]
// CHECK: n0:s -> n2:n [arrowsize=0.6 fontsize=8 label=<<i>a.bmp</i>>]
// CHECK: n1:s -> n3:n [arrowsize=0.6 color="#b5541c" fontcolor="#b5541c" fontsize=8 label=<out>]
// CHECK: n2:s -> n4:n [arrowsize=0.6 fontsize=8 label=<state>]
// CHECK: n3:s -> n4:n [arrowsize=0.6 style=dashed]
// CHECK: subgraph cluster_graph1 {
// CHECK-NEXT: label=<<b>second</b> serial>
// CHECK: n5:s -> n6:n [arrowsize=0.6 style=dotted color="#888888"]
// SVG: <svg
// HTML: "name":"blur","kind":"halide halide_blur, 2 variants","source":0,"line":[[#@LINE+9]]
// SECOND: label=<<b>second</b> serial>
// THIRD: has no task graph 'third'

dfg.dataset @img : f64 [4, 2]
dfg.dataset @out : f64 [4, 2]
dfg.scalar @gain : f64 = 1.0
dfg.object @state
dfg.task_graph @first {
  dfg.task halide "halide_blur"(in @img[0:3:2, 0:2], out @out, value @gain)
    named("blur") variants([{p = "1"}, {p = "2"}]) writes(["a.bmp"])
  dfg.task c "save_<t>" over [4, 8](in @out) named("save")
  dfg.task python "plot" of "m"(@state) reads(["a.bmp"])
  %again = dfg.task c "again"(out @out)
  dfg.task python "plot" of "m"(@state) after(%again)
}
dfg.task_graph @second serial {
  dfg.task c "a"()
  dfg.task c "b"()
}
