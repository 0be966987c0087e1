; IR of other compilers: attributes with hyphens, marks of -O0, `invoke` of
; HPVM's intrinsics, calls through casts; as text and as bitcode.
;
; RUN: sluice-translate %s --print=canonical | FileCheck %s
; RUN: llvm-as -disable-verify %s -o %t.bc
; RUN: sluice-translate %t.bc --print=canonical | FileCheck %s
; RUN: sluice-translate %t.bc | FileCheck %s --check-prefix=DFG

declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.init()
declare void @llvm.hpvm.cleanup()
declare ptr @llvm.hpvm.launch(ptr, ptr, i1)
declare void @llvm.hpvm.wait(ptr)
declare i32 @__gxx_personality_v0(...)

; CHECK: define {} @leaf(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes){{( !dbg ![0-9]+)?}} {
define {} @leaf(ptr "hpvm-in" "hpvm-out" %data, i64 %bytes) noinline optnone {
  ret {} undef
}

; DFG: dfg.graph @root(%data: !llvm.ptr inout, %bytes: i64)
; DFG: dfg.node @leaf[%c4
define {} @root(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes) noinline optnone {
  %slot = alloca ptr
  %node = call ptr @llvm.hpvm.createNode1D(ptr @leaf, i64 4)
  store ptr %node, ptr %slot
  %first = load ptr, ptr %slot
  call void @llvm.hpvm.bind.input(ptr %first, i32 0, i32 0, i1 false)
  %second = load ptr, ptr %slot
  call void @llvm.hpvm.bind.input(ptr %second, i32 1, i32 1, i1 false)
  ret {} undef
}

define i32 @main() personality ptr @__gxx_personality_v0 {
  %arguments = alloca <{ ptr, i64 }>
  invoke void @llvm.hpvm.init() to label %next unwind label %bad
next:
  %graph = call ptr @llvm.hpvm.launch(ptr @root, ptr %arguments, i1 false)
  call void @llvm.hpvm.wait(ptr %graph)
  call void @llvm.hpvm.cleanup()
  ret i32 0
bad:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
