//===- Touch.cpp - What shares of a node's instances touch ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every address in a kernel is a start plus an expression of ids, extents and
// values that the host knows (LLVM's scalar evolution). The function that is
// emitted computes an interval for each expression from the intervals of what
// it consists of, and a union per parameter. Conditions are left out, so the
// intervals may be too large, never too small. Where a sum leaves its type's
// range, or an index comes from memory, the range is everything.
//
// All bytes of a range are written if a store that every instance executes
// writes one element after the other: each stride is as large as what the
// dimensions inside of it span. Elsewhere the bytes in between keep their
// content, so the range counts as read: of memory that a node only writes, a
// device must have what the node leaves alone.
//
//===----------------------------------------------------------------------===//

#include "Touch.h"
#include "../NeutralForm.h"
#include "../Refusal.h"
#include "AnalysedKernel.h"
#include "KernelAccesses.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// Emits one function.
class TouchEmitter {
public:
  TouchEmitter(Module &module, AnalysedKernel &kernel, const DeviceNode &device,
               Function *function, SharedTouch *shared)
      : kernel(kernel), device(device), function(function), shared(shared),
        b(BasicBlock::Create(module.getContext(), "entry", function)),
        intervals(b, *kernel.evolution, knownValues(module, device)) {
    unsigned argument = 0;
    for (const SluiceDeviceParameter &parameter : device.parameters) {
      bool isPair = parameter.kind == SLUICE_DEVICE_POINTER ||
                    parameter.kind == SLUICE_DEVICE_ARRAY;
      if (parameter.kind == SLUICE_DEVICE_POINTER)
        pointers.push_back(kernel.function->getArg(argument));
      argument += isPair ? 2 : 1;
    }
  }
  bool emit();

private:
  /// The items for which conditions hold, and whether there may be any.
  struct Guarded {
    IntervalEmitter intervals;
    Value *isPossible;
  };
  /// First byte and the one after the last, and whether that is known.
  struct Hull {
    Value *first, *end, *isKnown;
  };

  AnalysedKernel &kernel;
  const DeviceNode &device;
  Function *function;
  /// See emitTouch.
  SharedTouch *const shared;
  IRBuilder<> b;
  IntervalEmitter intervals;
  /// By block.
  DenseMap<const BasicBlock *, std::unique_ptr<Guarded>> guarded;
  /// Conditions of all blocks for which there is code.
  unsigned numConditions = 0;
  static constexpr unsigned maxConditions = 256;
  /// The starts of POINTER parameters.
  SmallVector<Argument *> pointers;

  KernelIntervals knownValues(Module &module, const DeviceNode &device);
  Hull nothing() {
    return {b.getInt64(INT64_MAX), b.getInt64(INT64_MIN), b.getTrue()};
  }
  bool add(Hull &hull, Argument *start, const KernelAccess &access);
  Guarded &guardedAt(const Instruction &inst);
  Value *narrow(const ICmpInst &comparison, bool isTrue,
                std::array<std::optional<Interval>, 3> &global);
  Value *isAllWritten(const Hull &hull, Argument *start,
                      ArrayRef<KernelAccess> accesses);
  Value *covers(const KernelAccess &store, const Hull &hull);
  void addUnless(Value *condition, const Hull &other, Hull &hull);
  void store(const Hull &hull, unsigned index, unsigned field);
  bool isOnlyWritten(const Argument *start) const;
  bool emitRange(unsigned index, Argument *start,
                 ArrayRef<KernelAccess> accesses);
};
} // namespace

