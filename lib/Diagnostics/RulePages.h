//===- RulePages.h - Pages of rules on the site -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Separate from the search for the documentation, so that tests can use it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_RULEPAGES_H
#define SLUICE_DIAGNOSTICS_RULEPAGES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace sluice {

/// The page of a rule on the site, "rules/h08.html". For a label without an
/// explanation, the page of all rules.
std::string sitePageOf(llvm::StringRef rule);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_RULEPAGES_H
