//===- OpenMPRehearsals.cpp - Races of a program that was followed --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two accesses may be anywhere in the program, so the words say who makes
// them.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

using Unit = RehearsedAccess::Unit;

static const char *verbOf(const RehearsedAccess &access) {
  if (access.isAtomic)
    return access.isWrite ? "updates" : "atomically reads";
  return access.isWrite ? "writes" : "reads";
}

static std::string quotedName(const RehearsedRace &race) {
  return race.variable.empty() ? "memory" : "'" + race.variable + "'";
}

/// What keeps the two apart.
static std::string remedyOf(const RehearsedRace &race) {
  const RehearsedAccess &first = race.first, &second = race.second;
  const std::string name = quotedName(race);
  auto has = [&](Unit unit) {
    return first.unit == unit || second.unit == unit;
  };
  if (first.isAtomic != second.isAtomic)
    return "use it by 'atomic' at both places";
  if (first.isLocked && second.isLocked)
    return "the two hold different locks: let both use the same lock, or "
           "'critical' with the same name";
  if (first.isLocked || second.isLocked)
    return "hold the same lock at both places";
  if (has(Unit::Task))
    return first.unit == second.unit
               ? "let one task wait for the other by 'depend', or wait between "
                 "them by 'taskwait'"
               : "wait for the task by 'taskwait', or give it a copy by "
                 "'firstprivate'";
  if (has(Unit::Lane))
    return "iterations of this 'simd' loop depend on each other: leave out "
           "'simd', or add 'safelen'";
  if (first.unit == Unit::Iteration && second.unit == Unit::Iteration &&
      first.construct == second.construct)
    return "if each iteration sets " + name +
           " before it reads it, make it 'private'; if iterations only update "
           "it, use 'reduction' or 'atomic'; otherwise, they need 'ordered'";
  if (first.unit != second.unit || first.unit != Unit::Thread)
    return "a barrier is missing between the two: leave out 'nowait', or add "
           "'barrier'";
  return "if each thread needs a value of its own, make it 'private'; "
         "otherwise, use it by 'atomic', in 'critical' or in 'single', or add "
         "'barrier' between the two";
}

void driver::describeLeft(const OpenMPSummary &openMP,
                          Diagnostics &diagnostics) {
  for (const OpenMPSummary::Left &one : openMP.left)
    if (!openMP.isRehearsed(one.place))
      diagnostics.remark(one.place, "nothing was checked here: " + one.reason,
                         "openmp");
}

void driver::describeEnd(const Rehearsal &rehearsal, Diagnostics &diagnostics) {
  if (rehearsal.isDone && rehearsal.races.empty() && !rehearsal.reason.empty())
    diagnostics.remark(rehearsal.reasonPlace,
                       "following the program from its start decides no more, "
                       "since " +
                           rehearsal.reason,
                       "openmp");
}

void driver::describeRehearsal(const RaceReport &report,
                               const OpenMPSummary &openMP,
                               Diagnostics &diagnostics) {
  std::set<std::pair<std::string, unsigned>> known;
  for (const RaceFinding &finding : report.findings)
    if (finding.verdict == RaceVerdict::Racy)
      for (const RaceAccess *access : {&finding.first, &finding.second})
        if (SourcePlace place = placeOf(access->place); place.isKnown())
          known.insert({place.file, place.line});
  for (const RehearsedRace &race : openMP.rehearsal.races) {
    const RehearsedAccess &first = race.first, &second = race.second;
    if (known.count({first.place.file, first.place.line}) ||
        known.count({second.place.file, second.place.line}))
      continue;
    bool isOne = first.place == second.place &&
                 first.isWrite == second.isWrite &&
                 first.isAtomic == second.isAtomic;
    Diagnostic &error = diagnostics.error(
        second.place,
        second.user + " " + verbOf(second) + " " + quotedName(race) +
            " here, where " +
            (first.user == second.user ? "another one" : first.user) + " " +
            (isOne ? "does the same" : verbOf(first) + std::string(" it")) +
            " at the same time; " + remedyOf(race),
        "race");
    if (first.place != second.place)
      error.note(first.place,
                 "the other one " + std::string(verbOf(first)) + " it here");
  }
}
