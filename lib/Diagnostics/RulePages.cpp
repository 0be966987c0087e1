//===- RulePages.cpp - Finding the explanations of rules ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels of messages are headings of the documentation. The documentation
// is installed next to the tool or lies in the source tree. A site generated
// from it has a page per rule; the site may be in the same place, or at an
// address that is set when Sluice is built.
//
//===----------------------------------------------------------------------===//

#include "RulePages.h"
#include "sluice/Diagnostics/Report.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using llvm::StringRef;

/// The heading of a rule in the pages of docs, "hpvm-rules.md#h08"; empty if no
/// page explains the rule.
static std::string headingOf(StringRef rule) {
  bool isNumbered = rule.size() > 1 && llvm::isUpper(rule.front()) &&
                    llvm::all_of(rule.drop_front(), llvm::isDigit);
  if (isNumbered)
    return (rule.front() == 'H' ? "hpvm-rules.md#" : "rdir-rules.md#") +
           rule.lower();
  return llvm::StringSwitch<StringRef>(rule)
#define SLUICE_RULE(label, heading) .Case(label, heading)
#include "RulePages.def"
#undef SLUICE_RULE
      .Default("")
      .str();
}

std::string sluice::sitePageOf(StringRef rule) {
  return "rules/" + (headingOf(rule).empty() ? "index" : rule.lower()) +
         ".html";
}

namespace {
/// Where the documentation is.
struct RulePageTable {
  /// The address, with the separator before the names of pages; empty if there
  /// is no documentation.
  std::string address;
  /// True for a site, which has a page for each rule; false for the pages it is
  /// made from.
  bool isSite = false;
};
} // namespace

static RulePageTable findPages() {
  if (StringRef(SLUICE_DOCS_URL).size())
    return {SLUICE_DOCS_URL "/", true};
  static int anchor;
  std::string tool = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> installed(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool)));
  llvm::sys::path::append(installed, SLUICE_DOCS_BELOW_PREFIX);
  std::string site = (installed + "/html").str();
  if (llvm::sys::fs::exists(site + "/rules/index.html"))
    return {fileUri(site) + "/", true};
  std::string below = (installed + "/docs").str();
  for (StringRef folder : {StringRef(below), StringRef(SLUICE_DOCS_SOURCE)})
    if (llvm::sys::fs::exists(folder + "/hpvm-rules.md"))
      return {fileUri(folder.str()) + "/", false};
  return {};
}

std::string sluice::ruleUri(const std::string &rule) {
  static const RulePageTable pages = findPages();
  if (rule.empty() || pages.address.empty())
    return "";
  if (pages.isSite)
    return pages.address + sitePageOf(rule);
  std::string heading = headingOf(rule);
  return pages.address + (heading.empty() ? "hpvm-rules.md" : heading);
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
