// A graph that breaks a rule is drawn as its calls say, each fault in red at the
// node or the edge that it is about; the messages are as ever.
// RUN: not %sluice graph %s 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERRORS < %t.err
// RUN: not %sluice graph %s -o %t.dot && FileCheck %s < %t.dot
// ERRORS: error: {{.*}} [H27]
// ERRORS: error: {{.*}} [H06]
// CHECK: label="root"
// CHECK-NEXT: [label="first"]
// CHECK-NEXT: [label="second\n{{.*}}[H27]" color="#c5221f"
// CHECK-NEXT: -> {{[^ ]*}} []
// CHECK-NEXT: -> {{[^ ]*}} [color="#c5221f" fontcolor="#c5221f" label="input port 5 is out of range: {{.*}}[H06]"]

#include <hpvm.h>
void first(int *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  a[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, aBytes);
}
void second(int *a, size_t aBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  a[__hpvm__getNodeInstanceID_y(__hpvm__getNode())] = 2;
}
void root(int *a, size_t aBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *one = __hpvm__createNodeND(1, first, n);
  void *two = __hpvm__createNodeND(1, second, n);
  __hpvm__bindIn(one, 0, 0, 0);
  __hpvm__bindIn(one, 1, 1, 0);
  __hpvm__bindIn(two, 0, 0, 0);
  __hpvm__edge(one, two, 1, 0, 1, 0);
  __hpvm__edge(one, two, 1, 0, 5, 0);
}
