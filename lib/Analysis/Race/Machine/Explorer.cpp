//===- Explorer.cpp - Instances that meet when they are executed ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof may fail although there is no race. The explorer executes the
// instances in question on small grids: if two of them touch the same byte, the
// report is certain and can name them.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

using namespace sluice;
using namespace sluice::races;

Explorer::~Explorer() = default;

/// Null for leaves whose code is elsewhere.
Machine *Explorer::machineOf(const TreeNode &leaf) {
  auto [found, isNew] = machines.try_emplace(&leaf);
  if (isNew && leaf.kernel) {
    llvm::StringRef name = dfg::KernelOp(leaf.kernel).getCodeName();
    if (leaf.effects && leaf.effects == code.effectsOf(name))
      if (llvm::Function *function = code.preparedLeaf(name))
        found->second = std::make_unique<Machine>(leaf, *function);
  }
  return found->second.get();
}

std::optional<int64_t> Explorer::evaluate(const Polynomial &value,
                                          const Arguments &arguments) const {
  if (value.containsAny([](const Symbol &symbol) {
        return symbol.kind != Symbol::Kind::Argument;
      }))
    return std::nullopt;
  return value.evaluate(
      [&](const Symbol &symbol) { return arguments[symbol.index]; });
}

/// All but the ids. `isOneIfUnknown`: of extents that nodes compute, it is
/// known that there is an instance.
std::optional<InstanceNumbers> Explorer::numbersOf(const TreeNode &leaf,
                                                   const Arguments &arguments,
                                                   bool isOneIfUnknown) const {
  InstanceNumbers numbers;
  for (unsigned level = 0; level != leaf.depth; ++level) {
    const TreeNode *node = leaf.ancestorAt(level);
    numbers.ids.push_back({0, 0, 0});
    numbers.extents.push_back({1, 1, 1});
    numbers.isExtentOpen.push_back({});
    for (unsigned dimension = 0; dimension != node->extents.size();
         ++dimension) {
      const std::optional<Polynomial> &extent = node->extents[dimension];
      std::optional<int64_t> number =
          extent ? evaluate(*extent, arguments) : std::nullopt;
      if (!number && isOneIfUnknown)
        number = 1;
      if (!number || *number < 1)
        return std::nullopt;
      numbers.extents.back()[dimension] = *number;
      bool isOpen = !extent || !extent->asConstant();
      numbers.isExtentOpen.back()[dimension] = isOpen;
      numbers.areExtentsOpen |= isOpen;
    }
  }
  for (const Input &input : leaf.inputs) {
    InstanceNumbers::Argument argument;
    if (input.value) {
      argument.value = evaluate(*input.value, arguments);
      argument.isOpen = !input.value->asConstant();
    }
    numbers.arguments.push_back(argument);
  }
  return numbers;
}

/// Takes its steps from `left`.
Execution Explorer::execute(Machine &machine, const InstanceNumbers &numbers,
                            unsigned most, unsigned &left) {
  Execution execution = machine.run(numbers, std::min(most, left));
  left -= std::min(left, std::max(execution.steps, 1u));
  return execution;
}

//===----------------------------------------------------------------------===//
// Two instances
//===----------------------------------------------------------------------===//

static bool isOf(const Touch &touch, const PlacedAccess &access) {
  const MemoryObject &wanted = access.target.object;
  bool isSameMemory = wanted.kind == MemoryObject::Kind::Malloc
                          ? touch.object.kind == wanted.kind
                          : touch.object == wanted;
  return isSameMemory && touch.isWrite == access.access->isWrite &&
         llvm::is_contained(access.origins, touch.origin);
}

/// Two locks of which one keeps the other waiting.
static bool keepApart(const Touch &x, const Touch &y) {
  return llvm::any_of(x.locks, [&](const Lock &a) {
    return llvm::any_of(y.locks, [&](const Lock &b) {
      return a.object == b.object && a.offset == b.offset &&
             !(a.isShared && b.isShared);
    });
  });
}

/// True if one of two instances of a node with ordered dimensions waits for the
/// other.
static bool areOrdered(unsigned dims, const std::array<int64_t, 3> &a,
                       const std::array<int64_t, 3> &b) {
  bool isLess = false, isGreater = false;
  for (unsigned dimension = 0; dimension != 3; ++dimension)
    if (dims >> dimension & 1) {
      isLess |= a[dimension] < b[dimension];
      isGreater |= a[dimension] > b[dimension];
    }
  return isLess != isGreater;
}

