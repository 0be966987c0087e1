//===- CUDACopies.cpp - Transfers on CUDA queues --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA copies boxes with layers at distances of whole rows; other boxes are
// copied layer by layer, or row by row.
//
//===----------------------------------------------------------------------===//

#include "../LaunchChecks.h"
#include "CUDAQueue.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

CUDABuffer::~CUDABuffer() {
  if (wasForked())
    return;
  CurrentContext current(context);
  AllowedWhileRecording allowed(context);
  context.api.cuMemFree(address);
}

//===----------------------------------------------------------------------===//
// Runs of bytes
//===----------------------------------------------------------------------===//

/// Casts the buffer to one of this device.
Result<CUDABuffer *> CUDAQueue::own(Buffer &buffer) {
  auto *result = dynamic_cast<CUDABuffer *>(&buffer);
  if (result && &result->context == &context)
    return result;
  return foreignError(context.name, "a buffer");
}

Result<Event> CUDAQueue::write(Buffer &to, uint64_t offset, const void *from,
                               uint64_t size, std::span<const Event> after) {
  if (Status status = checkRange("write", to, offset, size); !status.ok())
    return status;
  Result<CUDABuffer *> buffer = own(to);
  if (!buffer.ok())
    return buffer.takeStatus();
  return run("cuMemcpyHtoDAsync", after, [&] {
    return size == 0 ? cudaSuccess
                     : context.api.cuMemcpyHtoDAsync(
                           (*buffer)->address + offset, from, size, stream);
  });
}

Result<Event> CUDAQueue::read(void *to, Buffer &from, uint64_t offset,
                              uint64_t size, std::span<const Event> after) {
  if (Status status = checkRange("read", from, offset, size); !status.ok())
    return status;
  Result<CUDABuffer *> buffer = own(from);
  if (!buffer.ok())
    return buffer.takeStatus();
  return run("cuMemcpyDtoHAsync", after, [&] {
    return size == 0 ? cudaSuccess
                     : context.api.cuMemcpyDtoHAsync(
                           to, (*buffer)->address + offset, size, stream);
  });
}

