; Which leaves have become vectors.

; RUN: %leaf-opt -passes=sluice-report-loops -disable-output -pass-remarks=sluice -pass-remarks-missed=sluice %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: leaf.c:3:1: instances run as vectors of up to 8 elements
; CHECK: remark: leaf.c:7:1: instances run one after another
; CHECK-NOT: remark

; Two loops of one leaf: whole vectors, and what is left.
define void @vectors(ptr %out, i64 %n) !dbg !12 {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %place = getelementptr float, ptr %out, i64 %i, !dbg !13
  store <8 x float> splat (float 1.0), ptr %place, !dbg !13
  %more8 = load <8 x float>, ptr %place, !dbg !13
  %next = add i64 %i, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %rest, !llvm.loop !0
rest:
  %j = phi i64 [ %next, %body ], [ %next.j, %rest ]
  %place.j = getelementptr float, ptr %out, i64 %j, !dbg !13
  store float 1.0, ptr %place.j, !dbg !13
  %next.j = add i64 %j, 1
  %more.j = icmp ult i64 %next.j, %n
  br i1 %more.j, label %rest, label %exit, !llvm.loop !0
exit:
  ret void
}

define void @scalars(ptr %out, i64 %n) !dbg !14 {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %place = getelementptr float, ptr %out, i64 %i, !dbg !15
  store float 1.0, ptr %place, !dbg !15
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %exit, !llvm.loop !5
exit:
  ret void
}

; Loops of other code are not reported.
define void @host(ptr %out, i64 %n) !dbg !16 {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %place = getelementptr float, ptr %out, i64 %i, !dbg !17
  store float 1.0, ptr %place, !dbg !17
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

!llvm.dbg.cu = !{!10}
!llvm.module.flags = !{!6}
!0 = distinct !{!0, !2, !1}
!1 = !{!"llvm.loop.isvectorized", i32 1}
!2 = !{!"sluice.instances"}
!5 = distinct !{!5, !2}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DICompileUnit(language: DW_LANG_C11, file: !11, emissionKind: LineTablesOnly)
!11 = !DIFile(filename: "leaf.c", directory: "/")
!12 = distinct !DISubprogram(name: "vectors", scope: !11, file: !11, line: 1, type: !18, unit: !10)
!13 = !DILocation(line: 3, column: 1, scope: !12)
!14 = distinct !DISubprogram(name: "scalars", scope: !11, file: !11, line: 5, type: !18, unit: !10)
!15 = !DILocation(line: 7, column: 1, scope: !14)
!16 = distinct !DISubprogram(name: "host", scope: !11, file: !11, line: 9, type: !18, unit: !10)
!17 = !DILocation(line: 11, column: 1, scope: !16)
!18 = !DISubroutineType(types: !19)
!19 = !{null}
