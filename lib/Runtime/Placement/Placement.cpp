//===- Placement.cpp - The places of nodes --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules from all sources, the state of nodes, and failures. ChoosePlace.cpp
// selects a place by a rule.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <set>

using namespace sluice;

Placement::Placement(const DeviceOptions &options, DeviceSet &devices,
                     std::string cacheDirectory, unsigned numWorkers,
                     Trace *trace)
    : options(options), devices(devices),
      cacheDirectory(options.placement.keepsTimes ? std::move(cacheDirectory)
                                                  : std::string()),
      numWorkers(numWorkers), trace(trace), setting(keep({})) {}

Placement::~Placement() = default;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Status Placement::prepare(PlanInfo &info) {
  const SluicePlan &plan = info.plan;
  if (devices.isHostOnly())
    return {};
  if (!plan.deviceModule) {
    warnOfHostNodes(info);
    return {};
  }
  if (Status status = devices.open(); !status.ok())
    return status;
  if (Status status = resolveSetting(); !status.ok())
    return status;
  warnOfHostNodes(info);
  auto placement = std::make_unique<PlanPlacement>();
  placement->info = &info;
  for (NodeInfo &node : info.nodes) {
    std::unique_ptr<NodePlacement> &place = placement->nodes.emplace_back();
    if (!node.node->device)
      continue;
    place = std::make_unique<NodePlacement>(node);
    node.placement = place.get();
    loadHistory(plan, *place);
  }
  info.placement = placement.get();
  std::lock_guard lock(mutex);
  plans.push_back(std::move(placement));
  return {};
}

/// Prints a warning about a subject once per process, since the reason may
/// contain addresses, which differ each time.
static void warn(const std::string &subject, std::string_view reason) {
  static std::mutex mutex;
  static std::set<std::string> said;
  std::lock_guard lock(mutex);
  if (said.insert(subject).second)
    std::fprintf(stderr, "sluice: warning: %s: %.*s\n", subject.c_str(),
                 static_cast<int>(reason.size()), reason.data());
}

