//===- cuda.cu - The table of devices, written by hand in CUDA C++ --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc -O3 -arch=native cuda.cu -o cuda            without cuBLAS
//   nvcc -O3 -arch=native -DWITH_CUBLAS cuda.cu -lcublas -o cuda
//
// BENCH_DEVICE says which device ("cuda:1"). "chain" is a CUDA graph of all its
// kernels, "chain-launches" launches each; "matmul-cublas" is the product of
// cuBLAS.
//
//===----------------------------------------------------------------------===//

#include "rows.cuh"

#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

//===-- a chain of small kernels
//-------------------------------------------===//

static cudaGraphExec_t chainGraph;

static void startChain() {
  for (int i = 0; i < chainKernels; ++i)
    addOne<<<1, chainSize, 0, stream>>>(at<int>(0));
}

static void allocateChain() {
  chainAllocate();
  open(1, chainBytes);
  cudaGraph_t graph;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  startChain();
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiateWithFlags(&chainGraph, graph, 0),
          "cudaGraphInstantiateWithFlags");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

static void resetChain() {
  chainReset();
  writeAll(0, chainMemory, chainBytes);
}

static void runChainGraph() {
  require(cudaGraphLaunch(chainGraph, stream), "cudaGraphLaunch");
  finish();
}

static void runChainLaunches() {
  startChain();
  finish();
}

static const char *verifyChain() {
  readAll(0, chainMemory, chainBytes);
  return chainVerify();
}

static void releaseChain() {
  require(cudaGraphExecDestroy(chainGraph), "cudaGraphExecDestroy");
  dropAll();
  chainRelease();
}

//===-- a stream of pictures
//-----------------------------------------------===//

/// Double buffering as it is written by hand: pinned memory, a stream for
/// uploads, one for kernels, one for downloads, and events between them.
struct StreamSlot {
  float *pictures[4];
  float *input, *output; ///< pinned
  cudaEvent_t written, computed, read;
};

static StreamSlot streamSlot[streamSlots];
static cudaStream_t uploads, downloads;

static void openSlot(StreamSlot &slot) {
  for (float *&picture : slot.pictures) {
    require(cudaMalloc(&picture, streamBytes), "cudaMalloc");
    require(cudaMemset(picture, 0, streamBytes), "cudaMemset");
  }
  require(cudaMallocHost(&slot.input, streamBytes), "cudaMallocHost");
  require(cudaMallocHost(&slot.output, streamBytes), "cudaMallocHost");
  for (cudaEvent_t *event : {&slot.written, &slot.computed, &slot.read})
    require(cudaEventCreateWithFlags(event, cudaEventDisableTiming),
            "cudaEventCreateWithFlags");
}

static void allocateStream() {
  streamAllocate();
  for (cudaStream_t *one : {&uploads, &downloads})
    require(cudaStreamCreateWithFlags(one, cudaStreamNonBlocking),
            "cudaStreamCreateWithFlags");
  for (StreamSlot &slot : streamSlot)
    openSlot(slot);
}

/// The pictures of a program that knows of pinned memory are there already.
static void resetStream() {
  streamReset();
  for (int i = 0; i < streamSlots; ++i)
    memcpy(streamSlot[i].input, streamInput[i], streamBytes);
}

static void pushItem(StreamSlot &slot) {
  require(cudaMemcpyAsync(slot.pictures[0], slot.input, streamBytes,
                          cudaMemcpyHostToDevice, uploads),
          "cudaMemcpyAsync");
  require(cudaEventRecord(slot.written, uploads), "cudaEventRecord");
  require(cudaStreamWaitEvent(stream, slot.written, 0), "cudaStreamWaitEvent");
  startFilters(stream, slot.pictures, streamSize);
  require(cudaEventRecord(slot.computed, stream), "cudaEventRecord");
  require(cudaStreamWaitEvent(downloads, slot.computed, 0),
          "cudaStreamWaitEvent");
  require(cudaMemcpyAsync(slot.output, slot.pictures[3], streamBytes,
                          cudaMemcpyDeviceToHost, downloads),
          "cudaMemcpyAsync");
  require(cudaEventRecord(slot.read, downloads), "cudaEventRecord");
}

