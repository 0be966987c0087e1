//===- InspectLayouts.cpp - Layouts in an editor --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack parses a whole text and records no positions. So the text is split at
// its brackets. Each part is a layout itself and is parsed alone when it is
// described.
//
//===----------------------------------------------------------------------===//

#include "Inspection.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Compiler.h"
#include "sluice/Pack/Datatype.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
/// A layout in the text, with the layouts in its brackets.
struct WrittenLayout {
  size_t begin = 0, end = 0;
  std::vector<WrittenLayout> parts;
};

/// Splits texts that Pack accepts.
class LayoutScanner {
public:
  explicit LayoutScanner(StringRef text) : text(text) {}

  std::vector<WrittenLayout> scanAll() {
    std::vector<WrittenLayout> found;
    while (skipTo([](char c) { return isAlpha(c); }))
      found.push_back(scan());
    return found;
  }

private:
  /// Advances to a wanted character; false at the end, or at a closing bracket.
  template <typename Predicate> bool skipTo(Predicate isWanted) {
    while (at < text.size()) {
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      else if (isWanted(text[at]))
        return true;
      else if (text[at] == ']' || text[at] == ')')
        return false;
      else
        ++at;
    }
    return false;
  }

  /// Scans from a name on: "vec", then its arguments, then its base type.
  WrittenLayout scan() {
    WrittenLayout layout;
    layout.begin = at;
    while (at < text.size() && (isAlnum(text[at]) || text[at] == '_'))
      ++at;
    layout.end = at;
    for (char open : {'(', '['}) {
      size_t name = at;
      if (!skipTo([](char c) { return !isSpace(c); }) || text[at] != open) {
        at = name;
        continue;
      }
      ++at;
      // Members of structs are in brackets among the arguments.
      scanInside(open == '(' ? ')' : ']', layout.parts);
      layout.end = at;
    }
    return layout;
  }

  void scanInside(char close, std::vector<WrittenLayout> &parts) {
    while (at < text.size()) {
      if (text.substr(at).starts_with("//")) {
        at = std::min(text.find('\n', at), text.size());
      } else if (text[at] == close) {
        ++at;
        return;
      } else if (text[at] == '[') {
        ++at;
        scanInside(']', parts);
      } else if (isAlpha(text[at]) && close == ']') {
        parts.push_back(scan());
      } else {
        ++at;
      }
    }
  }

  StringRef text;
  size_t at = 0;
};
} // namespace

/// The number of layouts of a range that are described individually.
static constexpr size_t maxDescribed = 8;

static std::string describe(const farc::Datatype &type) {
  pack::Layout layout = farc::layoutOf(type);
  std::string text;
  raw_string_ostream os(text);
  os << "**" << type.toString(true) << "**\n\n"
     << "normal form: `" << pack::toText(layout) << "`\n\n"
     << "size " << countOf(type.getSize(), "byte", "bytes") << ", extent "
     << countOf(type.getExtent(), "byte", "bytes") << " from "
     << type.getLowerBound() << " to " << type.getUpperBound()
     << ", true extent from " << type.getTrueLowerBound() << " to "
     << type.getTrueUpperBound() << "\n\n"
     << "ready-made kernel: " << pack::readyMadeKernel(layout).name << "\n\n";
  return text;
}

/// Describes a part of the text; empty if the part is no layout.
static std::string describe(const std::string &part) {
  try {
    auto types = farc::parseDatatypes(part);
    std::string text;
    if (types.size() > 1)
      text = std::to_string(types.size()) + " layouts\n\n";
    for (size_t i = 0; i != std::min(types.size(), maxDescribed); ++i)
      text += describe(*types[i]);
    if (types.size() > maxDescribed)
      text += "and further ones";
    return text;
  } catch (const farc::Error &) {
    return "";
  }
}

static SourceRange rangeOf(const WrittenLayout &layout, const std::string &file,
                           Inspection &inspection) {
  return {inspection.texts.placeAt(file, layout.begin),
          inspection.texts.placeAt(file, layout.end)};
}

static void markAll(const WrittenLayout &layout, StringRef text,
                    const std::string &file, Inspection &inspection) {
  std::string part = text.slice(layout.begin, layout.end).str();
  if (std::string said = describe(part); !said.empty())
    inspection.mark(rangeOf(layout, file, inspection), std::move(said));
  for (const WrittenLayout &inner : layout.parts)
    markAll(inner, text, file, inspection);
}

/// A name for the outline: the first line of the layout.
static std::string titleOf(StringRef part) {
  constexpr size_t longest = 60;
  std::string title = part.take_until([](char c) { return c == '\n'; }).str();
  if (title.size() > longest)
    title = title.substr(0, longest) + "...";
  return title;
}

void driver::inspectLayouts(const InspectOptions &options,
                            Inspection &inspection) {
  std::optional<StringRef> text = inspection.texts.find(options.file);
  if (!text)
    return printError("cannot read '" + options.file + "'");
  try {
    (void)farc::parseDatatypes(text->str());
  } catch (const farc::ParseError &error) {
    return printDiagnostic({.message = error.getReason(),
                            .place = {options.file, unsigned(error.getLine()),
                                      unsigned(error.getColumn())}});
  } catch (const farc::Error &error) {
    return printError(error.what());
  }
  inspection.setComplete();
  for (const WrittenLayout &layout : LayoutScanner(*text).scanAll()) {
    markAll(layout, *text, options.file, inspection);
    SourceRange range = rangeOf(layout, options.file, inspection);
    inspection.add({.name = titleOf(text->slice(layout.begin, layout.end)),
                    .detail = "layout",
                    .kind = SymbolKind::Struct,
                    .whole = range,
                    .selection = range});
  }
}
