//===- EditorSettings.h - How editor files are compiled ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags and the other files of a program come from compile_commands.json and
// compile_flags.txt, which clangd reads as well, and from the options that the
// editor passes when it starts the server.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_EDITORSETTINGS_H
#define SLUICE_LIB_DRIVER_EDITOR_EDITORSETTINGS_H

#include "Inspection.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <string>
#include <vector>

namespace sluice::driver {

/// The options that an editor may send in initializationOptions.
struct EditorSettings {
  /// Flags for all sources.
  std::vector<std::string> flags;
  /// The files of each program with more than one file; absolute paths.
  std::vector<std::vector<std::string>> programs;
  bool showsClang = false, showsLeaves = false;
  /// The time from the last change to the check.
  std::chrono::milliseconds pause{150};
  /// The time limit for a check or a picture.
  std::chrono::milliseconds timeLimit{30000};
  std::string compileCommands;

  /// Reads the options of an editor; relative paths start at `root`. Ignores
  /// invalid options and names them in the result.
  std::vector<std::string> read(const llvm::json::Object &options,
                                const std::string &root);

  /// Returns the options for inspecting a file.
  InspectOptions optionsFor(const std::string &file) const;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_EDITORSETTINGS_H
