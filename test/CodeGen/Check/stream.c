// In a stream each item is checked for itself: items may use the same buffer.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: popped 1
// CHECK-NEXT: popped 2
// CHECK-NEXT: sluice: error: {{.*}}stream.c:[[#@LINE+13]]:{{[0-9]+}}: instance 2 of node 'root/fill' writes bytes 0 to 3 of 'buffer', which instance 0 wrote at {{.*}}stream.c:[[#@LINE+14]]:
// CHECK-NOT: popped
// FIXED-NOT: error
// FIXED: popped 1
// FIXED-NEXT: popped 2
// FIXED-NEXT: popped 3

#include "check.h"

void fill(int *buffer, size_t bufferSize, int item) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, buffer);
  if (WRONG(item == 3 && own() == 2, 0))
    buffer[own() - (item - 1)] = item;
  buffer[own()] = item;
  __hpvm__return(1, item);
}
void pass(int *buffer, size_t bufferSize, int item) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 0);
  __hpvm__return(1, buffer[1]);
}
void root(int *buffer, size_t bufferSize, int item) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  void *a = __hpvm__createNodeND(1, fill, (size_t)4);
  void *b = __hpvm__createNodeND(0, pass);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(a, 2, 2, 1);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
  __hpvm__edge(a, b, 1, 0, 2, 1);
  __hpvm__bindOut(b, 0, 0, 1);
}

int main(void) {
  int buffer[4];
  PACKED { int *buffer; size_t bufferSize; int item; int result; } args = {
      buffer, sizeof buffer, 0, 0};
  __hpvm__init();
  void *stream = __hpvm__launch(1, root, &args);
  for (args.item = 1; args.item < 4; ++args.item) {
    __hpvm__push(stream, &args);
    int *result = (int *)__hpvm__pop(stream);
    printf("popped %d\n", *result);
    fflush(stdout);
  }
  __hpvm__wait(stream);
  __hpvm__cleanup();
}