bool Explorer::mayRunTogether(const Pair &pair, const Instance &a,
                              const Touch &x, const Instance &b,
                              const Touch &y) const {
  for (unsigned level = 0; level != pair.equalLevels; ++level)
    if (a.ids[level] != b.ids[level])
      return false;
  if (pair.mustDiffer && (a.ids[pair.equalLevels] == b.ids[pair.equalLevels] ||
                          areOrdered(pair.orderedDims, a.ids[pair.equalLevels],
                                     b.ids[pair.equalLevels])))
    return false;
  return (!pair.isWorkGroup || x.barriers == y.barriers) && !x.mayBeOrdered &&
         !y.mayBeOrdered && !keepApart(x, y);
}

/// The instance with each way that memory may make it go; none if these are
/// many, or one of them is not known to its end.
std::optional<Explorer::Grid> Explorer::allWays(const TreeNode &leaf,
                                                const Arguments &arguments,
                                                const Instance &instance) {
  constexpr unsigned maxWays = 16;
  auto numbers = numbersOf(leaf, arguments, /*isOneIfUnknown=*/true);
  std::vector<bool> ways;
  numbers->ids = instance.ids;
  numbers->ways = &ways;
  Grid all;
  do {
    all.push_back({instance.ids, execute(*machineOf(leaf), *numbers,
                                         maxMeetSteps(), meetStepsLeft)});
    const Execution &execution = all.back().execution;
    if (!execution.isComplete || execution.isUndefined ||
        all.size() == maxWays || execution.numWays > maxWays)
      return std::nullopt;
    // The next way: the last branch that went the second way goes the first.
    ways.resize(execution.numWays);
    while (!ways.empty() && ways.back())
      ways.pop_back();
    if (!ways.empty())
      ways.back() = true;
  } while (!ways.empty());
  return all;
}

static bool isPlain(const TreeNode &leaf, const Touch &touch) {
  return llvm::none_of(leaf.effects->accesses, [&](const LeafAccess &access) {
    return access.origin == touch.origin && access.isAtomic;
  });
}

/// True if the two meet in some place whatever memory has: values there may not
/// be free, such as that one of them only is the leader.
bool Explorer::meetOnAllWays(const Pair &pair, const Arguments &arguments,
                             const Instance &first, const Instance &second) {
  std::optional<Grid> left = allWays(pair.first, arguments, first);
  std::optional<Grid> right =
      left ? allWays(pair.second, arguments, second) : std::nullopt;
  auto meet = [&](const Instance &a, const Instance &b) {
    for (const Touch &x : a.execution.touches)
      for (const Touch &y : b.execution.touches)
        if ((x.isWrite || y.isWrite) && x.object == y.object &&
            x.object.kind != MemoryObject::Kind::Malloc && x.begin < y.end &&
            y.begin < x.end && isPlain(pair.first, x) &&
            isPlain(pair.second, y) && mayRunTogether(pair, a, x, b, y))
          return true;
    return false;
  };
  return right && llvm::all_of(*left, [&](const Instance &a) {
           return llvm::all_of(*right,
                               [&](const Instance &b) { return meet(a, b); });
         });
}

static Symbol idOf(unsigned level, unsigned dimension, unsigned equalLevels,
                   Symbol::Side side) {
  Symbol id;
  id.index = level;
  id.dimension = dimension;
  id.side = level < equalLevels ? Symbol::Side::Both : side;
  return id;
}

Explorer::Arguments Explorer::argumentsOf(const Values &values,
                                          int64_t other) const {
  dfg::GraphOp root = tree.root().graph;
  Arguments arguments(root.getInputTypes().size(), other);
  for (const auto &[symbol, value] : values)
    if (symbol.kind == Symbol::Kind::Argument)
      arguments[symbol.index] = value;
  return arguments;
}

Explorer::Values Explorer::valuesOf(const Pair &pair, const Instance &first,
                                    const Instance &second) {
  Values values;
  for (auto [side, instance] : {std::pair(Symbol::Side::First, &first),
                                std::pair(Symbol::Side::Second, &second)})
    for (unsigned level = 0; level != instance->ids.size(); ++level)
      for (unsigned dimension = 0; dimension != 3; ++dimension)
        values[idOf(level, dimension, pair.equalLevels, side)] =
            instance->ids[level][dimension];
  return values;
}

