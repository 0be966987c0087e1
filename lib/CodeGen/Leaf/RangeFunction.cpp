//===- RangeFunction.cpp - A leaf as loops over its instances -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step: loops over units and over the levels between them and the
// boxes of instances that the group function runs.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/RangeFunction.h"

#include "Debug/ArtificialFunction.h"
#include "Group/GroupFunction.h"
#include "Group/InstanceLoops.h"
#include "Item/ItemFunction.h"
#include "Item/ItemSignature.h"
#include "Panels/Panels.h"
#include "Updates/Appends.h"
#include "Updates/PrivateCopies.h"
#include "Updates/PromoteUpdates.h"

#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace sluice::codegen {

namespace {

/// A dimension of the index space.
struct Axis {
  unsigned level;
  unsigned dim;
};

/// Which instances a piece of code is for.
enum class Part {
  Bulk, ///< most of them
  Edge, ///< those of groups that are cut by the range, where groups are fused
  Last  ///< the last unit, whose outputs leave the node
};

/// So many rows pay for copies of what they share.
constexpr int64_t manyRows = 32;

class RangeBuilder {
public:
  explicit RangeBuilder(const RangeSpec &spec)
      : spec(spec), signature(spec), builder(spec.leaf->getContext()) {}

  /// `mayNarrow`: the result may be wrong for large extents; `fits` says then
  /// for which it is right.
  Expected<Function *> build(bool mayNarrow);

  Function *fits = nullptr;

private:
  const RangeSpec &spec;
  ItemSignature signature;
  IRBuilder<> builder;
  Function *range = nullptr;
  /// For the bulk, without outputs of the last instance, and for the rest.
  GroupFunction bulkGroup, restGroup;
  bool isNarrow = false;
  /// Dimensions in which the bulk's own ids count over all groups.
  std::array<bool, 3> fused{};
  Value *scratch = nullptr;
  SmallVector<std::array<Value *, 3>> ids;
  SmallVector<std::array<Value *, 3>> extents;
  SmallVector<CallInst *> calls;
  SmallVector<TileColumn> columns;

  unsigned lastLevel() const { return signature.numLevels - 1; }
  unsigned fixedId(unsigned level, unsigned dim) const {
    return 1 + signature.numInputs + 3 * level + dim;
  }
  unsigned extentParameter(unsigned level, unsigned dim) const {
    return fixedId(spec.numFixedLevels, 0) + 3 * level + dim;
  }
  unsigned beginParameter() const {
    return extentParameter(signature.numLevels, 0);
  }
  Value *parameter(unsigned index) const { return range->getArg(index); }
  std::optional<int64_t> constantExtent(Axis axis) const;
  SmallVector<Axis> axes(unsigned firstLevel, unsigned endLevel) const;

  void declare(const Function &item);
  void nameParameters();
  void findIdsAndExtents();
  Value *numInstances(unsigned firstLevel, unsigned endLevel);
  void allocateScratch();
  void freeScratch();
  void emitAll();
  void emitUnits(Value *begin, Value *end, Part part);
  void emitRows(Value *begin, Value *end, Part part);
  bool knowsWholeRows(Part part) const;
  void emitRow(Value *count, Part part);
  void emitLevels(unsigned level, Part part);
  void decode(Value *number, ArrayRef<Axis> fastestFirst);
  Value *minimum(Value *left, Value *right);
  Value *numRowsAtOnce(Value *row, Value *begin, Value *end, Part part);
  const GroupFunction &groupFor(Part part) const {
    return part == Part::Bulk ? bulkGroup : restGroup;
  }
  bool hasLastOutput() const {
    return any_of(spec.outputs,
                  [](const OutputPort &output) { return output.last; });
  }
  bool countsInstances() const {
    return spec.numUnitLevels == signature.numLevels;
  }
  bool mayFuse() const {
    return spec.options.fuseGroups && !spec.options.reference &&
           signature.numLevels >= 2 &&
           spec.numFixedLevels < signature.numLevels - 1;
  }
  void emitIfAny(Value *begin, Value *end, Part part);
  void emitPart(Value *begin, Value *end, Part part);
  void emitFusedInstances(Value *begin, Value *end);
  void emitFusedUnits(Value *begin, Value *end);
  void emitFusedBox(Value *firstGroup, Value *numGroups);
  Value *scratchSize(const GroupFunction &group);
  Error createGroups(bool mayNarrow);
  void emitBox(ArrayRef<Value *> counts, Part part);
  BasicBlock *emitTile(ArrayRef<Value *> counts, Part part, int64_t width);
  TileColumn emitRowsOfTiles(ArrayRef<Value *> counts, Part part,
                             int64_t width);
  void emitColumn(ArrayRef<Value *> counts, Part part, int64_t width);
  void emitColumns(ArrayRef<Value *> counts, Part part);
  CallInst *callGroup(ArrayRef<Value *> counts, Part part);
  void inlineCalls();
};

} // namespace

