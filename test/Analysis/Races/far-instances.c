// What the host passes may keep instances apart. So they meet for certain only
// where no number that arguments bound is large, or moves an address as far as
// a step of another one does. Guards with remainders and rows whose pitch is an
// argument make no difference.
//
// DEFINE: %{check} = sluice check %s
// DEFINE: %{far} = FileCheck %s --check-prefix=FAR
// DEFINE: %{unknown} = FileCheck %s --check-prefix=UNKNOWN
// DEFINE: %{racy} = FileCheck %s --check-prefix=RACY
// FAR: remark: cannot tell whether instances of 'field' meet in argument 'a' of 'root': instances ({{.*}}) and ({{.*}}) do in a launch that has both, which nothing rules out
// UNKNOWN: remark: cannot tell whether instances of 'field' meet in argument 'a' of 'root'
// RACY: error: 'field' {{.*}} argument 'a' of 'root'
//
// Boards: as many columns as the host says, or more than a row has.
// RUN: %{check} "-DCODE=if ((x + y) % 2 == 0) a[y * 8 + x] = 1" 2>&1 | %{far}
// RUN: %{check} "-DCODE=if (y & 1) a[y * 8 + x] = 1" 2>&1 | %{far}
// RUN: %{check} "-DCODE=a[(y & 3) * 8 + x] = 1" -DHEIGHT=4 2>&1 | %{far}
// RUN: not %{check} "-DCODE=if (y & 1) a[y * 8 + x] = 1" -DWIDTH=17 -DHEIGHT=4 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (y & 1) a[y * 8 + x / 4] = 1" 2>&1 | %{racy}
// RUN: %{check} "-DCODE=if (x < n) a[y * 8 + x] = 1" -DWIDTH=16 -DHEIGHT=8 2>&1 | %{far}
// RUN: not %{check} "-DCODE=if (y < n) a[y * 8 + x] = 1" -DWIDTH=9 -DHEIGHT=8 2>&1 | %{racy}
// Parts of one buffer.
// RUN: %{check} "-DCODE=a[x] = a[x + 1000]" -DHEIGHT=1 2>&1 | %{far}
// RUN: not %{check} "-DCODE=a[x] = a[x + 1000]" -DWIDTH=1001 -DHEIGHT=1 2>&1 | %{racy}
// RUN: %{check} "-DCODE=a[x] = a[x + n / 64]" -DWIDTH=9 -DHEIGHT=1 2>&1 | %{unknown}
//
// Rows, with a pitch that is a number or an argument.
// RUN: %{check} "-DCODE=for (long j = 0; j < 3 * n; ++j) a[x * m + j] = 1" -DHEIGHT=1 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (long j = 0; j < 2 * n + 1; ++j) a[x * m + j] = 1" -DWIDTH=9 -DHEIGHT=1 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=memset(a + x * m, 0, 16 * n)" -DHEIGHT=1 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=memset(a + x * 64, 0, n)" -DWIDTH=9 -DHEIGHT=1 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=if (x % 2) for (long j = 0; j < n; ++j) a[x * 8 + j] = 1" -DHEIGHT=1 2>&1 | %{unknown}
// RUN: not %{check} "-DCODE=for (long j = 0; j < m; ++j) a[x * m + j] = a[x * m + j + 1]" -DHEIGHT=1 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=for (long j = 0; j <= m; ++j) a[x * m + j] = 1" -DHEIGHT=1 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=memset(a + x * m, 0, 4 * m + 1)" -DHEIGHT=1 2>&1 | %{racy}
//
// As many instances as a quotient says.
// RUN: not %{check} "-DCODE=a[0] = x" "-DWIDTH=(w + 7) / 8" -DHEIGHT=1 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=a[x / 2] = x" "-DWIDTH=w >> 1" "-DHEIGHT=1" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=a[0] = x" "-DWIDTH=w % 8" "-DHEIGHT=1" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=a[0] = x" "-DWIDTH=w / 8 + 1" "-DHEIGHT=1" 2>&1 | %{racy}
// RUN: %{check} "-DCODE=a[x + y * (w / 4)] = x" "-DWIDTH=w / 4" 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: %{check} "-DCODE=a[x + y * (w / 4)] = x" "-DWIDTH=(w + 3) / 4" 2>&1 | %{unknown}
// PROVEN-NOT: {{remark|error}}
// PROVEN: proven free of races

#include <hpvm.h>
#include <string.h>

#ifndef WIDTH
#define WIDTH w
#endif
#ifndef HEIGHT
#define HEIGHT h
#endif

void field(int *a, size_t aBytes, long w, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  long y = __hpvm__getNodeInstanceID_y(node);
  CODE;
  (void)y;
}

void root(int *a, size_t aBytes, long w, long h, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(2, field, WIDTH, HEIGHT);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 4, 3, 0);
  __hpvm__bindIn(node, 5, 4, 0);
}