Result<Event> CUDAQueue::copy(Buffer &to, uint64_t toOffset, Buffer &from,
                              uint64_t fromOffset, uint64_t size,
                              std::span<const Event> after) {
  if (Status status = checkCopy(to, toOffset, from, fromOffset, size);
      !status.ok())
    return status;
  Result<CUDABuffer *> target = own(to);
  if (!target.ok())
    return target.takeStatus();
  Result<CUDABuffer *> source = own(from);
  if (!source.ok())
    return source.takeStatus();
  return run("cuMemcpyDtoDAsync", after, [&] {
    return size == 0
               ? cudaSuccess
               : context.api.cuMemcpyDtoDAsync((*target)->address + toOffset,
                                               (*source)->address + fromOffset,
                                               size, stream);
  });
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

CopyBox cuda::simplify(CopyBox box) {
  if (isEmpty(box)) {
    box.width = 0;
    box.rows = box.layers = 1;
  }
  if (box.rows > 1 && box.deviceRowPitch == box.width &&
      box.hostRowPitch == box.width) {
    box.width *= box.rows;
    box.rows = 1;
  }
  if (box.rows == 1) {
    box.rows = box.layers;
    box.deviceRowPitch = box.deviceLayerPitch;
    box.hostRowPitch = box.hostLayerPitch;
    box.layers = 1;
    if (box.rows > 1 && box.deviceRowPitch == box.width &&
        box.hostRowPitch == box.width) {
      box.width *= box.rows;
      box.rows = 1;
    }
  }
  return box;
}

/// Whether one call can copy the rows of a layer, on one side.
static bool hasPlainRows(uint64_t width, uint64_t pitch, uint64_t pitchLimit) {
  return pitch >= width && pitch <= pitchLimit;
}

/// Rows per layer for CUDA; 0 if a layer is not a whole number of rows.
static uint64_t rowsPerLayer(uint64_t rows, uint64_t rowPitch,
                             uint64_t layerPitch) {
  uint64_t height = layerPitch / rowPitch;
  return layerPitch % rowPitch == 0 && height >= rows ? height : 0;
}

/// Copies `box` with plain rows; `deviceHeight` and `hostHeight` are its rows
/// per layer, 0 if there is one layer.
static Code copyPlain(const Api &api, StreamHandle stream, Address device,
                      unsigned char *host, const CopyBox &box,
                      uint64_t deviceHeight, uint64_t hostHeight,
                      bool isWrite) {
  Copy3D copy = {};
  copy.widthInBytes = box.width;
  copy.height = box.rows;
  copy.depth = box.layers;
  copy.srcMemoryType = isWrite ? memoryTypeHost : memoryTypeDevice;
  copy.dstMemoryType = isWrite ? memoryTypeDevice : memoryTypeHost;
  (isWrite ? copy.dstDevice : copy.srcDevice) = device;
  if (isWrite)
    copy.srcHost = host;
  else
    copy.dstHost = host;
  (isWrite ? copy.dstPitch : copy.srcPitch) = box.deviceRowPitch;
  (isWrite ? copy.srcPitch : copy.dstPitch) = box.hostRowPitch;
  (isWrite ? copy.dstHeight : copy.srcHeight) = deviceHeight;
  (isWrite ? copy.srcHeight : copy.dstHeight) = hostHeight;
  return api.cuMemcpy3DAsync(&copy, stream);
}

static Code copyRow(const Api &api, StreamHandle stream, Address device,
                    unsigned char *host, uint64_t width, bool isWrite) {
  return isWrite ? api.cuMemcpyHtoDAsync(device, host, width, stream)
                 : api.cuMemcpyDtoHAsync(host, device, width, stream);
}

/// Copies the box with as few copies as CUDA allows.
Code CUDAQueue::copyParts(CUDABuffer &buffer, unsigned char *host,
                          const CopyBox &box, bool isWrite) {
  const Api &api = context.api;
  Address device = buffer.address + box.deviceOffset;
  if (box.width == 0)
    return cudaSuccess;
  if (box.rows == 1 && box.layers == 1)
    return copyRow(api, stream, device, host, box.width, isWrite);
  bool isPlain = hasPlainRows(box.width, box.deviceRowPitch, pitchLimit) &&
                 hasPlainRows(box.width, box.hostRowPitch, pitchLimit);
  if (isPlain && box.layers > 1) {
    uint64_t deviceHeight =
        rowsPerLayer(box.rows, box.deviceRowPitch, box.deviceLayerPitch);
    uint64_t hostHeight =
        rowsPerLayer(box.rows, box.hostRowPitch, box.hostLayerPitch);
    if (deviceHeight && hostHeight)
      return copyPlain(api, stream, device, host, box, deviceHeight, hostHeight,
                       isWrite);
  }
  CopyBox layer = box;
  layer.layers = 1;
  Code code = cudaSuccess;
  for (uint64_t z = 0; z < box.layers && code == cudaSuccess; ++z) {
    Address deviceLayer = device + z * box.deviceLayerPitch;
    unsigned char *hostLayer = host + z * box.hostLayerPitch;
    if (isPlain) {
      code =
          copyPlain(api, stream, deviceLayer, hostLayer, layer, 0, 0, isWrite);
      continue;
    }
    for (uint64_t y = 0; y < box.rows && code == cudaSuccess; ++y)
      code = copyRow(api, stream, deviceLayer + y * box.deviceRowPitch,
                     hostLayer + y * box.hostRowPitch, box.width, isWrite);
  }
  return code;
}

Result<Event> CUDAQueue::copyBox(CUDABuffer &buffer, unsigned char *host,
                                 CopyBox box, bool isWrite,
                                 std::span<const Event> after) {
  box = simplify(box);
  return run("copying a box", after, [&] {
    Code code = copyParts(buffer, host, box, isWrite);
    // After an error no part of the copy may still be using the caller's
    // memory.
    if (code != cudaSuccess && !tape)
      context.api.cuStreamSynchronize(stream);
    return code;
  });
}

Result<Event> CUDAQueue::writeBox(Buffer &to, const void *from,
                                  const CopyBox &box,
                                  std::span<const Event> after) {
  CopyBox full = withPitches(box);
  if (Status status = checkBox("write", to, full); !status.ok())
    return status;
  Result<CUDABuffer *> buffer = own(to);
  if (!buffer.ok())
    return buffer.takeStatus();
  // The cast is safe: a write to the device only reads this memory.
  auto *host = static_cast<unsigned char *>(const_cast<void *>(from));
  return copyBox(**buffer, host, full, true, after);
}

Result<Event> CUDAQueue::readBox(void *to, Buffer &from, const CopyBox &box,
                                 std::span<const Event> after) {
  CopyBox full = withPitches(box);
  if (Status status = checkBox("read", from, full); !status.ok())
    return status;
  Result<CUDABuffer *> buffer = own(from);
  if (!buffer.ok())
    return buffer.takeStatus();
  return copyBox(**buffer, static_cast<unsigned char *>(to), full, false,
                 after);
}
