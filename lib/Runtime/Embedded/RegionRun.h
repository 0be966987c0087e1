//===- RegionRun.h - A run of a program over regions in a process ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program over regions in a process that continues afterwards, such as
// Python, with values of parameters and memory of fields from that process.
//
//
// Room: programs over regions in foreign processes. May include Base, Plan,
// Host, Regions and Tasks, and uses their runtimes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H
#define SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H

#include "../Host/HostRuntime.h"

#include "sluice-c/RegionProgram.h"
#include "sluice/Base/Status.h"

namespace sluice::regions {

/// Runs the program; see sluiceExecuteRegions. An exception from a function
/// that is not a task, such as a coloring, becomes an error, too. Restores the
/// values of the parameters afterwards. Only one run at a time.
Status executeRegions(const SluiceRegionProgram &table,
                      const SluiceRegionRun &run, Runtime &runtime);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H
