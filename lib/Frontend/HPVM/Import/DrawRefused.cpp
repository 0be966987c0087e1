//===- DrawRefused.cpp - Pictures of graphs that break a rule -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that breaks a rule does not become operations of the dfg dialect.
// So this draws what its calls describe: nodes, their contents, and edges, with
// each fault in red at its call or function.
//
//===----------------------------------------------------------------------===//

#include "ImportProgram.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
class RefusedWriter {
public:
  RefusedWriter(const hpvm::CanonicalProgram &program,
                const Diagnostics &errors)
      : program(program), os(text) {
    for (const Diagnostic &one : errors.all())
      if (one.severity == Severity::Error)
        faults.push_back(&one);
  }

  std::string run();

private:
  using Faults = std::vector<const Diagnostic *>;

  Faults faultsAt(const Instruction *call);
  Faults faultsIn(const NodeFunction &function);
  void writeGraph(const NodeFunction &graph, const std::string &prefix,
                  unsigned depth);
  void writeChild(const ChildNode &child, const std::string &name,
                  unsigned depth);
  static std::string spell(const Faults &found);

  const hpvm::CanonicalProgram &program;
  std::string text;
  raw_string_ostream os;
  Faults faults;
  /// Those that are drawn.
  std::set<const Diagnostic *> drawn;
  /// The graphs around the current one: a graph may contain itself.
  SmallPtrSet<const NodeFunction *, 8> around;
  unsigned numNodes = 0;
  static constexpr unsigned maxNodes = 500;
};
} // namespace

static constexpr StringLiteral faultColour = "#c5221f";

/// For a label between quotes.
static std::string escaped(StringRef plain) {
  std::string result;
  for (char letter : plain)
    if (letter == '"' || letter == '\\')
      result += {'\\', letter};
    else
      result += letter;
  return result;
}

/// Lines of some forty letters.
static std::string wrapped(StringRef message) {
  constexpr size_t most = 40;
  std::string result;
  size_t length = 0;
  SmallVector<StringRef> words;
  message.split(words, ' ');
  for (StringRef word : words) {
    const bool isFull = length != 0 && length + word.size() > most;
    result += isFull ? "\\n" : length ? " " : "";
    length = isFull ? word.size() : length + word.size() + 1;
    result += escaped(word);
  }
  return result;
}

std::string RefusedWriter::spell(const Faults &found) {
  std::string result;
  for (const Diagnostic *one : found)
    result += "\\n" + wrapped(one->message + " [" + one->rule + "]");
  return result;
}

/// The errors at the line of a call.
RefusedWriter::Faults RefusedWriter::faultsAt(const Instruction *call) {
  Faults found;
  if (!call)
    return found;
  const SourcePlace place = placeOf(*call);
  for (const Diagnostic *one : faults)
    if (place.isKnown() && place.line == one->place.line &&
        sys::path::filename(place.file) ==
            sys::path::filename(one->place.file) &&
        drawn.insert(one).second)
      found.push_back(one);
  return found;
}

/// The errors in the code of a node function.
RefusedWriter::Faults RefusedWriter::faultsIn(const NodeFunction &function) {
  Faults found;
  const SourcePlace place = placeOf(*function.function);
  unsigned last = place.line;
  for (const Instruction &instruction : instructions(*function.function))
    if (const DILocation *at = instruction.getDebugLoc();
        at &&
        at->getScope()->getSubprogram() == function.function->getSubprogram())
      last = std::max(last, at->getLine());
  for (const Diagnostic *one : faults)
    if (place.isKnown() && place.line <= one->place.line &&
        one->place.line <= last &&
        sys::path::filename(place.file) ==
            sys::path::filename(one->place.file) &&
        drawn.insert(one).second)
      found.push_back(one);
  return found;
}

