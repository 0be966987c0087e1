//===- PackCommand.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackCommand.h"
#include "sluice/Driver/Layouts.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace sluice::driver;

static int usage(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  return 2;
}

namespace {
struct PackLine {
  explicit PackLine(cl::SubCommand &command)
      : texts(cl::Positional, cl::sub(command)),
        files("file", cl::sub(command)), ir("ir", cl::sub(command)),
        assembly("asm", cl::sub(command)), json("json", cl::sub(command)),
        picture("draw", cl::sub(command)) {}

  cl::list<std::string> texts, files;
  cl::opt<bool> ir, assembly, json;
  cl::opt<std::string> picture;
};
} // namespace

int runPackCommand(int argc, const char *const *argv) {
  cl::SubCommand command("pack");
  PackLine line(command);
  std::string problems;
  raw_string_ostream os(problems);
  if (!cl::ParseCommandLineOptions(argc, argv, "", &os)) {
    StringRef first = StringRef(problems).split('\n').first;
    first.consume_front("sluice: ");
    return usage(first + "; see 'sluice pack --help'");
  }
  LayoutOptions options;
  for (const std::string &text : line.texts) {
    if (text.starts_with("@"))
      options.texts.push_back({"", text.substr(1)});
    else
      options.texts.push_back({text, ""});
  }
  for (const std::string &file : line.files)
    options.texts.push_back({"", file});
  if (options.texts.empty())
    return usage("no layouts given; see 'sluice pack --help'");
  for (const LayoutOptions::Text &text : options.texts)
    if (text.content.empty() && text.file.empty())
      return usage("expected the text of a layout, or a file behind '@' or "
                   "'--file='");
  if (line.picture.getNumOccurrences() &&
      !StringRef(line.picture).ends_with(".svg"))
    return usage("'" + line.picture + "' needs the ending .svg");
  options.hasIR = line.ir;
  options.hasAssembly = line.assembly;
  options.isJson = line.json;
  options.picture = line.picture;
  return describeLayouts(options, outs()) ? 0 : 1;
}
