//===- RehearsalReports.cpp - Accesses that meet --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each pair of places is reported once.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

/// The name in the source of the variable that an instruction uses, if any.
static std::string nameAt(const Instruction &place) {
  const Value *pointer = getLoadStorePointerOperand(&place);
  if (const auto *update = dyn_cast<AtomicRMWInst>(&place))
    pointer = update->getPointerOperand();
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&place))
    pointer = exchange->getPointerOperand();
  constexpr unsigned furthest = 8;
  for (unsigned i = 0; pointer && i != furthest; ++i) {
    if (const auto *part = dyn_cast<GEPOperator>(pointer))
      pointer = part->getPointerOperand();
    else if (const auto *load = dyn_cast<LoadInst>(pointer))
      pointer = load->getPointerOperand();
    else
      break;
  }
  if (!pointer || isa<Instruction>(pointer) != isa<AllocaInst>(pointer))
    return {};
  StringRef name = pointer->getName();
  name.consume_back(".addr");
  return name.contains('.') || name.starts_with("__") ? "" : demangle(name);
}

/// Describes the unit that runs a strand.
static std::string userOf(const Strand &strand) {
  switch (strand.unit) {
  case Unit::Thread:
    return "thread " + std::to_string(strand.thread - 1);
  case Unit::Single:
    return "the thread in 'single'";
  case Unit::Task:
    return "a task";
  default:
    break;
  }
  std::string first = std::to_string(strand.iteration);
  if (strand.length == 1)
    return "iteration " + first;
  return "one of iterations " + first + " to " +
         std::to_string(strand.iteration + strand.length - 1);
}

RehearsedAccess RehearsalRun::describe(const FollowedAccess &access) const {
  RehearsedAccess said;
  said.place = learnt.placeAt(*access.place);
  said.isWrite = access.isWrite;
  said.isAtomic = access.isAtomic;
  said.isLocked = access.locks != 0;
  return said;
}

void RehearsalRun::report(FollowedObject &object, const FollowedAccess &first,
                          const FollowedAccess &second) {
  if (first.isDoubtful || second.isDoubtful)
    return doubt("whether two accesses meet depends on the order of threads");
  constexpr size_t mostReported = 20;
  if (result.races.size() >= mostReported)
    return;
  std::pair<SourcePlace, SourcePlace> places = {learnt.placeAt(*first.place),
                                                learnt.placeAt(*second.place)};
  if (places.second < places.first)
    std::swap(places.first, places.second);
  if (!reported.insert(places).second)
    return;
  RehearsedRace race{.first = describe(first), .second = describe(second)};
  // Lanes run each instruction in the order of the code.
  auto [one, other] = partingOf(first.strand, second.strand);
  if (one->unit == Unit::Lane &&
      first.place->getParent() == second.place->getParent() &&
      first.place->comesBefore(second.place)) {
    reported.erase(places);
    return doubt("lanes of a 'simd' loop must keep their order");
  }
  if (one->unit == Unit::Lane && one->phase->team->loop &&
      one->phase->team->loop->isOrdered) {
    reported.erase(places);
    return doubt("a 'simd' loop has code that keeps the order");
  }
  if (isSharedAlike(*one, *other)) {
    reported.erase(places);
    return doubt("how loops are shared out that do not say it is not known");
  }
  if (mayShareChunk(*one, *other)) {
    reported.erase(places);
    return doubt("one thread may have several iterations in a row");
  }
  // The share of a thread may be known, and so whether it has this iteration.
  auto isOfChunks = [](const Strand *strand, const Strand *thread) {
    constexpr uint64_t ofChunks = 33;
    return strand->unit == Unit::Iteration && thread->unit == Unit::Thread &&
           (strand->sharing & 0xff) == ofChunks;
  };
  if (isOfChunks(one, other) || isOfChunks(other, one)) {
    reported.erase(places);
    return doubt("which thread has an iteration depends on how many there are");
  }
  auto name = [](RehearsedAccess &access, const Strand &strand) {
    access.unit = strand.unit;
    access.construct = strand.construct;
    access.user = userOf(strand);
  };
  name(race.first, *one);
  name(race.second, *other);
  race.variable = nameAt(*second.place);
  if (race.variable.empty())
    race.variable = nameAt(*first.place);
  if (race.variable.empty() && object.name.find('.') == std::string::npos)
    race.variable = demangle(object.name);
  result.races.push_back(std::move(race));
}
