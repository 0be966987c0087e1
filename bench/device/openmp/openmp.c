//===- openmp.c - The table of devices, written by hand in OpenMP ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as OpenMP programs have them: the compiler chooses teams and threads,
// and the host goes on when a target region has ended. Memory of the device is
// made by a row's `allocate`, filled by its `reset` and read by its `verify`; a
// repetition has no transfer but in the rows that measure them.
//
//===----------------------------------------------------------------------===//

#include "../problems.h"

/// Columns of the matrix product that one iteration computes: 1 suits a GPU,
/// whose threads then read neighbouring numbers; vectors want more.
#ifndef MATMUL_COLUMNS
#define MATMUL_COLUMNS 16
#endif

#define DIRECTIVE(...) _Pragma(#__VA_ARGS__)

/// Memory of the device that belongs to `COUNT` elements of the host.
#define MAKE(MEMORY, COUNT)                                                    \
  DIRECTIVE(omp target enter data map(alloc : MEMORY [0:COUNT]))
#define DROP(MEMORY, COUNT)                                                    \
  DIRECTIVE(omp target exit data map(delete : MEMORY [0:COUNT]))
#define WRITE(MEMORY, COUNT) DIRECTIVE(omp target update to(MEMORY [0:COUNT]))
#define READ(MEMORY, COUNT) DIRECTIVE(omp target update from(MEMORY [0:COUNT]))

/// All iterations of the loops that follow, on the device.
#define ON_DEVICE(...)                                                         \
  DIRECTIVE(omp target teams distribute parallel for __VA_ARGS__)

//===-- saxpy -------------------------------------------------------------===//

static void allocateSaxpy(void) {
  saxpyAllocate();
  MAKE(saxpyX, saxpySize)
  MAKE(saxpyY, saxpySize)
}

static void resetSaxpy(void) {
  saxpyReset();
  WRITE(saxpyX, saxpySize)
  WRITE(saxpyY, saxpySize)
}

static void runSaxpy(void) {
  const float *x = saxpyX, factor = saxpyFactor;
  float *y = saxpyY;
  ON_DEVICE()
  for (long i = 0; i < saxpySize; ++i)
    y[i] = factor * x[i] + y[i];
}

static const char *verifySaxpy(void) {
  READ(saxpyY, saxpySize)
  return saxpyVerify();
}

static void releaseSaxpy(void) {
  DROP(saxpyX, saxpySize)
  DROP(saxpyY, saxpySize)
  saxpyRelease();
}

//===-- stencil -----------------------------------------------------------===//

enum { stencilPoints = stencilSize * stencilSize };

static void allocateStencil(void) {
  stencilAllocate();
  MAKE(stencilFrom, stencilPoints)
  MAKE(stencilTo, stencilPoints)
}

static void resetStencil(void) {
  stencilReset();
  WRITE(stencilFrom, stencilPoints)
  WRITE(stencilTo, stencilPoints)
}

static void sweep(const float *from, float *to, float weight) {
  ON_DEVICE(collapse(2))
  for (long y = 1; y < stencilSize - 1; ++y)
    for (long x = 1; x < stencilSize - 1; ++x) {
      long i = y * stencilSize + x;
      to[i] = weight * (from[i] + from[i - 1] + from[i + 1] +
                        from[i - stencilSize] + from[i + stencilSize]);
    }
}

static void runStencil(void) {
  for (int i = 0; i < stencilSweeps; ++i)
    sweep(i % 2 ? stencilTo : stencilFrom, i % 2 ? stencilFrom : stencilTo,
          stencilWeight);
}

static const char *verifyStencil(void) {
  READ(stencilFrom, stencilPoints)
  return stencilVerify();
}

static void releaseStencil(void) {
  DROP(stencilFrom, stencilPoints)
  DROP(stencilTo, stencilPoints)
  stencilRelease();
}

//===-- matrix product ----------------------------------------------------===//

enum { matmulNumbers = matmulSize * matmulSize };

static void allocateMatmul(void) {
  matmulAllocate();
  MAKE(matmulA, matmulNumbers)
  MAKE(matmulB, matmulNumbers)
  MAKE(matmulC, matmulNumbers)
}

static void resetMatmul(void) {
  matmulReset();
  WRITE(matmulA, matmulNumbers)
  WRITE(matmulB, matmulNumbers)
  WRITE(matmulC, matmulNumbers)
}

static void runMatmul(void) {
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
  ON_DEVICE(collapse(2))
  for (long row = 0; row < matmulSize; ++row)
    for (long column = 0; column < matmulSize; column += MATMUL_COLUMNS) {
      float sum[MATMUL_COLUMNS] = {0.0f};
      for (long k = 0; k < matmulSize; ++k)
        for (long i = 0; i < MATMUL_COLUMNS; ++i)
          sum[i] += a[row * matmulSize + k] * b[k * matmulSize + column + i];
      for (long i = 0; i < MATMUL_COLUMNS; ++i)
        c[row * matmulSize + column + i] = sum[i];
    }
}