/// The intervals of a kernel's integer arguments and of its place in the grid.
KernelIntervals TouchEmitter::knownValues(Module &module,
                                          const DeviceNode &device) {
  KernelIntervals known;
  Value *frame = function->getArg(0), *extents = function->getArg(1);
  auto extentAt = [&](unsigned index) {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(
                                            b.getInt64Ty(), extents, index));
  };
  unsigned number = 0;
  for (const SluiceDeviceParameter &parameter : device.parameters) {
    Argument *argument = kernel.function->getArg(number++);
    switch (parameter.kind) {
    case SLUICE_DEVICE_POINTER:
    case SLUICE_DEVICE_ARRAY:
      // Ranges are relative to the address.
      known.arguments[kernel.function->getArg(number++)] =
          Interval::of(b.getInt64(0));
      break;
    case SLUICE_DEVICE_VALUE:
      if (auto *type = dyn_cast<IntegerType>(argument->getType());
          type && type->getBitWidth() <= 64)
        known.arguments[argument] = Interval::of(
            b.CreateSExt(b.CreateAlignedLoad(
                             type,
                             b.CreateConstInBoundsGEP1_64(
                                 b.getInt8Ty(), frame, parameter.frameOffset),
                             Align(1)),
                         b.getInt64Ty()));
      break;
    case SLUICE_DEVICE_EXTENT:
      known.arguments[argument] = Interval::of(extentAt(parameter.index));
      break;
    case SLUICE_DEVICE_LAUNCH: {
      Value *count = b.getInt64(1);
      for (unsigned i = 0; i != 3 * device.numLaunchLevels; ++i)
        count = b.CreateMul(count, extentAt(i));
      known.arguments[argument] = Interval::below(b, b.getInt64(0), count);
      break;
    }
    case SLUICE_DEVICE_FIRST:
      // Ids of the slowest dimension are counted from the first slab.
      known.arguments[argument] = Interval::of(b.getInt64(0));
      break;
    case SLUICE_DEVICE_END:
      known.arguments[argument] = Interval::of(function->getArg(3));
      break;
    default:
      break;
    }
  }
  Interval zero = Interval::of(b.getInt64(0));
  std::array<std::optional<Interval>, 3> grid = {zero, zero, zero};
  if (device.gridLevel != SLUICE_NO_INDEX)
    for (unsigned d = 0; d != 3; ++d)
      grid[d] =
          d + 1 == device.numGridDims
              ? Interval::below(b, function->getArg(2), function->getArg(3))
              : Interval::below(b, b.getInt64(0),
                                extentAt(3 * device.gridLevel + d));
  (device.isGrouped ? known.group : known.global) = grid;
  if (!device.group)
    return known;
  Value *items = b.CreateAlloca(b.getInt64Ty(), b.getInt32(3));
  Value *locals = b.CreateAlloca(b.getInt64Ty(),
                                 b.getInt32(std::max(1u, device.numLocals)));
  b.CreateCall(device.group, {frame, extents, items, locals});
  for (unsigned d = 0; d != 3; ++d) {
    Value *count = b.CreateLoad(
        b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), items, d));
    known.items[d] = Interval::of(count);
    known.item[d] = Interval::below(b, b.getInt64(0), count);
  }
  return known;
}

/// Narrows the intervals of ids to those for which the comparison is so.
/// Returns whether there may be any.
Value *TouchEmitter::narrow(const ICmpInst &comparison, bool isTrue,
                            std::array<std::optional<Interval>, 3> &global) {
  ScalarEvolution &evolution = *kernel.evolution;
  Value *isPossible = b.getTrue();
  auto *type = dyn_cast<IntegerType>(comparison.getOperand(0)->getType());
  if (!type || type->getBitWidth() < 32 || type->getBitWidth() > 64)
    return isPossible;
  CmpInst::Predicate predicate =
      isTrue ? comparison.getPredicate() : comparison.getInversePredicate();
  for (bool isSwapped : {false, true}) {
    const SCEV *x = evolution.getSCEV(comparison.getOperand(isSwapped));
    const SCEV *y = evolution.getSCEV(comparison.getOperand(!isSwapped));
    if (isSwapped)
      predicate = CmpInst::getSwappedPredicate(predicate);
    for (Instruction *inst : kernel.globalIds) {
      std::optional<unsigned> d = builtinDimension(inst, Builtin::Global);
      if (!global[*d])
        continue;
      const SCEV *id =
          evolution.getTruncateOrNoop(evolution.getSCEV(inst), type);
      const SCEV *rest = evolution.getMinusSCEV(x, id);
      if (SCEVExprContains(rest, [&](const SCEV *part) {
            auto *unknown = dyn_cast<SCEVUnknown>(part);
            return unknown &&
                   builtinDimension(unknown->getValue(), Builtin::Global) == d;
          }))
        continue;
      const std::optional<Interval> ofX = intervals.of(x),
                                    ofY = intervals.of(y),
                                    ofRest = intervals.of(rest);
      if (!ofX || !ofY || !ofRest)
        continue;
      isPossible =
          b.CreateAnd(isPossible, narrowId(b, *ofX, *ofY, predicate, *ofRest,
                                           type->getBitWidth(), *global[*d]));
    }
  }
  return isPossible;
}

TouchEmitter::Guarded &TouchEmitter::guardedAt(const Instruction &inst) {
  std::unique_ptr<Guarded> &result = guarded[inst.getParent()];
  if (result)
    return *result;
  std::array<std::optional<Interval>, 3> global = intervals.items();
  Value *isPossible = b.getTrue();
  kernel.forEachCondition(inst, [&](const ICmpInst &comparison, bool isTrue) {
    if (numConditions == maxConditions)
      return;
    ++numConditions;
    isPossible = b.CreateAnd(isPossible, narrow(comparison, isTrue, global));
  });
  result.reset(new Guarded{intervals.withItems(global), isPossible});
  return *result;
}

