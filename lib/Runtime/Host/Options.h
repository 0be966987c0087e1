//===- Options.h - Settings of the runtime --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment can set, as values: read once at init, given by hand in
// tests.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_OPTIONS_H
#define SLUICE_RUNTIME_HOST_OPTIONS_H

#include "../Devices/DeviceOptions.h"

#include "sluice/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

struct NodePlace;
class PlanInfo;

/// Whether graphs are checked while they run.
enum class CheckMode {
  AsBuilt, ///< those that were compiled for it
  Off,
  On ///< all; those that were not compiled for it as far as that goes
};

struct RuntimeOptions {
  static constexpr unsigned maxWorkers = 1024;
  /// Threads that run nodes, the waiting host thread included.
  unsigned numWorkers = 1;
  /// Run plans through the sequential interpreter.
  bool sequential = false;
  CheckMode check = CheckMode::AsBuilt;
  /// Where to write a trace; empty: none.
  std::string traceFile;
  /// Equal launches before a node is compiled for its extents; 0: never.
  unsigned specializeAfter = 3;
  /// The helper program that compiles; empty: the one that the plan names.
  std::string helper;
  /// Where variants are kept; empty: nowhere, so there are none.
  std::string cacheDirectory;
  /// How many variants a node may have at once.
  unsigned maxVariants = 8;
  DeviceOptions devices;
  /// Changes the places of an instance's nodes; for tests.
  void (*changePlaces)(const PlanInfo &info,
                       std::span<NodePlace> places) = nullptr;

  /// Reads the SLUICE_* variables; an error names the bad one and its value.
  static Result<RuntimeOptions> fromEnvironment();
};

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_OPTIONS_H
