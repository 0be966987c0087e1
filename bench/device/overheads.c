//===- overheads.c - Transfers, an empty launch, a chain of small ones ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What using a device costs beside the kernel itself: transfers, an empty
// launch, and a chain of small ones.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

//===-- transfers
//----------------------------------------------------------===//

void uploadLeaf(float *in, size_t bytesIn, float *out, size_t bytesOut) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, in, out, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  out[i] = in[i * transferStride];
}

void uploadRoot(float *in, size_t bytesIn, float *out, size_t bytesOut) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, in, out, 1, out);
  void *leaf = __hpvm__createNodeND(1, uploadLeaf, (size_t)transferInstances);
  BIND_MEMORY(leaf, 0, 0, 0);
  BIND_MEMORY(leaf, 1, 1, 0);
}

void downloadLeaf(float *memory, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 1, memory);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  memory[i] = (float)(i % 128);
}

void downloadRoot(float *memory, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, memory);
  void *leaf = __hpvm__createNodeND(1, downloadLeaf, (size_t)transferSize);
  BIND_MEMORY(leaf, 0, 0, 0);
}

typedef struct __attribute__((__packed__)) {
  float *in;
  size_t bytesIn;
  float *out;
  size_t bytesOut;
} UploadArguments;

typedef struct __attribute__((__packed__)) {
  float *memory;
  size_t bytes;
} DownloadArguments;

/// The host may have written all of it.
static void runUpload(void) {
  UploadArguments arguments = {transferMemory, transferBytes, transferSum,
                               transferSumBytes};
  takeHome(transferMemory, transferBytes);
  __hpvm__wait(__hpvm__launch(0, uploadRoot, (void *)&arguments));
}

/// What a node only writes is never sent.
static void runDownload(void) {
  DownloadArguments arguments = {transferMemory, transferBytes};
  __hpvm__wait(__hpvm__launch(0, downloadRoot, (void *)&arguments));
  takeHome(transferMemory, transferBytes);
}

static void allocateTransfer(void) {
  transferAllocate();
  llvm_hpvm_track_mem(transferMemory, transferBytes);
  llvm_hpvm_track_mem(transferSum, transferSumBytes);
}

static void resetUpload(void) {
  takeHome(transferMemory, transferBytes);
  takeHome(transferSum, transferSumBytes);
  transferReset();
}

static void resetDownload(void) {
  takeHome(transferMemory, transferBytes);
  downloadReset();
}

static const char *verifyUpload(void) {
  takeHome(transferSum, transferSumBytes);
  return uploadVerify();
}

static void releaseTransfer(void) {
  llvm_hpvm_untrack_mem(transferMemory);
  llvm_hpvm_untrack_mem(transferSum);
  transferRelease();
}

BenchRow uploadRow(void) {
  BenchRow row = UPLOAD_ROW(runUpload);
  row.allocate = allocateTransfer, row.release = releaseTransfer;
  row.reset = resetUpload, row.verify = verifyUpload;
  return row;
}

BenchRow downloadRow(void) {
  BenchRow row = DOWNLOAD_ROW(runDownload);
  row.allocate = allocateTransfer, row.release = releaseTransfer;
  row.reset = resetDownload;
  return row;
}

//===-- an empty launch
//----------------------------------------------------===//

void launchLeaf(int *output, size_t bytesOutput) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, output, 1, output);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  output[i * launchStride] = (int)i + 1;
}

void launchRoot(int *output, size_t bytesOutput) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, output, 1, output);
  void *leaf = __hpvm__createNodeND(1, launchLeaf, (size_t)launchInstances);
  BIND_MEMORY(leaf, 0, 0, 0);
}

typedef struct __attribute__((__packed__)) {
  int *output;
  size_t bytesOutput;
} LaunchArguments;

static const size_t outputBytes = sizeof(int) * launchStride * launchInstances;

