//===- kernels.cuh - The rows of the table of devices in CUDA C++ ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same algorithms as in Sluice's leaves. Where a line of threads is no
// multiple of a block, those beyond its end return.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_CUDA_KERNELS_CUH
#define SLUICE_BENCH_DEVICE_CUDA_KERNELS_CUH

#include "../problems.h"

static __device__ inline size_t column() {
  return size_t(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ inline size_t row() {
  return size_t(blockIdx.y) * blockDim.y + threadIdx.y;
}

static __global__ void saxpy(const float *__restrict__ x, float *__restrict__ y,
                             float factor, size_t count) {
  size_t i = column();
  if (i < count)
    y[i] = factor * x[i] + y[i];
}

static __global__ void stencil(const float *__restrict__ from,
                               float *__restrict__ to, float weight,
                               size_t size) {
  size_t x = column(), y = row();
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  to[i] = weight * (from[i] + from[i - 1] + from[i + 1] + from[i - size] +
                    from[i + size]);
}

static __global__ void matmulTiled(const float *__restrict__ a,
                                   const float *__restrict__ b,
                                   float *__restrict__ c) {
  __shared__ float aTile[matmulTile][matmulTile];
  __shared__ float bTile[matmulTile][matmulTile];
  size_t x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  for (size_t t = 0; t < matmulSize / matmulTile; ++t) {
    aTile[y][x] = a[row() * matmulSize + t * matmulTile + x];
    bTile[y][x] = b[(t * matmulTile + y) * matmulSize + column()];
    __syncthreads();
    for (size_t k = 0; k < matmulTile; ++k)
      sum += aTile[y][k] * bTile[k][x];
    __syncthreads();
  }
  c[row() * matmulSize + column()] = sum;
}

static __global__ void histogram(const int *__restrict__ input, int *counts,
                                 size_t count) {
  size_t i = column();
  if (i < count)
    atomicAdd(&counts[input[i]], 1);
}

static __global__ void reduction(const int *__restrict__ input, int *sum) {
  __shared__ int part[reductionGroup];
  size_t i = threadIdx.x;
  part[i] = input[column()];
  __syncthreads();
  for (size_t half = reductionGroup / 2; half > 0; half /= 2) {
    if (i < half)
      part[i] += part[i + half];
    __syncthreads();
  }
  if (i == 0)
    atomicAdd(sum, part[0]);
}

static __global__ void smooth(const float *__restrict__ in,
                              float *__restrict__ out, size_t size) {
  size_t x = column(), y = row();
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  out[i] = 0.0625f * (in[i - size - 1] + in[i - size + 1] + in[i + size - 1] +
                      in[i + size + 1]) +
           0.125f * (in[i - size] + in[i - 1] + in[i + 1] + in[i + size]) +
           0.25f * in[i];
}

static __global__ void sharpen(const float *__restrict__ in,
                               float *__restrict__ out, size_t size) {
  size_t x = column(), y = row();
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  out[i] = 5.0f * in[i] - in[i - size] - in[i - 1] - in[i + 1] - in[i + size];
}

static __global__ void slope(const float *__restrict__ in,
                             float *__restrict__ out, size_t size) {
  size_t x = column(), y = row();
  if (x >= size - 2 || y >= size - 2)
    return;
  size_t i = (y + 1) * size + x + 1;
  float across = in[i - size + 1] + 2.0f * in[i + 1] + in[i + size + 1] -
                 in[i - size - 1] - 2.0f * in[i - 1] - in[i + size - 1];
  out[i] = across < 0.0f ? -across : across;
}

static __global__ void upload(const float *__restrict__ in,
                              float *__restrict__ out) {
  size_t i = column();
  if (i < transferInstances)
    out[i] = in[i * transferStride];
}

static __global__ void download(float *memory) {
  size_t i = column();
  if (i < transferSize)
    memory[i] = float(i % 128);
}

static __global__ void addOne(int *memory) {
  size_t i = column();
  if (i < chainSize)
    memory[i] += 1;
}

static __global__ void launch(int *output) {
  size_t i = column();
  if (i < launchInstances)
    output[i * launchStride] = int(i) + 1;
}

#endif // SLUICE_BENCH_DEVICE_CUDA_KERNELS_CUH
