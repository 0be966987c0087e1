//===- RulePages.h - Pages of rules on the site -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Apart from where the documentation is, for tests.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_RULEPAGES_H
#define SLUICE_DIAGNOSTICS_RULEPAGES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace sluice {

/// The page of a rule on the site, "rules/h08.html"; that of all rules for a
/// label that none explains.
std::string sitePageOf(llvm::StringRef rule);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_RULEPAGES_H
