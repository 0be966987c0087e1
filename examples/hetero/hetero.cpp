//===- hetero.cpp - A picture sharpened in Hetero-C++ ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges of the graph are inferred: 'blur' and 'mean' only read the picture and
// may run at once; 'sharpen' takes what both leave, a buffer and a number.
// Called as an ordinary function, 'process' computes the same one after
// another.
//
//===----------------------------------------------------------------------===//

#include <hetero.h>

#include <cstdio>
#include <cstring>
#include <vector>

static void process(float *In, size_t InBytes, float *Rows, size_t RowsBytes,
                    float *Blurred, size_t BlurredBytes, float *Out,
                    size_t OutBytes, long Width, long Height) {
  double Mean = 0;
  void *Section = __hetero_section_begin();

  void *Blur = __hetero_task_begin(5, In, InBytes, Rows, RowsBytes, Blurred,
                                   BlurredBytes, Width, Height, 2, Rows,
                                   RowsBytes, Blurred, BlurredBytes, "blur");
  void *Passes = __hetero_section_begin();
  for (long Y = 0; Y < Height; ++Y)
    for (long X = 1; X < Width - 1; ++X) {
      __hetero_parallel_loop(2, 3, In, InBytes, Rows, RowsBytes, Width, 1, Rows,
                             RowsBytes, "blur_rows");
      const float *P = &In[Y * Width + X];
      Rows[Y * Width + X] = 0.25f * P[-1] + 0.5f * P[0] + 0.25f * P[1];
    }
  for (long Y = 1; Y < Height - 1; ++Y)
    for (long X = 1; X < Width - 1; ++X) {
      __hetero_parallel_loop(2, 3, Rows, RowsBytes, Blurred, BlurredBytes,
                             Width, 1, Blurred, BlurredBytes, "blur_columns");
      const float *P = &Rows[Y * Width + X];
      Blurred[Y * Width + X] =
          0.25f * P[-Width] + 0.5f * P[0] + 0.25f * P[Width];
    }
  __hetero_section_end(Passes);
  __hetero_task_end(Blur);

  void *Sum =
      __hetero_task_begin(3, In, InBytes, Width, Height, 1, Mean, "mean");
  for (long I = 0; I < Width * Height; ++I)
    Mean += In[I];
  Mean /= double(Width * Height);
  __hetero_task_end(Sum);

  for (long Y = 1; Y < Height - 1; ++Y)
    for (long X = 1; X < Width - 1; ++X) {
      __hetero_parallel_loop(2, 5, In, InBytes, Blurred, BlurredBytes, Out,
                             OutBytes, Mean, Width, 1, Out, OutBytes,
                             "sharpen");
      long I = Y * Width + X;
      Out[I] = In[I] + (In[I] - Blurred[I]) * (In[I] > Mean ? 1.5f : 0.5f);
    }
  __hetero_section_end(Section);
}

int main() {
  constexpr long Width = 320, Height = 200;
  constexpr size_t Count = Width * Height, Bytes = Count * sizeof(float);
  std::vector<float> In(Count), Rows(Count), Blurred(Count), Out(Count);
  for (size_t I = 0; I < Count; ++I)
    In[I] = float((I * 7919 + I / Width * 104729) % 256);

  void *Graph = __hetero_launch(
      (void *)process, 6, In.data(), Bytes, Rows.data(), Bytes, Blurred.data(),
      Bytes, Out.data(), Bytes, Width, Height, 1, Out.data(), Bytes);
  __hetero_wait(Graph);

  std::vector<float> Expected(Count), A(Count), B(Count);
  process(In.data(), Bytes, A.data(), Bytes, B.data(), Bytes, Expected.data(),
          Bytes, Width, Height);
  if (std::memcmp(Out.data(), Expected.data(), Bytes) != 0) {
    std::printf("hetero: the graph differs from the plain code\n");
    return 1;
  }
  std::printf("hetero: ok\n");
}
