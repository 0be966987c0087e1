//===- Inspection.cpp - Results of checking a file for an editor ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines and columns of the protocol count from 0, columns in units of UTF-16.
//
//===----------------------------------------------------------------------===//

#include "Inspection.h"
#include "sluice/Diagnostics/Report.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::string driver::absolutePath(StringRef path) {
  SmallString<128> absolute(path);
  sys::fs::make_absolute(absolute);
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return absolute.str().str();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Inspection::Inspection(std::string file) : file(std::move(file)) {}

bool Inspection::isInFile(const SourcePlace &place) const {
  return place.file == file ||
         (place.isKnown() && absolutePath(place.file) == file);
}

void Inspection::mark(const SourceRange &range, std::string text,
                      std::vector<SourceRange> targets) {
  if (isInFile(range.begin) && range.begin < range.end)
    marks.push_back({range, std::move(text), std::move(targets)});
}

void Inspection::addHint(const SourcePlace &place, std::string text) {
  Hint hint = {place, std::move(text)};
  if (place.isKnown() && !is_contained(hints, hint))
    hints.push_back(std::move(hint));
}

SourceRange Inspection::findWord(const SourcePlace &line, StringRef word) {
  StringRef text = texts.lineAt(line).value_or("");
  auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); !word.empty() && at != StringRef::npos;
       at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at > 0 && isWord(text[at - 1])) ||
        (end < text.size() && isWord(text[end])))
      continue;
    return {{line.file, line.line, unsigned(at + 1)},
            {line.file, line.line, unsigned(end + 1)}};
  }
  return texts.rangeOf({line.file, line.line, 0});
}

//===----------------------------------------------------------------------===//
// The protocol
//===----------------------------------------------------------------------===//

json::Value Inspection::jsonOf(const SourcePlace &place) {
  return json::Object{
      {"line", place.line ? int64_t(place.line) - 1 : 0},
      {"character", place.line ? int64_t(texts.utf16Column(place)) - 1 : 0}};
}

json::Value Inspection::jsonOf(const SourceRange &range) {
  return json::Object{{"start", jsonOf(range.begin)},
                      {"end", jsonOf(range.end)}};
}

json::Value Inspection::locationOf(const SourceRange &range) {
  return json::Object{{"uri", fileUri(range.begin.file)},
                      {"range", jsonOf(range)}};
}

json::Value Inspection::jsonOf(const OutlineEntry &entry) {
  json::Array children;
  for (const OutlineEntry &child : entry.children)
    children.push_back(jsonOf(child));
  return json::Object{{"name", json::fixUTF8(entry.name)},
                      {"detail", json::fixUTF8(entry.detail)},
                      {"kind", int(entry.kind)},
                      {"range", jsonOf(entry.whole)},
                      {"selectionRange", jsonOf(entry.selection)},
                      {"children", std::move(children)}};
}

static int severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return 1;
  case Severity::Warning:
    return 2;
  case Severity::Remark:
    return 3; // Information
  }
  return 1;
}

json::Value Inspection::jsonOf(const Diagnostic &diagnostic,
                               const SourceRange &range) {
  json::Array related;
  for (const DiagnosticNote &note : diagnostic.notes)
    if (note.place.isKnown())
      related.push_back(
          json::Object{{"location", locationOf(texts.rangeOf(note.place))},
                       {"message", json::fixUTF8(note.message)}});
  json::Object object{{"range", jsonOf(range)},
                      {"severity", severityOf(diagnostic.severity)},
                      {"source", diagnostic.isFromClang ? "clang" : "sluice"},
                      {"message", json::fixUTF8(diagnostic.message)},
                      {"relatedInformation", std::move(related)}};
  if (!diagnostic.rule.empty()) {
    object["code"] = diagnostic.rule;
    if (std::string uri = ruleUri(diagnostic.rule); !uri.empty())
      object["codeDescription"] = json::Object{{"href", uri}};
  }
  return json::Value(std::move(object));
}

json::Value Inspection::actionOf(const Fix &fix, const json::Value &problem) {
  std::map<std::string, json::Array> changes;
  for (const Edit &edit : fix.edits)
    changes[fileUri(edit.begin.file)].push_back(
        json::Object{{"range", jsonOf(SourceRange{edit.begin, edit.end})},
                     {"newText", json::fixUTF8(edit.text)}});
  json::Object all;
  for (auto &[uri, edits] : changes)
    all[uri] = std::move(edits);
  return json::Object{{"title", json::fixUTF8(fix.title)},
                      {"kind", "quickfix"},
                      {"isPreferred", true},
                      {"diagnostics", json::Array{problem}},
                      {"edit", json::Object{{"changes", std::move(all)}}}};
}

/// Whether to show the message in an editor that also runs clangd.
static bool isShown(const Diagnostic &diagnostic, bool showsClang,
                    bool hasPlaces) {
  if (diagnostic.isFromClang)
    return showsClang;
  // "does not compile" adds nothing to its reasons.
  return diagnostic.place.isKnown() || !hasPlaces;
}

void Inspection::write(const std::vector<Diagnostic> &diagnostics,
                       bool showsClang, raw_ostream &os) {
  bool hasPlaces = any_of(diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error && diagnostic.place.isKnown();
  });
  std::map<std::string, json::Array> problems;
  json::Array actions, markValues, symbols;
  std::set<std::tuple<SourcePlace, std::string, std::string>> seen;
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!isShown(diagnostic, showsClang, hasPlaces) ||
        !seen.insert({diagnostic.place, diagnostic.rule, diagnostic.message})
             .second)
      continue;
    SourceRange range = diagnostic.place.isKnown()
                            ? texts.rangeOf(diagnostic.place, diagnostic.end)
                            : SourceRange{{file}, {file}};
    json::Value problem = jsonOf(diagnostic, range);
    if (diagnostic.fix && isInFile(diagnostic.place))
      actions.push_back(
          json::Object{{"range", jsonOf(range)},
                       {"action", actionOf(*diagnostic.fix, problem)}});
    problems[fileUri(range.begin.file)].push_back(std::move(problem));
  }
  for (const Hint &hint : hints)
    problems[fileUri(hint.place.file)].push_back(
        json::Object{{"range", jsonOf(texts.rangeOf(hint.place))},
                     {"severity", 4}, // Hint
                     {"source", "sluice"},
                     {"message", json::fixUTF8(hint.text)}});
  json::Object byFile;
  for (auto &[uri, list] : problems)
    byFile[uri] = std::move(list);
  for (const Mark &mark : marks) {
    json::Array targets;
    for (const SourceRange &target : mark.targets)
      targets.push_back(locationOf(target));
    markValues.push_back(json::Object{{"range", jsonOf(mark.range)},
                                      {"hover", json::fixUTF8(mark.text)},
                                      {"targets", std::move(targets)}});
  }
  for (const OutlineEntry &entry : outline)
    symbols.push_back(jsonOf(entry));
  os << json::Value(json::Object{{"isComplete", isComplete},
                                 {"diagnostics", std::move(byFile)},
                                 {"actions", std::move(actions)},
                                 {"marks", std::move(markValues)},
                                 {"symbols", std::move(symbols)}});
}
