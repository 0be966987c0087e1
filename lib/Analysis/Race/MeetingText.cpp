//===- MeetingText.cpp - Names of instances that meet ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes ids from the values of a solution; ids that it does not determine are
// 0.
//
//===----------------------------------------------------------------------===//

#include "MeetingText.h"

using namespace sluice;
using namespace sluice::races;

/// "(0, 1)"; empty for a node without ids.
static std::string spellIds(const TreeNode &leaf, Symbol::Side side,
                            unsigned equalLevels,
                            const std::map<Symbol, int64_t> &values) {
  std::string text;
  for (unsigned level = 0; level != leaf.depth; ++level) {
    unsigned dimensions = leaf.ancestorAt(level)->extents.size();
    for (unsigned dimension = 0; dimension != dimensions; ++dimension) {
      Symbol id;
      id.side = level < equalLevels ? Symbol::Side::Both : side;
      id.index = level;
      id.dimension = dimension;
      auto found = values.find(id);
      text += text.empty() ? "" : ", ";
      text += std::to_string(found == values.end() ? 0 : found->second);
    }
  }
  return text.empty() ? "" : "(" + text + ")";
}

/// "i = 1, j = 3": the values of the program's variables that count instances,
/// if they differ from the ids.
static std::string spellCounters(const TreeNode &leaf, Symbol::Side side,
                                 unsigned equalLevels,
                                 const std::map<Symbol, int64_t> &values) {
  std::string text;
  if (!leaf.effects || leaf.depth == 0 ||
      llvm::all_of(leaf.effects->counters,
                   [](const LeafCounter &counter) { return counter.isId(); }))
    return text;
  for (const LeafCounter &counter : leaf.effects->counters) {
    std::optional<int64_t> number =
        counter.value.evaluate([&](Symbol id) -> int64_t {
          id.index = leaf.depth - 1;
          id.side = id.index < equalLevels ? Symbol::Side::Both : side;
          auto found = values.find(id);
          return found == values.end() ? 0 : found->second;
        });
    if (number)
      text += (text.empty() ? "" : ", ") + counter.name + " = " +
              std::to_string(*number);
  }
  return text;
}

std::string races::spellMeeting(const TreeNode &first, const TreeNode &second,
                                unsigned equalLevels,
                                const std::map<Symbol, int64_t> &values) {
  std::string a = spellIds(first, Symbol::Side::First, equalLevels, values);
  std::string b = spellIds(second, Symbol::Side::Second, equalLevels, values);
  std::string x =
      spellCounters(first, Symbol::Side::First, equalLevels, values);
  std::string y =
      spellCounters(second, Symbol::Side::Second, equalLevels, values);
  if (&first == &second)
    return "instances " + a + " and " + b +
           (x.empty() ? "" : " (" + x + " and " + y + ")");
  auto spell = [](const TreeNode &leaf, const std::string &ids,
                  const std::string &counters) {
    return (ids.empty() ? "'" + leaf.name() + "'"
                        : "instance " + ids + " of '" + leaf.name() + "'") +
           (counters.empty() ? "" : " (" + counters + ")");
  };
  return spell(first, a, x) + " and " + spell(second, b, y);
}
