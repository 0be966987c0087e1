//===- ExploreGrids.cpp - All instances of small grids --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes whole launches: the only one of a node with constant extents, or
// some with arguments that look likely to make two instances meet. What meets
// in one launch is only a race if it does in others as well.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

using namespace sluice;
using namespace sluice::races;

/// Pairs of touches of which it is looked whether they are near.
static constexpr unsigned maxFar = 8;

/// Of touches of two instances, or of one.
static bool startsBefore(const auto &x, const auto &y) {
  return std::tie(x.touch->begin, x.instance, x.touch) <
         std::tie(y.touch->begin, y.instance, y.touch);
}

const Explorer::KnownGrid *Explorer::gridOf(const TreeNode &leaf,
                                            const Arguments &arguments,
                                            unsigned contents) {
  auto [found, isNew] = grids.try_emplace({&leaf, arguments, contents});
  if (!isNew)
    return found->second.get();
  Machine *machine = machineOf(leaf);
  std::optional<InstanceNumbers> numbers = numbersOf(leaf, arguments);
  if (!machine || !numbers)
    return nullptr;
  numbers->contents = contents;
  int64_t count = 1;
  const int64_t largest = numbers->areExtentsOpen ? maxChosen : maxInstances;
  for (const auto &extents : numbers->extents)
    for (int64_t extent : extents) {
      if (extent > largest || count * extent > largest)
        return nullptr;
      count *= extent;
    }
  // Few instances may take longer, where no other number of them is tried.
  const unsigned most =
      numbers->areExtentsOpen
          ? maxSteps
          : std::max<unsigned>(maxSteps, pairStepsLeft / (2 * count));
  auto grid = std::make_unique<KnownGrid>();
  for (int64_t number = 0; number != count; ++number) {
    int64_t rest = number;
    for (auto [ids, extents] : llvm::zip(numbers->ids, numbers->extents))
      for (auto [id, extent] : llvm::zip(ids, extents)) {
        id = rest % extent;
        rest /= extent;
      }
    grid->instances.push_back(
        {numbers->ids, execute(*machine, *numbers, most, pairStepsLeft)});
    if (pairStepsLeft == 0) {
      grids.erase(found);
      return nullptr;
    }
  }
  for (const Instance &instance : grid->instances)
    if (!instance.execution.isUndefined)
      for (const Touch &touch : instance.execution.touches)
        grid->touches[touch.origin].push_back({&instance, &touch});
  for (auto &[origin, items] : grid->touches)
    llvm::sort(items, startsBefore<Item, Item>);
  found->second = std::move(grid);
  return found->second.get();
}

/// The instances of a grid and the bytes that an access touches in each.
Explorer::Items Explorer::itemsOf(const KnownGrid &grid,
                                  const PlacedAccess &access) {
  Items items;
  for (const llvm::Instruction *origin : access.origins)
    if (auto found = grid.touches.find(origin); found != grid.touches.end())
      llvm::copy_if(
          found->second, std::back_inserter(items),
          [&](const Item &item) { return isTouchOf(*item.touch, access); });
  if (access.origins.size() > 1)
    llvm::sort(items, startsBefore<Item, Item>);
  return items;
}

Explorer::Items Explorer::itemsOf(llvm::ArrayRef<Instance> instances,
                                  const PlacedAccess &access) {
  Items items;
  for (const Instance &instance : instances)
    for (const Touch &touch : instance.execution.touches)
      if (!instance.execution.isUndefined && isTouchOf(touch, access))
        items.push_back({&instance, &touch});
  llvm::sort(items, startsBefore<Item, Item>);
  return items;
}

std::optional<Explorer::Found>
Explorer::overlap(const Pair &pair, const Arguments &arguments,
                  unsigned contents, const Items &left, const Items &right) {
  int64_t longest = 0;
  unsigned numFar = 0, numTried = 0;
  std::optional<Found> beyond;
  for (const Item &item : right)
    longest = std::max(longest, item.touch->end - item.touch->begin);
  for (const Item &x : left) {
    auto start = llvm::lower_bound(right, x.touch->begin - longest,
                                   [](const Item &item, int64_t begin) {
                                     return item.touch->begin < begin;
                                   });
    for (auto y = start; y != right.end() && y->touch->begin < x.touch->end;
         ++y) {
      if (touchesLeft == 0)
        return beyond;
      --touchesLeft;
      if (y->touch->end <= x.touch->begin ||
          !mayRunTogether(pair, *x.instance, *x.touch, *y->instance, *y->touch))
        continue;
      if (x.touch->dependsOnMemory && y->touch->dependsOnMemory &&
          !pair.isAccumulation &&
          (numTried++ >= maxFar ||
           !meetOnAllWays(pair, arguments, *x.instance, *y->instance)))
        continue;
      Nearness near = nearness(pair, arguments, contents, *x.instance, *x.touch,
                               *y->instance, *y->touch);
      Found found = {valuesOf(pair, *x.instance, *y->instance),
                     x.touch->dependsOnArguments ||
                         y->touch->dependsOnArguments,
                     near.isNear, near.row};
      if (near.isNear)
        return found;
      if (!beyond || near.row)
        beyond = std::move(found);
      if (++numFar == maxFar)
        return beyond;
    }
  }
  return beyond;
}

