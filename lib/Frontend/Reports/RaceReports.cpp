//===- RaceReports.cpp - What the race check found, in words --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings become diagnostics with the place of each access, what is missing,
// and the way out. Racy programs are errors; what is not known is a remark,
// which `sluice check` shows.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Reports/RaceReports.h"

#include "OpenMPRaces.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static SourcePlace placeOfNode(mlir::Location location) {
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file)
    return {};
  return {file.getFilename().str(), file.getLine(), file.getColumn()};
}

/// Whether code is in a header of the system, such as the standard library's.
static bool isOfSystem(const DILocation &place) {
  SmallString<128> path(place.getDirectory());
  sys::path::append(path, place.getFilename());
  if (sys::path::is_absolute(place.getFilename()))
    path = place.getFilename();
  return StringRef(path).starts_with("/usr/include/") ||
         StringRef(path).starts_with("/usr/lib/");
}

/// The place of an access, outside of the system's headers where they are used;
/// that of its node where the code has none.
static SourcePlace placeOfAccess(const RaceAccess &access) {
  const DILocation *place = access.place.get();
  while (place && place->getInlinedAt() && isOfSystem(*place))
    place = place->getInlinedAt();
  if (place && place->getLine())
    return placeOf(DebugLoc(place));
  return placeOfNode(access.nodePlace);
}

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

static std::string verb(const RaceAccess &access) {
  if (access.isAtomic)
    return access.isWrite ? "updates" : "atomically reads";
  return access.isWrite ? "writes" : "reads";
}

/// "'b' reads argument 'x' of 'root' here".
static std::string describeSecond(const RaceFinding &finding) {
  return quoted(finding.second.node) + " " + verb(finding.second) + " " +
         finding.memory + " here";
}

static bool isOnePlace(const RaceFinding &finding) {
  return placeOfAccess(finding.first) == placeOfAccess(finding.second) &&
         finding.first.path == finding.second.path;
}

/// What two instances of one node, or of the nodes in one, do.
static std::string describeInstances(const RaceFinding &finding) {
  if (isOnePlace(finding))
    return quoted(finding.first.node) + " " + verb(finding.first) +
           " the same place of " + finding.memory + " in several instances";
  std::string other = finding.first.path == finding.second.path
                          ? "another instance"
                          : "an instance of " + quoted(finding.first.node);
  return describeSecond(finding) + ", where " + other + " " +
         verb(finding.first) + " it at the same time";
}

static std::string describeRace(const RaceFinding &finding) {
  std::string edge =
      "from " + quoted(finding.source) + " to " + quoted(finding.sink);
  std::string example = ": " + finding.reason + " meet";
  // A barrier would not help, nor is a place of its own what it is for.
  if (!finding.declaration.empty())
    return describeInstances(finding) + example +
           "; declare the reduction before the first update: '" +
           finding.declaration + "'";
  switch (finding.kind) {
  case RaceKind::NoEdge:
    return describeSecond(finding) + ", and " + quoted(finding.first.node) +
           " " + verb(finding.first) +
           " it, but no edge orders the two; add an edge " + edge;
  case RaceKind::OneToOneEdge:
    return describeSecond(finding) + ", and " + quoted(finding.first.node) +
           " " + verb(finding.first) + " it" + example +
           ", but a one-to-one edge orders equal instances only; make the "
           "edge " +
           edge + " all-to-all";
  case RaceKind::Instances:
  case RaceKind::NoBarrier:
    return describeInstances(finding) + example +
           (isOnePlace(finding)
                ? "; give each instance a place of its own, let one instance "
                  "alone do it, or use atomic operations"
                : "; put a barrier between the two, or give each instance a "
                  "place of its own");
  case RaceKind::Parents:
    return describeInstances(finding) + example + ", since the instances of " +
           quoted(finding.source) +
           " run at the same time; give each of them a place of its own";
  case RaceKind::UnknownMemory:
    return "";
  }
  return "";
}

static std::string describeUnknown(const RaceFinding &finding) {
  std::string text;
  if (finding.kind == RaceKind::UnknownMemory)
    text = "cannot tell what memory " + quoted(finding.first.node) +
           " touches here: " + finding.reason;
  else if (finding.first.path == finding.second.path)
    text = "cannot tell whether instances of " + quoted(finding.first.node) +
           " meet in " + finding.memory + ": " + finding.reason;
  else
    text = "cannot tell whether " + quoted(finding.first.node) + " and " +
           quoted(finding.second.node) + " meet in " + finding.memory + ": " +
           finding.reason;
  return text + "; SLUICE_CHECK=1 checks it at run time";
}

