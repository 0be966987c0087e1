// A program that races is drawn as well, with what races in red.
// RUN: not %sluice graph %s 2>%t.errors | FileCheck %s
// RUN: grep -c 'error: .*\[race\]' %t.errors | FileCheck %s --check-prefix=ERRORS
// RUN: not %sluice graph %s -o %t.svg 2>/dev/null && grep -q races %t.svg
// RUN: not %sluice graph --transformed %s -o %t.never.svg 2>/dev/null
// ERRORS: 2
// CHECK: n0 [{{.*}}color="#c5221f"><b>shift</b><br/>n<br/><font color="#c5221f">races</font>
// CHECK: n1 [{{.*}}color="#c5221f"><b>last</b><br/><font color="#c5221f">races</font>
// CHECK: n2 [{{.*}}<td colspan="1"><b>fine</b>
// CHECK: n{{[01]}} -> n{{[01]}} [color="#c5221f" fontcolor="#c5221f" style=dashed dir=both fontsize=9 label="no edge" constraint=false]

#include <hpvm.h>

void shift(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  x[i + 1] = x[i] + 1;
}
void last(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  x[1] += 1;
}
void fine(int *y, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, y, 1, y);
  y[0] += 1;
}
void root(int *x, size_t xBytes, int *y, size_t yBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 2, x, y);
  void *a = __hpvm__createNodeND(1, shift, n);
  void *b = __hpvm__createNodeND(0, last);
  void *c = __hpvm__createNodeND(0, fine);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
  __hpvm__bindIn(c, 2, 0, 0);
  __hpvm__bindIn(c, 3, 1, 0);
}
struct __attribute__((packed)) Arguments {
  int *x;
  size_t xBytes;
  int *y;
  size_t yBytes;
  long n;
};
int main(void) {
  int x[9] = {0}, y[1] = {0};
  struct Arguments arguments = {x, sizeof x, y, sizeof y, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}
