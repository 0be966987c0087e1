// Which one-to-one edges run chunk by chunk.
// RUN: %sluice-opt --dfg-pipeline-edges %s | FileCheck %s

dfg.kernel @step(%v: i64) -> (v: i64)
dfg.kernel @sum(%a: i64, %b: i64) -> (v: i64)

// Between equal grids, and between others, which are compared then; not where
// the sink waits for all of the source, unless the grids have to be compared;
// not between single nodes, where nothing is left to split.
// CHECK-LABEL: dfg.graph @root
// CHECK: %[[A:.*]] = dfg.node @step[%n](%n) : (i64) -> i64
// CHECK: %[[B:.*]] = dfg.node @step[%n](one_to_one %[[A]]) {dfg.pipelined = array<i1: true>}
// CHECK: %[[C:.*]] = dfg.node @sum[%m](one_to_one %[[B]], %n) {dfg.pipelined = array<i1: true, false>}
// CHECK: %[[D:.*]] = dfg.node @sum[%m](one_to_one %[[C]], %[[C]]) : (i64, i64) -> i64
// CHECK: %[[X:.*]] = dfg.node @sum[%n](one_to_one %{{.*}}, %{{.*}}) {dfg.pipelined = array<i1: true, false>}
// CHECK: %[[E:.*]] = dfg.node @step(%[[D]]) : (i64) -> i64
// CHECK: dfg.node @step(one_to_one %[[E]]) : (i64) -> i64
dfg.graph @root(%n: i64, %m: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step[%n](%n) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @sum[%m](one_to_one %1, %n) : (i64, i64) -> i64
  %3 = dfg.node @sum[%m](one_to_one %2, %2) : (i64, i64) -> i64
  %x = dfg.node @sum[%n](one_to_one %3, %3) : (i64, i64) -> i64
  %4 = dfg.node @step(%3) : (i64) -> i64
  %5 = dfg.node @step(one_to_one %4) : (i64) -> i64
  dfg.output %5, %x : i64, i64
}

// Below a replicated node, children run one after another.
// CHECK-LABEL: dfg.graph @tile
// CHECK-NOT: dfg.pipelined
// CHECK: dfg.graph @tiles
dfg.graph @tile(%n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%n) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  dfg.output %1 : i64
}
dfg.graph @tiles(%n: i64) -> (v: i64) {
  %0 = dfg.node @tile[%n](%n) : (i64) -> i64
  dfg.output %0 : i64
}
