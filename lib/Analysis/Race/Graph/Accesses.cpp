//===- Accesses.cpp - What leaves touch, in terms of the root -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of a leaf are in terms of its own ports. To compare two leaves,
// this file translates both to the arguments and allocations of the root graph.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LibraryCalls.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::races;

//===----------------------------------------------------------------------===//
// Accesses in terms of the root
//===----------------------------------------------------------------------===//

/// The value of a symbol of the leaf's effects at `leaf`; none if it is
/// unknown.
static std::optional<Polynomial> placeSymbol(const TreeNode &leaf,
                                             const Symbol &symbol) {
  switch (symbol.kind) {
  case Symbol::Kind::Id:
  case Symbol::Kind::Count: {
    if (symbol.index >= leaf.depth)
      return std::nullopt;
    unsigned level = leaf.depth - 1 - symbol.index;
    const TreeNode *node = leaf.ancestorAt(level);
    std::optional<Polynomial> extent = node->extent(symbol.dimension);
    if (symbol.kind == Symbol::Kind::Count)
      return extent;
    if (extent && extent->asConstant() == 1)
      return Polynomial(0);
    Symbol placed = symbol;
    placed.index = level;
    return Polynomial::of(placed);
  }
  case Symbol::Kind::Argument: {
    if (const auto &value = leaf.inputs[symbol.index].value)
      return value;
    Symbol unknown;
    unknown.kind = Symbol::Kind::Value;
    unknown.owner = &leaf;
    unknown.index = symbol.index;
    // An address that all instances share is the same for them.
    const std::vector<PointerTarget> &targets =
        leaf.inputs[symbol.index].targets;
    bool isShared = targets.size() == 1 && targets.front().levels == 0 &&
                    targets.front().object.kind != MemoryObject::Kind::Unknown;
    unknown.levels = isShared ? 0 : leaf.depth;
    unknown.bits = symbol.bits;
    return Polynomial::of(unknown);
  }
  default:
    return Polynomial::of(symbol);
  }
}

static MemoryObject objectOf(const TreeNode &leaf, const LeafMemory &memory) {
  switch (memory.kind) {
  case LeafMemory::Kind::Global:
    return {MemoryObject::Kind::Global, 0, nullptr, memory.name, memory.depth};
  case LeafMemory::Kind::Malloc:
    return {MemoryObject::Kind::Malloc, memory.index, &leaf, ""};
  default:
    return {};
  }
}

/// The objects that memory of a leaf may be.
static std::vector<MemoryObject> objectsOf(const TreeNode &leaf,
                                           const LeafMemory &memory) {
  std::vector<MemoryObject> objects;
  if (memory.kind != LeafMemory::Kind::Parameter)
    return {objectOf(leaf, memory)};
  for (const PointerTarget &target : leaf.inputs[memory.index].targets) {
    objects.push_back(target.object);
    objects.back().depth = memory.depth;
  }
  return objects;
}

/// True if the leaf, or another one, writes memory with pointers that lead to
/// `memory`, or may do so.
static bool arePointersWritten(const Tree &tree, const TreeNode &leaf,
                               const LeafMemory &memory) {
  std::vector<MemoryObject> holders;
  for (LeafMemory holder = memory; holder.depth-- > 0;)
    llvm::append_range(holders, objectsOf(leaf, holder));
  return llvm::any_of(tree.leaves(), [&](const TreeNode *other) {
    return llvm::any_of(
        other->effects->accesses, [&](const LeafAccess &access) {
          return access.isWrite &&
                 llvm::any_of(objectsOf(*other, access.memory),
                              [&](const MemoryObject &object) {
                                return object.kind ==
                                           MemoryObject::Kind::Unknown ||
                                       llvm::is_contained(holders, object);
                              });
        });
  });
}

