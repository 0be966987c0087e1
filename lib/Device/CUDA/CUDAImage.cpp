//===- CUDAImage.cpp - Choosing code for a CUDA device --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX runs on its own chip and on all newer ones. PTX for a chip with a letter
// is less portable: "sm_90a" runs only on that chip, "sm_100f" on newer ones
// with the same major number.
//
//===----------------------------------------------------------------------===//

#include "CUDAModule.h"

#include "sluice/Base/Text.h"

#include <charconv>
#include <optional>
#include <string_view>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

namespace {
struct Chip {
  unsigned number = 0;
  char letter = 0;
};
} // namespace

static std::optional<Chip> readChip(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  Chip chip;
  const char *end = name.data() + name.size();
  auto [rest, error] = std::from_chars(name.data(), end, chip.number);
  if (error != std::errc() || end - rest > 1)
    return std::nullopt;
  if (rest != end)
    chip.letter = *rest;
  if (chip.letter != 0 && chip.letter != 'a' && chip.letter != 'f')
    return std::nullopt;
  return chip;
}

static bool runsOn(Chip image, Chip device) {
  if (image.letter == 'a')
    return image.number == device.number;
  if (image.letter == 'f' && image.number / 10 != device.number / 10)
    return false;
  return image.number <= device.number;
}

/// Code for exactly one chip is preferred to other code for that chip.
static bool isBetter(Chip left, Chip right) {
  return left.number != right.number ? left.number > right.number
                                     : left.letter && !right.letter;
}

/// The content of a module, for the message that it does not fit.
static std::string listImages(const SluiceDeviceModule &module) {
  std::string text;
  for (uint32_t i = 0; i < module.numImages; ++i) {
    const SluiceDeviceImage &image = module.images[i];
    text += text.empty() ? "" : ", ";
    if (image.format == SLUICE_DEVICE_PTX)
      text += concat("PTX for ", image.target);
    else
      text += image.format == SLUICE_DEVICE_SPIRV  ? "SPIR-V"
              : image.format == SLUICE_DEVICE_SPIR ? "SPIR"
                                                   : "unknown code";
  }
  return text.empty() ? "no code" : text;
}

static Status checkText(const SluiceDeviceModule &module,
                        const SluiceDeviceImage &image) {
  const char *code = static_cast<const char *>(image.code);
  if (code && image.size > 0 && code[image.size - 1] == 0)
    return {};
  return Status::invalidArgument(concat("the PTX for ", image.target, " of ",
                                        quoted(module.name),
                                        " does not end with a zero byte"));
}

Result<const SluiceDeviceImage *>
cuda::chooseImage(const SluiceDeviceModule &module, const std::string &device,
                  const std::string &target) {
  std::optional<Chip> own = readChip(target);
  const SluiceDeviceImage *best = nullptr;
  Chip bestChip;
  for (uint32_t i = 0; own && i < module.numImages; ++i) {
    const SluiceDeviceImage &image = module.images[i];
    if (image.format != SLUICE_DEVICE_PTX)
      continue;
    std::optional<Chip> chip = readChip(image.target);
    if (!chip || !runsOn(*chip, *own))
      continue;
    if (best && !isBetter(*chip, bestChip))
      continue;
    best = &image;
    bestChip = *chip;
  }
  if (!best)
    return Status::invalidArgument(concat(
        quoted(module.name), " holds ", listImages(module), ", but device ",
        device, " needs PTX for ", target, " or an older chip"));
  if (Status status = checkText(module, *best); !status.ok())
    return status;
  return best;
}