/// False if the access may be to the memory of `start` at an unknown place.
bool TouchEmitter::add(Hull &hull, Argument *start,
                       const KernelAccess &access) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
  if (!is_contained(objects, start))
    return all_of(objects, [&](const Value *object) {
      return isa<Argument, AllocaInst, GlobalVariable>(object);
    });
  ScalarEvolution &evolution = *kernel.evolution;
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(access.pointer));
  auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  if (!base || base->getValue() != start)
    return false;
  auto &[own, isPossible] = guardedAt(*access.instruction);
  std::optional<Interval> offset = own.of(evolution.removePointerBase(address));
  std::optional<Interval> size =
      access.size ? own.of(evolution.getSCEV(const_cast<Value *>(access.size)))
                  : Interval::of(b.getInt64(access.constantSize));
  if (!offset || !size)
    return false;
  const Interval end = own.sum(*offset, *size, 64);
  addUnless(b.CreateNot(isPossible), {offset->low, end.high, end.isKnown},
            hull);
  return true;
}

/// Whether the store, which all items execute, writes all bytes of the hull;
/// null: that is not known. The first dimension is to be the innermost one.
Value *TouchEmitter::covers(const KernelAccess &store, const Hull &hull) {
  ScalarEvolution &evolution = *kernel.evolution;
  const SCEV *offset = evolution.removePointerBase(
      evolution.getSCEV(const_cast<Value *>(store.pointer)));
  std::optional<Interval> range = intervals.of(offset);
  if (!range)
    return nullptr;
  Value *span = b.getInt64(store.constantSize), *covers = range->isKnown;
  for (unsigned d = 0; d != device.numGridDims; ++d) {
    const SCEV *step = evolution.getMinusSCEV(kernel.atNext(offset, d), offset);
    std::optional<Interval> stride = intervals.of(step);
    if (!stride)
      return nullptr;
    Value *count = d + 1 == device.numGridDims
                       ? b.CreateSub(function->getArg(3), function->getArg(2))
                       : b.CreateLoad(b.getInt64Ty(),
                                      b.CreateConstInBoundsGEP1_64(
                                          b.getInt64Ty(), function->getArg(1),
                                          3 * device.gridLevel + d));
    Value *isNext = b.CreateAnd(b.CreateICmpEQ(stride->low, span),
                                b.CreateICmpEQ(stride->high, span));
    isNext = b.CreateAnd(isNext, stride->isKnown);
    covers = b.CreateAnd(
        covers, b.CreateOr(isNext, b.CreateICmpEQ(count, b.getInt64(1))));
    span = b.CreateMul(span, count);
  }
  covers = b.CreateAnd(covers, b.CreateICmpEQ(hull.first, range->low));
  return b.CreateAnd(covers,
                     b.CreateICmpEQ(hull.end, b.CreateAdd(range->low, span)));
}

/// Whether all bytes that may be written are.
Value *TouchEmitter::isAllWritten(const Hull &hull, Argument *start,
                                  ArrayRef<KernelAccess> accesses) {
  Value *result = b.getFalse();
  // Items of a group share instances among themselves.
  if (device.isGrouped)
    return result;
  for (const KernelAccess &access : accesses) {
    auto *store = dyn_cast<StoreInst>(access.instruction);
    if (!store || !kernel.isAlwaysExecuted(*store) ||
        !concernsOnly(access, start))
      continue;
    if (Value *isWhole = covers(access, hull))
      result = b.CreateOr(result, isWhole);
  }
  return result;
}

/// Whether the node may not read what the parameter points to.
bool TouchEmitter::isOnlyWritten(const Argument *start) const {
  unsigned number = 0;
  for (const DeviceParameter &parameter : device.parameters) {
    if (parameter.kind != SLUICE_DEVICE_POINTER)
      continue;
    if (pointers[number++] == start)
      return parameter.access == SLUICE_ACCESS_OUT;
  }
  return false;
}

/// Makes `hull` contain `other` unless the condition holds.
void TouchEmitter::addUnless(Value *condition, const Hull &other, Hull &hull) {
  hull.first = b.CreateSelect(
      condition, hull.first,
      b.CreateBinaryIntrinsic(Intrinsic::smin, hull.first, other.first));
  hull.end = b.CreateSelect(
      condition, hull.end,
      b.CreateBinaryIntrinsic(Intrinsic::smax, hull.end, other.end));
  hull.isKnown =
      b.CreateAnd(hull.isKnown, b.CreateOr(condition, other.isKnown));
}