/// True if an instance loads the same numbers each time it computes `value` of
/// the leaf's effects: neither the leaf nor, without a race, another leaf
/// writes them while the leaf runs.
bool PlacedAccesses::readsConstants(const TreeNode &leaf,
                                    const Polynomial &value) const {
  std::vector<MemoryObject> loaded;
  for (const Symbol &symbol : value.baseSymbols()) {
    std::vector<MemoryObject> objects;
    if (symbol.kind == Symbol::Kind::Argument && symbol.bits == 0)
      objects =
          objectsOf(leaf, {LeafMemory::Kind::Parameter, symbol.index, ""});
    else if (symbol.kind == Symbol::Kind::Value)
      objects = {{MemoryObject::Kind::Global, 0, nullptr,
                  static_cast<const llvm::GlobalVariable *>(symbol.owner)
                      ->getName()
                      .str()}};
    else
      continue;
    if (objects.size() != 1 ||
        objects.front().kind == MemoryObject::Kind::Unknown)
      return false;
    loaded.push_back(objects.front());
  }
  if (loaded.empty())
    return true;
  for (const LeafAccess &access : leaf.effects->accesses)
    if (access.isWrite)
      for (const MemoryObject &object : objectsOf(leaf, access.memory))
        if (object.kind == MemoryObject::Kind::Unknown ||
            llvm::is_contained(loaded, object))
          return false;
  return llvm::none_of(loaded, [&](const MemoryObject &object) {
    return writtenInTurns.count(object) != 0;
  });
}

/// Two accesses that no comparison tells apart.
static bool areAlike(const PlacedAccess &a, const PlacedAccess &b) {
  return a.target.object == b.target.object &&
         a.target.levels == b.target.levels && a.offset == b.offset &&
         a.pointers == b.pointers && a.conditions == b.conditions &&
         a.isCertain == b.isCertain && a.access->size == b.access->size &&
         a.access->isWrite == b.access->isWrite &&
         a.access->isAtomic == b.access->isAtomic &&
         a.access->firstTurns == b.access->firstTurns &&
         a.access->intervals == b.access->intervals &&
         a.access->sides == b.access->sides &&
         a.access->guards == b.access->guards && a.followed == b.followed &&
         a.followedConditions == b.followedConditions &&
         a.access->vouches == b.access->vouches &&
         a.access->next == b.access->next &&
         a.access->awaits == b.access->awaits &&
         a.access->isAwaited == b.access->isAwaited &&
         a.access->isBehindBarrier == b.access->isBehindBarrier &&
         a.access->isBeforeBarrier == b.access->isBeforeBarrier &&
         a.access->forward == b.access->forward;
}

void PlacedAccesses::place(const TreeNode &leaf) {
  std::vector<PlacedAccess> &placed = accesses[&leaf];
  auto substitute = [&](const Polynomial &value) {
    return value.substitute(
        [&](const Symbol &symbol) { return placeSymbol(leaf, symbol); });
  };
  std::map<LeafMemory, bool> areWritten;
  auto isWritten = [&](const LeafMemory &memory) {
    auto [found, isNew] = areWritten.try_emplace(memory, false);
    if (isNew)
      found->second = arePointersWritten(tree, leaf, memory);
    return found->second;
  };
  for (const LeafAccess &access : leaf.effects->accesses) {
    PlacedAccess result;
    result.access = &access;
    result.isCertain = access.isCertain;
    if (access.offset && access.size > 0)
      if (Polynomial offset = substitute(*access.offset); offset.isValid())
        result.offset = offset;
    if (access.followed && readsConstants(leaf, *access.followed))
      if (Polynomial offset = substitute(*access.followed); offset.isValid())
        result.followed = offset;
    if (access.within && !result.followed)
      if (Polynomial offset = substitute(*access.within); offset.isValid())
        result.followed = offset;
    for (const LeafGuard &guard : access.guards) {
      result.guards.emplace_back();
      if (readsConstants(leaf, guard.offset))
        if (Polynomial offset = substitute(guard.offset); offset.isValid())
          result.guards.back() = offset;
    }
    for (Condition condition : access.conditions) {
      condition.value = substitute(condition.value);
      result.isCertain &= condition.value.isValid();
      if (condition.value.isValid())
        result.conditions.push_back(condition);
    }
    result.followedConditions = access.followedConditions;
    if (result.followedConditions)
      for (Condition &condition : *result.followedConditions) {
        const bool isSteady = readsConstants(leaf, condition.value);
        condition.value = substitute(condition.value);
        if (!isSteady || !condition.value.isValid()) {
          result.followedConditions.reset();
          break;
        }
      }
    for (const Polynomial &pointer : access.pointers)
      result.pointers.push_back(substitute(pointer));
    const bool isFollowed = access.memory.depth == 0 ||
                            (llvm::all_of(result.pointers,
                                          [](const Polynomial &pointer) {
                                            return pointer.isValid();
                                          }) &&
                             !isWritten(access.memory));
    auto add = [&](PointerTarget target) {
      result.target = std::move(target);
      result.target.object.depth = access.memory.depth;
      if (!isFollowed)
        result.target = {};
      auto known = llvm::find_if(placed, [&](const PlacedAccess &other) {
        return areAlike(other, result);
      });
      if (known == placed.end())
        known = placed.insert(known, result);
      known->origins.push_back(access.origin);
    };
    if (access.memory.kind == LeafMemory::Kind::Parameter)
      llvm::for_each(leaf.inputs[access.memory.index].targets, add);
    else if (access.memory.kind == LeafMemory::Kind::Malloc)
      add({objectOf(leaf, access.memory), leaf.depth});
    else
      add({objectOf(leaf, access.memory), 0});
  }
}