static void addNote(const RaceFinding &finding, Diagnostic &diagnostic) {
  if (!isOnePlace(finding))
    diagnostic.note(placeOfAccess(finding.first),
                    quoted(finding.first.node) + " " + verb(finding.first) +
                        " it here");
}

static std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

/// Why two accesses that nothing orders are no race.
static std::string describeOpen(const OpenOrder &open) {
  bool isOne = open.first.path == open.second.path;
  std::string who =
      isOne ? "instances of " + quoted(open.first.node)
            : quoted(open.first.node) + " and " + quoted(open.second.node);
  switch (open.kind) {
  case OpenOrder::Kind::Lock:
    return who + " take turns at " + open.memory + ", with a lock in " +
           open.reason +
           ": that is no race, but what they leave there may depend on which "
           "comes first";
  case OpenOrder::Kind::Static:
    return "the first of the " + who + " that gets here initialises " +
           open.memory +
           ", and the others wait: that is no race, but nothing says which is "
           "the first";
  case OpenOrder::Kind::Vouched:
    return "the program says that the order in which " + who + " use " +
           open.memory + " does not matter: \"" + open.reason + "\"";
  case OpenOrder::Kind::Apart:
    return "the program says that " + who + " never meet in " + open.memory +
           " ('sluice_assume_disjoint')";
  }
  return "";
}

/// Whether something is said with that reason.
static bool hasOpen(const RaceReport &report, OpenOrder::Kind kind) {
  return any_of(report.openOrders,
                [&](const OpenOrder &open) { return open.kind == kind; });
}

/// "65,536".
static std::string withCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return text;
}

static constexpr const char *rehearsedText =
    "proven free of races: the program has no input, and was followed to its "
    "end";

/// What may differ from run to run all the same.
static std::string orderOf(const RaceReport &report) {
  return hasOpen(report, OpenOrder::Kind::Lock) ||
                 hasOpen(report, OpenOrder::Kind::Static)
             ? "; results may depend on the order in which instances take turns"
             : "";
}

/// "if no two of the entries ...": what launches test of graphs. Loops of
/// OpenMP have remarks of their own.
static std::string testedTables(const RaceReport &report,
                                const OpenMPSummary *openMP) {
  std::set<std::string> different, rows;
  for (const auto &[symbol, tables] : report.tables)
    if (!openMP || none_of(openMP->graphs, [&](const OpenMPGraph &loop) {
          return loop.symbol == symbol;
        }))
      for (const TableCondition &test : tables)
        for (const std::string &name : test.names)
          (test.rule == SLUICE_TABLE_ROWS ? rows : different)
              .insert(quoted(name));
  std::string text;
  if (!different.empty())
    text = " if no two of the entries that are read in " +
           llvm::join(different, " or in ") + " are equal";
  if (!rows.empty())
    text += std::string(text.empty() ? "" : " and") +
            " if the entries that are read in " + llvm::join(rows, " and in ") +
            " send no two instances to the same memory";
  return text.empty() ? text : text + ", which each launch tests";
}

/// Whether following the program has settled what a finding leaves open.
static bool isRehearsed(const RaceFinding &finding,
                        const OpenMPSummary *openMP) {
  const OpenMPGraph *loop = loopOf(finding, openMP);
  return loop && finding.verdict != RaceVerdict::Racy &&
         openMP->isRehearsed(loop->place);
}

/// The assumptions that following the program has not settled.
static std::vector<LoopAssumption>
openAssumptions(const RaceReport &report, const OpenMPSummary &openMP) {
  std::vector<LoopAssumption> open = assumptionsOf(report, openMP);
  erase_if(open, [&](const LoopAssumption &one) {
    return openMP.isRehearsed(one.loop->place);
  });
  return open;
}

void driver::settleByFollowing(RaceReport &report,
                               const OpenMPSummary &openMP) {
  erase_if(report.findings, [&](const RaceFinding &finding) {
    const OpenMPGraph *loop = loopOf(finding, &openMP);
    return loop && finding.verdict == RaceVerdict::Racy &&
           openMP.isRehearsed(loop->place);
  });
}

bool driver::isDecided(const RaceReport &report, const OpenMPSummary &openMP) {
  return openMP.left.empty() && assumptionsOf(report, openMP).empty() &&
         all_of(report.findings, [](const RaceFinding &finding) {
           return finding.verdict == RaceVerdict::Racy;
         });
}

