//===- PassOptions.cpp - Options that show what passes do -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "sluice/CodeGen/LeafPasses.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::driver;

/// Adds "-print-after=a,b" for --print-after=a,b; false after an error message.
static bool addPrinting(StringRef name, StringRef passes,
                        std::vector<std::string> &words) {
  if (passes.empty())
    return true;
  if (passes == "all") {
    words.push_back(("-" + name + "-all").str());
    return true;
  }
  for (StringRef pass : split(passes, ','))
    if (Error error = sluice::codegen::checkPassName(pass)) {
      usage("--" + name + ": " + toString(std::move(error)));
      return false;
    }
  words.push_back(("-" + name + "=" + passes).str());
  return true;
}

std::optional<int> takePassOptions(const CommandLine &line) {
  if (!showsPasses(line) && !line.has(OPT_node))
    return std::nullopt;
  std::vector<std::string> words{"sluice"};
  if (!addPrinting("print-after", line.value(OPT_print_after), words) ||
      !addPrinting("print-before", line.value(OPT_print_before), words))
    return exitUsage;
  if (line.has(OPT_print_changed))
    words.push_back("-print-changed=quiet");
  if (line.has(OPT_time_passes))
    words.push_back("-time-passes");
  if (line.has(OPT_node)) {
    if (!printsPasses(line))
      return usage("--node needs --print-after, --print-before or "
                   "--print-changed");
    words.push_back("-sluice-node=" + line.value(OPT_node));
  }
  if (line.has(OPT_stats))
    EnableStatistics(/*DoPrintOnExit=*/false);
  append_range(words, line.flags.llvm);
  SmallVector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  std::string text;
  raw_string_ostream problems(text);
  if (cl::ParseCommandLineOptions(pointers.size(), pointers.data(), "",
                                  &problems))
    return std::nullopt;
  StringRef first = StringRef(text).split('\n').first;
  first.consume_front("sluice: ");
  return usage("LLVM: " + first);
}
