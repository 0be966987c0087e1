// The leaf of files.c.

#include <hpvm.h>

struct Result {
  float f;
  char c;
};

static void inside(float f) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
}

void outside(struct Result r) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  __hpvm__return(2, r, (short)r.c);
}

void unused(float f) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *node = __hpvm__createNodeND(0, inside);
  __hpvm__bindIn(node, 0, 0, 0);
}
