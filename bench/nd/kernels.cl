//===- kernels.cl - The data-parallel rows in OpenCL C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes arrive as macros from the host program.
//
//===----------------------------------------------------------------------===//

kernel void saxpy(global const float *restrict x, global float *restrict y,
                  float factor) {
  size_t i = get_global_id(0);
  y[i] = factor * x[i] + y[i];
}

kernel void matmulTiled(global const float *restrict a,
                        global const float *restrict b,
                        global float *restrict c) {
  local float aTile[TILE][TILE], bTile[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < SIZE / TILE; ++t) {
    aTile[y][x] = a[row * SIZE + t * TILE + x];
    bTile[y][x] = b[(t * TILE + y) * SIZE + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      sum += aTile[y][k] * bTile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * SIZE + column] = sum;
}

kernel void matmulNaive(global const float *restrict a,
                        global const float *restrict b,
                        global float *restrict c) {
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < SIZE; ++k)
    sum += a[row * SIZE + k] * b[k * SIZE + column];
  c[row * SIZE + column] = sum;
}

kernel void stencil(global const float *restrict from,
                    global float *restrict to, float weight) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * GRID + x;
  if (x > 0 && x < GRID - 1 && y > 0 && y < GRID - 1)
    to[i] = weight * (from[i] + from[i - 1] + from[i + 1] + from[i - GRID] +
                      from[i + GRID]);
}

kernel void reduction(global const int *restrict input, global int *sum) {
  local int part[GROUP];
  int i = get_local_id(0);
  part[i] = input[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {
    if (i < half_)
      part[i] += part[i + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    atomic_add(sum, part[0]);
}

kernel void histogram(global const int *restrict input, global int *counts) {
  atomic_add(&counts[input[get_global_id(0)]], 1);
}

kernel void launch(global int *output) {
  int i = get_global_id(0);
  output[i * STRIDE] = i + 1;
}
