//===- Settings.h - Environment variables of programs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs take their settings from the environment. `sluice --help`
// prints this list, which Settings.def defines.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_SETTINGS_H
#define SLUICE_RUNTIME_ENGINE_SETTINGS_H

#include <span>

namespace sluice {

struct Setting {
  const char *name;        ///< of the environment variable
  const char *description; ///< one phrase, lower case
};

/// Every environment variable that the runtime reads.
std::span<const Setting> runtimeSettings();

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_SETTINGS_H
