//===- Placement.h - Where nodes run --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a place for every node of an instance when it starts: the host, or
// one of the open devices, as the program, settings, hints and earlier runs
// say, in this order.
//
//
// Room: where nodes run, and the times from which that is learned, also over
// several runs of a program. Runs nothing. May include Base, Memory, Plan,
// Trace and Devices.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEMENT_PLACEMENT_H
#define SLUICE_RUNTIME_PLACEMENT_PLACEMENT_H

#include "../Devices/DeviceSet.h"
#include "History.h"

#include "../Plan/PlanInfo.h"

#include "sluice-c/Devices.h"

#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace sluice {

/// Where a node of one instance runs.
struct NodePlace {
  MemoryPlace place = hostPlace;
  /// The node's instances are split between all usable devices; only if the
  /// kernel knows what its instances touch.
  bool isShared = false;
  /// The node's time is to be passed to Placement::addTiming.
  bool wantsTiming = false;
  /// The place was chosen by how busy devices are.
  bool isCounted = false;
  /// It is the kernel's first run at a device in this process.
  bool isCold = false;
  /// The size to which such a time belongs: instances and bytes.
  uint64_t size = 0;
};

/// A rule whose places are known.
struct PlacementChoice {
  PlacementPolicy policy = PlacementPolicy::Default;
  std::vector<MemoryPlace> places;
  /// Called instead, if not null.
  SluicePlacementFunction function = nullptr;
  void *context = nullptr;

  bool operator==(const PlacementChoice &) const = default;
};

/// What is known about the places of a node. Made when its plan is prepared.
class NodePlacement {
public:
  explicit NodePlacement(const NodeInfo &info) : info(info) {}
  const NodeInfo &info;
  /// What the program said; null: nothing.
  std::atomic<const PlacementChoice *> choice{nullptr};
  NodeHistory history;
  /// A bit per place: where the node failed, and where its kernel is loaded.
  std::atomic<uint64_t> failedAt{0}, loadedAt{0};
  /// Times the device had no room.
  std::atomic<uint32_t> numExhausted{0};
  /// Of the last choice; for traces.
  std::atomic<MemoryPlace> lastPlace{hostPlace};

  bool mayRunAt(MemoryPlace place) const {
    return !(failedAt.load(std::memory_order_relaxed) >> place & 1);
  }
};

/// The nodes of a plan that have a device kernel, by their index; the others
/// are null.
struct PlanPlacement {
  const PlanInfo *info = nullptr;
  std::vector<std::unique_ptr<NodePlacement>> nodes;
  /// Launches so far; what `choose` takes as a number.
  std::atomic<uint64_t> numLaunches{0};
};

/// Functions may be called from any thread.
class Placement {
public:
  Placement(const DeviceOptions &options, DeviceSet &devices,
            std::string cacheDirectory, unsigned numWorkers, Trace *trace);
  ~Placement();

  /// Before the first launch of a plan: opens the devices if it has code for
  /// them, and sets PlanInfo::placement. An error is one of the settings.
  Status prepare(PlanInfo &info);

  /// Whether `choose` may answer anything else than the host everywhere.
  bool isNeeded(const PlanInfo &info) const {
    return info.placement && !devices.devices().empty();
  }
  /// Chooses when an instance starts, whose arguments stand in `frame`.
  /// `number` counts the launches of the plan, or the items of the stream,
  /// from 0. `places` has an entry per node.
  void choose(const PlanInfo &info, const unsigned char *frame, uint64_t number,
              std::span<NodePlace> places);
  /// A node with `wantsTiming` has ended well. The time is that from the end
  /// of its last predecessor, or from the beginning of the transfers made for
  /// it if that is later, to its end.
  void addTiming(const NodeInfo &node, const NodePlace &place,
                 uint64_t nanoseconds);
  /// A node could not run at a place; says so once. It does not go there
  /// again, unless only memory was short, and if the device has failed no
  /// other does.
  void nodeFailed(const NodeInfo &node, MemoryPlace place,
                  const Status &status);
  /// Whether a node with a device kernel has not failed at a place.
  static bool mayRunAt(const NodeInfo &node, MemoryPlace place) {
    return !node.placement || node.placement->mayRunAt(place);
  }
  /// Adds what was measured to the file of times.
  Status saveHistory();

  // What programs say: see Devices.h. The plan was prepared.

  Status placeNode(const PlanInfo &info, const char *path,
                   const std::string &where);
  Status setPolicy(const std::string &text);
  void setFunction(SluicePlacementFunction function, void *context);

private:
  class Chooser;
  Status resolve(const PlacementRule &rule, const PlacementChoice *&choice);
  const PlacementChoice *keep(PlacementChoice choice);
  Status resolveSetting();
  void warnOfHostNodes(const PlanInfo &info) const;
  void loadHistory(const SluicePlan &plan, NodePlacement &node);
  std::string placeName(MemoryPlace place) const;
  bool loadKernel(const SluicePlan &plan, NodePlacement &node,
                  MemoryPlace place);
  void noteChange(NodePlacement &node, MemoryPlace place,
                  PlacementPolicy policy);

  const DeviceOptions &options;
  DeviceSet &devices;
  const std::string cacheDirectory;
  const unsigned numWorkers;
  Trace *const trace;
  std::mutex mutex;
  std::vector<std::unique_ptr<PlanPlacement>> plans;
  /// All choices that were ever in use; other threads may still read them.
  std::deque<PlacementChoice> choices;
  bool isSettingResolved = false;
  /// SLUICE_PLACEMENT, and what the program said instead.
  std::atomic<const PlacementChoice *> setting, policy{nullptr},
      function{nullptr};
  bool isHistoryRead = false;
  std::vector<DeviceTiming> history;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEMENT_PLACEMENT_H