void TouchEmitter::store(const Hull &hull, unsigned rangeIndex,
                         unsigned field) {
  // No access: INT64_MAX .. INT64_MIN; empty.
  Value *isEmpty = b.CreateICmpSGE(hull.first, hull.end);
  Value *first = b.CreateSelect(isEmpty, b.getInt64(0), hull.first);
  Value *end = b.CreateSelect(isEmpty, b.getInt64(0), hull.end);
  first = b.CreateSelect(hull.isKnown, first, b.getInt64(INT64_MIN));
  end = b.CreateSelect(hull.isKnown, end, b.getInt64(INT64_MAX));
  static_assert(sizeof(SluiceDeviceRange) == 4 * sizeof(int64_t) &&
                offsetof(SluiceDeviceRange, readEnd) == 1 * sizeof(int64_t) &&
                offsetof(SluiceDeviceRange, writtenFirst) ==
                    2 * sizeof(int64_t));
  auto place = [&](unsigned index) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(4),
                                        4 * rangeIndex + index);
  };
  b.CreateStore(first, place(field));
  b.CreateStore(end, place(field + 1));
}

/// Stores the hulls of some accesses as range `index`. False if nothing is
/// known of them.
bool TouchEmitter::emitRange(unsigned index, Argument *start,
                             ArrayRef<KernelAccess> accesses) {
  Hull read = nothing(), written = nothing();
  bool knowsRead = true, knowsWritten = true;
  for (const KernelAccess &access : accesses) {
    if (access.reads)
      knowsRead = knowsRead && add(read, start, access);
    if (access.writes)
      knowsWritten = knowsWritten && add(written, start, access);
  }
  if (!knowsRead)
    read.isKnown = b.getFalse();
  if (!knowsWritten)
    written.isKnown = b.getFalse();
  if (shared || isOnlyWritten(start))
    addUnless(
        b.CreateAnd(written.isKnown, isAllWritten(written, start, accesses)),
        written, read);
  store(read, index, 0);
  store(written, index, 2);
  return knowsRead || knowsWritten;
}

/// "file.c:12:3", in the leaf; "" where that is not known.
static std::string placeOf(const Instruction &inst) {
  const DILocation *place = inst.getDebugLoc();
  while (place && place->getInlinedAt())
    place = place->getInlinedAt();
  return place && place->getLine() ? spellPlace(*place) : "";
}

/// False if nothing is known of any parameter.
bool TouchEmitter::emit() {
  std::optional<SmallVector<KernelAccess>> accesses =
      accessesOf(*kernel.function);
  // Reduced memory is not a parameter.
  bool knowsAny = !device.reduced.empty();
  if (!accesses || (pointers.empty() && !knowsAny))
    return false;
  unsigned numRanges = 0;
  for (unsigned i = 0; i != pointers.size(); ++i) {
    SmallVector<KernelAccess> own;
    for (const KernelAccess &access : *accesses)
      if (mayConcern(access, pointers[i]))
        own.push_back(access);
    if (shared)
      if (std::optional<SluiceAccumulated> accumulated =
              accumulation(i, pointers[i], own)) {
        shared->accumulated.push_back(*accumulated);
        knowsAny = true;
        continue;
      }
    if (shared && any_of(own, isAtomicOrVolatile))
      shared->canCompare = false;
    // Planes of one array are apart, so each access has a range of its own.
    constexpr unsigned maxParts = 32;
    if (!shared || own.size() > maxParts) {
      if (shared)
        shared->parts.push_back({i, ""});
      knowsAny |= emitRange(numRanges++, pointers[i], own);
      continue;
    }
    for (const KernelAccess &access : own) {
      shared->parts.push_back({i, placeOf(*access.instruction)});
      knowsAny |= emitRange(numRanges++, pointers[i], access);
    }
  }
  b.CreateRetVoid();
  return knowsAny;
}

Function *codegen::emitTouch(Module &module, Function &kernel,
                             const DeviceNode &device, StringRef name,
                             SharedTouch *shared) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  Function *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context),
                                         {ptr, ptr, i64, i64, ptr}, false),
                       GlobalValue::InternalLinkage, name, module);
  AnalysedKernel analysed(kernel, device);
  if (TouchEmitter(module, analysed, device, function, shared).emit())
    return function;
  function->eraseFromParent();
  return nullptr;
}
