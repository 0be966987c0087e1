; RUN: sluice-translate %s --print=dfg | FileCheck %s
; RUN: sluice-translate %s --print=dfg | sluice-opt | FileCheck %s

; Memory from a leaf's own malloc travels along edges, through a leaf that
; passes it on, and out of a nested graph. Other structs travel as values.

; CHECK: dfg.kernel @allocate() -> (!llvm.ptr, i64)
; CHECK: dfg.kernel @pass(%data: !llvm.ptr inout, %bytes: i64) -> (!llvm.ptr, i64)
; CHECK: dfg.kernel @point() -> (!llvm.struct<(f32, f32)>)
; CHECK: dfg.kernel @use(%data: !llvm.ptr in, %bytes: i64, %point: !llvm.struct<(f32, f32)>)
; CHECK: dfg.graph @root() {
; CHECK: %[[MEMORY:.*]]:2 = dfg.node @nested() : () -> (!llvm.ptr, i64)
; CHECK: %[[POINT:.*]] = dfg.node @point()
; CHECK: dfg.node @use(%[[MEMORY]]#0, %[[MEMORY]]#1, %[[POINT]])

%point = type { float, float }

define { ptr, i64 } @allocate() {
  %small = call ptr @llvm.hpvm.malloc(i64 64)
  %choice = icmp eq ptr %small, null
  br i1 %choice, label %again, label %end
again:
  %large = call ptr @llvm.hpvm.malloc(i64 128)
  br label %end
end:
  %p = phi ptr [ %small, %0 ], [ %large, %again ]
  %a = insertvalue { ptr, i64 } undef, ptr %p, 0
  %b = insertvalue { ptr, i64 } %a, i64 64, 1
  ret { ptr, i64 } %b
}

define { ptr, i64 } @pass(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes) {
  %a = insertvalue { ptr, i64 } undef, ptr %data, 0
  %b = insertvalue { ptr, i64 } %a, i64 %bytes, 1
  ret { ptr, i64 } %b
}

define { %point } @point() {
  ret { %point } zeroinitializer
}

define {} @use(ptr "hpvm-in" %data, i64 %bytes, %point %point) {
  ret {} undef
}

define { ptr, i64 } @nested() {
  %a = call ptr @llvm.hpvm.createNode(ptr @allocate)
  %b = call ptr @llvm.hpvm.createNode(ptr @pass)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 true, i32 0, i32 0, i1 false)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 true, i32 1, i32 1, i1 false)
  call void @llvm.hpvm.bind.output(ptr %b, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.output(ptr %b, i32 1, i32 1, i1 false)
  ret { ptr, i64 } undef
}

define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @nested)
  %b = call ptr @llvm.hpvm.createNode(ptr @point)
  %c = call ptr @llvm.hpvm.createNode(ptr @use)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %c, i1 true, i32 0, i32 0, i1 false)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %c, i1 true, i32 1, i32 1, i1 false)
  call ptr @llvm.hpvm.createEdge(ptr %b, ptr %c, i1 true, i32 0, i32 2, i1 false)
  ret {} undef
}

declare ptr @llvm.hpvm.malloc(i64)
declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare ptr @llvm.hpvm.createNode2D(ptr, i64, i64)
declare ptr @llvm.hpvm.createNode3D(ptr, i64, i64, i64)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)
