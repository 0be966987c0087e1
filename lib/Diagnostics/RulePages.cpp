//===- RulePages.cpp - Where the rules are explained ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels of messages are headings of the documentation, which lies beside
// an installed tool, in the source tree, or on a site that is named when Sluice
// is built.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Report.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using llvm::StringRef;

/// The page of a rule and its heading there, "hpvm-rules.md#h08".
static std::string pageOf(StringRef rule) {
  bool isNumbered = rule.size() > 1 && llvm::isUpper(rule.front()) &&
                    llvm::all_of(rule.drop_front(), llvm::isDigit);
  if (isNumbered)
    return (rule.front() == 'H' ? "hpvm-rules.md#" : "rdir-rules.md#") +
           rule.lower();
  if (rule.starts_with("hetero-"))
    return "hetero.md#limits";
  return llvm::StringSwitch<StringRef>(rule)
      .Case("race", "races.md#what-is-refuted")
      .Case("vouched", "races.md#what-the-program-says")
      .Cases({"lock", "static"}, "races.md#locks-and-statics")
      .Case("thread-local", "races.md#thread-local-variables")
      .Case("stream", "races.md#streams")
      .Cases({"reduce", "scan"}, "hpvm-rules.md#reductions")
      .Case("ordered", "hpvm-rules.md#ordered-dimensions")
      .Case("temporary", "hpvm-rules.md#temporary-memory")
      .Default("hpvm-rules.md#what-the-c-and-c-front-end-says")
      .str();
}

/// Where the pages are, with what separates it from their names; empty if they
/// are nowhere.
static std::string findPages() {
  if (StringRef(SLUICE_DOCS_URL).size())
    return SLUICE_DOCS_URL "/";
  static int anchor;
  std::string tool = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> installed(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool)));
  llvm::sys::path::append(installed, SLUICE_DOCS_BELOW_PREFIX);
  for (StringRef folder : {installed.str(), StringRef(SLUICE_DOCS_SOURCE)})
    if (llvm::sys::fs::exists(folder + "/hpvm-rules.md"))
      return fileUri(folder.str()) + "/";
  return "";
}

std::string sluice::ruleUri(const std::string &rule) {
  static const std::string pages = findPages();
  return rule.empty() || pages.empty() ? "" : pages + pageOf(rule);
}

std::string sluice::fileUri(const std::string &path) {
  llvm::SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return "file://" + uriPath(absolute.str().str());
}

std::string sluice::uriPath(const std::string &path) {
  std::string text;
  for (char c : path)
    if (llvm::isAlnum(c) || StringRef("-._~/").contains(c))
      text += c;
    else
      text += '%' + llvm::utohexstr(static_cast<unsigned char>(c),
                                    /*LowerCase=*/false, /*Width=*/2);
  return text;
}
