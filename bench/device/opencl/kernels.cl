//===- kernels.cl - The rows of the table of devices in OpenCL C ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that are constants of Sluice's leaves arrive as macros from the host
// program. Where a line of instances is no multiple of a group, those beyond
// its end return.
//
//===----------------------------------------------------------------------===//

#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(global const float *restrict x, global float *restrict y,
                  float factor) {
  size_t i = get_global_id(0);
  y[i] = factor * x[i] + y[i];
}

kernel void stencil(global const float *restrict from,
                    global float *restrict to, float weight) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x >= GRID - 2 || y >= GRID - 2)
    return;
  size_t i = (y + 1) * GRID + x + 1;
  to[i] = weight * (from[i] + from[i - 1] + from[i + 1] + from[i - GRID] +
                    from[i + GRID]);
}

kernel void matmulTiled(global const float *restrict a,
                        global const float *restrict b,
                        global float *restrict c) {
  local float aTile[TILE][TILE], bTile[TILE][TILE];
  size_t x = get_local_id(0), y = get_local_id(1);
  size_t column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
  float sum = 0.0f;
  for (size_t t = 0; t < SIZE / TILE; ++t) {
    aTile[y][x] = a[row * SIZE + t * TILE + x];
    bTile[y][x] = b[(t * TILE + y) * SIZE + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < TILE; ++k)
      sum += aTile[y][k] * bTile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * SIZE + column] = sum;
}

kernel void histogram(global const int *restrict input, global int *counts) {
  atomic_add(&counts[input[get_global_id(0)]], 1);
}

kernel void reduction(global const int *restrict input, global int *sum) {
  local int part[GROUP];
  size_t i = get_local_id(0);
  part[i] = input[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t half_ = GROUP / 2; half_ > 0; half_ /= 2) {
    if (i < half_)
      part[i] += part[i + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    atomic_add(sum, part[0]);
}

kernel void smooth(global const float *restrict in, global float *restrict out,
                   ulong size) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  out[i] = 0.0625f * (in[i - size - 1] + in[i - size + 1] + in[i + size - 1] +
                      in[i + size + 1]) +
           0.125f * (in[i - size] + in[i - 1] + in[i + 1] + in[i + size]) +
           0.25f * in[i];
}

kernel void sharpen(global const float *restrict in,
                    global float *restrict out, ulong size) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  out[i] = 5.0f * in[i] - in[i - size] - in[i - 1] - in[i + 1] - in[i + size];
}

kernel void slope(global const float *restrict in, global float *restrict out,
                  ulong size) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  float across = in[i - size + 1] + 2.0f * in[i + 1] + in[i + size + 1] -
                 in[i - size - 1] - 2.0f * in[i - 1] - in[i + size - 1];
  out[i] = across < 0.0f ? -across : across;
}

kernel void upload(global const float *restrict in, global float *restrict out,
                   ulong stride, ulong count) {
  size_t i = get_global_id(0);
  if (i < count)
    out[i] = in[i * stride];
}

kernel void download(global float *memory) {
  size_t i = get_global_id(0);
  memory[i] = (float)(i % 128);
}

kernel void addOne(global int *memory, ulong size) {
  size_t i = get_global_id(0);
  if (i < size)
    memory[i] += 1;
}

kernel void launch(global int *output, ulong stride) {
  size_t i = get_global_id(0);
  output[i * stride] = (int)i + 1;
}
