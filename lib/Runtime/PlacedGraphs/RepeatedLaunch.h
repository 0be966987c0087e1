//===- RepeatedLaunch.h - Equal launches as one sequence of kernels -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs launch a graph repeatedly with the same arguments. One launch
// records the operations of its nodes on a device; later launches issue all of
// them at once: as a recording (a CUDA graph) if the device supports it, else
// kernel by kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H

#include "DeviceRun.h"

#include <memory>
#include <optional>
#include <vector>

namespace sluice {

/// For consecutive launches of one graph instance with all nodes on the same
/// device.
class RepeatedLaunch final : public LaunchRecord {
public:
  enum class Step {
    Ignore, ///< differs from the previous launch
    Record, ///< equal to it: `add` each node
    Repeat  ///< equal to the recorded launch: `issue`
  };
  /// Decides what the next launch, with these arguments, has to do.
  Step next(OpenDevice &device, std::vector<unsigned char> arguments);

  /// The next launch cannot be repeated, and may leave other values on the
  /// device.
  void interrupt();

  void add(uint32_t node, device::DeviceKernel &kernel,
           const device::LaunchShape &shape,
           std::span<const device::KernelArgument> arguments) override;
  void add(uint32_t node, const DeviceRun &run) override;
  /// The recorded launch has ended; drops the recording unless it succeeded and
  /// `numNodes` were added.
  void recorded(bool endedWell, size_t numNodes);

  enum class Issued {
    All,     ///< in one run
    Failed,  ///< the same, but some values cannot be fetched
    Nothing, ///< issue it node by node
    /// Only the first nodes, and no fetches from them yet; the others must be
    /// issued one by one.
    FirstNodes
  };
  struct NodeIssued {
    uint32_t node;
    DeviceRun run;
    /// All of its launches are in progress; otherwise it has failed.
    bool isWhole;
  };
  /// Fills `run`, or `first`.
  Issued issue(DeviceValues &values, DeviceRun &run,
               std::vector<NodeIssued> &first);
  /// After Issued::Failed: the value that cannot be fetched, and the reason.
  struct Failure {
    uint32_t value = 0;
    Status status;
  };
  const Failure &getFailure() const { return failure; }
  /// The node whose launch failed first among those that `issue` has issued,
  /// all of which have ended. It is unknown for a recording: then no more
  /// recordings are made.
  std::optional<uint32_t> findFailedNode(const DeviceRun &run);

private:
  struct Launch {
    uint32_t node;
    device::DeviceKernel *kernel;
    device::LaunchShape shape;
    std::vector<device::KernelArgument> arguments;
    std::unique_ptr<unsigned char[]> values;
  };
  struct Claim {
    DeviceRun::Claim claim;
    uint64_t buffer; ///< its serial number
  };
  struct NodeEntry {
    uint32_t node;
    /// The position after its last launch.
    size_t endLaunch;
    std::vector<DeviceRun::Claim> claims;
  };
  void forget();
  void addClaim(const DeviceRun::Claim &claim);
  bool prepareMemory();
  void releaseMemory(size_t numPrepared);
  void record();
  Status launchAll();
  bool claimFor(DeviceRun &run, const NodeEntry &entry);
  void keepFirst(std::vector<NodeIssued> &first);

  OpenDevice *device = nullptr;
  std::vector<unsigned char> arguments;
  bool isComplete = false;
  bool isPossible = true;
  std::vector<Launch> launches;
  std::vector<NodeEntry> entries;
  /// For all nodes together: transfers only what single nodes would also need.
  std::vector<Claim> claims;
  std::vector<uint32_t> fetches;
  std::vector<device::Event> after;
  /// Events of the last and the previous call of `issue`: dropping events costs
  /// time, and so does allocating new vectors.
  std::vector<device::Event> ends, endsBefore;
  Failure failure;
  bool triedToRecord = false, mayRecord = true;
  std::unique_ptr<device::Recording> recording;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H
