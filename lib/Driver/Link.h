//===- Link.h - Runs the linker -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables, shared objects of task graphs, and variants are linked alike;
// what differs is stated in the options.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_LINK_H
#define SLUICE_LIB_DRIVER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::driver {

struct LinkOptions {
  /// Link the runtime's archive instead of its shared library.
  bool isStatic = false;
  /// The program tells the checker which memory is new.
  bool isChecked = false;
  /// Make a shared object that uses the program's symbols, without a runtime.
  bool isVariant = false;
  /// Make a shared object for a process that has the runtime's shared library.
  bool isShared = false;
  /// Make a shared object of a program with the runtime in it, of which SMPI
  /// loads a copy for each rank that it simulates.
  bool isSimulated = false;
  /// The program writes a profile when it ends.
  bool isProfiled = false;
  /// Link LLVM's runtime library of OpenMP.
  bool usesOpenMP = false;
  /// Link what runs Python.
  bool hasPython = false;
  /// Symbols that variants need of the program.
  std::vector<std::string> exports;
  std::vector<std::string> flags;
  /// Receives what the linker says, which is printed otherwise.
  std::string *messages = nullptr;
  /// Files that the output must not replace, besides the linker's inputs.
  std::vector<std::string> inputs;
  /// Receives the paths that the linker looked at.
  std::vector<std::string> *dependencies = nullptr;
};

/// Links `objects` to `output`, as writeOutput does. A file in the work folder
/// is written where it stands.
llvm::Error link(llvm::ArrayRef<std::string> objects,
                 const LinkOptions &options, llvm::StringRef output);

/// Links one object file that is still in memory.
llvm::Error linkObject(llvm::ArrayRef<char> object, const LinkOptions &options,
                       llvm::StringRef output);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_LINK_H
