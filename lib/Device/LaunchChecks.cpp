//===- LaunchChecks.cpp - Common checks of all back ends ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arithmetic is done without overflow.
//
//===----------------------------------------------------------------------===//

#include "LaunchChecks.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <ctime>

using namespace sluice;
using namespace sluice::device;

Status device::checkAllocation(const Properties &properties, uint64_t size) {
  if (size <= properties.maxBuffer)
    return {};
  return Status::error(StatusCode::Exhausted,
                       concat("allocation of ", size, " bytes on ",
                              properties.name, ", whose largest buffer has ",
                              properties.maxBuffer));
}

Status device::checkRange(std::string_view what, const Buffer &buffer,
                          uint64_t offset, uint64_t size) {
  if (offset <= buffer.size && size <= buffer.size - offset)
    return {};
  return Status::invalidArgument(concat(what, " of ", size, " bytes at offset ",
                                        offset, " in a buffer of ", buffer.size,
                                        " bytes"));
}

Status device::checkCopy(const Buffer &to, uint64_t toOffset,
                         const Buffer &from, uint64_t fromOffset,
                         uint64_t size) {
  Status status = checkRange("copy", from, fromOffset, size);
  if (status.ok())
    status = checkRange("copy", to, toOffset, size);
  if (!status.ok() || &from != &to || toOffset >= fromOffset + size ||
      fromOffset >= toOffset + size)
    return status;
  return Status::invalidArgument(concat("copy of ", size, " bytes from offset ",
                                        fromOffset, " to ", toOffset,
                                        " of the same buffer: they overlap"));
}

CopyBox device::withPitches(CopyBox box) {
  auto fill = [&](uint64_t &rowPitch, uint64_t &layerPitch) {
    if (box.rows <= 1 || rowPitch == 0)
      rowPitch = box.width;
    if (box.layers <= 1 || layerPitch == 0)
      layerPitch = rowPitch * box.rows;
  };
  fill(box.deviceRowPitch, box.deviceLayerPitch);
  fill(box.hostRowPitch, box.hostLayerPitch);
  return box;
}

/// `total += count * pitch`; false if the result exceeds 64 bits.
static bool addSpan(uint64_t &total, uint64_t count, uint64_t pitch) {
  uint64_t product;
  return !__builtin_mul_overflow(count, pitch, &product) &&
         !__builtin_add_overflow(total, product, &total);
}

static Status checkPitches(std::string_view what, const char *side,
                           const CopyBox &box, uint64_t rowPitch,
                           uint64_t layerPitch) {
  if (box.rows > 1 && rowPitch < box.width)
    return Status::invalidArgument(
        concat(what, " of rows of ", box.width, " bytes every ", rowPitch,
               " bytes of the ", side, ": they overlap"));
  if (box.layers > 1 && layerPitch < box.width)
    return Status::invalidArgument(
        concat(what, " of layers of rows of ", box.width, " bytes every ",
               layerPitch, " bytes of the ", side, ": they overlap"));
  return {};
}

Status device::checkBox(std::string_view what, const Buffer &buffer,
                        const CopyBox &box) {
  if (isEmpty(box))
    return {};
  if (Status status = checkPitches(what, "device", box, box.deviceRowPitch,
                                   box.deviceLayerPitch);
      !status.ok())
    return status;
  if (Status status =
          checkPitches(what, "host", box, box.hostRowPitch, box.hostLayerPitch);
      !status.ok())
    return status;
  uint64_t end = box.deviceOffset;
  if (addSpan(end, box.layers - 1, box.deviceLayerPitch) &&
      addSpan(end, box.rows - 1, box.deviceRowPitch) &&
      addSpan(end, 1, box.width) && end <= buffer.size)
    return {};
  return Status::invalidArgument(
      concat(what, " of a box of ", box.layers, " x ", box.rows, " x ",
             box.width, " bytes (pitches ", box.deviceLayerPitch, " and ",
             box.deviceRowPitch, ") at offset ", box.deviceOffset,
             " in a buffer of ", buffer.size, " bytes"));
}

static std::string shapeText(const std::array<uint64_t, 3> &shape) {
  return concat(shape[0], " x ", shape[1], " x ", shape[2]);
}

