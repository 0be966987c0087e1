//===- Report.cpp - Messages as JSON --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Report.h"
#include "Sarif.h"
#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace sluice;
using llvm::json::OStream;

static void writePoint(OStream &json, llvm::StringRef name,
                       const SourcePlace &place) {
  json.attributeObject(name, [&] {
    json.attribute("line", place.line);
    json.attribute("column", place.column);
  });
}

/// A file and, if lines are known, a range in it.
static void writeRange(OStream &json, const SourceRange &range) {
  json.attribute("file", validUtf8(range.begin.file));
  if (!range.begin.line)
    return;
  writePoint(json, "begin", range.begin);
  writePoint(json, "end", range.end);
}

static void writeNote(OStream &json, const DiagnosticNote &note,
                      SourceTexts &texts) {
  json.object([&] {
    json.attribute("message", validUtf8(note.message));
    if (note.place.isKnown())
      json.attributeObject(
          "place", [&] { writeRange(json, texts.rangeOf(note.place)); });
  });
}

static void writeFix(OStream &json, const Fix &fix) {
  json.object([&] {
    json.attribute("title", validUtf8(fix.title));
    json.attributeArray("edits", [&] {
      for (const Edit &edit : fix.edits)
        json.object([&] {
          writeRange(json, {edit.begin, edit.end});
          json.attribute("text", validUtf8(edit.text));
        });
    });
  });
}

static void writeMessage(OStream &json, const Diagnostic &diagnostic,
                         SourceTexts &texts) {
  json.object([&] {
    json.attribute("severity", nameOf(diagnostic.severity));
    json.attribute("message", validUtf8(diagnostic.message));
    json.attribute("source", diagnostic.isFromClang ? "clang" : "sluice");
    if (!diagnostic.rule.empty()) {
      json.attribute("rule", diagnostic.rule);
      if (std::string uri = ruleUri(diagnostic.rule); !uri.empty())
        json.attribute("helpUri", uri);
    }
    if (diagnostic.place.isKnown())
      json.attributeObject("place", [&] {
        writeRange(json, texts.rangeOf(diagnostic.place, diagnostic.end));
      });
    json.attributeArray("related", [&] {
      for (const DiagnosticNote &note : diagnostic.notes)
        writeNote(json, note, texts);
    });
    json.attributeArray("fixes", [&] {
      if (diagnostic.fix)
        writeFix(json, *diagnostic.fix);
    });
  });
}

static void writeJson(llvm::ArrayRef<const Diagnostic *> diagnostics,
                      const ReportHead &head, llvm::raw_ostream &os) {
  SourceTexts texts;
  OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeObject("tool", [&] {
      json.attribute("name", "sluice");
      json.attribute("version", head.toolVersion);
    });
    json.attribute("command", head.command);
    json.attribute("successful", head.isGood);
    json.attributeArray("diagnostics", [&] {
      for (const Diagnostic *diagnostic : diagnostics)
        writeMessage(json, *diagnostic, texts);
    });
  });
  os << '\n';
}

void sluice::writeReport(const std::deque<Diagnostic> &diagnostics,
                         const ReportHead &head, ReportForm form,
                         llvm::raw_ostream &os) {
  // A problem that two phases or several graphs find is reported once.
  std::set<std::tuple<SourcePlace, std::string, std::string>> seen;
  std::vector<const Diagnostic *> once;
  for (const Diagnostic &diagnostic : diagnostics)
    if (seen.insert({diagnostic.place, diagnostic.rule, diagnostic.message})
            .second)
      once.push_back(&diagnostic);
  if (form == ReportForm::Json)
    writeJson(once, head, os);
  else
    writeSarif(once, head, os);
}

std::string sluice::validUtf8(llvm::StringRef text) {
  return llvm::json::fixUTF8(text);
}
