// A program of several files: the root, its leaf and the host are in different
// ones, and static functions of the same name stay apart.
//
// RUN: sluice-translate %s %S/Inputs/files-leaf.c --print=canonical \
// RUN:   | FileCheck %s
// RUN: sluice-translate %s %S/Inputs/files-leaf.c | FileCheck %s --check-prefix=DFG
// RUN: not sluice-translate %s 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not sluice-translate %s %S/Inputs/files-leaf.c %S/Inputs/files-host.c \
// RUN:   2>&1 | FileCheck %s --check-prefix=TWICE

#include <hpvm.h>

struct Result {
  float f;
  char c;
};

// CHECK-DAG: define {{.*}}{ %struct.Result, i16 } @outside(%struct.Result %r)
// CHECK-DAG: define internal {} @inside(i64 %n)
// CHECK-DAG: define internal {} @inside.{{[0-9]+}}(float %f)
void outside(struct Result r);

static void inside(long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
}

// The result of a node of another file becomes that of this one.
// CHECK-DAG: define {{.*}}{ i16, %struct.Result } @graph(%struct.Result %r, i64 %n)
// DFG: dfg.graph @graph
// ALONE: files.c:[[#@LINE+5]]:13: error: 'outside' is declared, but not defined; compile the file that defines it together with this one [H17]
void graph(struct Result r, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *b = __hpvm__createNodeND(0, inside);
  void *a = __hpvm__createNodeND(0, outside);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(b, 1, 0, 0);
  __hpvm__bindOut(a, 0, 1, 0);
  __hpvm__bindOut(a, 1, 0, 0);
}

// TWICE: files-host.c:[[#]]:3: error: a second call of 'init'
// TWICE: files.c:[[#@LINE+8]]:3: note: the first call is here
int main(void) {
  struct __attribute__((packed)) {
    struct Result r;
    long n;
    short small;
    struct Result result;
  } arguments = {{1, 2}, 3, 0, {0, 0}};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, graph, &arguments));
  __hpvm__cleanup();
  return 0;
}
