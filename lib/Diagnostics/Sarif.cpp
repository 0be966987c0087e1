//===- Sarif.cpp - Messages as SARIF --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows "Static Analysis Results Interchange Format (SARIF) Version 2.1.0" of
// OASIS. Numbers in comments are sections of that document.
//
//===----------------------------------------------------------------------===//

#include "Sarif.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace sluice;
using llvm::json::OStream;

namespace {
class SarifWriter {
public:
  explicit SarifWriter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void write(llvm::ArrayRef<const Diagnostic *> diagnostics,
             const ReportHead &head);

private:
  void writeTool(llvm::ArrayRef<const Diagnostic *> diagnostics,
                 const ReportHead &head);
  void writeResult(const Diagnostic &diagnostic);
  void writeFix(const Fix &fix);
  void writeText(llvm::StringRef name, llvm::StringRef text) {
    json.attributeObject(name,
                         [&] { json.attribute("text", validUtf8(text)); });
  }
  void writeFile(const std::string &file);
  void writeRegion(llvm::StringRef name, const SourceRange &range);
  void writePhysical(const SourceRange &range);

  OStream json;
  SourceTexts texts;
  /// By label, in the order of the labels.
  std::map<std::string, int64_t> rules;
};
} // namespace

/// 3.27.10
static llvm::StringRef levelOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "note";
  }
  return "error";
}

/// 3.4: relative paths are relative to the working directory of the run, which
/// originalUriBaseIds names.
void SarifWriter::writeFile(const std::string &file) {
  json.attributeObject("artifactLocation", [&] {
    if (llvm::sys::path::is_absolute(file)) {
      json.attribute("uri", fileUri(file));
      return;
    }
    json.attribute("uri", uriPath(file));
    json.attribute("uriBaseId", "PWD");
  });
}

/// 3.30: columns are in the unit that columnKind names.
void SarifWriter::writeRegion(llvm::StringRef name, const SourceRange &range) {
  json.attributeObject(name, [&] {
    json.attribute("startLine", range.begin.line);
    json.attribute("startColumn", texts.utf16Column(range.begin));
    json.attribute("endLine", range.end.line);
    json.attribute("endColumn", texts.utf16Column(range.end));
  });
}

/// 3.29
void SarifWriter::writePhysical(const SourceRange &range) {
  json.attributeObject("physicalLocation", [&] {
    writeFile(range.begin.file);
    if (range.begin.line)
      writeRegion("region", range);
  });
}

/// 3.55: a replacement deletes a region, which may be empty, and inserts.
void SarifWriter::writeFix(const Fix &fix) {
  json.object([&] {
    writeText("description", fix.title);
    // All changes of a file belong together.
    std::map<std::string, std::vector<const Edit *>> changes;
    for (const Edit &edit : fix.edits)
      changes[edit.begin.file].push_back(&edit);
    json.attributeArray("artifactChanges", [&] {
      for (const auto &[file, edits] : changes)
        json.object([&] {
          writeFile(file);
          json.attributeArray("replacements", [&] {
            for (const Edit *edit : edits)
              json.object([&] {
                writeRegion("deletedRegion", {edit->begin, edit->end});
                if (!edit->text.empty())
                  writeText("insertedContent", edit->text);
              });
          });
        });
    });
  });
}

/// 3.27
void SarifWriter::writeResult(const Diagnostic &diagnostic) {
  json.object([&] {
    if (!diagnostic.rule.empty()) {
      json.attribute("ruleId", diagnostic.rule);
      json.attribute("ruleIndex", rules.at(diagnostic.rule));
    }
    json.attribute("level", levelOf(diagnostic.severity));
    writeText("message", diagnostic.message);
    if (diagnostic.place.isKnown())
      json.attributeArray("locations", [&] {
        json.object([&] {
          writePhysical(texts.rangeOf(diagnostic.place, diagnostic.end));
        });
      });
    if (!diagnostic.notes.empty())
      json.attributeArray("relatedLocations", [&] {
        for (const DiagnosticNote &note : diagnostic.notes)
          json.object([&] {
            if (note.place.isKnown())
              writePhysical(texts.rangeOf(note.place));
            writeText("message", note.message);
          });
      });
    if (diagnostic.fix && !diagnostic.fix->edits.empty())
      json.attributeArray("fixes", [&] { writeFix(*diagnostic.fix); });
  });
}

/// 3.18, with the rules that occur, 3.49.
void SarifWriter::writeTool(llvm::ArrayRef<const Diagnostic *> diagnostics,
                            const ReportHead &head) {
  for (const Diagnostic *diagnostic : diagnostics)
    if (!diagnostic->rule.empty())
      rules.try_emplace(diagnostic->rule);
  int64_t count = 0;
  for (auto &[rule, index] : rules)
    index = count++;
  json.attributeObject("tool", [&] {
    json.attributeObject("driver", [&] {
      json.attribute("name", "sluice");
      json.attribute("version", head.toolVersion);
      json.attributeArray("rules", [&] {
        for (const auto &[rule, index] : rules)
          json.object([&] {
            json.attribute("id", rule);
            if (std::string uri = ruleUri(rule); !uri.empty())
              json.attribute("helpUri", uri);
          });
      });
    });
  });
}

void SarifWriter::write(llvm::ArrayRef<const Diagnostic *> diagnostics,
                        const ReportHead &head) {
  llvm::SmallString<128> folder;
  llvm::sys::fs::current_path(folder);
  std::string base = fileUri(folder.str().str());
  if (!llvm::StringRef(base).ends_with("/"))
    base += "/";
  json.object([&] {
    json.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json.attribute("version", "2.1.0");
    json.attributeArray("runs", [&] {
      json.object([&] {
        writeTool(diagnostics, head);
        json.attributeArray("invocations", [&] {
          json.object([&] {
            json.attribute("executionSuccessful", head.isGood);
            json.attributeObject("workingDirectory",
                                 [&] { json.attribute("uri", base); });
          });
        });
        json.attribute("columnKind", "utf16CodeUnits");
        json.attributeObject("originalUriBaseIds", [&] {
          json.attributeObject("PWD", [&] { json.attribute("uri", base); });
        });
        json.attributeArray("results", [&] {
          for (const Diagnostic *diagnostic : diagnostics)
            writeResult(*diagnostic);
        });
      });
    });
  });
}

void sluice::writeSarif(llvm::ArrayRef<const Diagnostic *> diagnostics,
                        const ReportHead &head, llvm::raw_ostream &os) {
  SarifWriter(os).write(diagnostics, head);
  os << '\n';
}
