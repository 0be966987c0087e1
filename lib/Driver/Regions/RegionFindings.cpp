//===- RegionFindings.cpp - Problems of regions as messages ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks name nodes. Locations and fixes refer to the text that the module was
// read from. Modules without a text, such as bytecode, get no fixes.
//
//===----------------------------------------------------------------------===//

#include "RegionFindings.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using rdir::Edge;
using rdir::EdgeKind;
using rdir::Finding;
using rdir::Graph;
using rdir::NodeIndex;

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

namespace {
/// Finds fixes in the texts of modules.
class RegionFixes {
public:
  std::optional<Fix> find(const Finding &finding);

private:
  std::optional<Fix> markInitial(const Finding &finding);
  std::optional<Fix> startFromLatest(const Finding &finding);
  std::optional<Edit> replaceInClause(mlir::Operation *op, StringRef clause,
                                      StringRef from, const std::string &to);

  SourceTexts texts;
};
} // namespace

/// '%a1' as written, without quotes; empty if it has no name.
static std::string writtenName(const Finding &finding, NodeIndex node) {
  std::string name = finding.graph->name(node);
  StringRef text = StringRef(name).trim('\'');
  return text.starts_with("%") ? text.str() : "";
}

/// The offset after the bracketed text that begins at `start`.
static size_t skipBrackets(StringRef text, size_t start, char open,
                           char close) {
  size_t next = text.find_first_not_of(" \t", start);
  if (next == StringRef::npos || text[next] != open)
    return start;
  size_t end = text.find(close, next);
  return end == StringRef::npos ? start : end + 1;
}

static bool isNamed(char c) {
  return isAlnum(c) || StringRef("_.$-").contains(c);
}

/// D3: `rdir.region @a[0] {x}` becomes `rdir.region @a[0] {x} initial`.
std::optional<Fix> RegionFixes::markInitial(const Finding &finding) {
  SourcePlace place = placeOf(finding.op->getLoc());
  std::optional<size_t> offset = texts.offsetOf(place);
  if (!offset)
    return std::nullopt;
  StringRef text = *texts.find(place.file);
  StringRef rest = text.drop_front(*offset);
  if (!rest.consume_front("rdir.region") && !rest.consume_front("rdir.scalar"))
    return std::nullopt;
  size_t symbol = rest.find_first_not_of(" \t");
  if (symbol == StringRef::npos || rest[symbol] != '@')
    return std::nullopt;
  size_t end = symbol + 1;
  while (end < rest.size() && isNamed(rest[end]))
    ++end;
  end = skipBrackets(rest, end, '[', ']');
  end = skipBrackets(rest, end, '{', '}');
  SourcePlace at = texts.placeAt(place.file, rest.data() - text.data() + end);
  return Fix{"mark it 'initial'", {{at, at, " initial"}}};
}

/// Replaces a name within `clause(...)` of an operation, if the name occurs
/// there once.
std::optional<Edit> RegionFixes::replaceInClause(mlir::Operation *op,
                                                 StringRef clause,
                                                 StringRef from,
                                                 const std::string &to) {
  SourcePlace place = placeOf(op->getLoc());
  std::optional<size_t> offset = texts.offsetOf(place);
  if (!offset)
    return std::nullopt;
  StringRef text = *texts.find(place.file);
  size_t next = text.find("rdir.", *offset + 1);
  size_t start = text.find((clause + "(").str(), *offset);
  if (start == StringRef::npos || start > next)
    return std::nullopt;
  start += clause.size() + 1;
  size_t end = text.find(')', start);
  std::optional<size_t> found;
  for (size_t at = text.find(from, start); at < end;
       at = text.find(from, at + 1)) {
    size_t behind = at + from.size();
    if (behind < text.size() && isNamed(text[behind]))
      continue;
    if (found)
      return std::nullopt;
    found = at;
  }
  if (!found)
    return std::nullopt;
  return Edit{texts.placeAt(place.file, *found),
              texts.placeAt(place.file, *found + from.size()), to};
}

/// D2: the writer of the second version should start from the first version
/// instead of an earlier one.
std::optional<Fix> RegionFixes::startFromLatest(const Finding &finding) {
  if (finding.edges.size() != 1 || finding.edges.front().isPresent)
    return std::nullopt;
  const Graph &graph = finding.graph->graph;
  NodeIndex first = finding.edges.front().from;
  NodeIndex second = finding.edges.front().to;
  if (graph.in(second).size() != 1)
    return std::nullopt;
  NodeIndex writer = graph.edge(graph.in(second).front()).from;
  std::optional<const Edge *> start;
  for (uint32_t index : graph.in(writer)) {
    const Edge &edge = graph.edge(index);
    if ((edge.kind != EdgeKind::Read && edge.kind != EdgeKind::Discard) ||
        graph.node(edge.from).region != graph.node(first).region)
      continue;
    if (start)
      return std::nullopt;
    start = &edge;
  }
  std::string name = writtenName(finding, first);
  if (!start || name.empty() ||
      graph.node(second).region != graph.node(first).region)
    return std::nullopt;
  std::string old = writtenName(finding, (*start)->from);
  StringRef clause = (*start)->kind == EdgeKind::Read ? "reads" : "discards";
  if (old.empty())
    return std::nullopt;
  std::optional<Edit> edit =
      replaceInClause(finding.graph->operations[writer], clause, old, name);
  if (!edit)
    return std::nullopt;
  return Fix{"add an edge from '" + name + "' in place of that from '" + old +
                 "'",
             {std::move(*edit)}};
}

std::optional<Fix> RegionFixes::find(const Finding &finding) {
  if (!finding.graph)
    return std::nullopt;
  switch (finding.rule) {
  case rdir::Rule::D2:
    return startFromLatest(finding);
  case rdir::Rule::D3:
    return markInitial(finding);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void driver::printFindings(const rdir::ModuleCheck &check, bool hasRemarks) {
  DiagnosticPrinter printer(errs());
  RegionFixes fixes;
  const Finding *last = nullptr;
  SmallSet<rdir::Rule, 8> shown;
  for (const Finding &finding : check.findings) {
    bool isError = finding.severity == rdir::ProblemSeverity::Error;
    if (!isError && !hasRemarks)
      continue;
    last = &finding;
    shown.insert(finding.rule);
    Diagnostic diagnostic = {.severity =
                                 isError ? Severity::Error : Severity::Remark,
                             .rule = rdir::ruleName(finding.rule),
                             .message = finding.message,
                             .place = placeOf(finding.op->getLoc()),
                             .fix = fixes.find(finding)};
    for (const Finding::Note &note : finding.notes)
      diagnostic.note(placeOf(note.op->getLoc()), note.text);
    printer.print(diagnostic);
  }
  for (auto [rule, count] : check.omitted)
    if (shown.contains(rule))
      printer.print({.severity = Severity::Remark,
                     .message = (Twine(count) + " more of rule " +
                                 rdir::ruleName(rule) + " are not shown")
                                    .str(),
                     .place = placeOf(last->op->getLoc())});
}