std::optional<int64_t> RangeBuilder::constantExtent(Axis axis) const {
  const InstanceLevel &level = spec.levels[axis.level];
  return axis.dim < level.dims ? level.extents[axis.dim]
                               : std::optional<int64_t>(1);
}

/// The dimensions of some levels that have more than one index, fastest first.
SmallVector<Axis> RangeBuilder::axes(unsigned firstLevel,
                                     unsigned endLevel) const {
  SmallVector<Axis> result;
  for (unsigned level = endLevel; level-- > firstLevel;)
    for (unsigned dim = 0; dim < 3; ++dim)
      if (constantExtent({level, dim}) != 1)
        result.push_back({level, dim});
  return result;
}

//===----------------------------------------------------------------------===//
// The function and its parameters
//===----------------------------------------------------------------------===//

void RangeBuilder::declare(const Function &item) {
  ArrayRef<Type *> itemParameters = item.getFunctionType()->params();
  Type *i64 = builder.getInt64Ty();
  SmallVector<Type *> parameters(
      itemParameters.take_front(1 + signature.numInputs));
  parameters.append(3 * (spec.numFixedLevels + signature.numLevels) + 2, i64);
  parameters.append(2 * signature.numOutputs, builder.getPtrTy());
  auto *type = FunctionType::get(builder.getVoidTy(), parameters, false);
  range = Function::Create(type, GlobalValue::InternalLinkage, spec.name,
                           spec.leaf->getParent());
  for (Attribute attribute : item.getAttributes().getFnAttrs())
    range->addFnAttr(attribute);
  nameParameters();
  for (unsigned port = 0; port < signature.numInputs; ++port) {
    unsigned index = signature.input(port);
    parameter(index)->setName(item.getArg(index)->getName());
    if (item.hasParamAttribute(index, Attribute::NoAlias))
      range->addParamAttr(index, Attribute::NoAlias);
  }
  if (const DISubprogram *program = item.getSubprogram())
    builder.SetCurrentDebugLocation(
        describeArtificial(*range, spec.name, *program));
  builder.SetInsertPoint(
      BasicBlock::Create(range->getContext(), "entry", range));
}

void RangeBuilder::nameParameters() {
  parameter(0)->setName("invocation");
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::string suffix = (Twine(level) + "." + dimensionName(dim)).str();
      if (level < spec.numFixedLevels)
        parameter(fixedId(level, dim))->setName("id" + suffix);
      parameter(extentParameter(level, dim))->setName("extent" + suffix);
    }
  parameter(beginParameter())->setName("begin");
  parameter(beginParameter() + 1)->setName("end");
  for (unsigned port = 0; port < signature.numOutputs; ++port) {
    parameter(beginParameter() + 2 + 2 * port)->setName("last");
    parameter(beginParameter() + 3 + 2 * port)->setName("array");
  }
}

void RangeBuilder::findIdsAndExtents() {
  ids.resize(signature.numLevels);
  extents.resize(signature.numLevels);
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::optional<int64_t> known = constantExtent({level, dim});
      extents[level][dim] = known ? cast<Value>(builder.getInt64(*known))
                                  : parameter(extentParameter(level, dim));
      ids[level][dim] = level < spec.numFixedLevels
                            ? parameter(fixedId(level, dim))
                            : cast<Value>(builder.getInt64(0));
    }
}

