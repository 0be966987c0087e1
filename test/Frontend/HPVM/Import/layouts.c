// RUN: sluice-translate %s --print=layouts | FileCheck %s

// Debug information proves the layout of structures behind pointers.

#include <hpvm.h>
#include <stdlib.h>

typedef struct {
  char flag;
  long size;
  short count;
  double result;
} Natural;

typedef struct __attribute__((__packed__)) {
  char flag;
  long size;
  short count;
  struct __attribute__((__packed__)) {
    double result;
  } ret;
} Packed;

// Structures in structures count as their members, wherever C puts those.
typedef struct __attribute__((__packed__)) {
  struct __attribute__((__packed__)) {
    char flag;
    struct __attribute__((__packed__)) {
      long size;
    } inner;
  } head;
  short count;
  double result;
} PackedNest;
typedef struct {
  char flag;
  struct __attribute__((__packed__)) {
    long size;
    short count;
  } rest;
  struct {
    double result;
  } ret;
} MixedNest;

void work(char flag, long size, short count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  double result = flag + size + count;
  __hpvm__return(1, result);
}

void root(char flag, long size, short count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *node = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

static Packed *globalPointer;
static void launchParameter(const Packed *parameter);
static void launchGlobal(void);

int main(void) {
  __hpvm__init();

  // CHECK: launch of root: 32 bytes, arguments at 0 8 16, results at 24
  Natural local = {1, 2, 3, 0};
  __hpvm__wait(__hpvm__launch(0, root, (void *)&local));

  // CHECK: launch of root: packed
  Packed *heap = (Packed *)malloc(sizeof(Packed));
  heap->flag = 1;
  __hpvm__wait(__hpvm__launch(0, root, (void *)heap));

  // CHECK: launch of root: 32 bytes, arguments at 0 8 16, results at 24
  Natural *natural = malloc(sizeof(Natural));
  void *opaque = natural;
  __hpvm__wait(__hpvm__launch(0, root, opaque));

  // CHECK: launch of root: 32 bytes, arguments at 0 8 16, results at 24
  Natural array[4] = {{1, 2, 3, 0}};
  for (int i = 0; i < 4; ++i)
    __hpvm__wait(__hpvm__launch(0, root, &array[i]));

  // CHECK: launch of root: packed
  PackedNest nest = {{1, {2}}, 3, 0};
  __hpvm__wait(__hpvm__launch(0, root, &nest));
  // CHECK: launch of root: 24 bytes, arguments at 0 1 9, results at 16
  MixedNest mixed = {1, {2, 3}, {0}};
  __hpvm__wait(__hpvm__launch(0, root, &mixed));

  globalPointer = heap;
  launchParameter(heap);
  launchGlobal();
  __hpvm__cleanup();
  return 0;
}

static void launchParameter(const Packed *parameter) {
  // CHECK: launch of root: packed
  __hpvm__wait(__hpvm__launch(0, root, (void *)parameter));
}

static void launchGlobal(void) {
  // CHECK: launch of root: packed
  __hpvm__wait(__hpvm__launch(0, root, (void *)globalPointer));
}
