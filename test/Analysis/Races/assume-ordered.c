// A leaf vouches for a race, with a reason; what it does not speak of is one
// still. The checker finds different values.
// RUN: sluice check %s 2>&1 | FileCheck %s
// CHECK: assume-ordered.c:{{[0-9]+}}:{{[0-9]+}}: remark: the program says that the order in which instances of 'leaf' use global variable 'found' does not matter: "all write one" [vouched]
// CHECK: free of races if what the program says is so
// RUN: not sluice check -DOTHER %s 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'leaf' writes the same place of global variable 'other' in several instances
// RUN: not sluice check -DEMPTY %s 2>&1 | FileCheck %s --check-prefix=REASON
// RUN: not sluice check -DCOMPUTED %s 2>&1 | FileCheck %s --check-prefix=REASON
// REASON: error: the reason that 'sluice_assume_ordered' is given must be a string in the code that says why the order does not matter [reason]
// RUN: not sluice check -DHOST %s 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: 'sluice_assume_ordered' is for leaves, but 'main' is host code
// RUN: not sluice check -DNEIGHBOUR %s 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// NEIGHBOUR: error: 'reader' reads global variable 'found' here, and 'leaf' writes it, but no edge orders the two

// RUN: sluice run %s | FileCheck %s --check-prefix=RESULT
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s --check-prefix=RESULT
// RUN: env SLUICE_CHECK=1 not sluice run -DWRONG %s 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: env SLUICE_CHECK=1 sluice run -DNEIGHBOUR -DBOTH %s | FileCheck %s --check-prefix=RESULT
// RUN: sluice run -DWRONG %s | FileCheck %s --check-prefix=RESULT
// RUN: sluice build %s -o %t && env SLUICE_WORKERS=4 %t | FileCheck %s --check-prefix=RESULT
// RUN: sluice build --print=kernels %s | FileCheck %s --check-prefix=GONE
// GONE-NOT: hpvm.assume
// GONE: store i32 1, ptr @found
// GONE-NOT: hpvm.assume
// RUN: sluice check -DNEIGHBOUR -DBOTH %s 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: remark: the program says that the order in which 'leaf' and 'reader' use global variable 'found' does not matter
// BOTH: free of races if what the program says is so
// RESULT: found
// WRONG: error: {{.*}}assume-ordered.c:{{[0-9]+}}:{{[0-9]+}}: instance 1 of node 'root/leaf' writes bytes 0 to 3 of global 'found' with another value than instance 0 of node 'root/leaf' at {{.*}}, though 'sluice_assume_ordered' says that the order does not matter

#include <hpvm.h>
#include <stdio.h>

static int found, other;
static const char *volatile why = "no string in the code";

void leaf(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  int i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#if defined(EMPTY)
  sluice_assume_ordered(&found, sizeof found, "");
#elif defined(COMPUTED)
  sluice_assume_ordered(&found, sizeof found, why);
#else
  sluice_assume_ordered(&found, sizeof found, "all write one");
#endif
#ifdef WRONG
  found = i + 1;
#else
  found = 1;
#endif
#ifdef OTHER
  other = 1;
#endif
  data[i] = i;
  __hpvm__return(0);
}

void reader(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
#ifdef BOTH
  sluice_assume_ordered(&found, sizeof found, "a hint only");
#endif
  if (found == 5)
    __builtin_trap();
  __hpvm__return(0);
}

void root(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)50);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
#ifdef NEIGHBOUR
  void *next = __hpvm__createNodeND(0, reader);
  __hpvm__bindIn(next, 0, 0, 0);
  __hpvm__bindIn(next, 1, 1, 0);
#endif
}

int main(void) {
  static int data[50];
#ifdef HOST
  sluice_assume_ordered(data, sizeof data, "it is mine");
#endif
  struct __attribute__((packed)) {
    int *data;
    size_t bytes;
  } arguments = {data, sizeof(data)};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  puts(found ? "found" : "nothing");
}
