//===- EditorSettings.h - How files of an editor are compiled ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags and the other files of a program come from what clangd reads as well,
// compile_commands.json and compile_flags.txt, and from what the editor says
// when it starts the server.
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

/// What initializationOptions may say.
struct EditorSettings {
  /// Flags for all sources.
  std::vector<std::string> flags;
  /// The files of programs that are more than one; absolute.
  std::vector<std::vector<std::string>> programs;
  bool showsClang = false;
  /// From the last change to a check.
  std::chrono::milliseconds pause{150};
  /// A check or a picture that takes longer is ended.
  std::chrono::milliseconds timeLimit{30000};
  std::string compileCommands;

  /// Takes what the options of an editor say; relative files start at `root`.
  /// What is not as expected is left out, and named in the result.
  std::vector<std::string> read(const llvm::json::Object &options,
                                const std::string &root);

  /// How to look at a file.
  InspectOptions optionsFor(const std::string &file) const;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_EDITORSETTINGS_H