static void runLaunch(void) {
  LaunchArguments arguments = {launchOutput, outputBytes};
  __hpvm__wait(__hpvm__launch(0, launchRoot, (void *)&arguments));
}

static void allocateLaunch(void) {
  launchAllocate();
  llvm_hpvm_track_mem(launchOutput, outputBytes);
}

static void resetLaunch(void) {
  takeHome(launchOutput, outputBytes);
  launchReset();
}

static const char *verifyLaunch(void) {
  takeHome(launchOutput, outputBytes);
  return launchVerify();
}

static void releaseLaunch(void) {
  llvm_hpvm_untrack_mem(launchOutput);
  launchRelease();
}

BenchRow launchRow(void) {
  BenchRow row = LAUNCH_ROW(runLaunch);
  row.allocate = allocateLaunch, row.release = releaseLaunch;
  row.reset = resetLaunch, row.verify = verifyLaunch;
  return row;
}

//===-- a chain of small kernels
//-------------------------------------------===//

void addOneLeaf(int *memory, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, memory, 1, memory);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  memory[i] += 1;
  __hpvm__return(1, bytes);
}

#define LINK(BEFORE, NODE)                                                     \
  void *NODE = __hpvm__createNodeND(1, addOneLeaf, (size_t)chainSize);         \
  __hpvm__bindIn(NODE, 0, 0, 0);                                               \
  __hpvm__edge(BEFORE, NODE, 1, 0, 1, 0);

#define TEN_LINKS(BEFORE, NAME)                                                \
  LINK(BEFORE, NAME##0)                                                        \
  LINK(NAME##0, NAME##1)                                                       \
  LINK(NAME##1, NAME##2)                                                       \
  LINK(NAME##2, NAME##3)                                                       \
  LINK(NAME##3, NAME##4)                                                       \
  LINK(NAME##4, NAME##5)                                                       \
  LINK(NAME##5, NAME##6)                                                       \
  LINK(NAME##6, NAME##7)                                                       \
  LINK(NAME##7, NAME##8)                                                       \
  LINK(NAME##8, NAME##9)

void chainRoot(int *memory, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, memory, 1, memory);
  void *first = __hpvm__createNodeND(1, addOneLeaf, (size_t)chainSize);
  BIND_MEMORY(first, 0, 0, 0);
  TEN_LINKS(first, a)
  TEN_LINKS(a9, b)
  TEN_LINKS(b9, c)
  TEN_LINKS(c9, d)
  TEN_LINKS(d9, e)
  TEN_LINKS(e9, f)
  TEN_LINKS(f9, g)
  TEN_LINKS(g9, h)
  TEN_LINKS(h9, i)
  LINK(i9, j0)
  LINK(j0, j1)
  LINK(j1, j2)
  LINK(j2, j3)
  LINK(j3, j4)
  LINK(j4, j5)
  LINK(j5, j6)
  LINK(j6, j7)
  LINK(j7, j8)
  __hpvm__bindOut(j8, 0, 0, 0);
}

typedef struct __attribute__((__packed__)) {
  int *memory;
  size_t bytes;
  size_t written;
} ChainArguments;

static void runChain(void) {
  ChainArguments arguments = {chainMemory, chainBytes, 0};
  __hpvm__wait(__hpvm__launch(0, chainRoot, (void *)&arguments));
}

static void allocateChain(void) {
  chainAllocate();
  llvm_hpvm_track_mem(chainMemory, chainBytes);
}

static void resetChain(void) {
  takeHome(chainMemory, chainBytes);
  chainReset();
}

static const char *verifyChain(void) {
  takeHome(chainMemory, chainBytes);
  return chainVerify();
}

static void releaseChain(void) {
  llvm_hpvm_untrack_mem(chainMemory);
  chainRelease();
}

BenchRow chainRow(void) {
  BenchRow row = CHAIN_ROW(runChain);
  row.allocate = allocateChain, row.release = releaseChain;
  row.reset = resetChain, row.verify = verifyChain;
  return row;
}