/// True if the instances that meet in a launch with `arguments` do so with
/// others as well: a stride that happens to be zero is no race, nor one that is
/// less than the length of a row. Each argument is once much larger than the
/// others, and once much smaller; extents only grow. Beyond their rows, they
/// meet for sure only if the rows grow with the arguments.
bool Explorer::meetAnyway(const Pair &pair, const Found &found,
                          const Arguments &arguments,
                          const std::set<unsigned> &extents) {
  using Kind = Meeting::Kind;
  std::minstd_rand random(1);
  std::set<int64_t> rows = {found.row};
  bool isBeyond = found.row != 0;
  auto meetWith = [&](unsigned attempt,
                      llvm::function_ref<int64_t(unsigned)> choose) {
    Values chosen = found.values;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = index;
      chosen[symbol] = extents.count(index)
                           ? argument + int64_t(attempt * (argument + 1)) +
                                 attempt / 2 // odd and even ones
                           : choose(index);
    }
    return meetIn(pair, chosen, argumentsOf(chosen, 0));
  };
  auto meetsWith = [&](unsigned attempt,
                       llvm::function_ref<int64_t(unsigned)> choose) {
    Meeting meeting = meetWith(attempt, choose);
    isBeyond |= meeting.kind == Kind::FarRow;
    rows.insert(meeting.row);
    return meeting.kind == Kind::Yes || meeting.kind == Kind::FarRow;
  };
  auto upTo = [&](int64_t most) { return int64_t(random() % most) + 1; };
  // A shift by 0 and a mask of all ones keep instances apart.
  for (int64_t same : {0, -1})
    if (Meeting meeting = meetWith(1, [&](unsigned) { return same; });
        meeting.kind == Kind::No && meeting.areApart)
      return false;
  for (unsigned attempt = 0; attempt != 4; ++attempt)
    if (!meetsWith(attempt, [&](unsigned) { return upTo(maxSmall); }))
      return false;
  for (unsigned odd : usedArguments(pair))
    for (bool isLarge : {true, false})
      if (!extents.count(odd) && !meetsWith(1, [&](unsigned index) {
            return (index == odd) == isLarge ? maxSmall - upTo(3) : upTo(3);
          }))
        return false;
  rows.erase(0);
  if (isBeyond && rows.size() < 2)
    return false;
  // Some loops take too long with these.
  for (int64_t most : {100, 1 << 12, 1 << 20})
    if (meetWith(1, [&](unsigned) { return most / 2 + upTo(most / 2); }).kind ==
        Kind::No)
      return false;
  return true;
}

bool Explorer::dependsOnArguments(const Pair &pair, const Values &values) {
  using Kind = Meeting::Kind;
  const std::set<unsigned> extents = extentArguments(pair);
  const std::set<unsigned> used = usedArguments(pair);
  const Machine *machine = machineOf(pair.first);
  if (!machine || !machine->isLoop() ||
      llvm::all_of(used, [&](unsigned index) { return extents.count(index); }))
    return false;
  const auto types = dfg::GraphOp(tree.root().graph).getInputTypes();
  std::minstd_rand random(1);
  auto meetsWith = [&](int64_t least, int64_t most) {
    Values chosen = values;
    std::erase_if(chosen, [](const auto &known) {
      return known.first.kind == Symbol::Kind::Argument;
    });
    auto choose = [&](unsigned index, int64_t value) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = index;
      chosen[symbol] = value;
    };
    for (unsigned index : used) {
      // Those are flags.
      const bool isSmall = types[index].isIntOrIndex() &&
                           !types[index].isIndex() &&
                           types[index].getIntOrFloatBitWidth() <= 8;
      choose(index,
             isSmall ? 1 : least + int64_t(random() % (most - least + 1)));
    }
    for (unsigned index : extents)
      choose(index, 1000 + int64_t(random() % 1000));
    const Kind kind = meetIn(pair, chosen, argumentsOf(chosen, 1)).kind;
    return kind == Kind::Yes || kind == Kind::Far || kind == Kind::FarRow;
  };
  std::swap(meetStepsLeft, weighStepsLeft);
  isWeighing = true;
  const bool isSame = meetsWith(8, 24) && meetsWith(8, 24) &&
                      meetsWith(32, 96) && meetsWith(128, 1000);
  isWeighing = false;
  std::swap(meetStepsLeft, weighStepsLeft);
  return !isSame;
}

