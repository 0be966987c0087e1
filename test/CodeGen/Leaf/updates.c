// What becomes of atomic updates whose old value is not used, and what stays as
// it is because somebody could tell the difference.

// RUN: %clang -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll

// A sum of all instances: one update a range, from a vector.
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?1000 -in='!i32[1000],4000,!zero[4],4,900' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?1000 -in='!i32[1000],4000,!zero[4],4,900' -cpu=x86-64-v3 -emit=optimized | FileCheck %s --check-prefix=SUM
// SUM-COUNT-1: call i32 @llvm.vector.reduce.add.v8i32
// SUM-COUNT-1: atomicrmw add
// SUM-NOT: atomicrmw

// Sums of rows: one update a row, into a copy.
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=?50x?40 -in='!i32[2000],8000,!zero[160],160' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=rows -levels=?50x?40 -in='!i32[2000],8000,!zero[160],160' | FileCheck %s --check-prefix=ROWS
// ROWS-DAG: %collected.{{[0-9]+}} = phi i32
// ROWS-DAG: call ptr @sluice.copy.open.add.i32
// ROWS-DAG: call void @sluice.copy.close.add.i32

// A histogram: a copy, once it pays, for what lies within the stated size.
// RUN: sluice-codegen-test %t.ll -leaf=count -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=count -levels=?1000 -in='!i32[1000],4000,!zero[1024],400' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=count -levels=?1000 -in='!i32[1000],4000,!zero[1024],0' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=count -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=COUNT
// COUNT: define internal void @count.range(ptr "sluice-invocation" %invocation,
// COUNT: %size = select i1 %{{.*}}, i64 %{{.*}}, i64 0
// COUNT: icmp ult i64 %element, %bound
// COUNT: atomicrmw add
// COUNT: call ptr @sluice.copy.open.add.i32(ptr %invocation, i64 %size)

// Appended elements: noted, and written many at once.
// RUN: sluice-codegen-test %t.ll -leaf=append -levels=?1000 -in='!i32[1000],!i32[1000],!zero[4],700' -emit=run | FileCheck %s
// RUN: sluice-codegen-test %t.ll -leaf=append -levels=?1000 -in='!i32[1000],!i32[1000],!zero[4],700' | FileCheck %s --check-prefix=APPEND
// APPEND: %notes = alloca
// APPEND-NOT: atomicrmw
// APPEND: call void @append.range.append(ptr %notes, i64 512,
// APPEND-NOT: atomicrmw

// As written: with --reference, where other pointers may reach the memory, and
// where the leaf reads it, updates it in two ways, orders memory, calls what is
// not known, or reaches memory through a pointer that it loads.
// RUN: sluice-codegen-test %t.ll -leaf=count -reference -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=count -collect-updates=false -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=count -levels=?1000 -in='!i32[1000],4000,zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=sum -levels=?1000 -in='i32[1000],4000,zero[4],4,900' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=reads -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024,!i32[1000],4000' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=keeps -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024,!i32[1000],4000' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=mixes -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=orders -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=fences -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=calls -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=callsForSum -levels=?1000 -in='!i32[1000],4000,!zero[4],4' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=assembly -levels=?1000 -in='!i32[1000],4000,!zero[4],4' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=loads -levels=?1000 -in='!i32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=inexact -levels=?1000 -in='!f32[1000],4000,!zero[1024],1024' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=append -levels=?1000 -in='!i32[1000],i32[1000],!zero[4],700' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=appendAndRead -levels=?1000 -in='!i32[1000],!i32[1000],!zero[4],700' | FileCheck %s --check-prefix=PLAIN
// RUN: sluice-codegen-test %t.ll -leaf=appendTwice -levels=?1000 -in='!i32[1000],!i32[2000],!zero[4],700' | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: sluice.copy
// PLAIN-NOT: %notes
// PLAIN-NOT: %collected
// CHECK: {{^}}same{{$}}

#include "Inputs/leaf.h"

void sum(int *in, long bytesIn, int *total, long bytesTotal, long n) {
  if (X < n)
    atomicAdd(total, in[X]);
}

void rows(int *in, long bytesIn, int *sums, long bytesSums) {
  atomicAdd(&sums[Y], in[Y * SIZE + X]);
}

void count(int *in, long bytesIn, int *bins, long bytesBins) {
  atomicAdd(&bins[in[X] & 255], 1);
}

void append(int *in, int *buffer, int *tail, long limit) {
  if (in[X] > 3) {
    int place = atomicAdd(tail, 1);
    if (place < limit)
      buffer[place] = in[X];
  }
}

void reads(int *in, long bytesIn, int *bins, long bytesBins, int *out,
           long bytesOut) {
  atomicAdd(&bins[in[X] & 255], 1);
  out[X] = bins[3] > 1;
}

void keeps(int *in, long bytesIn, int *bins, long bytesBins, int *out,
           long bytesOut) {
  out[X] = atomicAdd(&bins[in[X] & 255], 1);
}

void mixes(int *in, long bytesIn, int *bins, long bytesBins) {
  atomicAdd(&bins[in[X] & 255], 1);
  atomicMax(&bins[in[X] & 127], 1);
}

void orders(int *in, long bytesIn, int *bins, long bytesBins) {
  __atomic_fetch_add(&bins[in[X] & 255], 1, __ATOMIC_RELEASE);
}

void fences(int *in, long bytesIn, int *bins, long bytesBins) {
  atomicAdd(&bins[in[X] & 255], 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void unknown(void);

void calls(int *in, long bytesIn, int *bins, long bytesBins) {
  atomicAdd(&bins[in[X] & 255], 1);
  unknown();
}

void callsForSum(int *in, long bytesIn, int *total, long bytesTotal) {
  atomicAdd(total, in[X]);
  unknown();
}

void assembly(int *in, long bytesIn, int *total, long bytesTotal) {
  atomicAdd(total, in[X]);
  __asm__ volatile("" ::: "memory");
}

void loads(int **in, long bytesIn, int *bins, long bytesBins) {
  atomicAdd(&bins[*in[X] & 255], 1);
}

void inexact(float *in, long bytesIn, float *bins, long bytesBins) {
  atomicAddFloat(&bins[(int)in[X] & 255], 1);
}

void appendAndRead(int *in, int *buffer, int *tail, long limit) {
  int place = atomicAdd(tail, 1);
  buffer[place] = buffer[X] + in[X];
}

void appendTwice(int *in, int *buffer, int *tail, long limit) {
  buffer[atomicAdd(tail, 1)] = in[X];
  buffer[atomicAdd(tail, 1)] = -in[X];
}