static const char *verifyMatmul(void) {
  READ(matmulC, matmulNumbers)
  return matmulVerify();
}

static void releaseMatmul(void) {
  DROP(matmulA, matmulNumbers)
  DROP(matmulB, matmulNumbers)
  DROP(matmulC, matmulNumbers)
  matmulRelease();
}

//===-- histogram ---------------------------------------------------------===//

static void allocateHistogram(void) {
  histogramAllocate();
  MAKE(histogramInput, histogramSize)
  MAKE(histogramCounts, histogramBins)
}

static void resetHistogram(void) {
  histogramReset();
  WRITE(histogramInput, histogramSize)
  WRITE(histogramCounts, histogramBins)
}

static void runHistogram(void) {
  const int *input = histogramInput;
  int *counts = histogramCounts;
  ON_DEVICE()
  for (long i = 0; i < histogramSize; ++i) {
    DIRECTIVE(omp atomic)
    counts[input[i]] += 1;
  }
}

static const char *verifyHistogram(void) {
  READ(histogramCounts, histogramBins)
  return histogramVerify();
}

static void releaseHistogram(void) {
  DROP(histogramInput, histogramSize)
  DROP(histogramCounts, histogramBins)
  histogramRelease();
}

//===-- reduction ---------------------------------------------------------===//

static void allocateReduction(void) {
  reductionAllocate();
  MAKE(reductionInput, reductionSize)
}

static void resetReduction(void) {
  reductionReset();
  WRITE(reductionInput, reductionSize)
}

static void runReduction(void) {
  const int *input = reductionInput;
  int sum = 0;
  ON_DEVICE(reduction(+ : sum) map(tofrom : sum))
  for (long i = 0; i < reductionSize; ++i)
    sum += input[i];
  *reductionSum += sum;
}

static void releaseReduction(void) {
  DROP(reductionInput, reductionSize)
  reductionRelease();
}

//===-- filters -----------------------------------------------------------===//

/// A pass over all points that have eight neighbours.
#define FILTER_ON_DEVICE(FILTER, IN, OUT, SIZE)                                \
  {                                                                            \
    const float *in = (IN);                                                    \
    float *out = (OUT);                                                        \
    ON_DEVICE(collapse(2))                                                     \
    FILTER_PASS(FILTER, in, out, SIZE);                                        \
  }

enum { filtersPoints = filtersSize * filtersSize };

static void allocateFilters(void) {
  filtersAllocate();
  for (int i = 0; i < 4; ++i) {
    float *picture = filtersPicture[i];
    MAKE(picture, filtersPoints)
  }
}

static void resetFilters(void) {
  filtersReset();
  for (int i = 0; i < 4; ++i) {
    float *picture = filtersPicture[i];
    WRITE(picture, filtersPoints)
  }
}

static void runFilters(void) {
  float **picture = filtersPicture;
  FILTER_ON_DEVICE(filterSmooth, picture[0], picture[1], filtersSize)
  FILTER_ON_DEVICE(filterSharpen, picture[1], picture[2], filtersSize)
  FILTER_ON_DEVICE(filterSlope, picture[2], picture[3], filtersSize)
}

static const char *verifyFilters(void) {
  float *picture = filtersPicture[3];
  READ(picture, filtersPoints)
  return filtersVerify();
}

static void releaseFilters(void) {
  for (int i = 0; i < 4; ++i) {
    float *picture = filtersPicture[i];
    DROP(picture, filtersPoints)
  }
  filtersRelease();
}

//===-- transfers ---------------------------------------------------------===//

static void allocateTransfer(void) {
  transferAllocate();
  MAKE(transferMemory, transferSize)
  MAKE(transferSum, transferInstances)
}

static void runUpload(void) {
  WRITE(transferMemory, transferSize)
  const float *memory = transferMemory;
  float *sum = transferSum;
  ON_DEVICE()
  for (long i = 0; i < transferInstances; ++i)
    sum[i] = memory[i * transferStride];
}

static const char *verifyUpload(void) {
  READ(transferSum, transferInstances)
  return uploadVerify();
}

static void runDownload(void) {
  float *memory = transferMemory;
  ON_DEVICE()
  for (long i = 0; i < transferSize; ++i)
    memory[i] = (float)(i % 128);
  READ(transferMemory, transferSize)
}

static void releaseTransfer(void) {
  DROP(transferMemory, transferSize)
  DROP(transferSum, transferInstances)
  transferRelease();
}

//===-- overheads ---------------------------------------------------------===//

enum { launchNumbers = launchStride * launchInstances };