/// Of two that meet.
Explorer::Nearness Explorer::nearness(const Pair &pair,
                                      const Arguments &arguments,
                                      unsigned contents, const Instance &first,
                                      const Touch &x, const Instance &second,
                                      const Touch &y) {
  Nearness result;
  for (bool isFirst : {true, false}) {
    const TreeNode &leaf = isFirst ? pair.first : pair.second;
    const Instance &instance = isFirst ? first : second;
    auto numbers = numbersOf(leaf, arguments, /*isOneIfUnknown=*/true);
    numbers->ids = instance.ids;
    numbers->contents = contents;
    Nearness own = nearness(leaf, *numbers, instance.execution, isFirst ? x : y,
                            std::max(x.begin, y.begin));
    if (!own.isNear)
      result = result.isNear ? own
                             : Nearness{false, own.isOfIds && result.isOfIds,
                                        std::min(own.row, result.row)};
  }
  if (!result.isNear && result.isOfIds && !x.dependsOnArguments &&
      !y.dependsOnArguments && isDefined(arguments))
    far = valuesOf(pair, first, second);
  return result;
}

Explorer::Instance Explorer::executeToMeet(const TreeNode &leaf,
                                           const Arguments &arguments,
                                           const InstanceNumbers &numbers) {
  std::tuple key(&leaf, arguments, numbers.contents, numbers.ids);
  if (auto known = ended.find(key); known != ended.end())
    return {numbers.ids, known->second};
  Instance instance = {numbers.ids, execute(*machineOf(leaf), numbers,
                                            maxMeetSteps(), meetStepsLeft)};
  if (instance.execution.isComplete) {
    if (ended.size() == maxEnded)
      ended.clear();
    ended.insert({std::move(key), instance.execution});
  }
  return instance;
}

/// Pairs of touches of which it is looked whether they are near.
static constexpr unsigned maxFar = 8;

Explorer::Meeting Explorer::meetIn(const Pair &pair, const Values &values,
                                   const Arguments &arguments) {
  Machine *machines[] = {machineOf(pair.first), machineOf(pair.second)};
  if (!machines[0] || !machines[1])
    return {};
  const TreeNode *leaves[] = {&pair.first, &pair.second};
  const PlacedAccess *accesses[] = {&pair.a, &pair.b};
  bool dependsOnMemory = false, couldExecute = false;
  using Kind = Meeting::Kind;
  bool isFar = false;
  int64_t row = 0;
  for (unsigned contents = 0; contents != InstanceNumbers::numContents;
       ++contents) {
    Grid instances(2);
    bool isEnded = true, isComplete = true;
    for (unsigned i : {0, 1}) {
      std::optional<InstanceNumbers> numbers =
          numbersOf(*leaves[i], arguments, /*isOneIfUnknown=*/true);
      if (!numbers)
        return {};
      for (unsigned level = 0; level != leaves[i]->depth; ++level)
        for (unsigned dimension = 0; dimension != 3; ++dimension) {
          auto found = values.find(
              idOf(level, dimension, pair.equalLevels,
                   i == 0 ? Symbol::Side::First : Symbol::Side::Second));
          int64_t id = found == values.end() ? 0 : found->second;
          numbers->ids[level][dimension] = id;
          if (id >= numbers->extents[level][dimension])
            return {};
        }
      numbers->contents = contents;
      instances[i] = executeToMeet(*leaves[i], arguments, *numbers);
      const Execution &execution = instances[i].execution;
      dependsOnMemory |= execution.dependsOnMemory;
      bool isSeen = llvm::any_of(execution.touches, [&](const Touch &touch) {
        return isOf(touch, *accesses[i]);
      });
      isComplete &= !execution.isUndefined && execution.isComplete;
      isEnded &= !execution.isUndefined && (execution.isComplete || isSeen);
    }
    couldExecute |= isComplete;
    std::optional<Found> found;
    if (isEnded)
      found = overlap(pair, arguments, contents,
                      itemsOf(llvm::ArrayRef(instances[0]), pair.a),
                      itemsOf(llvm::ArrayRef(instances[1]), pair.b));
    if (found && found->isNear)
      return {Kind::Yes};
    if (found) {
      isFar = true;
      row = found->row ? found->row : row;
    }
    if (!dependsOnMemory)
      break;
  }
  return {row            ? Kind::FarRow
          : isFar        ? Kind::Far
          : couldExecute ? Kind::No
                         : Kind::Unknown,
          row};
}

