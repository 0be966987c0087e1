; RUN: sluice-translate %s --print=dfg | FileCheck %s

; What is constant after folding is structure: branches on constants, loops
; with a constant number of turns, arrays of handles and of functions.

; CHECK-LABEL: dfg.graph @root(%value: i32) -> (i32) {
; CHECK-NEXT: %[[A:.*]] = dfg.node @add(%value)
; CHECK-NEXT: %[[B:.*]] = dfg.node @scale(%[[A]])
; CHECK-NEXT: %[[C:.*]] = dfg.node @add(%[[B]])
; CHECK-NEXT: %[[D:.*]] = dfg.node @scale(%[[C]])
; CHECK-NEXT: dfg.output %[[D]] : i32

@functions = internal constant [2 x ptr] [ptr @add, ptr @scale]

define { i32 } @add(i32 %value) {
  ret { i32 } zeroinitializer
}
define { i32 } @scale(i32 %value) {
  ret { i32 } zeroinitializer
}

define { i32 } @root(i32 %value) {
entry:
  %handles = alloca [4 x ptr]
  %index = alloca i64
  store i64 0, ptr %index
  br i1 false, label %never, label %loop

never:
  call ptr @llvm.hpvm.createNode(ptr @scale)
  br label %loop

loop:
  %i = load i64, ptr %index
  %odd = and i64 %i, 1
  %entry.address = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %odd
  %function = load ptr, ptr %entry.address
  %node = call ptr @llvm.hpvm.createNode(ptr %function)
  %place = getelementptr [4 x ptr], ptr %handles, i64 0, i64 %i
  store ptr %node, ptr %place
  %first = icmp eq i64 %i, 0
  br i1 %first, label %bind, label %connect

bind:
  call void @llvm.hpvm.bind.input(ptr %node, i32 0, i32 0, i1 false)
  br label %next

connect:
  %before = sub i64 %i, 1
  %last.place = getelementptr [4 x ptr], ptr %handles, i64 0, i64 %before
  %last = load ptr, ptr %last.place
  call ptr @llvm.hpvm.createEdge(ptr %last, ptr %node, i1 true, i32 0, i32 0, i1 false)
  br label %next

next:
  %incremented = add i64 %i, 1
  store i64 %incremented, ptr %index
  %more = icmp ult i64 %incremented, 4
  br i1 %more, label %loop, label %end

end:
  %end.place = getelementptr [4 x ptr], ptr %handles, i64 0, i64 3
  %end.node = load ptr, ptr %end.place
  call void @llvm.hpvm.bind.output(ptr %end.node, i32 0, i32 0, i1 false)
  ret { i32 } undef
}

declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare ptr @llvm.hpvm.createNode2D(ptr, i64, i64)
declare ptr @llvm.hpvm.createNode3D(ptr, i64, i64, i64)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)
