// What is refused of scans, by case; the first one is right.
// RUN: not sluice check %s -DOTHER 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: input 0 'to' of 'leaf' is declared as a scan, but the leaf uses another element than that of the instance; index it by '__hpvm__getNodeInstanceID_x' of the leaf's own node, as a 'long', and by nothing else [reduce]
// RUN: not sluice check %s -DSHORT 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not sluice check %s -DFIRST 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not sluice check %s -DCALL 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: error: input 0 'to' of 'leaf' is declared as a scan, but the leaf passes the address of an element to a call; compute in a variable, and assign that to the element [reduce]
// RUN: not sluice check %s -DWIDE 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: input 0 'to' of 'leaf' is declared as a scan, but the leaf accesses 8 bytes at byte 0 of an element, which has 4 [reduce]
// RUN: not sluice check %s -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: input 0 'to' of 'leaf' is declared as a scan twice; one declaration holds for all of its elements [reduce]
// RUN: not sluice check %s -DBRANCH 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: 'sluice_scan' stands behind a branch, but it holds for all instances; call it at the start of 'leaf' [reduce]
// RUN: not sluice check %s -DONLYOUT 2>&1 | FileCheck %s --check-prefix=ONLYOUT
// ONLYOUT: error: input 0 'to' of 'leaf' is a scan, which reads and writes what is there; mark it in and out [reduce]
// RUN: not sluice check %s -DHOST 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: 'sluice_scan' is for leaves, but 'main' is host code
// RUN: not sluice build %s -DPLANE -o %t 2>&1 | FileCheck %s --check-prefix=PLANE
// PLANE: error: 'leaf' scans input 'to', so it must have one dimension, stand in a graph with one instance and not wait at barriers
// RUN: not sluice run %s -DSMALL 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: error: {{.*}}the memory of a scan has fewer elements than there are instances
// RUN: not sluice run %s -DODD 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: {{.*}}the bytes of a scan are not a whole number of elements
// RUN: not sluice check %s -DMEET 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: error: 'reader' reads argument 'to' of 'root' here, and 'leaf' writes it, but no edge orders the two; add an edge from 'leaf' to 'reader' [race]
// RUN: sluice run %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: 1 3 6 10
#include <hpvm.h>
#include <stdio.h>

static void fill(int *element) { *element = 1; }

void leaf(int *to, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
#ifdef ONLYOUT
  __hpvm__attributes(0, 1, to);
#else
  __hpvm__attributes(1, to, 1, to);
#endif
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#ifdef BRANCH
  if (i > 3)
    sluice_scan(to, bytes, SLUICE_SUM);
#else
  sluice_scan(to, bytes, SLUICE_SUM);
#endif
#ifdef TWICE
  sluice_scan(to, bytes, SLUICE_MAX);
#endif
#if defined(OTHER)
  to[i] = to[i + 1];
#elif defined(SHORT)
  to[(int)i] = 1;
#elif defined(FIRST)
  *to = 1;
#elif defined(CALL)
  fill(&to[i]);
  __attribute__((noinline)) void elsewhere(int *);
  elsewhere(&to[i]);
#elif defined(WIDE)
  *(long *)&to[i] = 1;
#else
  to[i] = i + 1;
#endif
}

void reader(int *from, size_t bytes, int *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  to[0] = from[1];
}

void root(int *to, size_t bytes, int *other, size_t otherBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, to, other, 2, to, other);
#ifdef PLANE
  void *node = __hpvm__createNodeND(2, leaf, n, n);
#else
  void *node = __hpvm__createNodeND(1, leaf, n);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
#ifdef MEET
  void *next = __hpvm__createNodeND(0, reader);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(next, i, i, 0);
#endif
}

int main(void) {
  static int to[8], other[8];
  struct __attribute__((packed)) {
    int *to;
    size_t bytes;
    int *other;
    size_t otherBytes;
    long n;
  } args = {to, 16, other, sizeof other, 4};
#ifdef SMALL
  args.n = 5;
#endif
#ifdef ODD
  args.bytes = 17;
#endif
#ifdef HOST
  sluice_scan(to, sizeof to, SLUICE_SUM);
#endif
  __hpvm__init();
  llvm_hpvm_track_mem(to, sizeof to);
  llvm_hpvm_track_mem(other, sizeof other);
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("%d %d %d %d\n", to[0], to[1], to[2], to[3]);
}
