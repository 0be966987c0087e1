//===- DevicesAPI.cpp - The C interface to devices and placement ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs may query devices and place nodes; errors end the process, as
// everywhere in the C interface.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"
#include "HostRuntime.h"
#include "Registry.h"

#include "sluice-c/Devices.h"
#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

static void check(const char *call, const Status &status) {
  if (!status.ok())
    endProcess(concat(call, ": ", status.message()));
}

/// A plan begins with a magic number that code cannot begin with.
static const SluicePlan *planAt(const void *rootOrPlan) {
  if (!rootOrPlan)
    return nullptr;
  if (const SluicePlan *plan = findRegisteredPlan(rootOrPlan))
    return plan;
  uint64_t magic;
  std::memcpy(&magic, rootOrPlan, sizeof(magic));
  return magic == SLUICE_PLAN_MAGIC
             ? static_cast<const SluicePlan *>(rootOrPlan)
             : nullptr;
}

unsigned sluiceNumDevices(void) {
  DeviceSet &devices = runtimeFor("sluiceNumDevices").getDevices();
  check("sluiceNumDevices", devices.open());
  return static_cast<unsigned>(devices.devices().size());
}

const char *sluiceDeviceName(unsigned place) {
  unsigned count = sluiceNumDevices();
  if (place > count)
    endProcess(concat("sluiceDeviceName: there is no place ", place,
                      "; the host is 0, and there are ",
                      countOf(count, "device", "devices")));
  return place == hostPlace
             ? "host"
             : runtimeFor("sluiceDeviceName").getDevices().at(place)->name();
}

void sluicePlaceNode(const void *rootOrPlan, const char *nodePath,
                     const char *where) {
  Runtime &runtime = runtimeFor("sluicePlaceNode");
  const SluicePlan *plan = planAt(rootOrPlan);
  if (!plan)
    endProcess(concat("sluicePlaceNode: ", rootOrPlan,
                      " is no root of a graph in this program, and no plan"));
  check("sluicePlaceNode",
        runtime.placeNode(*plan, nodePath, where ? where : "default"));
}

void sluiceSetPlacement(const char *policy) {
  check("sluiceSetPlacement", runtimeFor("sluiceSetPlacement")
                                  .getPlacement()
                                  .setPolicy(policy ? policy : "default"));
}

void sluiceSetPlacementFunction(SluicePlacementFunction function,
                                void *context) {
  runtimeFor("sluiceSetPlacementFunction")
      .getPlacement()
      .setFunction(function, context);
}
