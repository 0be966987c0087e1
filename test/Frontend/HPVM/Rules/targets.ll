; Rules about target hints: H37.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/cudnn.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=CUDNN --implicit-check-not=error:
; RUN: cat %t/promise.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=PROMISE --implicit-check-not=error:
; RUN: cat %t/unknown.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:
; RUN: cat %t/two-hints.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-HINTS --implicit-check-not=error:
; RUN: cat %t/no-function.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION --implicit-check-not=error:

;--- cudnn.ll
; CUDNN: :[[@LINE+1]]: error: the hint of 'work': target CUDNN runs tensor operations of ApproxHPVM and is not supported; use CPU, GPU or CPU_OR_GPU [H37]
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
!hpvm_hint_cudnn = !{!0}
!0 = !{ptr @work}

;--- promise.ll
; PROMISE: :[[@LINE+1]]: error: the hint of 'work': target PROMISE runs {{.*}} [H37]
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
!hpvm_hint_promise = !{!0}
!0 = !{ptr @work}

;--- unknown.ll
; UNKNOWN: :[[@LINE+1]]: error: the hint of 'work': unknown target hint 'hpvm_hint_fpga'; the hints are cpu, gpu, cpu_gpu, spir and cpu_spir [H37]
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
!hpvm_hint_fpga = !{!0}
!0 = !{ptr @work}

;--- two-hints.ll
; TWO-HINTS: :[[@LINE+1]]: error: 'work' has two target hints, 'cpu' and 'gpu'; give each node function one [H37]
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
!hpvm_hint_cpu = !{!0}
!hpvm_hint_gpu = !{!0}
!0 = !{ptr @work}

;--- no-function.ll
; NO-FUNCTION: error: an entry of 'hpvm_hint_cpu' names no function; write '!{ptr @function}' [H37]
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
!hpvm_hint_cpu = !{!0}
!0 = !{!"work"}
