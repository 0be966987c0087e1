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

using namespace sluice;
using namespace sluice::races;

Explorer::~Explorer() = default;

unsigned Explorer::spentParts() const {
  return std::max((parts * partSteps - stepsLeft) / partSteps,
                  (parts * partMeetSteps - meetStepsLeft) / partMeetSteps);
}

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

bool races::isTouchOf(const Touch &touch, const PlacedAccess &access) {
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
      return a.object == b.object && a.pointer == b.pointer &&
             a.offset == b.offset && !(a.isShared && b.isShared);
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

/// True if the later one of two instances may wait for the earlier one before
/// its access. An instance that was not executed to its end may still wait.
static bool mayWait(const LeafOrder &order, const Touch &earlier,
                    bool isEarlierComplete, const Touch &later,
                    const std::array<int64_t, 3> &a,
                    const std::array<int64_t, 3> &b) {
  const unsigned outer = order.dimensions - 1;
  const int64_t inner = order.dimensions == 2 ? b[0] - a[0] : 0;
  const unsigned aside =
      LeafOrder::aside(earlier.isAwaited || !isEarlierComplete, later.awaits);
  return order.mayLead(b[outer] - a[outer],
                       inner - (a[outer] == b[outer] ? 0 : aside));
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
  if (pair.mustDiffer && pair.order) {
    const auto &first = a.ids[pair.equalLevels];
    const auto &second = b.ids[pair.equalLevels];
    if (mayWait(*pair.order, x, a.execution.isComplete, y, first, second) ||
        mayWait(*pair.order, y, b.execution.isComplete, x, second, first))
      return false;
  }
  return x.pointer == y.pointer &&
         (!pair.isWorkGroup || x.barriers == y.barriers) && !x.mayBeOrdered &&
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

/// True if the two meet for all contents of memory. The program may restrict
/// contents, for example to one leader.
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
    Nearness own = nearness(leaf, arguments, *numbers, instance.execution,
                            isFirst ? x : y, std::max(x.begin, y.begin));
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

const Execution &Explorer::executionOf(const TreeNode &leaf,
                                       const Arguments &arguments,
                                       const InstanceNumbers &numbers) {
  if (auto known = grids.find({&leaf, arguments, numbers.contents});
      known != grids.end() && known->second) {
    size_t index = 0, stride = 1;
    for (auto [ids, extents] : llvm::zip(numbers.ids, numbers.extents))
      for (auto [id, extent] : llvm::zip(ids, extents)) {
        index += id * stride;
        stride *= extent;
      }
    const Grid &instances = known->second->instances;
    if (index < instances.size() && instances[index].ids == numbers.ids &&
        instances[index].execution.isComplete)
      return instances[index].execution;
  }
  std::tuple key(&leaf, arguments, numbers.contents, numbers.ids);
  if (auto known = ended.find(key); known != ended.end()) {
    // It is copied, and looked through.
    const size_t price = known->second.touches.size() / 16 + 1;
    meetStepsLeft -= std::min<size_t>(meetStepsLeft, price);
    return known->second;
  }
  const unsigned most = maxMeetSteps();
  const bool isCut = meetStepsLeft < most;
  Execution execution = execute(*machineOf(leaf), numbers, most, meetStepsLeft);
  if ((isCut || isWeighing) && !execution.isComplete)
    return cut = std::move(execution);
  numEndedTouches += execution.touches.size();
  if (ended.size() == maxEnded || numEndedTouches > maxEndedTouches) {
    ended.clear();
    numEndedTouches = execution.touches.size();
  }
  return ended.insert({std::move(key), std::move(execution)}).first->second;
}

Explorer::Meeting Explorer::meetIn(const Pair &pair, const Values &values,
                                   const Arguments &arguments) {
  Machine *machines[] = {machineOf(pair.first), machineOf(pair.second)};
  if (!machines[0] || !machines[1])
    return {};
  const TreeNode *leaves[] = {&pair.first, &pair.second};
  const PlacedAccess *accesses[] = {&pair.a, &pair.b};
  bool dependsOnMemory = false, couldExecute = false;
  using Kind = Meeting::Kind;
  bool isFar = false, areApart = false;
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
      instances[i] = {numbers->ids,
                      executionOf(*leaves[i], arguments, *numbers)};
      const Execution &execution = instances[i].execution;
      dependsOnMemory |= execution.dependsOnMemory;
      bool isSeen = llvm::any_of(execution.touches, [&](const Touch &touch) {
        return isTouchOf(touch, *accesses[i]);
      });
      isComplete &= !execution.isUndefined && execution.isComplete;
      isEnded &= !execution.isUndefined && (execution.isComplete || isSeen);
    }
    couldExecute |= isComplete;
    std::optional<Found> found;
    if (isEnded) {
      Items left = itemsOf(llvm::ArrayRef(instances[0]), pair.a);
      Items right = itemsOf(llvm::ArrayRef(instances[1]), pair.b);
      found = overlap(pair, arguments, contents, left, right);
      areApart |= isComplete && !found && touchesLeft != 0 && !left.empty() &&
                  !right.empty();
    }
    if (found && found->isNear)
      return {Kind::Yes};
    if (found) {
      isFar = true;
      row = found->row ? found->row : row;
    }
    if (!dependsOnMemory)
      break;
  }
  return {row                                ? Kind::FarRow
          : isFar                            ? Kind::Far
          : couldExecute && touchesLeft != 0 ? Kind::No
                                             : Kind::Unknown,
          row, areApart};
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

/// The first two instances that differ, in a launch of several: with the same
/// contents everywhere, they find the same place.
std::optional<Explorer::Values> Explorer::meetWithContents(const Pair &pair) {
  Machine *machine = machineOf(pair.first);
  constexpr int64_t several = 8;
  const Arguments arguments = argumentsOf({}, several);
  std::optional<InstanceNumbers> numbers = numbersOf(pair.first, arguments);
  if (!machine || !numbers || !isDefined(arguments))
    return std::nullopt;
  numbers->keepsPlaces = true;
  for (unsigned dimension = 0; dimension != 3; ++dimension) {
    if (numbers->extents[pair.equalLevels][dimension] < 2)
      continue;
    Grid instances(2);
    for (unsigned i : {0, 1}) {
      numbers->ids[pair.equalLevels][dimension] = i;
      instances[i] = {numbers->ids, execute(*machine, *numbers, maxMeetSteps(),
                                            meetStepsLeft)};
      if (!instances[i].execution.isComplete ||
          instances[i].execution.isUndefined)
        return std::nullopt;
    }
    if (overlap(pair, arguments, /*contents=*/0,
                itemsOf(llvm::ArrayRef(instances[0]), pair.a),
                itemsOf(llvm::ArrayRef(instances[1]), pair.b)))
      return valuesOf(pair, instances[0], instances[1]);
    numbers->ids[pair.equalLevels][dimension] = 0;
  }
  return std::nullopt;
}

/// False if an instance of the leaf does something undefined in a launch with
/// these arguments, for any content of memory. Of large grids, only some
/// instances are executed.
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
