; RUN: sluice-translate %s --print=layouts | FileCheck %s

; How argument structures are laid out: packed, or as an alloca, a global or
; address arithmetic proves. (With debug information: layouts.c.)

%args = type { i32, i64, { i64 } }

@packed = global <{ i32, i64, i64 }> zeroinitializer
@padded = global { i32, i64, i64 } zeroinitializer

define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define { i64 } @stream(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 1)
  ret { i64 } undef
}
define {} @empty() {
  ret {} undef
}

define i32 @main(i32 %count, ptr %list) {
  %args = alloca %args
  %item = alloca { i32, i64 }
  call void @llvm.hpvm.init()

; An alloca's type, with the result as a structure of its own.
; CHECK: launch of root: 24 bytes, arguments at 0 8, results at 16
  %1 = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %1)

; Globals, with the result's field at the end.
; CHECK: launch of root: packed
  %2 = call ptr @llvm.hpvm.launch(ptr @root, ptr @packed, i1 0)
  call void @llvm.hpvm.wait(ptr %2)
; CHECK: launch of root: 24 bytes, arguments at 0 8, results at 16
  %3 = call ptr @llvm.hpvm.launch(ptr @root, ptr @padded, i1 0)
  call void @llvm.hpvm.wait(ptr %3)

; An element of an array of structures.
; CHECK: launch of root: 24 bytes, arguments at 0 8, results at 16
  %element = getelementptr %args, ptr %list, i64 3
  %4 = call ptr @llvm.hpvm.launch(ptr @root, ptr %element, i1 0)
  call void @llvm.hpvm.wait(ptr %4)

; Memory that only holds the packed structure.
; CHECK: launch of root: packed
  %short = call ptr @malloc(i64 20)
  %5 = call ptr @llvm.hpvm.launch(ptr @root, ptr %short, i1 0)
  call void @llvm.hpvm.wait(ptr %5)

; Memory whose fields are written through the structure's type.
; CHECK: launch of root: 24 bytes, arguments at 0 8, results at 16
  %heap = call ptr @malloc(i64 24)
  %field = getelementptr %args, ptr %heap, i32 0, i32 1
  store i64 5, ptr %field
  %6 = call ptr @llvm.hpvm.launch(ptr @root, ptr %heap, i1 0)
  call void @llvm.hpvm.wait(ptr %6)

; Nothing to pass.
; CHECK: launch of empty: packed
  %7 = call ptr @llvm.hpvm.launch(ptr @empty, ptr null, i1 0)
  call void @llvm.hpvm.wait(ptr %7)

; A stream has no result field; what is pushed may be laid out otherwise.
; CHECK: streaming launch of stream: packed
; CHECK: push: 16 bytes, arguments at 0 8, results at{{$}}
  %8 = call ptr @llvm.hpvm.launch(ptr @stream, ptr @packed, i1 1)
  call void @llvm.hpvm.push(ptr %8, ptr %item)
  %popped = call ptr @llvm.hpvm.pop(ptr %8)
  call void @llvm.hpvm.wait(ptr %8)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

declare ptr @llvm.hpvm.createNode(ptr)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)
declare void @llvm.hpvm.init()
declare void @llvm.hpvm.cleanup()
declare ptr @llvm.hpvm.launch(ptr, ptr, i1)
declare void @llvm.hpvm.wait(ptr)
declare void @llvm.hpvm.push(ptr, ptr)
declare ptr @llvm.hpvm.pop(ptr)
declare ptr @malloc(i64)
