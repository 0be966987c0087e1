//===- PackCommand.cpp - The command line of 'sluice pack' ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes, draws and compares layouts of Pack.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Driver/Layouts.h"

using namespace llvm;
using namespace llvm::opt;
using namespace sluice::driver;

/// Texts and files in the order in which they were given.
static std::vector<LayoutOptions::Text> textsOf(const CommandLine &line) {
  std::vector<LayoutOptions::Text> texts;
  for (const Arg *arg : line.args.filtered(OPT_INPUT, OPT_file)) {
    StringRef word = arg->getValue();
    if (word.consume_front("@") || arg->getOption().matches(OPT_file))
      texts.push_back({"", word.str()});
    else
      texts.push_back({word.str(), ""});
  }
  return texts;
}

int packCommand(const CommandLine &line) {
  LayoutOptions options;
  options.texts = textsOf(line);
  if (options.texts.empty())
    return usage("no layouts given; see 'sluice pack --help'");
  for (const LayoutOptions::Text &text : options.texts)
    if (text.content.empty() && text.file.empty())
      return usage("expected the text of a layout, or a file behind '@' or "
                   "'--file='");
  options.picture = line.value(OPT_draw);
  if (!options.picture.empty() && !StringRef(options.picture).ends_with(".svg"))
    return usage("'" + options.picture + "' needs the ending .svg");
  options.hasIR = line.has(OPT_ir);
  options.hasAssembly = line.has(OPT_asm);
  options.isJson = line.has(OPT_json);
  return describeLayouts(options, outs()) ? exitFine : exitProblems;
}