Value *RangeBuilder::numInstances(unsigned firstLevel, unsigned endLevel) {
  Value *product = builder.getInt64(1);
  for (unsigned level = firstLevel; level < endLevel; ++level)
    for (unsigned dim = 0; dim < 3; ++dim)
      product = builder.CreateMul(product, extents[level][dim]);
  return product;
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

/// Enough for the largest box the group function runs: a tile, whatever the
/// extents are, since elements are numbered by the tile's extents; else the
/// whole group, as only leaves with barriers use scratch memory without tiles.
Value *RangeBuilder::scratchSize(const GroupFunction &group) {
  Value *count;
  if (group.tile) {
    auto [x, y, z] = *group.tile;
    count = builder.getInt64(x * y * z);
  } else {
    count = numInstances(lastLevel(), signature.numLevels);
  }
  Value *total = builder.getInt64(0);
  for (uint64_t size : group.scratchSizes) {
    Value *bytes = builder.CreateMul(count, builder.getInt64(size));
    bytes = builder.CreateAnd(builder.CreateAdd(bytes, builder.getInt64(63)),
                              builder.getInt64(~uint64_t(63)));
    total = builder.CreateAdd(total, bytes);
  }
  return total;
}

void RangeBuilder::allocateScratch() {
  scratch = ConstantPointerNull::get(builder.getPtrTy());
  if (bulkGroup.scratchSizes.empty() && restGroup.scratchSizes.empty())
    return;
  Value *total = builder.CreateBinaryIntrinsic(
      Intrinsic::umax, scratchSize(bulkGroup), scratchSize(restGroup));
  FunctionCallee allocate = range->getParent()->getOrInsertFunction(
      "sluiceGroupMalloc", builder.getPtrTy(), builder.getPtrTy(),
      builder.getInt64Ty());
  CallInst *call = builder.CreateCall(allocate, {parameter(0), total});
  call->addRetAttr(Attribute::NoAlias);
  call->addRetAttr(Attribute::getWithAlignment(range->getContext(), Align(64)));
  scratch = call;
}

void RangeBuilder::freeScratch() {
  if (isa<Constant>(scratch))
    return;
  FunctionCallee release = range->getParent()->getOrInsertFunction(
      "sluiceGroupFree", builder.getVoidTy(), builder.getPtrTy(),
      builder.getPtrTy());
  builder.CreateCall(release, {parameter(0), scratch});
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Sets the ids of some dimensions from the linear number of an instance.
void RangeBuilder::decode(Value *number, ArrayRef<Axis> fastestFirst) {
  for (const Axis &axis : fastestFirst) {
    Value *&id = ids[axis.level][axis.dim];
    if (&axis == &fastestFirst.back()) {
      id = number;
      return;
    }
    Value *extent = extents[axis.level][axis.dim];
    id = builder.CreateURem(number, extent);
    number = builder.CreateUDiv(number, extent);
  }
}

CallInst *RangeBuilder::callGroup(ArrayRef<Value *> counts, Part part) {
  Function *group = groupFor(part).function;
  SmallVector<Value *> arguments(group->arg_size());
  for (unsigned i = 0; i <= signature.numInputs; ++i)
    arguments[i] = parameter(i);
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      arguments[signature.id(level, dim)] = ids[level][dim];
      arguments[signature.extent(level, dim)] = extents[level][dim];
    }
  for (unsigned port = 0; port < signature.numOutputs; ++port) {
    arguments[signature.last(port)] =
        parameter(beginParameter() + 2 + 2 * port);
    arguments[signature.array(port)] =
        parameter(beginParameter() + 3 + 2 * port);
  }
  arguments[signature.lastUnit()] = builder.getInt1(part == Part::Last);
  for (unsigned dim = 0; dim < 3; ++dim)
    arguments[signature.count(dim)] = counts[dim];
  arguments[signature.scratch()] = scratch;
  CallInst *call = builder.CreateCall(group, arguments);
  // Code for the rest stays a function.
  if (part != Part::Bulk)
    call->setIsNoInline();
  calls.push_back(call);
  return call;
}

Value *RangeBuilder::minimum(Value *left, Value *right) {
  return builder.CreateBinaryIntrinsic(Intrinsic::smin, left, right);
}

/// Runs one tile: with constant extents, which is what makes it fast, unless
/// it lies at the border. Returns where the code of a whole tile begins.
BasicBlock *RangeBuilder::emitTile(ArrayRef<Value *> counts, Part part,
                                   int64_t width) {
  Value *isFull = builder.getTrue();
  SmallVector<Value *, 3> full;
  for (unsigned dim = 0; dim < 3; ++dim) {
    full.push_back(
        builder.getInt64(dim == 0 ? width : (*groupFor(part).tile)[dim]));
    isFull =
        builder.CreateAnd(isFull, builder.CreateICmpEQ(counts[dim], full[dim]));
  }
  LLVMContext &context = range->getContext();
  BasicBlock *whole = BasicBlock::Create(context, "tile.full", range);
  BasicBlock *border = BasicBlock::Create(context, "tile.border", range);
  BasicBlock *next = BasicBlock::Create(context, "tile.end", range);
  builder.CreateCondBr(isFull, whole, border);
  builder.SetInsertPoint(whole);
  callGroup(full, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(border);
  callGroup(counts, part)->setIsNoInline();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  return whole;
}

/// Runs tiles of `width` columns below each other.
TileColumn RangeBuilder::emitRowsOfTiles(ArrayRef<Value *> counts, Part part,
                                         int64_t width) {
  Value *&y = ids[lastLevel()][1], *first = y;
  int64_t step = (*groupFor(part).tile)[1];
  Value *end = builder.CreateNSWAdd(first, counts[1]);
  CountedLoop loop = beginCountedLoop(builder, first, end, "rows",
                                      /*mayBeEmpty=*/false, step);
  y = loop.index;
  Value *height = minimum(builder.CreateNSWSub(end, y), builder.getInt64(step));
  BasicBlock *full = emitTile({counts[0], height, counts[2]}, part, width);
  endCountedLoop(builder, loop);
  y = first;
  return {nullptr, full, loop.latch, unsigned(width)};
}

/// The same, where they read the same elements: if there are many, those are
/// copied first.
void RangeBuilder::emitColumn(ArrayRef<Value *> counts, Part part,
                              int64_t width) {
  LLVMContext &context = range->getContext();
  BasicBlock *shared = BasicBlock::Create(context, "column.shared", range);
  BasicBlock *plain = BasicBlock::Create(context, "column.plain", range);
  BasicBlock *next = BasicBlock::Create(context, "column.end", range);
  Value *isLong = builder.CreateICmpSGE(counts[1], builder.getInt64(manyRows));
  BranchInst *choice = builder.CreateCondBr(isLong, shared, plain);
  builder.SetInsertPoint(shared);
  TileColumn column = emitRowsOfTiles(counts, part, width);
  column.choice = choice;
  columns.push_back(column);
  builder.CreateBr(next);
  builder.SetInsertPoint(plain);
  emitRowsOfTiles(counts, part, width);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Runs one plane of a box whose tiles share columns: those of the widest tiles
/// first, then narrower ones for what is left, and for the last few columns
/// code that does not know how many they are.
void RangeBuilder::emitColumns(ArrayRef<Value *> counts, Part part) {
  Value *&x = ids[lastLevel()][0], *first = x;
  Value *end = builder.CreateNSWAdd(first, counts[0]), *from = first;
  int64_t widest = (*groupFor(part).tile)[0];
  SmallVector<int64_t> widths{widest};
  for (int64_t width = widest / 4; widest % 16 == 0 && width >= 4; width /= 4)
    widths.push_back(width);
  for (int64_t width : widths) {
    Value *left = builder.CreateNSWSub(end, from);
    Value *to = builder.CreateNSWSub(
        end, builder.CreateURem(left, builder.getInt64(width)));
    CountedLoop loop = beginCountedLoop(builder, from, to, "column",
                                        /*mayBeEmpty=*/true, width);
    x = loop.index;
    Value *own[] = {builder.getInt64(width), counts[1], counts[2]};
    if (width == widest)
      emitColumn(own, part, width);
    else
      emitRowsOfTiles(own, part, width);
    endCountedLoop(builder, loop);
    from = to;
  }
  CountedLoop loop = beginCountedLoop(builder, from, end, "column.rest",
                                      /*mayBeEmpty=*/true, widest);
  x = loop.index;
  emitRowsOfTiles({builder.CreateNSWSub(end, from), counts[1], counts[2]}, part,
                  widest);
  endCountedLoop(builder, loop);
  x = first;
}

/// Runs the box that starts at the current ids, in tiles if need be.
void RangeBuilder::emitBox(ArrayRef<Value *> counts, Part part) {
  const GroupFunction &group = groupFor(part);
  if (!group.tile) {
    callGroup(counts, part);
    return;
  }
  std::array<Value *, 3> start = ids[lastLevel()];
  SmallVector<CountedLoop> loops;
  SmallVector<Value *, 3> tileCounts(counts);
  bool hasColumns =
      group.sharesColumns && constantExtent({lastLevel(), 1}) != 1;
  for (unsigned dim = 3; dim-- > 0;) {
    if (dim != 2 && hasColumns)
      continue;
    int64_t step = (*group.tile)[dim];
    if (constantExtent({lastLevel(), dim}) == 1) {
      tileCounts[dim] = builder.getInt64(1);
      continue;
    }
    Value *end = builder.CreateNSWAdd(start[dim], counts[dim]);
    loops.push_back(beginCountedLoop(builder, start[dim], end, "tile",
                                     /*mayBeEmpty=*/false, step));
    ids[lastLevel()][dim] = loops.back().index;
    tileCounts[dim] = minimum(builder.CreateNSWSub(end, loops.back().index),
                              builder.getInt64(step));
  }
  if (hasColumns)
    emitColumns(tileCounts, part);
  else
    emitTile(tileCounts, part, (*group.tile)[0]);
  for (const CountedLoop &loop : reverse(loops))
    endCountedLoop(builder, loop);
  ids[lastLevel()] = start;
}

/// Runs `numGroups` neighbouring groups in x as one box.
void RangeBuilder::emitFusedBox(Value *firstGroup, Value *numGroups) {
  unsigned own = lastLevel(), parent = own - 1;
  std::array<Value *, 3> counts = extents[own], start = ids[own];
  ids[parent][0] = builder.getInt64(0); // not used by what is fused
  // The box has all of the last level; what ran before may have left ids of it.
  ids[own].fill(builder.getInt64(0));
  ids[own][0] = builder.CreateNSWMul(firstGroup, extents[own][0]);
  counts[0] = builder.CreateNSWMul(numGroups, extents[own][0]);
  if (fused[1])
    ids[own][1] = builder.CreateNSWMul(ids[parent][1], extents[own][1]);
  emitBox(counts, Part::Bulk);
  ids[own] = start;
}

/// Units are groups, in rows of the parent's x.
void RangeBuilder::emitFusedUnits(Value *begin, Value *end) {
  SmallVector<Axis> unitAxes = axes(spec.numFixedLevels, lastLevel());
  Value *one = builder.getInt64(1);
  unsigned parent = lastLevel() - 1;
  if (constantExtent({parent, 0}) == 1) {
    CountedLoop loop = beginCountedLoop(builder, begin, end, "unit", true);
    decode(loop.index, unitAxes);
    emitFusedBox(builder.getInt64(0), one);
    endCountedLoop(builder, loop);
    return;
  }
  Value *length = extents[parent][0];
  Value *firstRow = builder.CreateUDiv(begin, length);
  Value *endRow = builder.CreateAdd(
      builder.CreateUDiv(builder.CreateSub(end, one), length), one);
  CountedLoop loop = beginCountedLoop(builder, firstRow, endRow, "row", true);
  Value *start = builder.CreateMul(loop.index, length);
  Value *from = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateSub(begin, start), builder.getInt64(0));
  Value *to = minimum(builder.CreateSub(end, start), length);
  decode(loop.index, ArrayRef(unitAxes).drop_front());
  emitFusedBox(from, builder.CreateSub(to, from));
  endCountedLoop(builder, loop);
}

/// Loops over the levels that run completely for every unit; the last level
/// is the box.
void RangeBuilder::emitLevels(unsigned level, Part part) {
  if (level == lastLevel()) {
    emitBox(extents[level], part);
    return;
  }
  bool isFused = level + 1 == lastLevel() && fused[0] && part == Part::Bulk;
  SmallVector<CountedLoop> loops;
  SmallVector<Axis> fastestFirst = axes(level, level + 1);
  for (const Axis &axis : reverse(fastestFirst)) {
    if (isFused && axis.dim == 0)
      continue;
    loops.push_back(beginCountedLoop(builder, builder.getInt64(0),
                                     extents[axis.level][axis.dim], "level",
                                     /*mayBeEmpty=*/true));
    ids[axis.level][axis.dim] = loops.back().index;
  }
  if (isFused)
    emitFusedBox(builder.getInt64(0), extents[level][0]);
  else
    emitLevels(level + 1, part);
  for (const CountedLoop &loop : reverse(loops))
    endCountedLoop(builder, loop);
}

void RangeBuilder::emitUnits(Value *begin, Value *end, Part part) {
  if (fused[0] && part == Part::Bulk && spec.numUnitLevels == lastLevel()) {
    emitFusedUnits(begin, end);
    return;
  }
  CountedLoop loop = beginCountedLoop(builder, begin, end, "unit",
                                      /*mayBeEmpty=*/true);
  decode(loop.index, axes(spec.numFixedLevels, spec.numUnitLevels));
  emitLevels(spec.numUnitLevels, part);
  endCountedLoop(builder, loop);
}

/// How many rows of the last level, from `row` on, make one box: several only
/// in tiles, as many as one has or all, and only complete ones of one plane.
Value *RangeBuilder::numRowsAtOnce(Value *row, Value *begin, Value *end,
                                   Part part) {
  Value *one = builder.getInt64(1);
  const GroupFunction &group = groupFor(part);
  if (!group.tile || (*group.tile)[1] == 1)
    return one;
  Value *length = extents[lastLevel()][0];
  Value *firstFull = builder.CreateUDiv(
      builder.CreateAdd(begin, builder.CreateSub(length, one)), length);
  Value *endFull = builder.CreateUDiv(end, length);
  Value *isFull = builder.CreateAnd(builder.CreateICmpSGE(row, firstFull),
                                    builder.CreateICmpSLT(row, endFull));
  Value *left =
      minimum(builder.CreateSub(extents[lastLevel()][1], ids[lastLevel()][1]),
              builder.CreateSub(endFull, row));
  if (!group.sharesColumns)
    left = minimum(left, builder.getInt64((*group.tile)[1]));
  return builder.CreateSelect(isFull, left, one);
}

/// Whether instances compare numbers that the code does not know, as in
/// `if (j == k) return;`. In unrolled rows, each vector keeps a mask for that,
/// and there are more of them than registers.
static bool comparesUnknown(const Instruction &instruction) {
  const auto *test = dyn_cast<ICmpInst>(&instruction);
  return test && test->isEquality() && !isa<Constant>(test->getOperand(0)) &&
         !isa<Constant>(test->getOperand(1)) &&
         any_of(test->users(), [](const User *user) {
           return !cast<Instruction>(user)->getMetadata(LLVMContext::MD_loop);
         });
}

/// Whether code of its own for whole rows pays, besides that for any part of a
/// row: it knows how long they are, which short ones gain by, and there is
/// little of it. What atomics update is followed through one function.
bool RangeBuilder::knowsWholeRows(Part part) const {
  constexpr unsigned most = 200;
  constexpr int64_t longest = 2048;
  const GroupFunction &group = groupFor(part);
  std::optional<int64_t> length = constantExtent({lastLevel(), 0});
  if (part != Part::Bulk || group.tile || spec.options.reference || !length ||
      *length > longest)
    return false;
  unsigned size = 0;
  for (const BasicBlock &block : *group.function)
    for (const Instruction &instruction : block)
      if (++size > most || instruction.isAtomic() ||
          comparesUnknown(instruction))
        return false;
  return true;
}

/// Runs `count` instances from the current ids on: mostly, but for the ends of
/// the range, a whole row.
void RangeBuilder::emitRow(Value *count, Part part) {
  LLVMContext &context = range->getContext();
  BasicBlock *whole = BasicBlock::Create(context, "row.whole", range);
  BasicBlock *cut = BasicBlock::Create(context, "row.cut", range);
  BasicBlock *next = BasicBlock::Create(context, "row.end", range);
  Value *length = extents[lastLevel()][0], *one = builder.getInt64(1);
  Value *&x = ids[lastLevel()][0], *first = x;
  builder.CreateCondBr(builder.CreateICmpEQ(count, length), whole, cut);
  builder.SetInsertPoint(whole);
  x = builder.getInt64(0);
  callGroup({length, one, one}, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(cut);
  x = first;
  callGroup({count, one, one}, part)->setIsNoInline();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Units are single instances: rows of the last level's x, or parts of one,
/// are boxes.
void RangeBuilder::emitRows(Value *begin, Value *end, Part part) {
  SmallVector<Axis> unitAxes = axes(spec.numFixedLevels, spec.numUnitLevels);
  Value *one = builder.getInt64(1);
  Value *&x = ids[lastLevel()][0];
  if (constantExtent({lastLevel(), 0}) == 1) {
    CountedLoop loop = beginCountedLoop(builder, begin, end, "unit", true);
    decode(loop.index, unitAxes);
    emitBox({one, one, one}, part);
    endCountedLoop(builder, loop);
    return;
  }
  if (unitAxes.size() == 1) {
    x = begin;
    emitBox({builder.CreateSub(end, begin), one, one}, part);
    return;
  }
  Value *length = extents[lastLevel()][0];
  Value *firstRow = builder.CreateUDiv(begin, length);
  Value *lastRow = builder.CreateUDiv(builder.CreateSub(end, one), length);

  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(range->getContext(), "rows", range);
  BasicBlock *exit = BasicBlock::Create(range->getContext(), "rows.end", range);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *row = builder.CreatePHI(builder.getInt64Ty(), 2, "row");
  row->addIncoming(firstRow, before);
  Value *start = builder.CreateMul(row, length);
  Value *isFirst = builder.CreateICmpEQ(row, firstRow);
  x = builder.CreateSelect(isFirst, builder.CreateSub(begin, start),
                           builder.getInt64(0));
  Value *isLast = builder.CreateICmpEQ(row, lastRow);
  Value *stop =
      builder.CreateSelect(isLast, builder.CreateSub(end, start), length);
  decode(row, ArrayRef(unitAxes).drop_front());
  Value *numRows = numRowsAtOnce(row, begin, end, part);
  Value *count = builder.CreateSub(stop, x);
  if (knowsWholeRows(part))
    emitRow(count, part);
  else
    emitBox({count, numRows, one}, part);
  Value *next = builder.CreateAdd(row, numRows, "", true, true);
  row->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLE(next, lastRow), body, exit);
  builder.SetInsertPoint(exit);
}

/// Units are instances, but whole groups can be fused: what lies before the
/// first and after the last whole group runs by itself.
void RangeBuilder::emitFusedInstances(Value *begin, Value *end) {
  Value *size = numInstances(lastLevel(), signature.numLevels);
  Value *up =
      builder.CreateAdd(begin, builder.CreateSub(size, builder.getInt64(1)));
  Value *firstGroup = builder.CreateUDiv(up, size);
  Value *endGroup = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateUDiv(end, size), firstGroup);
  Value *headEnd = minimum(builder.CreateMul(firstGroup, size), end);
  Value *tailBegin = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, headEnd,
      minimum(builder.CreateMul(endGroup, size), end));
  emitIfAny(begin, headEnd, Part::Edge);
  emitIfAny(firstGroup, endGroup, Part::Bulk);
  emitIfAny(tailBegin, end, Part::Edge);
}

/// Emits the loops over a range that is not empty; of the bulk of fused
/// groups, the range counts groups.
void RangeBuilder::emitPart(Value *begin, Value *end, Part part) {
  if (!countsInstances())
    emitUnits(begin, end, part);
  else if (fused[0] && part == Part::Bulk)
    emitFusedUnits(begin, end);
  else
    emitRows(begin, end, part);
}

void RangeBuilder::emitIfAny(Value *begin, Value *end, Part part) {
  BasicBlock *some = BasicBlock::Create(range->getContext(), "some", range);
  BasicBlock *next = BasicBlock::Create(range->getContext(), "next", range);
  builder.CreateCondBr(builder.CreateICmpSLT(begin, end), some, next);
  builder.SetInsertPoint(some);
  emitPart(begin, end, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Emits everything between entry and return. Only the last unit can hold the
/// instance whose values leave the node, so it runs alone: the bulk then has
/// no trace of outputs.
void RangeBuilder::emitAll() {
  Value *begin = parameter(beginParameter());
  Value *end = parameter(beginParameter() + 1);
  // Signed divisions of ids are then unsigned ones.
  builder.CreateAssumption(builder.CreateICmpSGE(begin, builder.getInt64(0)));
  Value *hasWork =
      builder.CreateAnd(builder.CreateICmpSLT(begin, end),
                        builder.CreateICmpSGT(numInstances(spec.numUnitLevels,
                                                           signature.numLevels),
                                              builder.getInt64(0)));
  BasicBlock *work = BasicBlock::Create(range->getContext(), "work", range);
  BasicBlock *done = BasicBlock::Create(range->getContext(), "done", range);
  builder.CreateCondBr(hasWork, work, done);
  builder.SetInsertPoint(work);
  allocateScratch();

  Value *bulkEnd = end;
  if (hasLastOutput()) {
    Value *total = numInstances(spec.numFixedLevels, spec.numUnitLevels);
    Value *holdsLast = builder.CreateICmpEQ(end, total);
    bulkEnd = builder.CreateSub(
        end, builder.CreateZExt(holdsLast, builder.getInt64Ty()));
  }
  if (countsInstances() && fused[0])
    emitFusedInstances(begin, bulkEnd);
  else
    emitIfAny(begin, bulkEnd, Part::Bulk);
  if (hasLastOutput())
    emitIfAny(bulkEnd, end, Part::Last);
  freeScratch();
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

void RangeBuilder::inlineCalls() {
  for (CallInst *call : calls) {
    if (call->isNoInline())
      continue;
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    assert(result.isSuccess() && "group functions are inlinable");
    (void)result;
  }
  for (Function *group : {bulkGroup.function, restGroup.function})
    if (group && group->use_empty())
      group->eraseFromParent();
    else if (group)
      protectOuterLoops(*group);
}

/// Turns loops that count with 32 bits, and the indices computed from them,
/// to 64 bits. It needs the marks for sums that do not overflow, which LLVM's
/// pipeline drops when it reorders sums before it comes to loops.
static void widenIndices(Function &function) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  runPasses(function, std::move(passes));
}

/// Only the last unit stores the outputs that leave the node: its group
/// function is made from the leaf as it is, that of the bulk without them.
Error RangeBuilder::createGroups(bool mayNarrow) {
  RangeSpec bulk = spec;
  for (OutputPort &output : bulk.outputs)
    output.last = false;
  auto create = [&](const RangeSpec &own, GroupFunction &group) -> Error {
    Expected<ItemFunction> item = createItemFunction(
        own, {.narrow = mayNarrow, .fuse = !range && mayFuse()});
    if (!item)
      return item.takeError();
    if (!range) {
      declare(*item->function);
      fits = item->fits;
      isNarrow = item->isNarrow;
      fused = item->fused;
    } else if (item->fits) {
      item->fits->eraseFromParent(); // the same as that of the bulk
    }
    BoxCapacity capacity;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (!item->fused[dim])
        capacity[dim] = constantExtent({lastLevel(), dim});
    Expected<GroupFunction> created = createGroupFunction(*item, own, capacity);
    if (!created)
      return created.takeError();
    group = std::move(*created);
    return Error::success();
  };
  if (Error error = create(bulk, bulkGroup))
    return error;
  bool hasRest = hasLastOutput() || (fused[0] && countsInstances());
  return hasRest ? create(spec, restGroup) : Error::success();
}

Expected<Function *> RangeBuilder::build(bool mayNarrow) {
  if (Error error = createGroups(mayNarrow)) {
    if (range)
      range->eraseFromParent();
    return std::move(error);
  }
  findIdsAndExtents();
  emitAll();
  inlineCalls();
  makePanels(*range, *parameter(0), columns);
  protectOuterLoops(*range);
  if (isNarrow)
    widenIndices(*range);
  return range;
}

/// Makes the function that chooses between one for small extents and one for
/// all.
static Function *createChoice(const RangeSpec &spec, Function &small,
                              Function &all, Function &fits) {
  Function *range =
      Function::Create(small.getFunctionType(), GlobalValue::InternalLinkage,
                       spec.name, small.getParent());
  range->copyAttributesFrom(&small);
  SmallVector<Value *> arguments;
  for (Argument &argument : range->args()) {
    argument.setName(small.getArg(argument.getArgNo())->getName());
    arguments.push_back(&argument);
  }
  LLVMContext &context = range->getContext();
  IRBuilder<> builder(BasicBlock::Create(context, "entry", range));
  BasicBlock *usual = BasicBlock::Create(context, "small", range);
  BasicBlock *rare = BasicBlock::Create(context, "large", range);
  unsigned firstExtent = 1 + spec.inputs.size() + 3 * spec.numFixedLevels;
  CallInst *check = builder.CreateCall(
      &fits, ArrayRef(arguments).slice(firstExtent, 3 * spec.levels.size()));
  builder.CreateCondBr(check, usual, rare);
  builder.SetInsertPoint(usual);
  CallInst *call = builder.CreateCall(&small, arguments);
  builder.CreateRetVoid();
  builder.SetInsertPoint(rare);
  CallInst *rareCall = builder.CreateCall(&all, arguments);
  rareCall->setIsNoInline();
  builder.CreateRetVoid();
  for (CallInst *inlined : {check, call}) {
    Function *callee = inlined->getCalledFunction();
    if (DISubprogram *program = callee->getSubprogram()) {
      range->setSubprogram(program);
      callee->setSubprogram(nullptr);
    }
    InlineFunctionInfo info;
    bool inlinable = InlineFunction(*inlined, info).isSuccess();
    assert(inlinable && "range functions are inlinable");
    (void)inlinable;
    callee->eraseFromParent();
  }
  if (DISubprogram *program = range->getSubprogram())
    rareCall->setDebugLoc(
        DILocation::get(context, program->getLine(), 0, program));
  return range;
}

/// Updates of one address in registers first, then those of arrays in copies,
/// then appended elements.
static Function *collectUpdates(Function &range, const RangeSpec &spec) {
  if (!spec.options.collectUpdates || spec.options.reference)
    return &range;
  FunctionPassManager passes;
  passes.addPass(PromoteUpdates());
  runPasses(range, std::move(passes));
  makePrivateCopies(range, spec);
  joinAppends(range, spec);
  return &range;
}

Expected<Function *> createRangeFunction(const RangeSpec &spec) {
  if (spec.leaf && mayExecuteBarrier(*spec.leaf) &&
      spec.numUnitLevels == spec.levels.size())
    return createStringError(
        inconvertibleErrorCode(),
        "leaf '" + spec.leaf->getName() +
            "' has a barrier, so its units must be whole groups");
  RangeBuilder builder(spec);
  Expected<Function *> range = builder.build(!spec.options.reference);
  if (!range)
    return range;
  if (!builder.fits)
    return collectUpdates(**range, spec);
  RangeSpec wide = spec;
  wide.name += ".large";
  wide.options.reference = true;
  Expected<Function *> all = RangeBuilder(wide).build(false);
  if (!all)
    return all.takeError();
  (*range)->setName(spec.name + ".small");
  return collectUpdates(*createChoice(spec, **range, **all, *builder.fits),
                        spec);
}

} // namespace sluice::codegen
