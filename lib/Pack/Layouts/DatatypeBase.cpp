//===- DatatypeBase.cpp - The common part of all data layouts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defaults for user-defined classes, the code of the built-in ones, which the
// compiler of forms emits, and the union of bounds that constructors compute.
//
//===----------------------------------------------------------------------===//

#include "DatatypeArithmetic.h"
#include "sluice/Pack/Compiler.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>
#include <cstdio>

using namespace farc;
using sluice::concat;
using sluice::quoted;

Datatype::Datatype() = default;
Datatype::~Datatype() = default;

Envelope Datatype::getEnvelope() const { return {getDatatypeName(), 0, 0, 0}; }

Contents Datatype::getContents() const { return {}; }

void Datatype::print(bool summary) const {
  std::printf("%s\n", toString(summary).c_str());
}

[[noreturn]] static void refuseCodegen(const Datatype &type,
                                       const char *method) {
  throw Error(Error::UNSUPPORTED,
              concat(quoted(type.toString(true)), " does not override ", method,
                     ", which every class of a user's own must"));
}

void Datatype::packCodegen(llvm::Value *, llvm::Value *, llvm::Value *) const {
  refuseCodegen(*this, "packCodegen");
}

void Datatype::unpackCodegen(llvm::Value *, llvm::Value *,
                             llvm::Value *) const {
  refuseCodegen(*this, "unpackCodegen");
}

sluice::pack::PlacedForm Datatype::normalForm() const {
  std::shared_ptr<const Datatype> owned(clone());
  int64_t low = getTrueLowerBound();
  int64_t high = getTrueUpperBound();
  return {0, sluice::pack::customForm(owned, getSize(), low, high)};
}

void Datatype::forEachElement(int64_t, const ElementVisitor &) const {
  throw Error(Error::UNSUPPORTED,
              concat(quoted(toString(true)),
                     " does not say which elements it consists of; override "
                     "forEachElement"));
}

void Datatype::compile(CompilationType) { DDT_Commit(this, true); }

static void emit(const Datatype &type, bool isPack, llvm::Value *in,
                 llvm::Value *count, llvm::Value *out) {
  sluice::Result<sluice::pack::Compiler *> compiler =
      sluice::pack::kernelCompiler();
  if (!compiler.ok())
    throw Error(Error::NO_COMPILER, compiler.status().message());
  (*compiler)->emit(type, isPack, in, count, out);
}

void BuiltinDatatype::packCodegen(llvm::Value *inbuf, llvm::Value *count,
                                  llvm::Value *outbuf) const {
  emit(*this, true, inbuf, count, outbuf);
}

void BuiltinDatatype::unpackCodegen(llvm::Value *inbuf, llvm::Value *count,
                                    llvm::Value *outbuf) const {
  emit(*this, false, inbuf, count, outbuf);
}

void BoundsUnion::addDepth(const Datatype &base) {
  bounds.depth = std::max(bounds.depth, base.getDepth() + 1);
  if (bounds.depth > MaximumDepth)
    compute.impossible("types are nested more than ", MaximumDepth, " deep");
}

void BoundsUnion::addBounds(bool areMarked, int64_t lower, int64_t upper) {
  if (hasInstances && bounds.isMarked && !areMarked)
    return;
  bool replaces = !hasInstances || bounds.isMarked != areMarked;
  bounds.lower = replaces ? lower : std::min(bounds.lower, lower);
  bounds.upper = replaces ? upper : std::max(bounds.upper, upper);
  bounds.isMarked = areMarked;
  hasInstances = true;
}

void BoundsUnion::add(const Datatype &base, int64_t instances, int64_t low,
                      int64_t high) {
  int64_t lower = compute.add(low, base.getLowerBound());
  int64_t upper = compute.add(high, base.getUpperBound());
  addBounds(base.hasMarkedBounds(), lower, upper);
  if (base.getSize() == 0)
    return;
  bounds.size =
      compute.add(bounds.size, compute.multiply(instances, base.getSize()));
  lower = compute.add(low, base.getTrueLowerBound());
  upper = compute.add(high, base.getTrueUpperBound());
  bounds.trueLower = hasBytes ? std::min(bounds.trueLower, lower) : lower;
  bounds.trueUpper = hasBytes ? std::max(bounds.trueUpper, upper) : upper;
  bounds.alignment = std::max(bounds.alignment, base.getAlignment());
  hasBytes = true;
}

void BoundsUnion::addBlock(const Datatype &base, int64_t blocklen,
                           int64_t displacement) {
  int64_t last = compute.multiply(blocklen - 1, base.getExtent());
  int64_t end = compute.add(displacement, last);
  add(base, blocklen, std::min(displacement, end), std::max(displacement, end));
}

Bounds BoundsUnion::finish(bool padded) const {
  Bounds result = bounds;
  int64_t extent = compute.subtract(result.upper, result.lower);
  int64_t excess = extent % result.alignment;
  if (padded && !result.isMarked && excess != 0) {
    result.upper = compute.add(result.upper, result.alignment - excess);
    compute.subtract(result.upper, result.lower);
  }
  compute.subtract(result.trueUpper, result.trueLower);
  return result;
}
