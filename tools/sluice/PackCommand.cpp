//===- PackCommand.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackCommand.h"
#include "sluice/Driver/Layouts.h"
#include "llvm/Support/CommandLine.h"

#include <map>

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

/// LLVM reads "@FILE" as a file of options; here it is one of layouts.
static std::vector<std::string> withoutAtSigns(int argc,
                                               const char *const *argv) {
  std::vector<std::string> words;
  for (StringRef word : ArrayRef(argv, size_t(argc)))
    words.push_back(word.consume_front("@") ? "--file=" + word.str()
                                            : word.str());
  return words;
}

/// Texts and files in the order in which they were given.
static std::vector<LayoutOptions::Text> inOrder(const PackLine &line) {
  std::map<unsigned, LayoutOptions::Text> texts;
  for (unsigned i = 0; i != line.texts.size(); ++i)
    texts[line.texts.getPosition(i)] = {line.texts[i], ""};
  for (unsigned i = 0; i != line.files.size(); ++i)
    texts[line.files.getPosition(i)] = {"", line.files[i]};
  std::vector<LayoutOptions::Text> ordered;
  for (auto &[position, text] : texts)
    ordered.push_back(text);
  return ordered;
}

int runPackCommand(int argc, const char *const *argv) {
  cl::SubCommand command("pack");
  PackLine line(command);
  std::vector<std::string> words = withoutAtSigns(argc, argv);
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  std::string problems;
  raw_string_ostream os(problems);
  if (!cl::ParseCommandLineOptions(argc, pointers.data(), "", &os)) {
    StringRef first = StringRef(problems).split('\n').first;
    first.consume_front("sluice: ");
    return usage(first + "; see 'sluice pack --help'");
  }
  LayoutOptions options;
  options.texts = inOrder(line);
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
