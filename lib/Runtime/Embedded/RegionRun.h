//===- RegionRun.h - A run of a program over regions in a process ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that goes on, such as Python, runs a program over regions: with its
// own values of the parameters, and with fields that lie in its memory.
//
//
// Room: programs over regions in processes of somebody else. May include Base,
// Plan, Host, Regions and Tasks, whose runtimes they use.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H
#define SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H

#include "../Host/Runtime.h"

#include "sluice-c/RegionProgram.h"
#include "sluice/Base/Status.h"

namespace sluice::regions {

/// Runs the program; see sluiceExecuteRegions. An exception that leaves a
/// function which is no task, such as a coloring, becomes an error, too.
/// The parameters have their values from before afterwards. One at a time.
Status executeRegions(const SluiceRegionProgram &table,
                      const SluiceRegionRun &run, Runtime &runtime);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_EMBEDDED_REGIONRUN_H
