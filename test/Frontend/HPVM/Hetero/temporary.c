// A buffer that only the nodes of a section use, as plain code as well.
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_TILE_CACHE=4000 SLUICE_WORKERS=3 %sluice run %s | FileCheck %s
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | FileCheck %s
// CHECK: 0 wrong
// RUN: %sluice build %s --print=plan | FileCheck %s --check-prefix=PLAN
// PLAN: argument 'between' {{.*}}temporary
// PLAN: keeps a window of 'between'
//
// RUN: not %sluice check -DWRONG %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: temporary.c:[[#]]:3: error: 'sluice_temporary' takes a pointer that the graph around it takes

#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>

enum { Width = 80, Height = 400 };

static float mean(const float *from, int x, int y, int width, int height) {
  int above = y > 0 ? y - 1 : y, below = y < height - 1 ? y + 1 : y;
  return (from[(long)above * width + x] + from[(long)y * width + x] +
          from[(long)below * width + x]) *
         0.25f;
}

void twice(const float *from, size_t fromBytes, float *between,
           size_t betweenBytes, float *to, size_t toBytes, int width,
           int height) {
  void *section = __hetero_section_begin();
#ifdef WRONG
  sluice_temporary(0);
#else
  sluice_temporary(between);
#endif
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      __hetero_parallel_loop(2, 4, from, fromBytes, between, betweenBytes,
                             width, height, 1, between, betweenBytes);
      between[(long)y * width + x] = mean(from, x, y, width, height);
    }
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      __hetero_parallel_loop(2, 4, between, betweenBytes, to, toBytes, width,
                             height, 1, to, toBytes);
      to[(long)y * width + x] = mean(between, x, y, width, height);
    }
  __hetero_section_end(section);
}

static float from[Width * Height], between[Width * Height],
    to[Width * Height];

int main(void) {
  for (int i = 0; i < Width * Height; ++i)
    from[i] = i * 31 % 256;
  void *graph = __hetero_launch(
      (void *)twice, 5, from, sizeof from, between, sizeof between, to,
      sizeof to, (int)Width, (int)Height, 2, between, sizeof between, to,
      sizeof to);
  __hetero_wait(graph);
  __hetero_request_mem(to, sizeof to);
  int wrong = 0;
  float *expected = malloc(sizeof between);
  for (int y = 0; y < Height; ++y)
    for (int x = 0; x < Width; ++x)
      expected[y * Width + x] = mean(from, x, y, Width, Height);
  for (int y = 0; y < Height; ++y)
    for (int x = 0; x < Width; ++x)
      wrong += to[y * Width + x] != mean(expected, x, y, Width, Height);
  free(expected);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
