//===- Devices.h - Choosing where nodes run -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most programs do not need these functions: hints in the source and the
// settings SLUICE_DEVICE and SLUICE_PLACEMENT select where nodes run. With
// these functions a program places single nodes, sets a policy, or registers a
// function that is called for every launch. They override SLUICE_PLACEMENT.
// With SLUICE_DEVICE=host everything runs on the host.
//
// Call them between init and cleanup, from any thread. Launches that have
// already started keep their places. For an unknown name, they print "sluice:
// error: ..." with the known names and end the process with exit code 1.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_DEVICES_H
#define SLUICE_C_DEVICES_H

#include "sluice-c/Runtime.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Number of devices, besides the host, that nodes may run on. Opens the
/// devices.
SLUICE_EXPORT unsigned sluiceNumDevices(void);
/// The name of a device, 1 to sluiceNumDevices(): "opencl:0". 0: "host".
/// Valid until cleanup.
SLUICE_EXPORT const char *sluiceDeviceName(unsigned place);

/// Places a node of a graph, or all nodes below an internal one, or, if
/// `nodePath` is null, all nodes. `rootOrPlan` is the root function of the
/// graph, or its plan. `where` is a place or a policy:
///
///   "host"                    the host
///   "device"                  the first device; the host if there is none
///   "opencl:0"                a device; it is opened if need be
///   "node"                    as the node's hint says
///   "iteration"               each place in turn, by launch or stream item
///   "iteration:host,device"   these places in turn
///   "status"                  the device with the least to do; the host while
///                             all are busy
///   "history"                 the place that was the fastest so far
///   "default"                 as if this had not been called
SLUICE_EXPORT void sluicePlaceNode(const void *rootOrPlan, const char *nodePath,
                                   const char *where);

/// Sets the policy for all nodes with device code that sluicePlaceNode does not
/// place. `policy` is a policy as for SLUICE_PLACEMENT: "node",
/// "constant:opencl:0", ... Null or "default" returns to SLUICE_PLACEMENT.
SLUICE_EXPORT void sluiceSetPlacement(const char *policy);

/// The current state of a device.
typedef struct SluiceDeviceStatus {
  const char *name; ///< of the device
  /// 0 if the device has failed.
  uint32_t isUsable;
  /// Number of kernels that wait or run there.
  uint32_t numInFlight;
} SluiceDeviceStatus;

/// One node of a launch or stream item that is about to start.
typedef struct SluicePlacementQuery {
  const char *graph; ///< the root's name
  const char *node;  ///< path in the hierarchy, "root/blur/rows"
  /// Number of earlier launches of the graph, or of earlier items of the
  /// stream.
  uint64_t iteration;
  /// Instances and bytes that the node works on, as far as they are known.
  uint64_t size;
  uint32_t target;     ///< SluiceTarget: the hint
  uint32_t numDevices; ///< entries of `devices`
  /// `devices[i]` is place i + 1.
  const SluiceDeviceStatus *devices;
} SluicePlacementQuery;

/// Returns a place: 0 for the host, i + 1 for the device `devices[i]`, or a
/// negative number to decide as if no function were set. A place that cannot be
/// used means the host. The function may be called from several threads at once
/// and must not call the runtime.
typedef int (*SluicePlacementFunction)(void *context,
                                       const SluicePlacementQuery *query);
/// Asks `function` for the place of every node with device code that
/// sluicePlaceNode does not place, once per launch or batch of stream items.
/// Null removes the function.
SLUICE_EXPORT void sluiceSetPlacementFunction(SluicePlacementFunction function,
                                              void *context);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_DEVICES_H