/// Warns about nodes that the user wants on a device, but that have no device
/// code.
void Placement::warnOfHostNodes(const PlanInfo &info) const {
  if (!devices.wereNamed())
    return;
  for (const NodeInfo &node : info.nodes) {
    if (node.node->target != SLUICE_TARGET_GPU || node.node->device)
      continue;
    const char *problem = node.node->deviceProblem;
    warn(concat("node ", quoted(node.node->name), " runs on the host"),
         problem && *problem
             ? problem
             : "the program was built without code for devices");
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A program may set the same rule before every launch.
const PlacementChoice *Placement::keep(PlacementChoice choice) {
  std::lock_guard lock(mutex);
  auto known = std::find(choices.begin(), choices.end(), choice);
  return known != choices.end() ? &*known
                                : &choices.emplace_back(std::move(choice));
}

Status Placement::resolve(const PlacementRule &rule,
                          const PlacementChoice *&choice) {
  PlacementChoice resolved;
  resolved.policy = rule.policy;
  for (const std::string &name : rule.places) {
    Result<MemoryPlace> place = devices.find(name);
    if (!place.ok())
      return place.takeStatus();
    resolved.places.push_back(*place);
  }
  choice = keep(std::move(resolved));
  return {};
}

Status Placement::resolveSetting() {
  {
    std::lock_guard lock(mutex);
    if (isSettingResolved)
      return {};
  }
  const PlacementChoice *choice = nullptr;
  if (Status status = resolve(options.placement, choice); !status.ok())
    return Status::invalidArgument(
        concat("SLUICE_PLACEMENT: ", status.message()));
  setting.store(choice, std::memory_order_release);
  std::lock_guard lock(mutex);
  isSettingResolved = true;
  return {};
}

/// Parses a place or a policy.
static Result<PlacementRule> parseWhere(const std::string &where) {
  if (where == "host" || where == "device" || isDeviceName(where))
    return PlacementRule::parse("constant:" + where);
  return PlacementRule::parse(where);
}

/// "'a', 'b' and 7 more", for messages.
static std::string nodeNames(const SluicePlan &plan) {
  constexpr uint32_t max = 20;
  std::string text;
  for (uint32_t i = 0; i < std::min(plan.numNodes, max); ++i)
    text += concat(i ? ", " : "", quoted(plan.nodes[i].name));
  if (plan.numNodes > max)
    text += concat(" and ", plan.numNodes - max, " more");
  return text;
}

/// Whether a path names the node or one of its ancestors.
static bool isAt(std::string_view node, std::string_view path) {
  return node.starts_with(path) &&
         (node.size() == path.size() || node[path.size()] == '/');
}

/// Whether this rule allows a node on a device, whatever its hint says.
static bool namesDevices(const PlacementRule &rule) {
  if (rule.policy == PlacementPolicy::Default ||
      rule.policy == PlacementPolicy::Node)
    return false;
  auto isDevice = [](const std::string &place) { return place != "host"; };
  return rule.places.empty() ||
         std::any_of(rule.places.begin(), rule.places.end(), isDevice);
}

Status Placement::placeNode(const PlanInfo &info, const char *path,
                            const std::string &where) {
  Result<PlacementRule> rule = parseWhere(where);
  if (!rule.ok())
    return rule.takeStatus();
  const PlacementChoice *choice = nullptr;
  if (rule->policy != PlacementPolicy::Default)
    if (Status status = resolve(*rule, choice); !status.ok())
      return status;
  bool isFound = false;
  for (const NodeInfo &node : info.nodes) {
    if (path && !isAt(node.node->name, path))
      continue;
    isFound = true;
    if (node.placement)
      node.placement->choice.store(choice, std::memory_order_release);
    else if (path && namesDevices(*rule) && !devices.isHostOnly())
      warn(concat("node ", quoted(node.node->name), " runs on the host"),
           node.node->deviceProblem && *node.node->deviceProblem
               ? node.node->deviceProblem
               : "it has no code for devices; give it a hint, or build the "
                 "program with --hint=either");
  }
  if (path && !isFound)
    return Status::invalidArgument(
        concat("graph ", quoted(info.plan.name), " has no node ", quoted(path),
               "; its nodes are ", nodeNames(info.plan)));
  return {};
}

Status Placement::setPolicy(const std::string &text) {
  Result<PlacementRule> rule = PlacementRule::parse(text);
  if (!rule.ok())
    return rule.takeStatus();
  const PlacementChoice *choice = nullptr;
  if (rule->policy != PlacementPolicy::Default)
    if (Status status = resolve(*rule, choice); !status.ok())
      return status;
  policy.store(choice, std::memory_order_release);
  return {};
}

void Placement::setFunction(SluicePlacementFunction function, void *context) {
  const PlacementChoice *choice = nullptr;
  if (function) {
    PlacementChoice asked;
    asked.function = function;
    asked.context = context;
    choice = keep(std::move(asked));
  }
  this->function.store(choice, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Includes the machine's name, since several machines may share a cache.
std::string Placement::placeName(MemoryPlace place) const {
  if (place == hostPlace)
    return concat("host, ", countOf(numWorkers, "worker", "workers"));
  OpenDevice &device = *devices.at(place);
  return concat(device.name(), ", ", device.device().properties().description);
}

void Placement::loadHistory(const SluicePlan &plan, NodePlacement &node) {
  std::lock_guard lock(mutex);
  if (!std::exchange(isHistoryRead, true))
    history = readDeviceHistory(cacheDirectory);
  for (const DeviceTiming &timing : history) {
    if (timing.hash != plan.deviceModule->hash ||
        timing.node != node.info.node->name)
      continue;
    for (MemoryPlace place = 0; place <= devices.devices().size(); ++place)
      if (timing.place == placeName(place))
        node.history.load(place, timing);
  }
}

void Placement::addTiming(const NodeInfo &node, const NodePlace &place,
                          uint64_t nanoseconds) {
  node.placement->history.add(place.place, place.size, nanoseconds,
                              place.isCold);
}

Status Placement::saveHistory() {
  std::vector<DeviceTiming> measured;
  std::lock_guard lock(mutex);
  for (const std::unique_ptr<PlanPlacement> &plan : plans) {
    const SluiceDeviceModule &module = *plan->info->plan.deviceModule;
    for (const std::unique_ptr<NodePlacement> &node : plan->nodes) {
      if (!node)
        continue;
      for (auto &[place, timing] : node->history.takeNew()) {
        timing.hash = module.hash;
        timing.program = module.name;
        timing.node = node->info.node->name;
        timing.place = placeName(place);
        timing.lastUse = static_cast<uint64_t>(std::time(nullptr));
        measured.push_back(std::move(timing));
      }
    }
  }
  return addToDeviceHistory(cacheDirectory, measured);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void Placement::nodeFailed(const NodeInfo &node, MemoryPlace place,
                           const Status &status) {
  OpenDevice &device = *devices.at(place);
  if (!device.device().isUsable())
    return device.fail(status, node.node->name);
  // Other inputs may be smaller, so a few failures are tolerated.
  constexpr uint32_t patience = 3;
  if (status.code() != StatusCode::Exhausted ||
      node.placement->numExhausted.fetch_add(1) + 1 >= patience)
    node.placement->failedAt.fetch_or(uint64_t(1) << place);
  warn(concat("node ", quoted(node.node->name), " cannot run on device ",
              device.name()),
       status.message() + "; it runs on the host");
}
