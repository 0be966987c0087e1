// Launch structures made of structures, packed and padded, also as arguments by
// value: what a leaf gets is what C put there.
//
// RUN: %sluice run %s | FileCheck %s
// RUN: not %sluice check -DWRONG %s 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %sluice check -DSHORT %s 2>&1 | FileCheck %s --check-prefix=SHORT
// CHECK: 1 2 3 4.5 6 7 8
// CHECK-NEXT: 1 2 3 4.5 6 7 8
// CHECK-NEXT: 1 2 3 4.5 6 7 8

#include <hpvm.h>
#include <stdio.h>

#define PACKED struct __attribute__((__packed__))

// Passed by value: a packed structure with packed and padded ones in it.
typedef PACKED {
  char kind;
  PACKED { short low; long high; } range;
  struct { char tag; double weight; } pair;
} Options;

typedef PACKED { double *data; size_t bytes; } Buffer;

void work(double *out, size_t outBytes, Options options, double *more,
          size_t moreBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 2, out, more);
  out[0] = options.kind;
  out[1] = options.range.low;
  out[2] = (double)options.range.high;
  out[3] = options.pair.weight;
  more[0] = options.pair.tag;
  more[1] = (double)n;
  int last = (int)n + 1;
  __hpvm__return(1, last);
}

void root(double *out, size_t outBytes, Options options, double *more,
          size_t moreBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 2, out, more);
  void *node = __hpvm__createNodeND(0, work);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

static void show(const double *out, const double *more, int last) {
  printf("%g %g %g %g %g %g %d\n", out[0], out[1], out[2], out[3], more[0],
         more[1], last);
}

int main(void) {
  double out[4], more[2];
  Options options = {1, {2, 3}, {6, 4.5}};
  __hpvm__init();

  PACKED {
    Buffer out;
    Options options;
    PACKED { Buffer buffer; long n; } rest;
    PACKED { int last; } result;
  } packed = {{out, sizeof out}, options, {{more, sizeof more}, 7}, {0}};
  __hpvm__wait(__hpvm__launch(0, root, &packed));
  show(out, more, packed.result.last);

  struct {
    Buffer out;
    Options options;
    struct { Buffer buffer; long n; } rest;
    int last;
  } padded = {{out, sizeof out}, options, {{more, sizeof more}, 7}, 0};
  __hpvm__wait(__hpvm__launch(0, root, &padded));
  show(out, more, padded.last);

  PACKED {
    double *out;
    size_t outBytes;
    Options options;
    double *more;
    size_t moreBytes;
    long n;
    int last;
  } flat = {out, sizeof out, options, more, sizeof more, 7, 0};
  __hpvm__wait(__hpvm__launch(0, root, &flat));
  show(out, more, flat.last);

#ifdef WRONG
  PACKED {
    Buffer out;
    PACKED { char kind; PACKED { short low; long high; } range; } options;
    Buffer more;
    double n;
    int last;
    char space[64];
  } wrong;
  // WRONG: nested-structs.c:[[@LINE+1]]:{{[0-9]+}}: error: the argument structure {{.*}} does not fit 'root': field 1 'options.kind' has 1 bytes, but input 2 'options' of 'root' of type {{.*}} [H41]
  __hpvm__wait(__hpvm__launch(0, root, &wrong));
#endif
#ifdef SHORT
  PACKED { Buffer out; Options options; } small;
  // SHORT: nested-structs.c:[[@LINE+1]]:{{[0-9]+}}: error: the argument structure has {{.*}} [H41]
  __hpvm__wait(__hpvm__launch(0, root, &small));
#endif
  __hpvm__cleanup();
  return 0;
}
