//===- Placement.h - The places of nodes ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects a place for every node of an instance when it starts: the host, or
// one of the open devices. The program, settings, hints and earlier runs
// determine it, in this order.
//
//
// Room: the places of nodes, and the measured times from which they are
// learned, also over several runs of a program. Runs nothing. May include Base,
// Memory, Plan, Trace and Devices.
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

/// The place of a node of one instance.
struct NodePlace {
  MemoryPlace place = hostPlace;
  /// The node's instances are split between all usable devices; only if the
  /// kernel knows which memory its instances access.
  bool isShared = false;
  /// Pass the node's time to Placement::addTiming.
  bool wantsTiming = false;
  /// The place was selected by how busy devices are.
  bool isCounted = false;
  /// This is the kernel's first run on a device in this process.
  bool isCold = false;
  /// The size for this time: instances plus bytes.
  uint64_t size = 0;
};

/// A rule with resolved places.
struct PlacementChoice {
  PlacementPolicy policy = PlacementPolicy::Default;
  std::vector<MemoryPlace> places;
  /// Called instead, if not null.
  SluicePlacementFunction function = nullptr;
  void *context = nullptr;

  bool operator==(const PlacementChoice &) const = default;
};

/// The known state of a node's places. Created when its plan is prepared.
class NodePlacement {
public:
  explicit NodePlacement(const NodeInfo &info) : info(info) {}
  const NodeInfo &info;
  /// The program's rule; null if there is none.
  std::atomic<const PlacementChoice *> choice{nullptr};
  NodeHistory history;
  /// A bit per place: where the node has failed, and where its kernel is
  /// loaded.
  std::atomic<uint64_t> failedAt{0}, loadedAt{0};
  /// How often a device had no room.
  std::atomic<uint32_t> numExhausted{0};
  /// The last selected place; for traces.
  std::atomic<MemoryPlace> lastPlace{hostPlace};

  bool mayRunAt(MemoryPlace place) const {
    return !(failedAt.load(std::memory_order_relaxed) >> place & 1);
  }
};

/// The nodes of a plan that have a device kernel, by index; null for the
/// others.
struct PlanPlacement {
  const PlanInfo *info = nullptr;
  std::vector<std::unique_ptr<NodePlacement>> nodes;
  /// Number of launches so far; `choose` receives it as `number`.
  std::atomic<uint64_t> numLaunches{0};
};

/// Any thread may call the functions.
class Placement {
public:
  Placement(const DeviceOptions &options, DeviceSet &devices,
            std::string cacheDirectory, unsigned numWorkers, Trace *trace);
  ~Placement();

  /// Call it before the first launch of a plan. Opens the devices if the plan
  /// has device code, and sets PlanInfo::placement. An error is an error of the
  /// settings.
  Status prepare(PlanInfo &info);

  /// Whether `choose` may select anything but the host.
  bool isNeeded(const PlanInfo &info) const {
    return info.placement && !devices.devices().empty();
  }
  /// Selects places when an instance starts, with its arguments in `frame`.
  /// `number` counts the launches of the plan, or the items of the stream, from
  /// 0. `places` has an entry per node.
  void choose(const PlanInfo &info, const unsigned char *frame, uint64_t number,
              std::span<NodePlace> places);
  /// A node with `wantsTiming` has succeeded. The time lasts from the end of
  /// its last predecessor, or from the beginning of its transfers if that is
  /// later, to its end.
  void addTiming(const NodeInfo &node, const NodePlace &place,
                 uint64_t nanoseconds);
  /// A node could not run at a place; reports this once. The node is not placed
  /// there again, unless the device was only out of memory. If the device has
  /// failed, no node is placed there.
  void nodeFailed(const NodeInfo &node, MemoryPlace place,
                  const Status &status);
  /// Whether a node with a device kernel has not failed at a place.
  static bool mayRunAt(const NodeInfo &node, MemoryPlace place) {
    return !node.placement || node.placement->mayRunAt(place);
  }
  /// Adds the measurements to the file of times.
  Status saveHistory();

  // Rules of the program: see Devices.h. The plan must have been prepared.

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
  /// All rules that were ever used; other threads may still read them.
  std::deque<PlacementChoice> choices;
  bool isSettingResolved = false;
  /// SLUICE_PLACEMENT, and the program's rule that replaces it.
  std::atomic<const PlacementChoice *> setting, policy{nullptr},
      function{nullptr};
  bool isHistoryRead = false;
  std::vector<DeviceTiming> history;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEMENT_PLACEMENT_H
