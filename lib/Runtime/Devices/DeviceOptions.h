//===- DeviceOptions.h - Settings of devices and placement ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of SLUICE_DEVICE and similar settings. Detects every error that
// does not depend on the machine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_DEVICEOPTIONS_H
#define SLUICE_RUNTIME_DEVICES_DEVICEOPTIONS_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace device {
class Device;
struct Found;
struct OpenOptions;
} // namespace device

/// How to select the place of a node.
enum class PlacementPolicy {
  Default,   ///< Node for GPU_TARGET, History for CPU_OR_GPU_TARGET
  Constant,  ///< one place
  Node,      ///< the place in the node's hint
  Iteration, ///< the next place of a list, for every launch or item
  Status,    ///< the device with the least work; the host if all are busy
  History,   ///< the fastest place so far
};

/// A policy and its places: devices, "host", or "device" for the first device.
struct PlacementRule {
  PlacementPolicy policy = PlacementPolicy::Default;
  std::vector<std::string> places;
  /// History: keep times on disk.
  bool keepsTimes = true;

  /// Reads "constant:opencl:0", "node", "iteration:host,device", "status",
  /// "history", "history:off" or "default".
  static Result<PlacementRule> parse(std::string_view text);
};

/// Whether `name` is the name of a device: "cuda", "opencl:1".
bool isDeviceName(std::string_view name);

/// "512M": a number of bytes, at least 1, optionally with K, M or G for powers
/// of 1024.
std::optional<uint64_t> readBytes(std::string_view text);

struct DeviceOptions {
  /// The names in SLUICE_DEVICE; empty: the first accelerator, if there is one.
  std::vector<std::string> names;
  /// SLUICE_DEVICE=host.
  bool hostOnly = false;
  PlacementRule placement;
  /// Split nodes between all devices, if that is proven to be correct.
  bool share = false;
  /// Bytes of memory to use on each device; 0: as much as the device can spare.
  uint64_t memory = 0;
  /// Finds devices; null: those of the machine. For tests.
  std::vector<device::Found> (*find)() = nullptr;
  Result<std::unique_ptr<device::Device>> (*open)(
      const std::string &name, const device::OpenOptions &options) = nullptr;

  /// Reads the variables; an error names the bad one and its value.
  Status readEnvironment();
};

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICEOPTIONS_H
