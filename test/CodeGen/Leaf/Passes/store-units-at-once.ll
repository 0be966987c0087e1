; The number of a kernel is the largest one of the functions that it calls.

; RUN: %leaf-opt -passes=sluice-store-units-at-once -S %s | FileCheck %s

; CHECK: @lanes.units = internal constant i32 16
; CHECK: @scalar.units = internal constant i32 1
; CHECK: @own.units = internal constant i32 4
; CHECK: @other = internal constant i32 7
@lanes.units = internal constant i32 1
@scalar.units = internal constant i32 1
@own.units = internal constant i32 1
@other = internal constant i32 7

define internal void @sixteen(i64 %n) "sluice-instances-at-once"="16" {
  %isMore = icmp ugt i64 %n, 16
  br i1 %isMore, label %more, label %end
more:
  %rest = sub i64 %n, 16
  call void @sixteen(i64 %rest)
  br label %end
end:
  ret void
}

define internal void @range(i64 %n) "sluice-instances-at-once"="8" {
  call void @sixteen(i64 %n)
  ret void
}

define void @lanes(i64 %n, ptr %f) !sluice.units.at.once !0 {
  call void @range(i64 %n)
  call void %f()
  ret void
}

define void @scalar(i64 %n) !sluice.units.at.once !1 {
  call void @unknown()
  ret void
}

define void @own(i64 %n) "sluice-instances-at-once"="4" !sluice.units.at.once !2 {
  ret void
}

declare void @unknown()

!0 = !{ptr @lanes.units}
!1 = !{ptr @scalar.units}
!2 = !{ptr @own.units}
