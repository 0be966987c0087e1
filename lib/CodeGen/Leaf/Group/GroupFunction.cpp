//===- GroupFunction.cpp - A box of instances as one function -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Find what all instances share (uniformity), and cut the item function into
//    nodes and fragments at its barriers.
// 2. Decide where values that cross fragments are kept.
// 3. Emit nodes once and fragments as loops over the instances.
//
//===----------------------------------------------------------------------===//

#include "GroupFunction.h"
#include "../Item/ItemFunction.h"
#include "AffineId.h"
#include "FragmentEmitter.h"
#include "ImplicitBarriers.h"
#include "VariableRecords.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace sluice::codegen {

namespace {

class GroupBuilder {
public:
  GroupBuilder(const ItemFunction &item, const RangeSpec &spec,
               const BoxCapacity &capacity)
      : item(*item.function), isNarrow(item.isNarrow), fused(item.fused),
        spec(spec), signature(spec), capacity(capacity) {}

  Expected<GroupFunction> build();

private:
  Function &item;
  bool isNarrow;
  std::array<bool, 3> fused;
  const RangeSpec &spec;
  ItemSignature signature;
  BoxCapacity capacity;
  Function *group = nullptr;
  DenseMap<const BasicBlock *, BasicBlock *> nodeBlocks;

  SmallVector<BasicBlock *> findCuts(InstanceUniformity &uniformity) const;
  std::array<int64_t, 3> chooseTile(InstanceUniformity &uniformity) const;
  int64_t numCarried(InstanceUniformity &uniformity) const;
  bool sharesColumns() const;
  bool fitsCaches(const std::array<int64_t, 3> &tile) const;
  std::array<std::optional<int64_t>, 3> ownExtents() const;
  Error checkDynamicAllocas(bool isFissioned) const;
  void declare();
  void emitNode(const GroupContext &context, BasicBlock &node);
  BasicBlock *emitFragment(const GroupContext &context,
                           const Fragment &fragment);
};

} // namespace

SmallVector<BasicBlock *>
GroupBuilder::findCuts(InstanceUniformity &uniformity) const {
  if (spec.options.reference || !spec.options.implicitBarriers)
    return {};
  return findImplicitCuts(item, uniformity, signature,
                          spec.options.leavesToLanes, sharesColumns());
}

/// The largest number of values that a loop hands on from round to round, which
/// differ between instances.
int64_t GroupBuilder::numCarried(InstanceUniformity &uniformity) const {
  DominatorTree dominators(item);
  LoopInfo loops(dominators);
  int64_t most = 1;
  for (const Loop *loop : loops.getLoopsInPreorder())
    most = std::max<int64_t>(
        most, count_if(loop->getHeader()->phis(), [&](const PHINode &phi) {
          return !uniformity.isUniform(&phi);
        }));
  return most;
}

/// The number of instances that keeps the vector units busy while what they
/// carry stays in registers. In one dimension: up to eight vectors. In two
/// dimensions: rows of up to four vectors (of two if there are only 16
/// registers), four rows at a time.
std::array<int64_t, 3>
GroupBuilder::chooseTile(InstanceUniformity &uniformity) const {
  uint64_t bytes = 4;
  for (Instruction &instruction : instructions(item))
    if (isa<PHINode>(instruction) && instruction.getType()->isDoubleTy())
      bytes = 8;
  int64_t lanes = std::max<int64_t>(1, spec.options.vectorBits / 8 / bytes);
  auto atMost = [&](int64_t wanted, unsigned dim) {
    return std::min(wanted, capacity[dim].value_or(wanted));
  };
  const int64_t registers = spec.options.vectorBits >= 512 ? 32 : 16;
  const int64_t fitting = registers * 3 / 4 / numCarried(uniformity);
  auto vectors = [](int64_t number, int64_t most) {
    return std::clamp<int64_t>(bit_floor(uint64_t(number)), 1, most);
  };
  if (capacity[1] == 1)
    return {atMost(vectors(fitting, 8) * lanes, 0), 1, 1};
  return {atMost(vectors(fitting / 4, 4) * lanes, 0), atMost(4, 1), 1};
}

