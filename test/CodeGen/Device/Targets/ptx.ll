; What PTX looks like: ids, barriers, offsets into shared memory, constants,
; read-only loads, and arithmetic that is neither contracted nor approximate.
; RUN: llvm-as %s -o %t.bc
; RUN: printf 'k\nrefused\n' > %t.kernels
; RUN: sluice-device-codegen ptx %t.bc %t.ptx %t.problems %t.kernels 3 sm_75 ""
; RUN: FileCheck %s < %t.ptx
; RUN: FileCheck --check-prefix=PROBLEM %s < %t.problems
; RUN: not sluice-device-codegen ptx %t.bc %t.ptx %t.problems %t.kernels 3 \
; RUN:   sm_x "" 2>&1 | FileCheck --check-prefix=CHIP %s
; RUN: not sluice-device-codegen ptx 2>&1 | FileCheck --check-prefix=USAGE %s

; CHECK: .version 6.3
; CHECK: .target sm_75
; CHECK-DAG: .const .align 4 .b8 table[16]
; CHECK-DAG: .extern .shared .align 16 .b8 sluice_shared[];
; CHECK: .visible .entry k(
; CHECK-DAG: %ctaid.x
; CHECK-DAG: %tid.x
; CHECK-DAG: %ntid.x
; CHECK: st.shared.b32
; CHECK: bar.sync 0;
; CHECK-DAG: ld.global.nc.b32
; CHECK-DAG: ld.const.b32
; CHECK: mul.rn.f32
; CHECK: add.rn.f32
; CHECK: fma.rn.f32
; CHECK: div.rn.f32
; CHECK: sqrt.rn.f32
; CHECK: st.global.b32
; CHECK: atom.global.add.f32
; CHECK-NOT: .entry

; PROBLEM: refused{{.*}}calls 'getpid', which devices do not have
; CHIP: unknown chip 'sm_x'
; USAGE: usage: sluice-device-codegen

target triple = "x86_64-pc-linux-gnu"
@table = internal addrspace(1) constant [4 x float] [float 1.0, float 2.0, float 0.0, float 4.0]
declare i64 @sluice.device.group(i32)
declare i64 @sluice.device.item(i32)
declare i64 @sluice.device.items(i32)
declare void @sluice.device.barrier() convergent
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare i32 @getpid()

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, ptr addrspace(3) %local) "sluice-kernel" {
  %group = call i64 @sluice.device.group(i32 0)
  %item = call i64 @sluice.device.item(i32 0)
  %items = call i64 @sluice.device.items(i32 0)
  %first = mul i64 %group, %items
  %id = add i64 %first, %item
  %cell = getelementptr float, ptr addrspace(3) %local, i64 %item
  store float 0.5, ptr addrspace(3) %cell
  call void @sluice.device.barrier()
  %last = sub i64 %items, %item
  %other = getelementptr float, ptr addrspace(3) %local, i64 %last
  %x = load float, ptr addrspace(3) %other
  %from = getelementptr float, ptr addrspace(1) %in, i64 %id
  %y = load float, ptr addrspace(1) %from, align 4
  %index = and i64 %id, 3
  %entry = getelementptr float, ptr addrspace(1) @table, i64 %index
  %z = load float, ptr addrspace(1) %entry, align 4
  %product = fmul contract float %x, %y
  %sum = fadd contract float %product, %z
  %fused = call float @llvm.fma.f32(float %sum, float %y, float %z)
  %quotient = fdiv fast float %fused, %y
  %root = call float @llvm.sqrt.f32(float %quotient)
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %root, ptr addrspace(1) %to
  %old = atomicrmw fadd ptr addrspace(1) %out, float %root seq_cst
  ret void
}

define void @refused(ptr addrspace(1) %out) "sluice-kernel" {
  %pid = call i32 @getpid()
  store i32 %pid, ptr addrspace(1) %out
  ret void
}