PlacedAccesses::PlacedAccesses(const Tree &tree) : tree(tree) {
  for (const TreeNode *leaf : tree.leaves())
    for (const LeafAccess &access : leaf->effects->accesses)
      if (access.isWrite && (access.isAtomic || !access.guards.empty() ||
                             !access.vouches.empty()))
        for (MemoryObject &object : objectsOf(*leaf, access.memory))
          writtenInTurns.insert(std::move(object));
  for (const TreeNode *leaf : tree.leaves())
    place(*leaf);
}

/// True if the program itself has filled the memory of the leaf. For functions
/// that the leaf calls, the parameters of the leaf are unknown.
static bool isFilled(const PlacedAccess &access) {
  const LeafMemory &memory = access.access->memory;
  if (memory.kind != LeafMemory::Kind::Parameter)
    return true;
  return llvm::any_of(access.origins, [&](const llvm::Instruction *origin) {
    const llvm::Function *leaf = origin ? origin->getFunction() : nullptr;
    return leaf &&
           (memory.index >= leaf->arg_size() ||
            leaf->getAttributes().hasParamAttr(memory.index, filledAttribute));
  });
}

bool PlacedAccesses::isWritten(const MemoryObject &object) const {
  return llvm::any_of(tree.leaves(), [&](const TreeNode *leaf) {
    return llvm::any_of(of(*leaf), [&](const PlacedAccess &access) {
      return access.access->isWrite &&
             (access.target.object == object ||
              access.target.object.kind == MemoryObject::Kind::Unknown);
    });
  });
}

std::optional<MemoryObject>
PlacedAccesses::unwritten(const TreeNode &leaf, const Symbol &memory) const {
  if (memory.kind != Symbol::Kind::Value)
    return std::nullopt;
  MemoryObject object;
  if (memory.owner == &leaf) {
    const std::vector<PointerTarget> &targets =
        leaf.inputs[memory.index].targets;
    if (targets.size() != 1 || targets.front().levels != 0)
      return std::nullopt;
    object = targets.front().object;
  } else {
    object = {MemoryObject::Kind::Global, 0, nullptr,
              static_cast<const llvm::GlobalVariable *>(memory.owner)
                  ->getName()
                  .str()};
  }
  const bool isOfHost = object.kind == MemoryObject::Kind::Argument ||
                        object.kind == MemoryObject::Kind::Global;
  return isOfHost && !isWritten(object) ? std::optional(object) : std::nullopt;
}