/// Whether vertically adjacent instances, but not horizontally adjacent ones,
/// load the same data in a loop.
bool GroupBuilder::sharesColumns() const {
  if (!spec.options.panels || capacity[1] == 1)
    return false;
  unsigned last = signature.numLevels - 1;
  const Argument &x = *item.getArg(signature.id(last, 0));
  const Argument &y = *item.getArg(signature.id(last, 1));
  DominatorTree dominators(item);
  LoopInfo loops(dominators);
  return any_of(instructions(item), [&](const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    return load && loops.getLoopFor(load->getParent()) &&
           idCoefficient(*load->getPointerOperand(), y) == 0 &&
           idCoefficient(*load->getPointerOperand(), x) != 0;
  });
}

/// The maximum private memory of a tile in bytes. With more, running one
/// instance after another on a worker's stack fits the caches better.
static constexpr uint64_t maxTileMemory = 1 << 20;

bool GroupBuilder::fitsCaches(const std::array<int64_t, 3> &tile) const {
  uint64_t bytes = 0;
  for (const Instruction &instruction : instructions(item))
    if (const auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (auto size = alloca->getAllocationSize(item.getDataLayout()))
        bytes = SaturatingAdd<uint64_t>(bytes, size->getKnownMinValue());
  return SaturatingMultiply<uint64_t>(bytes, tile[0] * tile[1] * tile[2]) <=
         maxTileMemory;
}

Error GroupBuilder::checkDynamicAllocas(bool isFissioned) const {
  for (const Instruction &instruction : instructions(item))
    if (const auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (!alloca->isStaticAlloca() && isFissioned)
        return createStringError(
            inconvertibleErrorCode(),
            "leaf '" + spec.leaf->getName() +
                "' has both a barrier and an array of variable length");
  return Error::success();
}

void GroupBuilder::declare() {
  SmallVector<Type *> parameters(item.getFunctionType()->params());
  Type *i64 = Type::getInt64Ty(item.getContext());
  parameters.append({i64, i64, i64, PointerType::getUnqual(item.getContext())});
  auto *type = FunctionType::get(item.getReturnType(), parameters, false);
  group = Function::Create(type, GlobalValue::InternalLinkage,
                           spec.name + ".group", item.getParent());
  group->copyAttributesFrom(&item);
  for (Argument &argument : item.args())
    group->getArg(argument.getArgNo())->setName(argument.getName());
  for (unsigned dim = 0; dim < 3; ++dim)
    group->getArg(signature.count(dim))
        ->setName(Twine("count.") + dimensionName(dim));
  group->getArg(signature.scratch())->setName("scratch");
  group->setSubprogram(item.getSubprogram());
  item.setSubprogram(nullptr);
}

BasicBlock *GroupBuilder::emitFragment(const GroupContext &context,
                                       const Fragment &fragment) {
  BasicBlock *start =
      BasicBlock::Create(group->getContext(), "fragment", group);
  BasicBlock *end = FragmentEmitter(context, fragment).emit(start);
  IRBuilder<> builder(end);
  if (fragment.next)
    builder.CreateBr(nodeBlocks.at(fragment.next));
  else
    builder.CreateUnreachable();
  return start;
}

void GroupBuilder::emitNode(const GroupContext &context, BasicBlock &node) {
  DenseMap<BasicBlock *, BasicBlock *> starts;
  for (BasicBlock *successor : successors(&node))
    if (!starts.contains(successor))
      starts[successor] = emitFragment(
          context, *context.skeleton.fragmentOfEdge(&node, successor));
  Instruction *end = node.getTerminator()->clone();
  end->insertInto(nodeBlocks.at(&node), nodeBlocks.at(&node)->end());
  // Any instance can compute the addresses for all of them: the first one does.
  IRBuilder<> builder(end);
  ValueSource source(context);
  source.sharedPoint = source.instancePoint = end;
  source.linearIndex = builder.getInt64(0);
  for (Use &operand : end->operands())
    if (auto *successor = dyn_cast<BasicBlock>(operand.get()))
      operand.set(starts.at(successor));
    else
      operand.set(source.get(operand.get()));
}

static unsigned countWorkingFragments(const Skeleton &skeleton) {
  return count_if(skeleton.fragments, [](const Fragment &fragment) {
    return !fragment.blocks.empty();
  });
}

Expected<GroupFunction> GroupBuilder::build() {
  Skeleton::isolateNodes(item);
  InstanceUniformity uniformity(item, itemUniformity(signature));
  SmallVector<BasicBlock *> cuts = findCuts(uniformity);
  std::optional<std::array<int64_t, 3>> tile;
  bool hasColumns = !cuts.empty() && sharesColumns();
  const bool hasBarriers = hasBarrier(item);
  if (!cuts.empty() && !hasBarriers) {
    tile = chooseTile(uniformity);
    if (!fitsCaches(*tile)) {
      tile.reset();
      cuts.clear();
    }
  }
  Expected<Skeleton> skeleton = Skeleton::create(item, cuts);
  if (!skeleton && !cuts.empty()) {
    // Cuts only make the leaf faster; its branches do not allow them here.
    consumeError(skeleton.takeError());
    tile.reset();
    skeleton = Skeleton::create(item, {});
  }
  if (!skeleton)
    return skeleton.takeError();
  for (unsigned dim = 0; tile && dim < 3; ++dim)
    capacity[dim] = (*tile)[dim];
  bool isFissioned = countWorkingFragments(*skeleton) > 1;
  if (Error error = checkDynamicAllocas(isFissioned))
    return std::move(error);
  ValuePlacement placement(
      item, *skeleton, uniformity,
      [this](const Value *value) { return signature.isOwnId(value); });

  declare();
  IRBuilder<> builder(BasicBlock::Create(item.getContext(), "entry", group));
  InstanceStorage storage(builder, item, *group, signature, *skeleton,
                          placement, capacity);
  VariableRecords records(item, spec.options.debugging, isFissioned);
  records.declareArrays(builder, placement);
  for (BasicBlock *node : skeleton->nodes)
    nodeBlocks[node] =
        BasicBlock::Create(item.getContext(), node->getName(), group);
  builder.CreateBr(nodeBlocks.at(skeleton->nodes.front()));
  GroupContext context{item,        *group,
                       spec,        signature,
                       *skeleton,   placement,
                       storage,     MDNode::getDistinct(item.getContext(), {}),
                       isFissioned, hasBarriers,
                       isNarrow,    ownExtents(),
                       records};
  for (BasicBlock *node : skeleton->nodes)
    emitNode(context, *node);
  storage.promoteScalars();
  removeUnreachableBlocks(*group);
  return GroupFunction{group, storage.scratchSizes, tile, tile && hasColumns};
}

std::array<std::optional<int64_t>, 3> GroupBuilder::ownExtents() const {
  std::array<std::optional<int64_t>, 3> result;
  auto extentOf = [](const InstanceLevel &level, unsigned dim) {
    return dim < level.dims ? level.extents[dim] : std::optional<int64_t>(1);
  };
  for (unsigned dim = 0; dim < 3; ++dim) {
    result[dim] = extentOf(spec.levels.back(), dim);
    if (!fused[dim] || !result[dim])
      continue;
    std::optional<int64_t> groups =
        extentOf(spec.levels[spec.levels.size() - 2], dim);
    int64_t product;
    result[dim] = groups && !MulOverflow(*result[dim], *groups, product)
                      ? std::optional(product)
                      : std::nullopt;
  }
  return result;
}

Expected<GroupFunction> createGroupFunction(const ItemFunction &item,
                                            const RangeSpec &spec,
                                            const BoxCapacity &capacity) {
  Expected<GroupFunction> result = GroupBuilder(item, spec, capacity).build();
  item.function->eraseFromParent();
  return result;
}

} // namespace sluice::codegen
