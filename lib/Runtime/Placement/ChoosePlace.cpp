//===- ChoosePlace.cpp - Selecting a place by a rule ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies. A node is placed on a device only if the device works and has
// its kernel, whatever the policy says; otherwise it runs on the host.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "../Plan/Extents.h"
#include "../Trace/Trace.h"

#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

/// A device with at least this many kernels in flight counts as busy: one runs,
/// and one follows without a pause.
static constexpr uint32_t busyDevice = 2;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static uint64_t addSaturated(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/// The total size of the memory behind all pointers of the graph, as far as
/// arguments state it.
static uint64_t argumentBytes(const SluicePlan &plan,
                              const unsigned char *frame) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    if (!(argument.flags & SLUICE_PORT_POINTER) ||
        argument.sizeArgument == SLUICE_NO_INDEX)
      continue;
    uint64_t size;
    std::memcpy(&size,
                frame + plan.arguments[argument.sizeArgument].frameOffset,
                sizeof(size));
    bytes = addSaturated(bytes, size);
  }
  return bytes;
}

/// Number of instances of a node with extents that are known when an instance
/// starts: constant ones, or ones that depend only on arguments. Otherwise 0;
/// also for invalid extents, which the executor will report.
static uint64_t instancesAtStart(const NodeInfo &info,
                                 const unsigned char *frame) {
  const SluicePlanNode &node = *info.node;
  const int64_t *extents = node.constantExtents;
  std::vector<int64_t> evaluated;
  if (node.extents) {
    if (info.numAllToAll || info.numOneToOne)
      return 0;
    evaluated.assign(size_t(3) * node.numLevels, 1);
    node.extents(frame, evaluated.data());
    extents = evaluated.data();
  }
  uint64_t instances = 1;
  for (uint32_t i = 0; extents && i < 3 * node.numLevels; ++i)
    if (extents[i] < 0 ||
        __builtin_mul_overflow(instances, static_cast<uint64_t>(extents[i]),
                               &instances))
      return 0;
  return instances;
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

/// Selects places for the nodes of one instance.
class Placement::Chooser {
public:
  Chooser(Placement &placement, const PlanInfo &info,
          const unsigned char *frame, uint64_t number)
      : placement(placement), devices(placement.devices.devices()), info(info),
        frame(frame), number(number), bytes(argumentBytes(info.plan, frame)) {}

  NodePlace choose(NodePlacement &node);

private:
  bool canUse(const NodePlacement &node, MemoryPlace place) const {
    return place == hostPlace ||
           (place <= devices.size() && devices[place - 1]->isUsable() &&
            node.mayRunAt(place));
  }
  MemoryPlace firstDevice(const NodePlacement &node) const;
  MemoryPlace idlestDevice(const NodePlacement &node) const;
  MemoryPlace inTurn(const std::vector<MemoryPlace> &places) const;
  PlacementPolicy policyOf(const NodePlacement &node,
                           const PlacementChoice *&choice) const;
  int askFunction(const PlacementChoice &choice, const NodePlacement &node,
                  uint64_t size) const;
  MemoryPlace byHistory(NodePlacement &node, NodePlace &place) const;
  MemoryPlace byPolicy(NodePlacement &node, PlacementPolicy policy,
                       const PlacementChoice &choice, NodePlace &place) const;

  Placement &placement;
  const std::span<OpenDevice *const> devices;
  const PlanInfo &info;
  const unsigned char *frame;
  const uint64_t number;
  const uint64_t bytes;
};

MemoryPlace Placement::Chooser::firstDevice(const NodePlacement &node) const {
  for (OpenDevice *device : devices)
    if (canUse(node, device->number))
      return device->number;
  return hostPlace;
}

MemoryPlace Placement::Chooser::idlestDevice(const NodePlacement &node) const {
  MemoryPlace idlest = hostPlace;
  uint32_t minInFlight = busyDevice;
  for (OpenDevice *device : devices)
    if (uint32_t inFlight = device->numInFlight();
        inFlight < minInFlight && canUse(node, device->number)) {
      idlest = device->number;
      minInFlight = inFlight;
    }
  return idlest;
}

/// Without a list: the host, then each device.
MemoryPlace
Placement::Chooser::inTurn(const std::vector<MemoryPlace> &places) const {
  if (places.empty())
    return static_cast<MemoryPlace>(number % (devices.size() + 1));
  return places[number % places.size()];
}

/// The rule that applies, in this order: the program's for the node, the
/// program's for all nodes, the setting, the hint.
PlacementPolicy
Placement::Chooser::policyOf(const NodePlacement &node,
                             const PlacementChoice *&choice) const {
  constexpr auto acquire = std::memory_order_acquire;
  choice = node.choice.load(acquire);
  if (!choice) {
    uint32_t target = node.info.node->target;
    choice = placement.policy.load(acquire);
    if (!choice)
      choice = placement.setting.load(acquire);
    // Only rules for this node override a hint for the host.
    if (target != SLUICE_TARGET_GPU && target != SLUICE_TARGET_CPU_OR_GPU)
      return PlacementPolicy::Node;
  }
  if (choice->policy != PlacementPolicy::Default)
    return choice->policy;
  return node.info.node->target == SLUICE_TARGET_CPU_OR_GPU
             ? PlacementPolicy::History
             : PlacementPolicy::Node;
}

int Placement::Chooser::askFunction(const PlacementChoice &choice,
                                    const NodePlacement &node,
                                    uint64_t size) const {
  std::vector<SluiceDeviceStatus> status;
  for (OpenDevice *device : devices)
    status.push_back(
        {device->name(), canUse(node, device->number), device->numInFlight()});
  SluicePlacementQuery query = {info.plan.name,
                                node.info.node->name,
                                number,
                                size,
                                node.info.node->target,
                                static_cast<uint32_t>(status.size()),
                                status.data()};
  return choice.function(choice.context, &query);
}

MemoryPlace Placement::Chooser::byHistory(NodePlacement &node,
                                          NodePlace &place) const {
  std::vector<MemoryPlace> candidates = {hostPlace};
  for (OpenDevice *device : devices)
    if (canUse(node, device->number))
      candidates.push_back(device->number);
  if (candidates.size() == 1)
    return hostPlace;
  NodeHistory::Choice choice = node.history.choose(candidates, place.size);
  place.wantsTiming = choice.wantsTiming;
  return choice.place;
}

MemoryPlace Placement::Chooser::byPolicy(NodePlacement &node,
                                         PlacementPolicy policy,
                                         const PlacementChoice &choice,
                                         NodePlace &place) const {
  uint32_t target = node.info.node->target;
  switch (policy) {
  case PlacementPolicy::Constant:
    return choice.places.front();
  case PlacementPolicy::Iteration:
    return inTurn(choice.places);
  case PlacementPolicy::Status:
    return idlestDevice(node);
  case PlacementPolicy::History:
    return byHistory(node, place);
  case PlacementPolicy::Default:
  case PlacementPolicy::Node:
    break;
  }
  bool wantsDevice =
      target == SLUICE_TARGET_GPU || target == SLUICE_TARGET_CPU_OR_GPU;
  return wantsDevice ? firstDevice(node) : hostPlace;
}

NodePlace Placement::Chooser::choose(NodePlacement &node) {
  NodePlace place;
  place.size = addSaturated(instancesAtStart(node.info, frame), bytes);
  const PlacementChoice *choice = nullptr;
  PlacementPolicy policy = policyOf(node, choice);
  int answer = -1;
  if (const PlacementChoice *asked =
          placement.function.load(std::memory_order_acquire);
      asked && !node.choice.load(std::memory_order_acquire)) {
    answer = askFunction(*asked, node, place.size);
    place.isCounted = true;
  }
  place.isCounted |= policy == PlacementPolicy::Status;
  place.place = answer >= 0 ? static_cast<MemoryPlace>(answer)
                            : byPolicy(node, policy, *choice, place);
  // The program's function may return any place.
  bool mayUse = canUse(node, place.place);
  // Drivers may still compile and load during the first run of a kernel.
  uint64_t loadedBefore = node.loadedAt.load(std::memory_order_relaxed);
  place.isCold =
      mayUse && place.place != hostPlace && !(loadedBefore >> place.place & 1);
  if (!mayUse || (place.place != hostPlace &&
                  !placement.loadKernel(info.plan, node, place.place))) {
    place.place = hostPlace;
    place.wantsTiming = false;
  }
  place.isShared = place.place != hostPlace && placement.devices.shares() &&
                   node.info.node->device->touch && devices.size() > 1;
  // The time of a shared node would be attributed to one place.
  place.wantsTiming = place.wantsTiming && !place.isShared;
  placement.noteChange(node, place.place, policy);
  return place;
}

void Placement::choose(const PlanInfo &info, const unsigned char *frame,
                       uint64_t number, std::span<NodePlace> places) {
  Chooser chooser(*this, info, frame, number);
  for (const NodeInfo &node : info.nodes)
    places[node.index] =
        node.placement ? chooser.choose(*node.placement) : NodePlace();
}

/// Loads the kernel before other nodes depend on the place, and before times
/// are measured.
bool Placement::loadKernel(const SluicePlan &plan, NodePlacement &node,
                           MemoryPlace place) {
  uint64_t bit = uint64_t(1) << place;
  if (node.loadedAt.load(std::memory_order_relaxed) & bit)
    return true;
  Result<device::DeviceKernel *> kernel =
      devices.at(place)->kernel(plan, *node.info.node);
  if (!kernel.ok()) {
    nodeFailed(node.info, place, kernel.status());
    return false;
  }
  node.loadedAt.fetch_or(bit, std::memory_order_relaxed);
  return true;
}

static const char *policyName(PlacementPolicy policy) {
  switch (policy) {
  case PlacementPolicy::Constant:
    return "constant";
  case PlacementPolicy::Iteration:
    return "iteration";
  case PlacementPolicy::Status:
    return "status";
  case PlacementPolicy::History:
    return "history";
  case PlacementPolicy::Default:
  case PlacementPolicy::Node:
    break;
  }
  return "node";
}

void Placement::noteChange(NodePlacement &node, MemoryPlace place,
                           PlacementPolicy policy) {
  if (!trace || node.lastPlace.exchange(place) == place)
    return;
  trace->addPlacement(node.info.node->name,
                      place == hostPlace ? "host" : devices.at(place)->name(),
                      policyName(policy));
}