void RefusedWriter::writeChild(const ChildNode &child, const std::string &name,
                               unsigned depth) {
  const NodeFunction *callee = child.callee;
  Faults found = faultsAt(child.call);
  const bool isGraph = callee && callee->isInternal &&
                       !around.contains(callee) && numNodes < maxNodes;
  if (callee && !isGraph && !around.contains(callee))
    append_range(found, faultsIn(*callee));
  const std::string label = escaped(child.name) + spell(found);
  ++numNodes;
  if (!isGraph) {
    os.indent(2 * depth) << name << " [label=\"" << label << '"';
    if (!found.empty())
      os << " color=\"" << faultColour << "\" fontcolor=\"" << faultColour
         << "\" fillcolor=\"#f4c7c3\"";
    os << "]\n";
    return;
  }
  os.indent(2 * depth) << "subgraph cluster_" << name << " {\n";
  os.indent(2 * depth + 2) << "label=\"" << label << '"';
  if (!found.empty())
    os << " color=\"" << faultColour << "\" fontcolor=\"" << faultColour << '"';
  os << "\n";
  os.indent(2 * depth + 2) << name << " [shape=point style=invis]\n";
  writeGraph(*callee, name, depth + 1);
  os.indent(2 * depth) << "}\n";
}

void RefusedWriter::writeGraph(const NodeFunction &graph,
                               const std::string &prefix, unsigned depth) {
  around.insert(&graph);
  auto nameOf = [&](unsigned child) {
    return prefix + "_" + std::to_string(child);
  };
  Faults binds;
  for (const InputBind &bind : graph.inputBinds)
    append_range(binds, faultsAt(bind.call));
  for (const OutputBind &bind : graph.outputBinds)
    append_range(binds, faultsAt(bind.call));
  for (const auto &[index, child] : enumerate(graph.children))
    writeChild(child, nameOf(index), depth);
  for (const EdgeCall &edge : graph.edges) {
    Faults found = faultsAt(edge.call);
    os.indent(2 * depth) << nameOf(edge.source) << " -> " << nameOf(edge.sink)
                         << " [";
    if (edge.isOneToOne)
      os << "style=dashed ";
    if (!found.empty())
      os << "color=\"" << faultColour << "\" fontcolor=\"" << faultColour
         << "\" label=\"" << StringRef(spell(found)).drop_front(2) << '"';
    os << "]\n";
  }
  append_range(binds, faultsIn(graph));
  if (!binds.empty())
    os.indent(2 * depth) << prefix << "_faults [shape=note color=\""
                         << faultColour << "\" fontcolor=\"" << faultColour
                         << "\" fillcolor=\"#f4c7c3\" label=\""
                         << StringRef(spell(binds)).drop_front(2) << "\"]\n";
  around.erase(&graph);
}

std::string RefusedWriter::run() {
  os << "digraph sluice {\n  node [shape=box style=filled "
        "fillcolor=\"#dbe8f6\" fontname=\"Helvetica\" fontsize=11]\n  graph "
        "[fontname=\"Helvetica\" fontsize=12 ranksep=0.4 style=rounded "
        "compound=true]\n  edge [fontname=\"Helvetica\" fontsize=9]\n";
  unsigned number = 0;
  for (const auto &function : program.functions) {
    if (!function->isInternal ||
        (!function->uses.empty() && !function->isLaunched))
      continue;
    const std::string name = "root" + std::to_string(number++);
    os << "  subgraph cluster_" << name << " {\n    label=\""
       << escaped(function->name()) << "\"\n";
    writeGraph(*function, name, 2);
    os << "  }\n";
  }
  // Faults that concern no drawn graph.
  Faults others;
  for (const Diagnostic *one : faults)
    if (!drawn.count(one))
      others.push_back(one);
  if (!others.empty())
    os << "  faults [shape=note color=\"" << faultColour << "\" fontcolor=\""
       << faultColour << "\" fillcolor=\"#f4c7c3\" label=\""
       << StringRef(spell(others)).drop_front(2) << "\"]\n";
  os << "}\n";
  return number == 0 ? "" : text;
}

std::string sluice::hpvm::drawRefused(Module &module,
                                      const Diagnostics &errors) {
  Diagnostics unheard = errors;
  unheard.clear();
  hpvm::CanonicalProgram program(module, unheard);
  prepareModule(module);
  discoverProgram(program);
  return RefusedWriter(program, errors).run();
}