Explorer::Answer Explorer::meet(const Pair &pair, const Values &values) {
  Answer result = Answer::Unknown;
  std::set<Arguments> tried;
  for (int64_t other : {8, 1, 3, 0}) {
    Arguments arguments = argumentsOf(values, other);
    if (!tried.insert(arguments).second)
      continue;
    switch (meetIn(pair, values, arguments).kind) {
    case Meeting::Kind::Yes:
      if (isDefined(arguments))
        return Answer::Yes;
      break;
    case Meeting::Kind::No:
      result = Answer::No;
      break;
    case Meeting::Kind::Far:
    case Meeting::Kind::FarRow:
    case Meeting::Kind::Unknown:
      break;
    }
  }
  return result;
}

/// False if an instance of the leaf does something undefined in a launch with
/// these arguments, whatever memory has. Of large grids, some are executed.
bool Explorer::isDefined(const TreeNode &leaf, const Arguments &arguments) {
  auto [found, isNew] = launches.try_emplace({&leaf, arguments}, true);
  if (!isNew)
    return found->second;
  Machine *machine = machineOf(leaf);
  std::optional<InstanceNumbers> numbers = numbersOf(leaf, arguments);
  if (!machine || !numbers)
    return true;
  unsigned left = std::min(maxLaunchSteps, launchStepsLeft);
  launchStepsLeft -= left;
  for (bool isEnd = false; !isEnd && left > 0;) {
    Execution execution = execute(*machine, *numbers, maxSteps, left);
    if (execution.isUndefined && !execution.dependsOnMemory) {
      found->second = false;
      break;
    }
    // The next one, if there is one.
    isEnd = true;
    for (auto [ids, extents] : llvm::zip(numbers->ids, numbers->extents))
      for (auto [id, extent] : llvm::zip(ids, extents))
        if (isEnd) {
          isEnd = id + 1 == extent;
          id = isEnd ? 0 : id + 1;
        }
  }
  launchStepsLeft += left;
  return found->second;
}

bool Explorer::isDefined(const Arguments &arguments) {
  return llvm::all_of(tree.leaves(), [&](const TreeNode *leaf) {
    return isDefined(*leaf, arguments);
  });
}

//===----------------------------------------------------------------------===//
// Whole grids
//===----------------------------------------------------------------------===//

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
          : std::max<unsigned>(maxSteps, pairStepsLeft / (4 * count));
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

/// What an access touches in a grid.
Explorer::Items Explorer::itemsOf(const KnownGrid &grid,
                                  const PlacedAccess &access) {
  Items items;
  for (const llvm::Instruction *origin : access.origins)
    if (auto found = grid.touches.find(origin); found != grid.touches.end())
      llvm::copy_if(
          found->second, std::back_inserter(items),
          [&](const Item &item) { return isOf(*item.touch, access); });
  if (access.origins.size() > 1)
    llvm::sort(items, startsBefore<Item, Item>);
  return items;
}

Explorer::Items Explorer::itemsOf(llvm::ArrayRef<Instance> instances,
                                  const PlacedAccess &access) {
  Items items;
  for (const Instance &instance : instances)
    for (const Touch &touch : instance.execution.touches)
      if (!instance.execution.isUndefined && isOf(touch, access))
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
      if (y->touch->end <= x.touch->begin ||
          !mayRunTogether(pair, *x.instance, *x.touch, *y->instance, *y->touch))
        continue;
      if (x.touch->dependsOnMemory && y->touch->dependsOnMemory &&
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
  constexpr unsigned manyLaunches = 6;
  unsigned numMet = 0;
  bool meetInAll = usesExtentsOnly(pair);
  // Memory of its own for each instance of other levels.
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
      if (!found) {
        meetInAll &= first->instances.size() <= 1;
        continue;
      }
      isAlways = false;
      meetInAll &= found->isNear;
      if (!found->isNear && !(found->row && found->dependsOnArguments))
        continue;
      if (!isDefined(arguments))
        break;
      if (!found->dependsOnArguments ||
          meetAnyway(pair, *found, arguments, extentArguments(pair))) {
        values = std::move(found->values);
        return Answer::Yes;
      }
      if (!dependsOnMemory && meetInAll && ++numMet == manyLaunches) {
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