bool PlacedAccesses::readsFreeInputs(const TreeNode &leaf,
                                     const MemoryObject &own) const {
  return leaf.effects->isComplete &&
         llvm::all_of(of(leaf), [&](const PlacedAccess &access) {
           const MemoryObject &object = access.target.object;
           return object == own ||
                  (object.kind == MemoryObject::Kind::Argument &&
                   !isFilled(access) && !isWritten(object));
         });
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

std::string PlacedAccesses::describeMemory(const MemoryObject &object) const {
  if (object.depth != 0) {
    MemoryObject holder = object;
    --holder.depth;
    return "memory that pointers in " + describeMemory(holder) + " lead to";
  }
  dfg::GraphOp root = tree.root().graph;
  switch (object.kind) {
  case MemoryObject::Kind::Argument:
    return "argument '" + root.getInputName(object.index) + "' of '" +
           tree.root().name() + "'";
  case MemoryObject::Kind::Dataset:
    return "dataset '" + object.name + "'";
  case MemoryObject::Kind::Global:
    if (llvm::StringRef state = libraryStateOf(object.name); !state.empty())
      return ("what the C library keeps for '" + state + "'").str();
    return "global variable '" + dfg::displayName(object.name) + "'";
  case MemoryObject::Kind::Malloc:
    return "the memory that '" + object.owner->name() + "' allocates";
  case MemoryObject::Kind::Unknown:
    return "unknown memory";
  }
  return "";
}

static RaceAccess describeAccess(const TreeNode &leaf,
                                 const PlacedAccess &access) {
  return {leaf.name(),
          leaf.path(),
          access.access->isWrite,
          access.access->isAtomic,
          access.access->place,
          dfg::NodeOp(leaf.op).getLoc()};
}

RaceFinding PlacedAccesses::describe(const TreeNode &first,
                                     const PlacedAccess &a,
                                     const TreeNode &second,
                                     const PlacedAccess &b) const {
  RaceFinding finding{.first = describeAccess(first, a),
                      .second = describeAccess(second, b),
                      .memory = describeMemory(a.target.object)};
  if (!finding.first.isWrite)
    std::swap(finding.first, finding.second);
  return finding;
}

//===----------------------------------------------------------------------===//
// Pairs of accesses
//===----------------------------------------------------------------------===//

int64_t races::chunkOf(const PlacedAccess &access) {
  int64_t chunk = 1;
  for (const llvm::Instruction *origin : access.origins)
    if (origin)
      origin->getFunction()
          ->getFnAttribute(chunkAttribute)
          .getValueAsString()
          .getAsInteger(10, chunk);
  return chunk;
}

bool races::conflict(const LeafAccess &a, const LeafAccess &b) {
  return (a.isWrite || b.isWrite) && !(a.isAtomic && b.isAtomic);
}

bool races::areAssumedDisjoint(const LeafAccess &a, const LeafAccess &b,
                               unsigned numCalls) {
  return llvm::any_of(a.sides, [&](unsigned side) {
    return side / 2 < numCalls && llvm::is_contained(b.sides, side ^ 1);
  });
}

bool races::excludeEachOther(const LeafGuard &x, const LeafGuard &y) {
  using Kind = LeafGuard::Kind;
  auto is = [&](Kind a, Kind b) {
    return (x.kind == a && y.kind == b) || (x.kind == b && y.kind == a);
  };
  return is(Kind::Held, Kind::Held) || is(Kind::Held, Kind::Shared) ||
         is(Kind::Once, Kind::Once) || is(Kind::Once, Kind::Done);
}

std::optional<MemoryObject> races::objectOfGuard(const TreeNode &leaf,
                                                 const LeafGuard &guard) {
  std::vector<MemoryObject> objects = objectsOf(leaf, guard.memory);
  if (objects.size() != 1 ||
      objects.front().kind == MemoryObject::Kind::Unknown)
    return std::nullopt;
  unsigned names = guard.memory.kind == LeafMemory::Kind::Global;
  for (const Input &input : leaf.inputs)
    for (const PointerTarget &target : input.targets) {
      bool isSame = target.object == objects.front();
      names += isSame;
      if (target.object.kind == MemoryObject::Kind::Unknown ||
          (isSame && target.levels != 0))
        return std::nullopt;
    }
  return names == 1 ? std::optional(objects.front()) : std::nullopt;
}

std::string PlacedAccesses::describeGuard(const TreeNode &leaf,
                                          const LeafGuard &guard) const {
  std::optional<MemoryObject> object = objectOfGuard(leaf, guard);
  std::string text = object ? describeMemory(*object) : "unknown memory";
  std::optional<int64_t> offset = guard.offset.asConstant();
  if (!offset)
    return text + " for each place";
  return *offset ? "byte " + std::to_string(*offset) + " of " + text : text;
}
