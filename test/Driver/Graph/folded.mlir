// Graphs that name regions are drawn without versions, opens and closes: boxes
// say what they access, arrows where it comes from, and a loop is a frame with
// its body. '--versions', '--around' and problems show all nodes.
// RUN: sluice graph %s --root=main | FileCheck %s
// RUN: sluice graph %s --root=main --versions | FileCheck %s --check-prefix=VERSIONS
// RUN: sluice graph %s --root=main --around=%%blocks_0 | FileCheck %s --check-prefix=VERSIONS
// RUN: sluice graph %s --root=choice | FileCheck %s --check-prefix=CHOICE
// RUN: sluice graph %s --root=wrong 2>/dev/null | FileCheck %s --check-prefix=WRONG
// RUN: sluice graph %s --root=main -o %t.svg && FileCheck %s --check-prefix=SVG < %t.svg

// CHECK: label=<<b>main</b>>
// CHECK-NOT: shape=ellipse
// CHECK-NOT: shape={{(inv)?}}trapezium
// CHECK: [[FILL:n[0-9]+]] [shape=box {{.*}}<b>task @fill</b><br/>n<br/><font point-size="9">reads blocks</font><br/><font point-size="9">writes blocks</font>
// CHECK: subgraph cluster_[[LOOP:n[0-9]+]] {
// CHECK: [[LOOP]] [shape=box {{.*}}<b>loop %k in n - 1</b>
// CHECK: [[RELAX:n[0-9]+]] [{{.*}}<b>task @relax</b><br/>n - %k<br/><font point-size="9">reads halos[i + %k] {old}, blocks[i + %k] {new}</font><br/><font point-size="9">writes blocks[i + %k] {new}</font>
// CHECK: [[SUM:n[0-9]+]] [{{.*}}<b>task @sum</b>{{.*}}reduces total</font>
// The task '@sum' reads what '@relax' left, and only through it what was before.
// CHECK: [[RELAX]] -> [[SUM]] [color="#333333" label=<grid {new}>]
// CHECK: }
// CHECK: [[FILL]] -> [[LOOP]] [color="#333333" label=<grid> lhead=cluster_[[LOOP]]]
// CHECK-NOT: [[FILL]] ->
// CHECK: [[LOOP]] -> {{n[0-9]+}} [color="#333333" label=<total, grid {new}> ltail=cluster_[[LOOP]]]
// VERSIONS: shape=ellipse
// VERSIONS: shape=trapezium
// CHOICE: <b>loop if flag</b>
// CHOICE: <b>loop unless flag</b>
// WRONG: shape=ellipse
// WRONG: color="#c62828"
// SVG: loop %k in n

rdir.parameter @n : i64 = 4
rdir.variable @total : f64 = 0.0
rdir.variable @flag : i32 = 0
rdir.root @grid [1024] {old : f64, new : f64}
rdir.partition @blocks of @grid [@n] disjoint complete by blocks
rdir.partition @halos of @grid [@n] aliased complete by halo(@blocks, [1])
rdir.graph @main {
  rdir.task @fill over [@n] writes(@blocks)
  rdir.loop %k in @n - 1 {
    rdir.task @relax over [@n - %k] reads(@halos[i + %k] {old}) writes(@blocks[i + %k] {new})
    rdir.task @sum over [@n] reads(@blocks {new}) reduces<"+">(@total)
  }
  rdir.host @show reads(@grid {new}, @total)
}
rdir.graph @wrong {
  rdir.task @fill over [@n] writes(@halos)
}
rdir.graph @choice {
  rdir.loop if @flag {
    rdir.task @fill over [@n] writes(@blocks)
  } else {
    rdir.task @sum over [@n] reads(@blocks {new}) reduces<"+">(@total)
  }
}
