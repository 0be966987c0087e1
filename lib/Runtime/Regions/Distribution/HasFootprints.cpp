//===- HasFootprints.cpp - Graphs with points distinguished by colors -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every check refers to one launch. Checks that need all of its points come
// last, for graphs that pass all other checks.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

using namespace sluice::regions;

static bool haveCommonFields(const StatementArgument &a,
                             const StatementArgument &b) {
  return a.root == b.root &&
         std::find_first_of(a.fields.begin(), a.fields.end(), b.fields.begin(),
                            b.fields.end()) != a.fields.end();
}

/// Whether no two points use the same color.
static bool areDistinct(const StatementArgument &argument) {
  std::vector<uint32_t> colors = argument.colors;
  std::sort(colors.begin(), colors.end());
  return colors.size() != 1 &&
         std::adjacent_find(colors.begin(), colors.end()) == colors.end();
}

/// Whether points access what others write, except points with the same
/// reduction.
static bool mayMeet(const Statement &statement,
                    const StatementArgument &written) {
  bool isOnlyReduced = written.isReduction();
  for (const StatementArgument &other : statement.arguments) {
    if (!haveCommonFields(written, other))
      continue;
    const bool reducesAlike =
        written.isReduction() && other.isReduction() &&
        isSameOperator(written.reduction, other.reduction);
    isOnlyReduced &= reducesAlike;
    if (!reducesAlike && (other.partition != written.partition ||
                          other.colors != written.colors))
      return true;
  }
  return !isOnlyReduced &&
         (!written.partition->isDisjoint || !areDistinct(written));
}

static bool hasFootprint(const Statement &statement) {
  if (statement.isDivisible)
    return false;
  for (const StatementArgument &argument : statement.arguments) {
    if (argument.privilege == SLUICE_PRIVILEGE_READ)
      continue;
    if (reducesScalar(argument)) {
      // All points reduce to it.
      if (argument.partition->numColors() != 1 ||
          argument.partition->sets[0].isEmpty())
        return false;
      continue;
    }
    if (statement.numPoints() == 1)
      continue;
    if (argument.root->shape.count() == 1)
      return false;
    if ((!statement.isHost || argument.isReduction()) &&
        mayMeet(statement, argument))
      return false;
  }
  return true;
}

static bool haveFootprints(const Sequence &sequence) {
  return std::all_of(sequence.begin(), sequence.end(), [](const Item &item) {
    return item.loop ? haveFootprints(item.loop->body)
                     : hasFootprint(*item.statement);
  });
}

/// Whether a rank's points determine how they are folded.
static bool tellsFolds(const Sequence &sequence, const Homes &homes,
                       const LaunchFacts &facts) {
  return std::all_of(sequence.begin(), sequence.end(), [&](const Item &item) {
    return item.loop
               ? tellsFolds(item.loop->body, homes, facts)
               : !mayShareReductions(*item.statement) ||
                     facts.reduced.get(*item.statement, homes, facts.overlaps)
                         ->isTold;
  });
}

bool sluice::regions::hasFootprints(Graphs graphs, const Homes &homes,
                                    const LaunchFacts &facts) {
  auto all = [&](auto &&holds) {
    return std::all_of(
        graphs.begin(), graphs.end(),
        [&](const StatementGraph *graph) { return holds(graph->items); });
  };
  return all(haveFootprints) && all([&](const Sequence &items) {
           return tellsFolds(items, homes, facts);
         });
}
