//===- RuntimeOptions.h - Settings of the runtime -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment can set, as values: read once at init, given by hand in
// tests.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_RUNTIMEOPTIONS_H
#define SLUICE_RUNTIME_ENGINE_RUNTIMEOPTIONS_H

#include "../Checks/CheckedRun.h"
#include "../Devices/DeviceOptions.h"
#include "../Record/RecordOptions.h"
#include "../Variants/VariantCompiler.h"

#include "sluice/Base/MachineCosts.h"
#include "sluice/Base/Status.h"
#include "sluice/Runtime/Plan/TileWay.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice {

struct NodePlace;
class PlanInfo;
class Trace;

struct RuntimeOptions : VariantOptions {
  static constexpr unsigned maxWorkers = 1024;
  /// Threads that run nodes, the waiting host thread included.
  unsigned numWorkers = 1;
  /// A setting says how many.
  bool hasNumWorkers = false;
  /// Where none does, OMP_NUM_THREADS counts; of the process.
  static inline bool servesOpenMP = false;
  /// Run plans through the sequential interpreter.
  bool sequential = false;
  CheckMode check = CheckMode::AsBuilt;
  /// Where to write a trace; empty: none.
  std::string traceFile;
  /// Print a summary at the end.
  bool hasSummary = false;
  /// The timeline of which that of this runtime is to be a part, instead of one
  /// in a file; it must outlive the runtime. Null: none.
  Trace *traceOf = nullptr;
  RecordOptions record;
  /// Nanoseconds: a launch that is known to take no longer is run by the thread
  /// that launches it, if that thread waits for each launch before the next.
  uint64_t maxTimeHere = 20 * handOverTime;
  /// Bytes of the cache of one core that strips of rows of several nodes are to
  /// fit; 0: nodes never run strip by strip.
  unsigned tileCache = 0;
  /// Ways of graphs whose nodes may run strip by strip, and where to write what
  /// they took; empty: nowhere.
  std::vector<TunedGraph> tunedGraphs;
  std::string tiledTimesFile;
  DeviceOptions devices;
  /// Changes the places of an instance's nodes; for tests.
  void (*changePlaces)(const PlanInfo &info,
                       std::span<NodePlace> places) = nullptr;

  /// Reads the SLUICE_* variables; an error names the bad one and its value.
  /// `numProcessors`: for which there is a worker each where nothing else is
  /// said; 0: all that the process may run on.
  static Result<RuntimeOptions> fromEnvironment(unsigned numProcessors = 0);
  /// For a rank of several, which make no record; rank 0 says so.
  void leaveOutRecord(unsigned rank);
};

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_RUNTIMEOPTIONS_H
