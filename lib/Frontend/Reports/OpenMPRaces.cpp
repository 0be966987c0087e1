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

#include "sluice/Diagnostics/SourceTexts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

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
  // Of two loops, the id of the inner one is the first.
  Regex ofTwoLoops("^instances \\(([0-9]+), ([0-9]+)\\) and "
                   "\\(([0-9]+), ([0-9]+)\\)");
  if (ofTwoLoops.match(reason))
    return ofTwoLoops.sub("iterations (\\2, \\1) and (\\4, \\3)", reason);
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

static StringRef reductionOf(const RaceFinding &finding) {
  return finding.declaration.empty() ? "" : operatorOf(finding.declaration);
}

/// "private(t)": what gives each iteration a variable of its own; empty if no
/// clause does.
static std::string clauseFor(const RaceFinding &finding,
                             const OpenMPGraph &loop) {
  std::string name = StringRef(variableOf(finding)).trim('\'').str();
  bool isScalar = any_of(loop.arguments, [&](const OpenMPArgument &argument) {
    return argument.isScalar && argument.name == name;
  });
  if (!isScalar)
    return "";
  if (StringRef reduction = reductionOf(finding); !reduction.empty())
    return "reduction(" + reduction.str() + ": " + name + ")";
  // One of the two is atomic, and the other one must be, too.
  if (finding.first.isAtomic != finding.second.isAtomic)
    return "";
  bool isReadLater =
      any_of(loop.arguments, [&](const OpenMPArgument &argument) {
        return argument.isReadLater && argument.name == name;
      });
  return (isReadLater ? "lastprivate(" : "private(") + name + ")";
}