/// Divisors and numbers that conditions compare with.
static void addNumbers(const Polynomial &value, std::set<int64_t> &numbers) {
  auto add = [&](int64_t number) {
    for (int64_t near : {number - 1, number, number + 1})
      if (near >= 0 && near <= 300)
        numbers.insert(near);
  };
  add(std::abs(value.constantTerm() % INT32_MAX));
  for (const Symbol &symbol : value.symbols()) {
    if (!symbol.derivation)
      continue;
    const Derivation &derivation = *symbol.derivation;
    int64_t divisor = derivation.op == Derivation::Op::Wrap
                          ? int64_t(1) << std::min(derivation.bits, 31u)
                          : derivation.divisor;
    add(divisor);
    if (divisor < 128)
      numbers.insert(2 * divisor + 1);
    for (const Polynomial &operand : derivation.operands)
      addNumbers(operand, numbers);
  }
}

/// The arguments that decide about extents.
std::set<unsigned> Explorer::extentArguments(const Pair &pair) {
  std::set<unsigned> extents;
  for (const TreeNode *leaf : {&pair.first, &pair.second})
    for (unsigned level = 0; level != leaf->depth; ++level)
      for (const auto &extent : leaf->ancestorAt(level)->extents)
        if (extent)
          for (const Symbol &symbol : extent->baseSymbols())
            if (symbol.kind == Symbol::Kind::Argument)
              extents.insert(symbol.index);
  return extents;
}

/// The arguments that the leaves get.
std::set<unsigned> Explorer::usedArguments(const Pair &pair) {
  std::set<unsigned> used;
  for (const TreeNode *leaf : {&pair.first, &pair.second})
    for (const Input &input : leaf->inputs)
      if (input.value)
        for (const Symbol &symbol : input.value->baseSymbols())
          if (symbol.kind == Symbol::Kind::Argument)
            used.insert(symbol.index);
  return used;
}

/// Arguments to try.
std::vector<Explorer::Arguments>
Explorer::choices(const Pair &pair, const OverlapQuery *query) const {
  dfg::GraphOp root = tree.root().graph;
  unsigned count = root.getInputTypes().size();
  std::set<unsigned> extents = extentArguments(pair);
  std::vector<Arguments> result;
  if (extents.empty() && usedArguments(pair).empty())
    return {Arguments(count, 1)};
  std::set<int64_t> numbers = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
  if (query) {
    addNumbers(query->firstOffset, numbers);
    addNumbers(query->secondOffset, numbers);
    for (const Condition &condition : query->conditions)
      addNumbers(condition.value, numbers);
  }
  std::vector<int64_t> positive(numbers.begin(), numbers.end());
  // Of a block or of a row, there may be just one.
  if (extents.size() > 1)
    for (unsigned single : extents) {
      result.push_back(Arguments(count, 5));
      result.back()[single] = 1;
    }
  for (int64_t number : {2, 3, 5, 8, 17})
    result.push_back(Arguments(count, number));
  std::minstd_rand random(1);
  auto pick = [&](const std::vector<int64_t> &from) {
    return from[random() % from.size()];
  };
  std::vector<int64_t> all = positive;
  all.insert(all.end(), {0, 0, 0, -1, -2, -8, 1 << 16, INT32_MAX});
  if (extents.size() == 1)
    for (int64_t number : positive) {
      Arguments arguments(count, 1);
      for (int64_t &argument : arguments)
        argument = pick(all);
      arguments[*extents.begin()] = number;
      result.push_back(std::move(arguments));
    }
  for (unsigned i = 0; i != 16; ++i) {
    Arguments arguments(count, 1);
    for (unsigned index = 0; index != count; ++index)
      arguments[index] = pick(extents.count(index) ? positive : all);
    result.push_back(std::move(arguments));
  }
  for (Arguments &arguments : result)
    for (auto [argument, type] : llvm::zip(arguments, root.getInputTypes()))
      if (type.isIntOrIndex() && !type.isIndex() &&
          type.getIntOrFloatBitWidth() < 64)
        argument = llvm::SignExtend64(argument, type.getIntOrFloatBitWidth());
  return result;
}