static void runStream() {
  for (int i = 0; i < streamItems; ++i) {
    StreamSlot &slot = streamSlot[i % streamSlots];
    // An event that was never recorded has ended.
    require(cudaEventSynchronize(slot.read), "cudaEventSynchronize");
    pushItem(slot);
  }
  for (StreamSlot &slot : streamSlot)
    require(cudaEventSynchronize(slot.read), "cudaEventSynchronize");
}

static const char *verifyStream() {
  for (int i = 0; i < streamSlots; ++i)
    memcpy(streamOutput[i], streamSlot[i].output, streamBytes);
  return streamVerify();
}

static void releaseStream() {
  for (StreamSlot &slot : streamSlot) {
    for (float *picture : slot.pictures)
      require(cudaFree(picture), "cudaFree");
    require(cudaFreeHost(slot.input), "cudaFreeHost");
    require(cudaFreeHost(slot.output), "cudaFreeHost");
    for (cudaEvent_t event : {slot.written, slot.computed, slot.read})
      require(cudaEventDestroy(event), "cudaEventDestroy");
  }
  require(cudaStreamDestroy(uploads), "cudaStreamDestroy");
  require(cudaStreamDestroy(downloads), "cudaStreamDestroy");
  streamRelease();
}

//===-- cuBLAS
//-------------------------------------------------------------===//

#ifdef WITH_CUBLAS
static cublasHandle_t cublas;

static void requireBlas(cublasStatus_t status, const char *what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  fprintf(stderr, "cuBLAS: %s failed with status %d\n", what, int(status));
  exit(1);
}

static void allocateCublas() {
  allocateMatmul();
  requireBlas(cublasCreate(&cublas), "cublasCreate");
  requireBlas(cublasSetStream(cublas, stream), "cublasSetStream");
}

/// cuBLAS takes columns first, so it computes the transposed product.
static void runCublas() {
  const float one = 1.0f, zero = 0.0f;
  requireBlas(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, matmulSize,
                          matmulSize, matmulSize, &one, at<float>(1),
                          matmulSize, at<float>(0), matmulSize, &zero,
                          at<float>(2), matmulSize),
              "cublasSgemm");
  finish();
}

static void releaseCublas() {
  requireBlas(cublasDestroy(cublas), "cublasDestroy");
  releaseMatmul();
}
#endif

//===-- the table
//----------------------------------------------------------===//

static void openDevice() {
  const char *name = getenv("BENCH_DEVICE");
  const char *number = name ? strchr(name, ':') : nullptr;
  require(cudaSetDevice(number ? atoi(number + 1) : 0), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
}

template <typename Row>
static Row with(Row row, void (*allocate)(), void (*reset)(),
                const char *(*verify)(), void (*release)()) {
  row.allocate = allocate, row.reset = reset;
  row.verify = verify, row.release = release;
  return row;
}

int main() {
#define ROW(MACRO, NAME)                                                       \
  with(BenchRow MACRO, allocate##NAME, reset##NAME, verify##NAME, release##NAME)
  const BenchRow rows[] = {
      ROW(SAXPY_ROW(runSaxpy), Saxpy),
      ROW(STENCIL_ROW("stencil", runStencil), Stencil),
      ROW(MATMUL_ROW("matmul-tiled", runMatmul, 2), Matmul),
      ROW(HISTOGRAM_ROW("histogram", runHistogram), Histogram),
      ROW(REDUCTION_ROW("reduction", runReduction), Reduction),
      ROW(FILTERS_ROW(runFilters), Filters),
      with(BenchRow UPLOAD_ROW(runUpload), allocateTransfer, transferReset,
           verifyUpload, releaseTransfer),
      with(BenchRow DOWNLOAD_ROW(runDownload), allocateTransfer, downloadReset,
           downloadVerify, releaseTransfer),
      ROW(LAUNCH_ROW(runLaunch), Launch),
      ROW(CHAIN_ROW(runChainGraph), Chain),
      {"chain-launches", chainKernels, 20, allocateChain, resetChain,
       runChainLaunches, verifyChain, releaseChain},
#ifdef WITH_CUBLAS
      {"matmul-cublas", 2.0 * matmulSize * matmulSize * matmulSize, 2,
       allocateCublas, resetMatmul, runCublas, verifyMatmul, releaseCublas},
#endif
      ROW(STREAM_ROW(runStream), Stream)};
  openDevice();
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
