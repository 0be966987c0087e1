//===- OpenMPRaces.cpp - Races between iterations of a loop, in words -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop has one node in a graph of its own, so both accesses are in the loop.
// Pointers of a program may lead anywhere: what the race check takes as
// disjoint is asked again of what the host passes.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

const OpenMPGraph *driver::loopOf(const RaceFinding &finding,
                                  const OpenMPSummary *openMP) {
  if (!openMP)
    return nullptr;
  StringRef root = StringRef(finding.first.path).split('/').first;
  auto found = find_if(openMP->graphs, [&](const OpenMPGraph &graph) {
    return dfg::displayName(graph.symbol) == root;
  });
  return found == openMP->graphs.end() ? nullptr : &*found;
}

/// "'a'" of "argument 'a' of 'root'" and of "global variable 'a'".
static std::string variableOf(const RaceFinding &finding) {
  StringRef text = finding.memory;
  size_t begin = text.find('\''), end = text.find('\'', begin + 1);
  return end == StringRef::npos ? finding.memory
                                : text.slice(begin, end + 1).str();
}

/// "iterations 1 and 0" of "instances (1) and (0)".
static std::string iterationsOf(const RaceFinding &finding) {
  // What the loop's variable is stands behind the ids: "(i = 2 and i = 1)".
  StringRef reason = finding.reason;
  const size_t equals = reason.find(" = ");
  const size_t behind = equals == StringRef::npos
                            ? equals
                            : reason.take_front(equals).rfind(" (");
  std::string text;
  for (char letter : reason.take_front(behind))
    if (letter != '(' && letter != ')')
      text += letter;
  text += reason.substr(std::min(behind, reason.size()));
  StringRef rest = text;
  if (rest.consume_front("instances "))
    return "iterations " + rest.str();
  return text;
}

/// "+" of "sluice_reduce(sum, sumBytes, SLUICE_SUM)".
static StringRef operatorOf(StringRef declaration) {
  return StringSwitch<StringRef>(declaration.rsplit(' ').second.drop_back())
      .Case("SLUICE_SUM", "+")
      .Case("SLUICE_PRODUCT", "*")
      .Case("SLUICE_MIN", "min")
      .Case("SLUICE_MAX", "max")
      .Case("SLUICE_AND", "&")
      .Case("SLUICE_OR", "|")
      .Case("SLUICE_XOR", "^")
      .Default("");
}

static std::string remedyFor(const RaceFinding &finding,
                             const OpenMPGraph &loop) {
  std::string name = variableOf(finding);
  std::string plain = StringRef(name).trim('\'').str();
  bool isGlobal = StringRef(finding.memory).starts_with("global");
  bool isScalar = any_of(loop.arguments, [&](const OpenMPArgument &argument) {
    return argument.isScalar && argument.name == plain;
  });
  StringRef reduction =
      finding.declaration.empty() ? "" : operatorOf(finding.declaration);
  if (isScalar && !reduction.empty())
    return "add 'reduction(" + reduction.str() + ": " + plain + ")'";
  // One of the two is atomic, and the other one must be, too.
  if (finding.first.isAtomic != finding.second.isAtomic) {
    const RaceAccess &other =
        finding.first.isAtomic ? finding.second : finding.first;
    return other.isWrite ? "write it by 'atomic' here, too"
                         : "read it by 'atomic read', or by 'atomic capture' "
                           "where it is updated";
  }
  bool isReadLater =
      any_of(loop.arguments, [&](const OpenMPArgument &argument) {
        return argument.isReadLater && argument.name == plain;
      });
  if (isScalar)
    return "if each iteration sets " + name + " before it reads it, add '" +
           (isReadLater ? "lastprivate(" : "private(") + plain + ")'";
  // An update counts on what it has replaced, and on nothing else.
  if (!finding.second.isWrite && reduction.empty()) {
    const DebugLoc &write = finding.first.place, &read = finding.second.place;
    bool isUpdate = write && read && write.getLine() == read.getLine() &&
                    write.getCol() == read.getCol();
    return (isUpdate ? "if this only updates a value in " + name +
                           ", do it by 'atomic'; otherwise, "
                     : std::string()) +
           "iterations depend on each other: run them one after another, by "
           "'ordered' or without the directive";
  }
  return isGlobal ? "let each iteration use a variable of its own, or update " +
                        name + " by 'atomic'"
                  : "let each iteration use places of its own in " + name +
                        ", or update them by 'atomic'";
}

static const char *verbOf(const RaceAccess &access) {
  if (access.isAtomic)
    return access.isWrite ? "updates" : "atomically reads";
  return access.isWrite ? "writes" : "reads";
}

std::string driver::describeIterations(const RaceFinding &finding,
                                       const OpenMPGraph &loop) {
  bool isOne = finding.first.place == finding.second.place &&
               finding.first.isWrite == finding.second.isWrite &&
               finding.first.isAtomic == finding.second.isAtomic;
  std::string name = variableOf(finding);
  return std::string("an iteration of this parallel loop ") +
         verbOf(finding.second) + " " + name + " here, where another one " +
         (isOne ? "does the same"
                : verbOf(finding.first) + std::string(" it")) +
         " at the same time: " + iterationsOf(finding) + " meet; " +
         remedyFor(finding, loop);
}

std::string driver::describeUnknownIterations(const RaceFinding &finding) {
  std::string text =
      finding.kind == RaceKind::UnknownMemory
          ? "cannot tell what memory iterations of this parallel loop touch "
            "here: "
          : "cannot tell whether iterations of this parallel loop meet in " +
                variableOf(finding) + ": ";
  return text + finding.reason;
}

std::string driver::describeOtherIteration(const RaceFinding &finding) {
  return std::string("the other iteration ") + verbOf(finding.first) +
         " it here";
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

std::vector<LoopAssumption> driver::assumptionsOf(const RaceReport &report,
                                                  const OpenMPSummary &openMP) {
  std::vector<LoopAssumption> assumptions;
  auto quoted = [](const std::string &name) { return "'" + name + "'"; };
  for (const OpenMPGraph &loop : openMP.graphs) {
    auto argument = [&](unsigned index) -> const OpenMPArgument & {
      return loop.arguments[index];
    };
    if (auto pairs = report.disjointArguments.find(loop.symbol);
        pairs != report.disjointArguments.end())
      for (auto [first, second] : pairs->second) {
        const OpenMPArgument &a = argument(first), &b = argument(second);
        if (a.isAlone || b.isAlone ||
            (a.object && b.object && a.object != b.object))
          continue;
        assumptions.push_back(
            {&loop,
             quoted(a.name) + " and " + quoted(b.name) + " do not overlap",
             a.object && b.object});
      }
    if (auto pairs = report.disjointGlobals.find(loop.symbol);
        pairs != report.disjointGlobals.end())
      for (const auto &[index, global] : pairs->second) {
        const OpenMPArgument &a = argument(index);
        bool isOther =
            a.object && global != "global variable " + quoted(a.global);
        if (a.isAlone || isOther)
          continue;
        assumptions.push_back(
            {&loop, quoted(a.name) + " does not point into " + global,
             a.object.has_value()});
      }
  }
  return assumptions;
}