ProofReport driver::proofOf(const RaceReport &report, size_t numLeaves,
                            const OpenMPSummary *openMP) {
  if (openMP && numLeaves == 0 && openMP->numLeft() == 0 &&
      openMP->rehearsal.isProof() && !openMP->rehearsal.reached.empty())
    return {ProofState::Proven, rehearsedText};
  if (numLeaves == 0)
    return {ProofState::Nothing, "nothing was checked"};
  std::vector<LoopAssumption> taken;
  if (openMP)
    taken = openAssumptions(report, *openMP);
  auto isSettled = [&](const RaceFinding &finding) {
    return isRehearsed(finding, openMP);
  };
  if (openMP && openMP->numLeft() == 0 && all_of(report.findings, isSettled) &&
      all_of(openMP->graphs,
             [&](const OpenMPGraph &graph) {
               return openMP->isRehearsed(graph.place);
             }) &&
      !openMP->graphs.empty() && openMP->graphs.size() >= numLeaves)
    return {ProofState::Proven,
            (report.findings.empty() && assumptionsOf(report, *openMP).empty()
                 ? "proven free of races"
                 : rehearsedText) +
                orderOf(report)};
  if (!all_of(report.findings, isSettled) ||
      (openMP && openMP->numLeft() != 0) ||
      any_of(taken, [](const auto &one) { return one.isDoubtful; }))
    return {ProofState::Unknown, "free of races but for what the remarks name"};
  bool isSaid = hasOpen(report, OpenOrder::Kind::Vouched) ||
                hasOpen(report, OpenOrder::Kind::Apart);
  const std::string tables = testedTables(report, openMP);
  std::string text =
      isSaid           ? "free of races if what the program says is so"
      : !taken.empty() ? "free of races if the assumptions in the remarks hold"
      : tables.empty() ? "proven free of races"
                       : "free of races";
  isSaid |= !taken.empty();
  const bool isUsual = report.extentLimit != 0 || report.turnLimit != 0;
  if (report.extentLimit != 0)
    text += ", for grids of fewer than " + withCommas(report.extentLimit) +
            " instances a dimension";
  if (report.turnLimit != 0)
    text +=
        std::string(report.extentLimit != 0 ? " and loops" : ", for loops") +
        " of fewer than " + withCommas(report.turnLimit) + " turns";
  if (!tables.empty())
    text += (isSaid ? " and" : "") + tables;
  text += orderOf(report);
  return {isSaid || isUsual || !tables.empty() ? ProofState::Assumed
                                               : ProofState::Proven,
          text};
}

