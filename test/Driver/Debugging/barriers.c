// Behind a barrier a variable is that of the instance which runs, not that of
// the last one that came to the barrier.

// UNSUPPORTED: sanitizer
// RUN: %sluice build -g -O0 %s -o %t
// RUN: env SLUICE_WORKERS=1 gdb -q -batch -iex "add-auto-load-safe-path /" -ex 'break behind' -ex run -ex up -ex 'print Lane' -ex 'print Before' -ex 'print Pair' -ex 'print Round' -ex continue -ex up -ex 'print Lane' -ex 'print Before' -ex 'print Pair' -ex 'print Round' -ex continue -ex up -ex 'print Lane' -ex 'print Before' -ex 'print Pair' -ex 'print Round' -ex 'print sluice_instance.levels[0].id[0]' -ex 'print sluice_instance.levels[1].id[0]' -ex 'print Group' -ex 'print Item' %t | FileCheck %s
// CHECK: $1 = 0
// CHECK: $2 = 100
// CHECK: $3 = {7, 100}
// CHECK: $4 = 0
// CHECK: $5 = 1
// CHECK: $6 = 101
// CHECK: $7 = {7, 101}
// CHECK: $8 = 0
// CHECK: $9 = 2
// CHECK: $10 = 102
// CHECK: $11 = {7, 102}
// CHECK: $12 = 0
// CHECK: $13 = 0
// CHECK: $14 = 2
// CHECK: $15 = (void *) 0x{{.*}} <sluice_node_reverse_above1>
// CHECK: $16 = (void *) 0x{{.*}} <sluice_node_reverse>

// With optimisation it is right or unknown.
// RUN: %sluice build -g -O2 %s -o %t.2
// RUN: env SLUICE_WORKERS=1 gdb -q -batch -iex "add-auto-load-safe-path /" -ex 'break behind' -ex run -ex up -ex 'print Lane' -ex 'print Before' -ex continue -ex up -ex 'print Lane' -ex 'print Before' -ex continue -ex up -ex 'print Lane' -ex 'print Before' %t.2 | FileCheck %s --check-prefix=FAST
// FAST: $1 = {{0|<optimized out>}}
// FAST: {{^\$[0-9]+ = 100|\$[0-9]+ = <optimized out>}}
// FAST: {{\$[0-9]+ = 1|\$[0-9]+ = <optimized out>}}
// FAST: {{\$[0-9]+ = 101|\$[0-9]+ = <optimized out>}}
// FAST: {{\$[0-9]+ = 2|\$[0-9]+ = <optimized out>}}
// FAST: {{\$[0-9]+ = 102|\$[0-9]+ = <optimized out>}}

// No result changes.
// RUN: %sluice run %s > %t.out
// RUN: FileCheck %s --check-prefix=RESULT < %t.out
// RESULT: 216 217 218 219 220 221 222 223
// RUN: %t | diff - %t.out
// RUN: %t.2 | diff - %t.out
// RUN: %sluice run -g %s | diff - %t.out
// RUN: %sluice run -g -O1 %s | diff - %t.out
// RUN: %sluice run -g -O1 --reference %s | diff - %t.out
// RUN: %sluice run -g -O0 --check %s | diff - %t.out

#include <hpvm.h>
#include <stdio.h>

enum { Width = 4 };

void allocate(void) {
  __hpvm__hint(CPU_TARGET);
  size_t Bytes = Width * sizeof(long);
  void *Row = __hpvm__malloc(Bytes);
  __hpvm__return(2, Row, Bytes);
}

__attribute__((noinline)) long behind(long Value) { return Value + 6; }

void reverse(long *Row, size_t RowBytes, long *X, size_t XBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, Row, X, 2, Row, X);
  void *Item = __hpvm__getNode();
  void *Group = __hpvm__getParentNode(Item);
  long Lane = __hpvm__getNodeInstanceID_x(Item);
  long First = Width * __hpvm__getNodeInstanceID_x(Group);
  long Before = 100 + Lane;
  long Pair[2] = {7, Before};
  for (int Round = 0; Round < 2; ++Round) {
    Row[Lane] = X[First + Lane] + Before;
    __hpvm__barrier();
    long Now = Row[Width - 1 - Lane];
    __hpvm__barrier();
    X[First + Lane] = behind(Now) + Pair[0] - 7;
  }
}

void group(long *X, size_t XBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, X, 1, X);
  void *Allocate = __hpvm__createNodeND(0, allocate);
  void *Reverse = __hpvm__createNodeND(1, reverse, (size_t)Width);
  __hpvm__edge(Allocate, Reverse, 1, 0, 0, 0);
  __hpvm__edge(Allocate, Reverse, 1, 1, 1, 0);
  __hpvm__bindIn(Reverse, 0, 2, 0);
  __hpvm__bindIn(Reverse, 1, 3, 0);
}

void root(long *X, size_t XBytes, size_t Groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, X, 1, X);
  void *Node = __hpvm__createNodeND(1, group, Groups);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  long *X;
  size_t XBytes;
  size_t Groups;
};

int main(void) {
  long X[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct Arguments Args = {X, sizeof X, 2};
  __hpvm__init();
  llvm_hpvm_track_mem(X, sizeof X);
  __hpvm__wait(__hpvm__launch(0, root, &Args));
  llvm_hpvm_request_mem(X, sizeof X);
  llvm_hpvm_untrack_mem(X);
  __hpvm__cleanup();
  for (int I = 0; I < 8; ++I)
    printf("%ld ", X[I]);
  printf("\n");
}
