//===- OptionTable.h - The flags of meta-programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A single table of flags for both the parser and --help.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H
#define SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H

#include "sluice/TaskGraph/Options.h"

#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// A flag, and the member that stores its value: a switch, one text, a list of
/// texts, or a number.
struct OptionEntry {
  using Target =
      std::variant<bool Options::*, std::string Options::*,
                   std::vector<std::string> Options::*, unsigned Options::*>;

  std::string_view name;  ///< without dashes
  char letter = 0;        ///< short form
  std::string_view value; ///< description of the value for the help
  Target target;
  std::string_view help;
  /// Accepted because published programs use it; has no effect.
  bool isIgnored = false;
};

const std::vector<OptionEntry> &optionTable();

/// The text of --help.
std::string optionHelp(std::string_view program);

} // namespace sluice

#endif // SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H