Explorer::Answer Explorer::explore(const Pair &pair, const OverlapQuery *query,
                                   Values &values) {
  const unsigned few = std::min(2000u, fewStepsLeft);
  const unsigned most = std::max(few, stepsLeft / 8);
  if (most == 0)
    return Answer::Unknown;
  pairStepsLeft = most;
  Answer answer = exploreGrids(pair, query, values);
  const unsigned spent = most - pairStepsLeft;
  if (most == few)
    fewStepsLeft -= spent;
  stepsLeft -= std::min(stepsLeft, spent);
  return answer;
}

/// True if the code of the leaves uses no argument of the root but those that
/// are extents: a launch is known by its extents.
bool Explorer::usesExtentsOnly(const Pair &pair) {
  const std::set<unsigned> extents = extentArguments(pair);
  for (const TreeNode *leaf : {&pair.first, &pair.second}) {
    const Machine *machine = machineOf(*leaf);
    if (!machine)
      return false;
    for (const auto &[index, input] : llvm::enumerate(leaf->inputs)) {
      if (!input.targets.empty() || machine->usesNot(index))
        continue;
      if (!input.value)
        return false;
      for (const Symbol &symbol : input.value->baseSymbols())
        if (symbol.kind != Symbol::Kind::Argument ||
            !extents.count(symbol.index))
          return false;
    }
  }
  return !extents.empty();
}

Explorer::Answer Explorer::exploreGrids(const Pair &pair,
                                        const OverlapQuery *query,
                                        Values &values) {
  // Launches of several instances in which two meet, other ones each time: if
  // they do in all, no launch is without.
  constexpr size_t manyLaunches = 8;
  std::set<std::vector<int64_t>> met;
  const std::set<unsigned> extents = extentArguments(pair);
  bool meetInAll = usesExtentsOnly(pair);
  // Each instance of other levels has its own memory.
  if (pair.a.target.levels > pair.equalLevels ||
      pair.b.target.levels > pair.equalLevels)
    return Answer::Unknown;
  for (const Arguments &arguments : choices(pair, query)) {
    bool dependsOnMemory = false, isAlways = true;
    for (unsigned contents = 0;
         contents != (dependsOnMemory ? InstanceNumbers::numContents : 1);
         ++contents) {
      const KnownGrid *first = gridOf(pair.first, arguments, contents);
      const KnownGrid *second = gridOf(pair.second, arguments, contents);
      if (pairStepsLeft == 0)
        return Answer::Unknown;
      if (!first || !second) {
        isAlways = false;
        break;
      }
      for (const KnownGrid *grid : {first, second})
        for (const Instance &instance : grid->instances) {
          dependsOnMemory |= instance.execution.dependsOnMemory;
          isAlways &= instance.execution.isAlways;
        }
      std::optional<Found> found =
          overlap(pair, arguments, contents, itemsOf(*first, pair.a),
                  itemsOf(*second, pair.b));
      if (!found && touchesLeft == 0)
        return Answer::Unknown;
      if (!found) {
        meetInAll &= first->instances.size() <= 1;
        continue;
      }
      isAlways = false;
      const bool mayCount =
          found->isNear || (found->row && found->dependsOnArguments);
      if (!mayCount && !meetInAll)
        continue;
      if (!isDefined(arguments))
        break;
      std::vector<int64_t> sizes;
      for (unsigned index : extents)
        sizes.push_back(arguments[index]);
      if (!dependsOnMemory)
        met.insert(std::move(sizes));
      if ((mayCount && (!found->dependsOnArguments ||
                        meetAnyway(pair, *found, arguments, extents))) ||
          (meetInAll && met.size() == manyLaunches)) {
        values = std::move(found->values);
        return Answer::Yes;
      }
    }
    bool areExtentsConstant = true;
    for (const TreeNode *leaf : {&pair.first, &pair.second})
      if (auto numbers = numbersOf(*leaf, arguments))
        areExtentsConstant &= !numbers->areExtentsOpen;
    if (isAlways && areExtentsConstant)
      return Answer::No;
  }
  return Answer::Unknown;
}
