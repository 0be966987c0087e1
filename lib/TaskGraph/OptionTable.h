//===- OptionTable.h - The flags of meta-programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H
#define SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H

#include "sluice/TaskGraph/Options.h"

#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// A flag, and where what it says goes: a switch, one text, a list of texts,
/// or a number.
struct OptionEntry {
  using Target =
      std::variant<bool Options::*, std::string Options::*,
                   std::vector<std::string> Options::*, unsigned Options::*>;

  std::string_view name;  ///< without dashes
  char letter = 0;        ///< short form
  std::string_view value; ///< what the value is, for the help
  Target target;
  std::string_view help;
  /// Published programs give it; it does nothing here.
  bool isIgnored = false;
};

const std::vector<OptionEntry> &optionTable();

/// The text of --help.
std::string optionHelp(std::string_view program);

} // namespace sluice

#endif // SLUICE_LIB_TASKGRAPH_OPTIONTABLE_H