static Status checkGroup(const LaunchLimits &limits,
                         const std::array<uint64_t, 3> &items) {
  uint64_t count = 1;
  bool fits = true;
  for (unsigned d = 0; d != 3; ++d) {
    if (items[d] == 0)
      return Status::invalidArgument(concat("kernel ", quoted(limits.kernel),
                                            ": groups of ", shapeText(items),
                                            " items are empty"));
    fits &= items[d] <= limits.properties.maxItems[d] &&
            !__builtin_mul_overflow(count, items[d], &count);
  }
  if (fits && count <= limits.maxGroup)
    return {};
  return Status::invalidArgument(
      concat("kernel ", quoted(limits.kernel), ": groups of ", shapeText(items),
             " items; ", limits.properties.name, " runs up to ",
             limits.maxGroup, " items of this kernel per group, at most ",
             shapeText(limits.properties.maxItems)));
}

static Status checkGrid(const LaunchLimits &limits, const LaunchShape &shape) {
  for (unsigned d = 0; d != 3; ++d) {
    uint64_t total;
    if (shape.groups[d] > limits.properties.maxGrid[d] ||
        __builtin_mul_overflow(shape.groups[d], shape.items[d], &total))
      return Status::invalidArgument(
          concat("kernel ", quoted(limits.kernel), ": ",
                 shapeText(shape.groups), " groups; ", limits.properties.name,
                 " runs at most ", shapeText(limits.properties.maxGrid)));
  }
  return {};
}

static Status checkArguments(const LaunchLimits &limits,
                             std::span<const KernelArgument> arguments) {
  if (arguments.size() != limits.numParameters)
    return Status::invalidArgument(concat(
        "kernel ", quoted(limits.kernel), " has ",
        countOf(limits.numParameters, "parameter", "parameters"), ", but got ",
        countOf(arguments.size(), "argument", "arguments")));
  uint64_t local = 0;
  for (const KernelArgument &argument : arguments)
    if (argument.kind == KernelArgument::Kind::Local &&
        (__builtin_add_overflow(local, argument.size, &local) ||
         local > limits.properties.localMemory))
      return Status::invalidArgument(
          concat("kernel ", quoted(limits.kernel), ": at least ", local,
                 " bytes of memory per group; ", limits.properties.name,
                 " has ", limits.properties.localMemory));
  return {};
}

Status device::checkLaunch(const LaunchLimits &limits, const LaunchShape &shape,
                           std::span<const KernelArgument> arguments) {
  Status status = checkGroup(limits, shape.items);
  if (status.ok())
    status = checkGrid(limits, shape);
  if (status.ok())
    status = checkArguments(limits, arguments);
  return status;
}

const char *device::formatName(uint32_t format) {
  switch (format) {
  case SLUICE_DEVICE_SPIRV:
    return "SPIR-V";
  case SLUICE_DEVICE_SPIR:
    return "SPIR";
  case SLUICE_DEVICE_PTX:
    return "PTX";
  case formatOpenCLC:
    return "OpenCL C";
  }
  return "an unknown format";
}

/// "SPIR-V, SPIR"; "nothing" if there is none.
template <typename Range, typename Format>
static std::string listFormats(const Range &range, Format format) {
  std::string text;
  for (const auto &element : range)
    text += concat(text.empty() ? "" : ", ", formatName(format(element)));
  return text.empty() ? "nothing" : text;
}

Status device::noImageError(const SluiceDeviceModule &module,
                            const Properties &properties) {
  std::span images(module.images, module.numImages);
  // A module has no SPIR if the compiler had no translator.
  bool lacksTranslator =
      std::any_of(images.begin(), images.end(),
                  [](const auto &image) {
                    return image.format == SLUICE_DEVICE_SPIRV;
                  }) &&
      std::find(properties.formats.begin(), properties.formats.end(),
                SLUICE_DEVICE_SPIR) != properties.formats.end();
  return Status::misuse(concat(
      "kernels ", quoted(module.name), " were compiled to ",
      listFormats(images, [](const auto &image) { return image.format; }),
      ", but ", properties.name, " (", properties.description, ") takes ",
      listFormats(properties.formats, [](uint32_t format) { return format; }),
      lacksTranslator ? "; install llvm-spirv-15 and compile the program again"
                      : ""));
}

Status device::foreignError(const std::string &device, const char *what) {
  return Status::misuse(concat("an operation on device ", device, " is given ",
                               what, " of another device"));
}

Status device::missingKernelError(const char *module, const char *entry,
                                  std::string_view names) {
  std::string list;
  for (char character : names)
    list += character == ';' ? ", " : std::string(1, character);
  return Status::misuse(concat("kernels ", quoted(module), " have no ",
                               quoted(entry),
                               "; there are: ", list.empty() ? "none" : list));
}

uint64_t device::hostNanoseconds() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}