static void allocateLaunch(void) {
  launchAllocate();
  MAKE(launchOutput, launchNumbers)
}

static void resetLaunch(void) {
  launchReset();
  WRITE(launchOutput, launchNumbers)
}

static void runLaunch(void) {
  int *output = launchOutput;
  ON_DEVICE()
  for (long i = 0; i < launchInstances; ++i)
    output[i * launchStride] = (int)i + 1;
}

static const char *verifyLaunch(void) {
  READ(launchOutput, launchNumbers)
  return launchVerify();
}

static void releaseLaunch(void) {
  DROP(launchOutput, launchNumbers)
  launchRelease();
}

static void allocateChain(void) {
  chainAllocate();
  MAKE(chainMemory, chainSize)
}

static void resetChain(void) {
  chainReset();
  WRITE(chainMemory, chainSize)
}

static void runChain(void) {
  int *memory = chainMemory;
  for (int kernel = 0; kernel < chainKernels; ++kernel) {
    ON_DEVICE()
    for (long i = 0; i < chainSize; ++i)
      memory[i] += 1;
  }
}

static const char *verifyChain(void) {
  READ(chainMemory, chainSize)
  return chainVerify();
}

static void releaseChain(void) {
  DROP(chainMemory, chainSize)
  chainRelease();
}

//===-- stream: one picture after another ---------------------------------===//

enum { streamPoints = streamSize * streamSize };

static void allocateStream(void) {
  streamAllocate();
  for (int slot = 0; slot < streamSlots; ++slot) {
    float *in = streamInput[slot], *out = streamOutput[slot];
    MAKE(in, streamPoints)
    MAKE(out, streamPoints)
    for (int i = 0; i < 2; ++i) {
      float *between = streamBetween[slot][i];
      MAKE(between, streamPoints)
    }
  }
}

/// The borders stay as they are here.
static void resetStream(void) {
  streamReset();
  for (int slot = 0; slot < streamSlots; ++slot) {
    float *out = streamOutput[slot];
    WRITE(out, streamPoints)
    for (int i = 0; i < 2; ++i) {
      float *between = streamBetween[slot][i];
      WRITE(between, streamPoints)
    }
  }
}

static void runStream(void) {
  for (int item = 0; item < streamItems; ++item) {
    int slot = item % streamSlots;
    float *first = streamInput[slot], *last = streamOutput[slot];
    float **between = streamBetween[slot];
    WRITE(first, streamPoints)
    FILTER_ON_DEVICE(filterSmooth, first, between[0], streamSize)
    FILTER_ON_DEVICE(filterSharpen, between[0], between[1], streamSize)
    FILTER_ON_DEVICE(filterSlope, between[1], last, streamSize)
    READ(last, streamPoints)
  }
}

static void releaseStream(void) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    float *in = streamInput[slot], *out = streamOutput[slot];
    DROP(in, streamPoints)
    DROP(out, streamPoints)
    for (int i = 0; i < 2; ++i) {
      float *between = streamBetween[slot][i];
      DROP(between, streamPoints)
    }
  }
  streamRelease();
}

/// Declared here because not every installation has omp.h.
int omp_get_num_devices(void);

int main(void) {
  if (omp_get_num_devices() == 0) {
    fprintf(stderr, "OpenMP: there is no device\n");
    return 1;
  }
  BenchRow rows[] = {SAXPY_ROW(runSaxpy),
                     STENCIL_ROW("stencil", runStencil),
                     MATMUL_ROW("matmul-tiled", runMatmul, 2),
                     HISTOGRAM_ROW("histogram", runHistogram),
                     REDUCTION_ROW("reduction", runReduction),
                     FILTERS_ROW(runFilters),
                     UPLOAD_ROW(runUpload),
                     DOWNLOAD_ROW(runDownload),
                     LAUNCH_ROW(runLaunch),
                     CHAIN_ROW(runChain),
                     STREAM_ROW(runStream)};
#define ROW(AT, NAME)                                                          \
  rows[AT].allocate = allocate##NAME, rows[AT].reset = reset##NAME,            \
  rows[AT].verify = verify##NAME, rows[AT].release = release##NAME
  ROW(0, Saxpy);
  ROW(1, Stencil);
  ROW(2, Matmul);
  ROW(3, Histogram);
  rows[4].allocate = allocateReduction, rows[4].reset = resetReduction;
  rows[4].release = releaseReduction;
  ROW(5, Filters);
  rows[6].verify = verifyUpload;
  rows[6].allocate = rows[7].allocate = allocateTransfer;
  rows[6].release = rows[7].release = releaseTransfer;
  ROW(8, Launch);
  ROW(9, Chain);
  rows[10].allocate = allocateStream, rows[10].reset = resetStream;
  rows[10].release = releaseStream;
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