static std::string remedyFor(const RaceFinding &finding,
                             const OpenMPGraph &loop) {
  std::string name = variableOf(finding);
  bool isGlobal = StringRef(finding.memory).starts_with("global");
  StringRef reduction = reductionOf(finding);
  std::string clause = clauseFor(finding, loop);
  if (!clause.empty() && !reduction.empty())
    return "add '" + clause + "'";
  // One of the two is atomic, and the other one must be, too.
  if (finding.first.isAtomic != finding.second.isAtomic) {
    const RaceAccess &other =
        finding.first.isAtomic ? finding.second : finding.first;
    return other.isWrite ? "write it by 'atomic' here, too"
                         : "read it by 'atomic read', or by 'atomic capture' "
                           "where it is updated";
  }
  if (!clause.empty())
    return "if each iteration sets " + name + " before it reads it, add '" +
           clause + "'";
  if (loop.hasOrderedRegions)
    return "do both in the 'ordered' region";
  if (loop.hasSinks)
    return "wait for the earlier iteration by 'sink' before, and have the "
           "'source' of each iteration behind what others wait for";
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

std::string driver::describeSomeNumbers(const RaceFinding &finding,
                                        const OpenMPGraph &loop) {
  SmallVector<StringRef> names;
  for (const OpenMPArgument &argument : loop.arguments)
    if (argument.isNumber && !argument.name.empty() &&
        !is_contained(names, argument.name))
      names.push_back(argument.name);
  std::string text;
  for (auto [index, name] : enumerate(names))
    text += (index == 0                  ? " of '"
             : index + 1 == names.size() ? " and '"
                                         : ", '") +
            name.str() + "'";
  return iterationsOf(finding) + " meet for some values" + text +
         ", but the host computes these, and may never pass such values";
}

bool driver::mayShareChunk(const RaceFinding &finding,
                           const OpenMPGraph &loop) {
  StringRef rest = finding.reason;
  int64_t first = 0, second = 0;
  auto read = [&](int64_t &number) {
    rest = rest.drop_until([](char letter) { return isDigit(letter); });
    return !rest.consumeInteger(10, number);
  };
  if (loop.chunk == 1)
    return false;
  // With an inner loop, the ids are pairs.
  if (loop.chunk == 0 ||
      rest.take_until([](char letter) { return letter == ')'; })
          .contains(',') ||
      !rest.consume_front("instances ") || !read(first) || !read(second))
    return true;
  if (loop.chunk < 0)
    return std::max(first, second) < -loop.chunk;
  return first / loop.chunk == second / loop.chunk;
}

std::string driver::describeOneChunk(const RaceFinding &finding) {
  return iterationsOf(finding) +
         " meet, but may be of one chunk, which one thread runs in order";
}

/// The last character of a directive and what continues it, as an offset into
/// the text; none if there is no directive in this line.
static std::optional<size_t> endOfDirective(StringRef text, size_t line) {
  size_t end = text.find('\n', line);
  StringRef first = text.slice(line, end).ltrim();
  if (!first.consume_front("#") || !first.ltrim().starts_with("pragma"))
    return std::nullopt;
  while (end != StringRef::npos &&
         text.take_front(end).rtrim("\r").ends_with("\\"))
    end = text.find('\n', end + 1);
  StringRef directive = text.take_front(end);
  // A comment in the last line.
  size_t begin = directive.rfind('\n') + 1;
  StringRef last = directive.drop_front(begin);
  size_t comment = std::min(last.find("//"), last.find("/*"));
  return begin + last.take_front(comment).rtrim().size();
}

std::optional<Fix> driver::addClause(const RaceFinding &finding,
                                     const OpenMPGraph &loop) {
  std::string clause = clauseFor(finding, loop);
  if (clause.empty() || !loop.place.isKnown())
    return std::nullopt;
  SourceTexts texts;
  std::optional<StringRef> text = texts.find(loop.place.file);
  std::optional<size_t> line =
      texts.offsetOf({loop.place.file, loop.place.line, 1});
  std::optional<size_t> end =
      text && line ? endOfDirective(*text, *line) : std::nullopt;
  if (!end)
    return std::nullopt;
  SourcePlace place = texts.placeAt(loop.place.file, *end);
  return Fix{"add '" + clause + "'", {{place, place, " " + clause}}};
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

/// Whether the vectors in a vector have memory that no other pointer of the
/// loop leads to: each is into a variable or block of its own, or into the
/// memory of a vector that is none of them.
static bool haveOwnRows(const OpenMPGraph &loop, const OpenMPArgument &rows) {
  return rows.hasOwnRows && all_of(loop.arguments, [&](const auto &other) {
           return &other == &rows || !other.isPointer || other.isAlone ||
                  (other.object && !other.vectorOf) ||
                  (other.vectorOf && rows.vectorOf &&
                   (other.vectorOf == rows.vectorOf ||
                    (other.isOwnVector && rows.isOwnVector)));
         });
}

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
        if (a.isAlone || b.isAlone || is_contained(a.apart, second) ||
            (a.object && b.object && a.object != b.object))
          continue;
        assumptions.push_back(
            {&loop,
             quoted(a.name) + " and " + quoted(b.name) + " do not overlap",
             a.object && b.object});
      }
    if (auto tables = report.tables.find(loop.symbol);
        tables != report.tables.end())
      for (const TableCondition &test : tables->second) {
        std::set<std::string> names;
        for (unsigned table : test.tables())
          names.insert(quoted(argument(table).name));
        const std::string read =
            "the entries that it reads in " + llvm::join(names, " and in ");
        assumptions.push_back(
            {&loop,
             (test.rule == SLUICE_TABLE_ROWS
                  ? read + " send no two iterations to the same memory"
                  : "no two of " + read + " are equal") +
                 ", which its first runs test",
             false});
      }
    if (auto followed = report.followedPointers.find(loop.symbol);
        followed != report.followedPointers.end())
      for (const auto &[index, memory, depth] : followed->second)
        if (!index || depth > 1 || !haveOwnRows(loop, argument(*index)))
          assumptions.push_back(
              {&loop,
               "pointers in " +
                   (index ? quoted(argument(*index).name) : memory) +
                   (depth > 1 ? ", and those behind them," : "") +
                   " lead to memory that no other pointer of it leads to",
               false});
    if (auto pairs = report.disjointGlobals.find(loop.symbol);
        pairs != report.disjointGlobals.end())
      for (const auto &[index, global] : pairs->second) {
        const OpenMPArgument &a = argument(index);
        bool isOther =
            a.object && global != "global variable " + quoted(a.global);
        // What comes from memory cannot be a variable that nobody points to.
        StringRef name = global;
        bool isNamed = !a.object && name.consume_front("global variable '") &&
                       name.consume_back("'") && openMP.named.count(name.str());
        if (a.isAlone || isOther || isNamed)
          continue;
        assumptions.push_back(
            {&loop, quoted(a.name) + " does not point into " + global,
             a.object.has_value()});
      }
  }
  return assumptions;
}
