//===- Packing.cpp - Many pieces of a buffer as one -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The items of dimension 0 of a group copy one piece together. On accelerators
// there are several, so that they access adjacent memory; on CPUs there is one,
// whose loop copies as fast as memory allows.
//
//===----------------------------------------------------------------------===//

#include "sluice/Device/Packing.h"

#include "LaunchChecks.h"
#include "sluice/Base/TableHead.h"

#include <algorithm>
#include <array>

using namespace sluice;
using namespace sluice::device;

//===----------------------------------------------------------------------===//
// OpenCL C
//===----------------------------------------------------------------------===//

// NAME(memory, staging, base, data, numPieces), the middle two in units.
#define SLUICE_OPENCL_KERNEL(name, type, to, from)                             \
  "kernel void " name "(global " type " *restrict memory,\n"                   \
  "    global " type " *restrict staging, ulong base, ulong data,\n"           \
  "    uint numPieces) {\n"                                                    \
  "  ulong piece = get_group_id(0) * get_local_size(1) + get_local_id(1);\n"   \
  "  if (piece >= numPieces)\n"                                                \
  "    return;\n"                                                              \
  "  global const uint *list = (global const uint *)staging;\n"                \
  "  uint begin = list[2 * piece + 1], end = list[2 * piece + 3];\n"           \
  "  global " type " *place = memory + base + list[2 * piece];\n"              \
  "  global " type " *packed = staging + data + begin;\n"                      \
  "  uint size = end - begin, step = get_local_size(0);\n"                     \
  "  for (uint i = get_local_id(0); i < size; i += step)\n"                    \
  "    " to "[i] = " from "[i];\n"                                             \
  "}\n"

static const char openCLC[] =
    SLUICE_OPENCL_KERNEL("gatherBytes", "uchar", "packed", "place")
        SLUICE_OPENCL_KERNEL("gatherWords", "uint", "packed", "place")
            SLUICE_OPENCL_KERNEL("scatterBytes", "uchar", "place", "packed")
                SLUICE_OPENCL_KERNEL("scatterWords", "uint", "place", "packed");

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

// The same kernels handwritten in PTX, because no CUDA C compiler is available
// at run time. %rd1 walks over the piece, %rd2 over its packed bytes.
#define SLUICE_PTX_KERNEL(name, type, size, to, from)                          \
  ".visible .entry " name "(.param .u64 memory, .param .u64 staging,\n"        \
  "    .param .u64 base, .param .u64 data, .param .u32 numPieces)\n"           \
  "{\n"                                                                        \
  "  .reg .pred %p<3>;\n"                                                      \
  "  .reg .b32 %r<12>;\n"                                                      \
  "  .reg .b64 %rd<10>;\n"                                                     \
  "  mov.u32 %r1, %ctaid.x;\n"                                                 \
  "  mov.u32 %r2, %ntid.y;\n"                                                  \
  "  mov.u32 %r3, %tid.y;\n"                                                   \
  "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"                                         \
  "  ld.param.u32 %r5, [numPieces];\n"                                         \
  "  setp.ge.u32 %p1, %r4, %r5;\n"                                             \
  "  @%p1 bra $end;\n"                                                         \
  "  ld.param.u64 %rd3, [staging];\n"                                          \
  "  cvta.to.global.u64 %rd3, %rd3;\n"                                         \
  "  mul.wide.u32 %rd4, %r4, 8;\n"                                             \
  "  add.u64 %rd4, %rd3, %rd4;\n"                                              \
  "  ld.global.u32 %r6, [%rd4];\n"                                             \
  "  ld.global.u32 %r7, [%rd4+4];\n"                                           \
  "  ld.global.u32 %r8, [%rd4+12];\n"                                          \
  "  sub.u32 %r8, %r8, %r7;\n"                                                 \
  "  mov.u32 %r9, %tid.x;\n"                                                   \
  "  mov.u32 %r10, %ntid.x;\n"                                                 \
  "  setp.ge.u32 %p1, %r9, %r8;\n"                                             \
  "  @%p1 bra $end;\n"                                                         \
  "  ld.param.u64 %rd1, [memory];\n"                                           \
  "  cvta.to.global.u64 %rd1, %rd1;\n"                                         \
  "  ld.param.u64 %rd5, [base];\n"                                             \
  "  cvt.u64.u32 %rd6, %r6;\n"                                                 \
  "  add.u64 %rd5, %rd5, %rd6;\n"                                              \
  "  cvt.u64.u32 %rd6, %r9;\n"                                                 \
  "  add.u64 %rd5, %rd5, %rd6;\n"                                              \
  "  mad.lo.u64 %rd1, %rd5, " size ", %rd1;\n"                                 \
  "  ld.param.u64 %rd7, [data];\n"                                             \
  "  cvt.u64.u32 %rd8, %r7;\n"                                                 \
  "  add.u64 %rd7, %rd7, %rd8;\n"                                              \
  "  add.u64 %rd7, %rd7, %rd6;\n"                                              \
  "  mad.lo.u64 %rd2, %rd7, " size ", %rd3;\n"                                 \
  "  mul.wide.u32 %rd9, %r10, " size ";\n"                                     \
  "$loop:\n"                                                                   \
  "  ld.global." type " %r11, [" from "];\n"                                   \
  "  st.global." type " [" to "], %r11;\n"                                     \
  "  add.u64 %rd1, %rd1, %rd9;\n"                                              \
  "  add.u64 %rd2, %rd2, %rd9;\n"                                              \
  "  add.u32 %r9, %r9, %r10;\n"                                                \
  "  setp.lt.u32 %p1, %r9, %r8;\n"                                             \
  "  @%p1 bra $loop;\n"                                                        \
  "$end:\n"                                                                    \
  "  ret;\n"                                                                   \
  "}\n"

