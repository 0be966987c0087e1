//===- CommandOptions.h - The table of commands and options -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface to Options.td for reading command lines and printing help.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_COMMANDOPTIONS_H
#define SLUICE_DRIVER_COMMANDOPTIONS_H

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Error.h"

namespace sluice::driver {

/// The visibility of options; the records of Options.td with these names.
namespace command {
inline constexpr unsigned run = 1 << 1, build = 1 << 2, check = 1 << 3,
                          graph = 1 << 4, tune = 1 << 5, pack = 1 << 6,
                          devices = 1 << 7, cache = 1 << 8, kernels = 1 << 9,
                          lsp = 1 << 10, init = 1 << 11, completion = 1 << 12,
                          trace = 1 << 13, debug = 1 << 14, cc = 1 << 15,
                          cxx = 1 << 16;
} // namespace command

/// OPT_root for the record `root` of Options.td.
enum OptionID : unsigned {
  OPT_INVALID,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "sluice/Driver/Options.inc"
#undef OPTION
};

const llvm::opt::OptTable &commandLineTable();

/// The visibility bits of a command, by its name in the table; 0 if there is no
/// such command.
unsigned visibilityOf(llvm::StringRef command);

/// Parses the words after a command with the options that `visibility`
/// includes. The error reports an unknown word, with a suggestion, or a wrong
/// value.
llvm::Expected<llvm::opt::InputArgList>
parseOptions(llvm::ArrayRef<const char *> words, unsigned visibility);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_COMMANDOPTIONS_H
