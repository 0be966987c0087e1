//===- Layouts.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Layouts.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Text.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Pack/Compiler.h"
#include "sluice/Pack/Datatype.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

using Types = std::vector<std::unique_ptr<farc::Datatype>>;

static bool fail(const Twine &message) {
  printError(message);
  return false;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool parse(StringRef name, const std::string &content, Types &types) {
  try {
    for (auto &type : farc::parseDatatypes(content))
      types.push_back(std::move(type));
  } catch (const farc::ParseError &error) {
    if (areDiagnosticsRedirected())
      printDiagnostic({.message = error.getReason(),
                       .place = {name.str(), unsigned(error.getLine()),
                                 unsigned(error.getColumn())}});
    else
      errs() << name << ':' << error.getLine() << ':' << error.getColumn()
             << ": error: " << error.getReason() << '\n'
             << linesAt(content, error.getLine(), error.getColumn());
    return false;
  } catch (const farc::Error &error) {
    return fail(error.what());
  }
  return true;
}

static bool readTexts(const LayoutOptions &options, Types &types) {
  for (const LayoutOptions::Text &text : options.texts) {
    if (text.file.empty()) {
      if (!parse("<layout>", text.content, types))
        return false;
      continue;
    }
    auto file = MemoryBuffer::getFileOrSTDIN(text.file, /*IsText=*/true);
    if (!file)
      return fail("cannot read '" + text.file +
                  "': " + file.getError().message());
    StringRef name = text.file == "-" ? StringRef("<stdin>") : text.file;
    if (!parse(name, (*file)->getBuffer().str(), types))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Describing
//===----------------------------------------------------------------------===//

namespace {
/// The description of one type.
struct LayoutDescription {
  const farc::Datatype *type;
  std::string normalForm, kernel;
  /// Empty unless asked for.
  std::string ir, assembly;
};
} // namespace

static bool generate(const LayoutOptions &options, const pack::Layout &layout,
                     LayoutDescription &description) {
  if (!options.hasIR && !options.hasAssembly)
    return true;
  Result<pack::Compiler *> compiler = pack::kernelCompiler();
  if (!compiler.ok())
    return fail("no code can be generated: " + compiler.status().message());
  pack::CompilerInput input = {.layout = &layout,
                               .processor = &pack::thisProcessor(),
                               .useDiskCache = false};
  if (options.hasIR) {
    Result<std::string> ir = (*compiler)->printIR(input);
    if (!ir.ok())
      return fail(ir.status().message());
    description.ir = *ir;
  }
  if (options.hasAssembly) {
    Result<std::string> assembly = (*compiler)->printAssembly(input);
    if (!assembly.ok())
      return fail(assembly.status().message());
    description.assembly = *assembly;
  }
  return true;
}

static bool describe(const LayoutOptions &options, const farc::Datatype &type,
                     LayoutDescription &description) {
  try {
    pack::Layout layout = farc::layoutOf(type);
    description.type = &type;
    description.normalForm = pack::toText(layout);
    description.kernel = pack::readyMadeKernel(layout).name;
    return generate(options, layout, description);
  } catch (const farc::Error &error) {
    return fail("'" + type.toString(true) + "': " + error.what());
  }
}

static void printRange(raw_ostream &os, StringRef name, int64_t extent,
                       int64_t low, int64_t high) {
  os << formatv("  {0,-12} {1}, from {2} to {3}\n", name,
                countOf(extent, "byte", "bytes"), low, high);
}

static void printText(const LayoutDescription &description, raw_ostream &os) {
  const farc::Datatype &type = *description.type;
  os << type.toString(true) << '\n';
  os << formatv("  {0,-12} {1}\n", "size",
                countOf(type.getSize(), "byte", "bytes"));
  printRange(os, "extent", type.getExtent(), type.getLowerBound(),
             type.getUpperBound());
  printRange(os, "true extent", type.getTrueExtent(), type.getTrueLowerBound(),
             type.getTrueUpperBound());
  os << "  normal form  " << description.normalForm << '\n';
  os << "  kernel       " << description.kernel << '\n';
  for (const std::string *code : {&description.ir, &description.assembly})
    if (!code->empty())
      os << '\n' << *code;
}

static void printJson(const LayoutDescription &description,
                      json::OStream &json) {
  const farc::Datatype &type = *description.type;
  json.object([&] {
    json.attribute("type", type.toString());
    json.attribute("size", type.getSize());
    json.attribute("lowerBound", type.getLowerBound());
    json.attribute("upperBound", type.getUpperBound());
    json.attribute("extent", type.getExtent());
    json.attribute("trueLowerBound", type.getTrueLowerBound());
    json.attribute("trueUpperBound", type.getTrueUpperBound());
    json.attribute("trueExtent", type.getTrueExtent());
    json.attribute("normalForm", description.normalForm);
    json.attribute("kernel", description.kernel);
    if (!description.ir.empty())
      json.attribute("ir", description.ir);
    if (!description.assembly.empty())
      json.attribute("assembly", description.assembly);
  });
}

static void print(const LayoutOptions &options,
                  ArrayRef<LayoutDescription> descriptions, raw_ostream &os) {
  if (options.isJson) {
    json::OStream json(os, 2);
    json.array([&] {
      for (const LayoutDescription &description : descriptions)
        printJson(description, json);
    });
    os << '\n';
    return;
  }
  for (const LayoutDescription &description : descriptions) {
    if (&description != descriptions.begin())
      os << '\n';
    printText(description, os);
  }
}

bool sluice::driver::describeLayouts(const LayoutOptions &options,
                                     raw_ostream &os) {
  std::vector<std::string> inputs;
  for (const LayoutOptions::Text &text : options.texts)
    inputs.push_back(text.file);
  if (Status status = checkOutput(options.picture, inputs); !status.ok())
    return fail(status.message());
  Types types;
  if (!readTexts(options, types))
    return false;
  std::vector<LayoutDescription> descriptions(types.size());
  for (auto [type, description] : zip_equal(types, descriptions))
    if (!describe(options, *type, description))
      return false;
  print(options, descriptions, os);
  if (options.picture.empty())
    return true;
  std::vector<const farc::Datatype *> drawn;
  for (const auto &type : types)
    drawn.push_back(type.get());
  Status status = writeOutput(options.picture, drawLayouts(drawn));
  return status.ok() || fail(status.message());
}