namespace {
/// Remarks about the code of leaves. What is the same wherever a leaf stands is
/// said once; notes name the other nodes.
class LeafRemarks {
public:
  explicit LeafRemarks(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  /// `finding`: a RaceFinding or an OpenOrder. The remark, if it is new.
  template <typename Finding>
  Diagnostic *add(const Finding &finding, bool namesMemory, std::string message,
                  const char *label) {
    SourcePlace place = placeOfAccess(finding.second);
    Given &known = given[{place, placeOfAccess(finding.first),
                          int(finding.kind), label, finding.reason}];
    std::string who = quoted(finding.first.node);
    if (finding.first.path != finding.second.path)
      who += " and " + quoted(finding.second.node);
    if (namesMemory)
      who += " in " + finding.memory;
    if (!known.names.insert(who).second || known.names.size() > maxNamed + 1)
      return nullptr;
    if (!known.remark)
      return known.remark =
                 &diagnostics.remark(place, std::move(message), label);
    known.remark->note(placeOfNode(finding.second.nodePlace),
                       known.names.size() > maxNamed
                           ? "the same holds for further nodes"
                           : "the same holds for " + who);
    return nullptr;
  }

private:
  static constexpr size_t maxNamed = 4;
  using Key =
      std::tuple<SourcePlace, SourcePlace, int, std::string, std::string>;
  struct Given {
    Diagnostic *remark = nullptr;
    std::set<std::string> names;
  };

  Diagnostics &diagnostics;
  std::map<Key, Given> given;
};
} // namespace

/// A race of a loop of OpenMP: an error of a program that is checked.
static void addIterations(const RaceFinding &finding, const OpenMPGraph &loop,
                          bool isError, Diagnostics &diagnostics) {
  std::string text = describeIterations(finding, loop);
  SourcePlace place = placeOfAccess(finding.second);
  Diagnostic &diagnostic = isError ? diagnostics.error(place, text, "race")
                                   : diagnostics.warning(place, text, "race");
  if (!isOnePlace(finding))
    diagnostic.note(placeOfAccess(finding.first),
                    describeOtherIteration(finding));
  diagnostic.fix = addClause(finding, loop);
  if (loop.place.isKnown())
    diagnostic.note(loop.place, "the loop is declared to be parallel here");
}

void driver::weighArguments(RaceReport &report, const OpenMPSummary &openMP) {
  for (RaceFinding &finding : report.findings) {
    const OpenMPGraph *loop = loopOf(finding, &openMP);
    if (!loop || finding.verdict != RaceVerdict::Racy ||
        !finding.dependsOnArguments ||
        none_of(loop->arguments, [](const OpenMPArgument &argument) {
          return argument.isComputed;
        }))
      continue;
    finding.verdict = RaceVerdict::Unknown;
    finding.reason = describeSomeNumbers(finding, *loop);
  }
}

void driver::weighChunks(RaceReport &report, const OpenMPSummary &openMP) {
  for (RaceFinding &finding : report.findings) {
    const OpenMPGraph *loop = loopOf(finding, &openMP);
    if (!loop || finding.verdict != RaceVerdict::Racy ||
        !mayShareChunk(finding, *loop))
      continue;
    finding.verdict = RaceVerdict::Unknown;
    finding.reason = describeOneChunk(finding);
  }
}

std::vector<OpenMPGraph> driver::takeRacyLoops(RaceReport &report,
                                               const OpenMPSummary &openMP) {
  std::vector<OpenMPGraph> loops;
  erase_if(report.findings, [&](const RaceFinding &finding) {
    const OpenMPGraph *loop = loopOf(finding, &openMP);
    if (!loop)
      return false;
    const bool isRacy = finding.verdict == RaceVerdict::Racy;
    // One thread runs the iterations of a chunk in order: they may meet.
    if (isRacy || loop->chunk != 1)
      loops.push_back(*loop);
    return isRacy;
  });
  return loops;
}

void driver::describeRaces(const RaceReport &report, bool hasRemarks,
                           Diagnostics &diagnostics,
                           const OpenMPSummary *openMP) {
  LeafRemarks remarks(diagnostics);
  for (const RaceFinding &finding : report.findings) {
    const OpenMPGraph *loop = loopOf(finding, openMP);
    if (isRehearsed(finding, openMP))
      continue;
    if (loop && finding.verdict == RaceVerdict::Racy)
      addIterations(finding, *loop, /*isError=*/hasRemarks, diagnostics);
    else if (finding.verdict == RaceVerdict::Racy)
      addNote(finding, diagnostics.error(placeOfAccess(finding.second),
                                         describeRace(finding), "race"));
    else if (hasRemarks)
      if (Diagnostic *remark =
              remarks.add(finding, finding.kind != RaceKind::UnknownMemory,
                          loop ? describeUnknownIterations(finding)
                               : describeUnknown(finding),
                          "race"))
        addNote(finding, *remark);
  }
  if (!hasRemarks)
    return;
  if (openMP) {
    describeLeft(*openMP, diagnostics);
    describeRehearsal(report, *openMP, diagnostics);
    if (openMP->numLeft() != 0 ||
        any_of(report.findings,
               [&](const RaceFinding &finding) {
                 return finding.verdict != RaceVerdict::Racy &&
                        !isRehearsed(finding, openMP);
               }) ||
        !openAssumptions(report, *openMP).empty())
      describeEnd(openMP->rehearsal, diagnostics);
  }
  if (openMP)
    for (const LoopAssumption &one : openAssumptions(report, *openMP))
      diagnostics.remark(
          one.loop->place,
          (one.isDoubtful
               ? "cannot tell whether this loop is free of races: it is if "
               : "assumes that ") +
              one.text,
          "openmp");
  for (const OpenOrder &open : report.openOrders)
    remarks.add(open, /*namesMemory=*/true, describeOpen(open),
                open.kind == OpenOrder::Kind::Lock     ? "lock"
                : open.kind == OpenOrder::Kind::Static ? "static"
                                                       : "vouched");
  for (const SerialStages &stages : report.serialStages)
    diagnostics.remark(
        placeOfNode(stages.place),
        "items of the stream use " + stages.memory +
            " one after the other, since all of them share it: written by " +
            join(stages.writers) +
            (stages.readers.empty() ? ""
                                    : ", read by " + join(stages.readers)) +
            "; let each item bring its own memory to have them overlap",
        "stream");
}
