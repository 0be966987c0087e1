// Arguments that are 'out', of which graphs write all or a part: what they leave
// alone keeps its content, wherever nodes run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <hpvm.h>
#include <stdio.h>

enum { Width = 24, Height = 16, Size = Width * Height };

#ifndef SECOND_TARGET
#define SECOND_TARGET DEVICE
#endif

#define LEAF(NAME, TARGET, ...)                                                \
  void NAME(long *to, size_t toBytes, const long *index, size_t indexBytes,    \
            long width) {                                                      \
    __hpvm__hint(TARGET);                                                      \
    __hpvm__attributes(1, index, 1, to);                                       \
    void *self = __hpvm__getNode();                                            \
    long x = __hpvm__getNodeInstanceID_x(self);                                \
    long y = __hpvm__getNodeInstanceID_y(self);                                \
    __VA_ARGS__                                                                \
  }                                                                            \
  void NAME##Root(long *to, size_t toBytes, const long *index,                 \
                  size_t indexBytes, long width, long nx, long ny) {           \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, index, 1, to);                                       \
    void *node = __hpvm__createNodeND(2, NAME, nx, ny);                        \
    for (int i = 0; i < 5; ++i)                                                \
      __hpvm__bindIn(node, i, i, 0);                                           \
  }

LEAF(whole, DEVICE, to[y * width + x] = x - y;)
LEAF(inner, DEVICE, to[(y + 1) * width + x + 1] = x + y;)
LEAF(some, DEVICE, if ((x + y) % 3 == 0) to[y * width + x] = x * y;)
LEAF(several, DEVICE,
     for (long k = 0; k < x % 3; ++k) to[(y * width + x) * 3 + k] = k;)
LEAF(scattered, DEVICE, to[index[y * width + x]] = y;)
LEAF(second, SECOND_TARGET, to[(y + 2) * width + x + 2] = 5;)

struct __attribute__((packed)) Arguments {
  long *to;
  size_t toBytes;
  const long *index;
  size_t indexBytes;
  long width, nx, ny;
};

static long grid[Size], expected[Size], indices[Size];

static int compare(const char *name) {
  int wrong = 0;
  for (int i = 0; i < Size; ++i)
    wrong += grid[i] != expected[i];
  printf("%s: %d wrong\n", name, wrong);
  return wrong;
}

#define RUN(NAME, NX, NY, ...)                                                 \
  for (int isTracked = 0; isTracked != 2; ++isTracked) {                       \
    struct Arguments a = {grid, sizeof grid, indices, sizeof indices,          \
                          Width, NX, NY};                                      \
    for (int i = 0; i < Size; ++i)                                             \
      grid[i] = expected[i] = i * 7 + isTracked;                               \
    if (isTracked)                                                             \
      llvm_hpvm_track_mem(grid, sizeof grid);                                  \
    __hpvm__wait(__hpvm__launch(0, NAME##Root, &a));                           \
    for (long y = 0; y < NY; ++y)                                              \
      for (long x = 0; x < NX; ++x) {                                          \
        long *to = expected, width = Width;                                    \
        const long *index = indices;                                           \
        (void)index, (void)width;                                              \
        __VA_ARGS__                                                            \
      }                                                                        \
    if (isTracked) {                                                           \
      /* More of it, by another node, while a device has the newest bytes. */  \
      struct Arguments b = a;                                                  \
      b.nx = 3, b.ny = 4;                                                      \
      __hpvm__wait(__hpvm__launch(0, secondRoot, &b));                         \
      for (int y = 0; y < 4; ++y)                                              \
        for (int x = 0; x < 3; ++x)                                            \
          expected[(y + 2) * Width + x + 2] = 5;                               \
      llvm_hpvm_request_mem(grid, sizeof grid);                                \
      llvm_hpvm_untrack_mem(grid);                                             \
    }                                                                          \
    bad += compare(isTracked ? #NAME " tracked" : #NAME);                      \
  }

int main(void) {
  int bad = 0;
  for (int i = 0; i < Size; ++i)
    indices[i] = i * 5 % Size;
  __hpvm__init();
#ifdef ONLY_WHOLE
  static long more[Size];
  struct Arguments a = {more, sizeof more, indices, sizeof indices,
                        Width, Width, Height};
  llvm_hpvm_track_mem(more, sizeof more);
  __hpvm__wait(__hpvm__launch(0, wholeRoot, &a));
  llvm_hpvm_request_mem(more, sizeof more);
  llvm_hpvm_untrack_mem(more);
#else
  RUN(whole, Width, Height, to[y * width + x] = x - y;)
  RUN(inner, Width - 2, Height - 2, to[(y + 1) * width + x + 1] = x + y;)
  RUN(some, Width, Height, if ((x + y) % 3 == 0) to[y * width + x] = x * y;)
  RUN(several, Width / 3 - 1, 5,
      for (long k = 0; k < x % 3; ++k) to[(y * width + x) * 3 + k] = k;)
  RUN(scattered, Width, Height / 2, to[index[y * width + x]] = y;)
#endif
  __hpvm__cleanup();
  return bad != 0;
}
