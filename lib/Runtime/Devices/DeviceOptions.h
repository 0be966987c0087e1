//===- DeviceOptions.h - Settings of devices and placement ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of SLUICE_DEVICE and similar settings. Every error that does not
// depend on the machine is found here.
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

/// How the place of a node is chosen.
enum class PlacementPolicy {
  Default,   ///< Node for GPU_TARGET, History for CPU_OR_GPU_TARGET
  Constant,  ///< one place
  Node,      ///< what the node's hint asks for
  Iteration, ///< the next place of a list in every launch or item
  Status,    ///< the device that has the least to do; the host if all do much
  History,   ///< the fastest place so far
};

/// A policy and the places it names: devices, "host", or "device" for the
/// first device.
struct PlacementRule {
  PlacementPolicy policy = PlacementPolicy::Default;
  std::vector<std::string> places;
  /// History: times are kept on disk.
  bool keepsTimes = true;

  /// Reads "constant:opencl:0", "node", "iteration:host,device", "status",
  /// "history", "history:off" or "default".
  static Result<PlacementRule> parse(std::string_view text);
};

/// Whether `name` is that of a device: "cuda", "opencl:1".
bool isDeviceName(std::string_view name);

/// "512M": a number of bytes, at least 1, and perhaps K, M or G for powers of
/// 1024.
std::optional<uint64_t> readBytes(std::string_view text);

struct DeviceOptions {
  /// What SLUICE_DEVICE names; empty: the first accelerator, if there is one.
  std::vector<std::string> names;
  /// SLUICE_DEVICE=host.
  bool hostOnly = false;
  PlacementRule placement;
  /// Nodes are split between all devices, if that is proven to be correct.
  bool share = false;
  /// Bytes of memory to use on each device; 0: what the device can spare.
  uint64_t memory = 0;
  /// Finds and opens devices; null: those of the machine. For tests.
  std::vector<device::Found> (*find)() = nullptr;
  Result<std::unique_ptr<device::Device>> (*open)(
      const std::string &name, const device::OpenOptions &options) = nullptr;

  /// Reads the variables; an error names the bad one and its value.
  Status readEnvironment();
};

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICEOPTIONS_H