static const char ptx[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n" SLUICE_PTX_KERNEL("gatherBytes", "u8", "1", "%rd2",
                                           "%rd1")
        SLUICE_PTX_KERNEL("gatherWords", "u32", "4", "%rd2", "%rd1")
            SLUICE_PTX_KERNEL("scatterBytes", "u8", "1", "%rd1", "%rd2")
                SLUICE_PTX_KERNEL("scatterWords", "u32", "4", "%rd1", "%rd2");

//===----------------------------------------------------------------------===//
// Loading and launching
//===----------------------------------------------------------------------===//

static const SluiceDeviceImage images[] = {
    {formatOpenCLC, 0, "", openCLC, sizeof(openCLC)},
    {SLUICE_DEVICE_PTX, 0, "sm_50", ptx, sizeof(ptx)}};
static const SluiceDeviceModule packingModule = {tableHead<SluiceDeviceModule>,
                                                 "sluicePacking",
                                                 "sluicePacking",
                                                 images,
                                                 std::size(images),
                                                 0};

Result<std::unique_ptr<PackingKernels>> PackingKernels::load(Device &device) {
  Result<std::unique_ptr<Module>> module = device.load(packingModule);
  if (!module.ok())
    return module.takeStatus();
  std::unique_ptr<PackingKernels> kernels(
      new PackingKernels(device.properties().isAccelerator));
  kernels->module = std::move(*module);
  struct {
    DeviceKernel *&kernel;
    const char *entry;
  } const entries[] = {{kernels->gathering.bytes, "gatherBytes"},
                       {kernels->gathering.words, "gatherWords"},
                       {kernels->scattering.bytes, "scatterBytes"},
                       {kernels->scattering.words, "scatterWords"}};
  for (auto &[kernel, entry] : entries) {
    Result<DeviceKernel *> found = kernels->module->kernel(entry);
    if (!found.ok())
      return found.takeStatus();
    kernel = *found;
  }
  return kernels;
}

Result<Event> PackingKernels::launch(Queue &queue, const Variants &kernels,
                                     const PackedPieces &pieces,
                                     std::span<const Event> after) {
  DeviceKernel &kernel = *(pieces.unit == 4 ? kernels.words : kernels.bytes);
  uint64_t group =
      std::max<uint64_t>(std::min(kernel.goodGroup, kernel.maxGroup), 1);
  uint64_t lanes = isAccelerator ? std::min<uint64_t>(group, 16) : 1;
  uint64_t rows = group / lanes;
  LaunchShape shape;
  shape.items = {lanes, rows, 1};
  shape.groups[0] = (pieces.numPieces + rows - 1) / rows;
  uint64_t base = pieces.base / pieces.unit, data = pieces.data / pieces.unit;
  using Kind = KernelArgument::Kind;
  const std::array<KernelArgument, 5> arguments = {{
      {Kind::Memory, nullptr, 0, &pieces.memory},
      {Kind::Memory, nullptr, 0, &pieces.staging},
      {Kind::Value, &base, sizeof(base), nullptr},
      {Kind::Value, &data, sizeof(data), nullptr},
      {Kind::Value, &pieces.numPieces, sizeof(pieces.numPieces), nullptr},
  }};
  return queue.launch(kernel, shape, arguments, after);
}

Result<Event> PackingKernels::gather(Queue &queue, const PackedPieces &pieces,
                                     std::span<const Event> after) {
  return launch(queue, gathering, pieces, after);
}

Result<Event> PackingKernels::scatter(Queue &queue, const PackedPieces &pieces,
                                      std::span<const Event> after) {
  return launch(queue, scattering, pieces, after);
}
