//===- RepeatedLaunch.h - Equal launches as one sequence of kernels -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs launch a graph again and again with the same arguments. What its
// nodes did on a device is recorded in one launch and done at once in those
// that follow: as a recording where the device has them, which is a CUDA graph,
// else kernel by kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H

#include "DeviceRun.h"

#include <memory>
#include <optional>
#include <vector>

namespace sluice {

/// For the launches of one graph instance, all of whose nodes run on the same
/// device; one after another.
class RepeatedLaunch final : public LaunchRecord {
public:
  enum class Step {
    Ignore, ///< unlike the launch before
    Record, ///< equal to it: `add` each node
    Repeat  ///< equal to what was recorded: `issue`
  };
  /// What the next launch, with these arguments, is to do.
  Step next(OpenDevice &device, std::vector<unsigned char> arguments);

  /// The next launch is none that may be repeated, and may leave other values
  /// on the device.
  void interrupt();

  void add(uint32_t node, device::Kernel &kernel,
           const device::LaunchShape &shape,
           std::span<const device::Argument> arguments) override;
  void add(uint32_t node, const DeviceRun &run) override;
  /// The launch that was recorded has ended; all is forgotten unless it ended
  /// well and `numNodes` were added.
  void recorded(bool endedWell, size_t numNodes);

  enum class Issued {
    All,     ///< in one run
    Failed,  ///< the same, but not all values come home
    Nothing, ///< it has to be done node by node
    /// The first nodes, from which nothing comes home yet; the others have to
    /// be issued one by one.
    FirstNodes
  };
  struct NodeIssued {
    uint32_t node;
    DeviceRun run;
    /// All of its launches are under way, else it has failed.
    bool isWhole;
  };
  /// Fills `run`, or `first`.
  Issued issue(DeviceValues &values, DeviceRun &run,
               std::vector<NodeIssued> &first);
  /// After Issued::Failed: the value that cannot come home, and why.
  struct Failure {
    uint32_t value = 0;
    Status status;
  };
  const Failure &getFailure() const { return failure; }
  /// The node whose launch failed first of what `issue` has issued, all of
  /// which has ended. Nobody knows it of a recording: then there will be none
  /// any more.
  std::optional<uint32_t> findFailedNode(const DeviceRun &run);

private:
  struct Launch {
    uint32_t node;
    device::Kernel *kernel;
    device::LaunchShape shape;
    std::vector<device::Argument> arguments;
    std::unique_ptr<unsigned char[]> values;
  };
  struct Claim {
    DeviceRun::Claim claim;
    uint64_t buffer; ///< its serial number
  };
  struct NodeEntry {
    uint32_t node;
    /// The launch behind its last one.
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
  /// Of all nodes together: nothing is transferred that the nodes one by one
  /// would not need.
  std::vector<Claim> claims;
  std::vector<uint32_t> fetches;
  std::vector<device::Event> after;
  /// Of what `issue` has issued last, and before: events cost time to drop, and
  /// new vectors of them to allocate.
  std::vector<device::Event> ends, endsBefore;
  Failure failure;
  bool triedToRecord = false, mayRecord = true;
  std::unique_ptr<device::Recording> recording;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_REPEATEDLAUNCH_H
