//===- trees.c - Groups that reduce by trees with barriers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a tree leaves in its memory is what its levels leave there one after
// another, for TYPE, INDEX, an operator STEP, extents of many kinds, and trees
// that begin at TOP. Below TOP there may be fewer instances. FEW_SIZES are some of
// the extents.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TYPE
#define TYPE float
#endif
#ifndef INDEX
#define INDEX long
#endif
#ifndef STEP
#define STEP(a, b) a += b
#endif
#ifndef HALVE
#define HALVE /= 2
#endif
#ifndef TOP
#define TOP size / 2
#endif

// Elements of a group's memory for each of its instances.
enum { share = 4 };

void allocate(size_t size) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 0);
  void *part = __hpvm__malloc(share * size * sizeof(TYPE));
  __hpvm__return(2, part, share * size * sizeof(TYPE));
}

void tree(const TYPE *x, size_t xBytes, TYPE *out, size_t outBytes, size_t size,
          size_t top, TYPE *part, size_t partBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(3, x, out, part, 2, out, part);
  void *node = __hpvm__getNode();
  INDEX i = __hpvm__getNodeInstanceID_x(node);
  long group = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(node));
  for (int k = 0; k != share; ++k)
    part[k * size + i] = x[(share * group + k) * size + i];
  __hpvm__barrier();
  for (INDEX half = top; half > 0; half HALVE) {
    if (i < half)
      STEP(part[i], part[i + half]);
    __hpvm__barrier();
  }
  for (int k = 0; k != share; ++k)
    out[(share * group + k) * size + i] = part[k * size + i];
}

void group(const TYPE *x, size_t xBytes, TYPE *out, size_t outBytes,
           size_t size, size_t top) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, x, out, 1, out);
  void *first = __hpvm__createNodeND(0, allocate);
  void *second = __hpvm__createNodeND(1, tree, size);
  __hpvm__bindIn(first, 4, 0, 0);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(second, i, i, 0);
  __hpvm__edge(first, second, 1, 0, 6, 0);
  __hpvm__edge(first, second, 1, 1, 7, 0);
}

void root(const TYPE *x, size_t xBytes, TYPE *out, size_t outBytes, size_t size,
          size_t top, size_t groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, out, 1, out);
  void *node = __hpvm__createNodeND(1, group, groups);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

struct __attribute__((packed)) Arguments {
  TYPE *x;
  size_t xBytes;
  TYPE *out;
  size_t outBytes;
  size_t size, top, groups;
};

static int isRight(size_t size, size_t groups) {
  size_t count = share * size * groups, bytes = count * sizeof(TYPE);
  TYPE *x = malloc(bytes), *out = malloc(bytes), *expected = malloc(bytes);
  for (size_t i = 0; i < count; ++i)
    expected[i] = x[i] = (TYPE)((long)(i * 7919 % 2003) - 900) / (TYPE)3;
  memset(out, 0, bytes);
  struct Arguments arguments = {x, bytes, out, bytes, size, TOP, groups};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  for (size_t group = 0; group < groups; ++group) {
    TYPE *part = expected + group * share * size;
    for (size_t half = TOP; half > 0; half /= 2)
      for (INDEX i = 0; i < half && i < size; ++i)
        STEP(part[i], part[i + half]);
  }
  int isEqual = memcmp(out, expected, bytes) == 0;
  if (!isEqual)
    printf("%zu groups of %zu are wrong\n", groups, size);
  free(x), free(out), free(expected);
  return isEqual;
}

int main(void) {
#ifdef FEW_SIZES
  static const size_t sizes[] = {1, 15, 24, 64, 176};
#else
  static const size_t sizes[] = {1,  2,  8,  15,  16,  24,  31,
                                 48, 64, 96, 100, 128, 176, 256};
#endif
  int wrong = 0;
  __hpvm__init();
  for (unsigned i = 0; i != sizeof sizes / sizeof *sizes; ++i)
    wrong += !isRight(sizes[i], 1 + i % 3);
  __hpvm__cleanup();
  printf("%d are wrong\n", wrong);
}
