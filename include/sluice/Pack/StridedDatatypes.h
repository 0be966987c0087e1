//===- StridedDatatypes.h - Layouts of blocks at equal distances ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's contiguous, vector and hvector, and the two constructors that change
// no element: resized and dup.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_STRIDEDDATATYPES_H
#define SLUICE_PACK_STRIDEDDATATYPES_H

#include "sluice/Pack/DatatypeBase.h"

namespace farc {

/// What the classes with one type below them share.
class UnaryDatatype : public BuiltinDatatype {
public:
  /// Lent; lives as long as this type.
  const Datatype *getBasetype() const { return base.get(); }
  std::vector<const Datatype *> getSubtypes() const override {
    return {base.get()};
  }

protected:
  /// Clones `base`. `constructor` is what errors call the new type.
  UnaryDatatype(const char *constructor, const Datatype *base);
  /// A copy, not committed; shares what never changes.
  UnaryDatatype(const UnaryDatatype &other) = default;
  /// Contents with one clone of the base type.
  Contents contentsOf(std::vector<int64_t> integers,
                      std::vector<int64_t> addresses) const;
  /// "name(arguments)[base]"
  std::string textOf(const std::string &head, bool summary) const;

  /// The type below.
  TypeRef base;
};

/// `count` instances, each an extent after the one before.
class ContiguousDatatype : public UnaryDatatype {
public:
  /// Throws Error for what cannot be; clones `base`.
  ContiguousDatatype(int64_t count, const Datatype *base);
  /// A copy, not committed; shares what never changes.
  ContiguousDatatype(const ContiguousDatatype &other) = default;

  /// As it was given.
  int64_t getCount() const { return count; }

  ContiguousDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return CONTIGUOUS; }
  Envelope getEnvelope() const override { return {CONTIGUOUS, 1, 0, 1}; }
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

private:
  int64_t count;
};

/// `count` blocks of `blocklen` instances, whose begins are `stride` bytes
/// apart; the stride may be negative or zero.
class HVectorDatatype : public UnaryDatatype {
public:
  /// Throws Error for what cannot be; clones `base`.
  HVectorDatatype(int64_t count, int64_t blocklen, int64_t stride,
                  const Datatype *base);
  /// A copy, not committed; shares what never changes.
  HVectorDatatype(const HVectorDatatype &other) = default;

  /// As it was given.
  int64_t getCount() const { return count; }
  /// As it was given.
  int64_t getBlocklen() const { return blocklen; }
  /// As it was given: here in bytes, in a vector in extents of the base type.
  int64_t getStride() const { return stride; }

  HVectorDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return HVECTOR; }
  Envelope getEnvelope() const override { return {HVECTOR, 2, 1, 1}; }
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

protected:
  /// For vectors: `stride` times `unit` bytes.
  HVectorDatatype(const char *constructor, int64_t count, int64_t blocklen,
                  int64_t stride, const Datatype *base, bool inElements);
  /// From the begin of a block to that of the next one.
  int64_t strideBytes() const { return bytes; }

private:
  int64_t count;
  int64_t blocklen;
  int64_t stride;
  int64_t bytes;
};

/// As HVectorDatatype, with a stride in extents of the base type.
class VectorDatatype : public HVectorDatatype {
public:
  /// Throws Error for what cannot be; clones `base`.
  VectorDatatype(int64_t count, int64_t blocklen, int64_t stride,
                 const Datatype *base);
  /// A copy, not committed; shares what never changes.
  VectorDatatype(const VectorDatatype &other) = default;

  VectorDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return VECTOR; }
  Envelope getEnvelope() const override { return {VECTOR, 3, 0, 1}; }
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// The base type with other bounds: `lowerBound` and an extent.
class ResizedDatatype : public UnaryDatatype {
public:
  /// Throws Error for what cannot be; clones `base`.
  ResizedDatatype(const Datatype *base, int64_t lowerBound, int64_t extent);
  /// A copy, not committed; shares what never changes.
  ResizedDatatype(const ResizedDatatype &other) = default;

  ResizedDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return RESIZED; }
  Envelope getEnvelope() const override { return {RESIZED, 0, 2, 1}; }
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;
};

/// A duplicate: the base type in all but name.
class DupDatatype : public UnaryDatatype {
public:
  /// Throws Error for what cannot be; clones `base`.
  explicit DupDatatype(const Datatype *base);
  /// A copy, not committed; shares what never changes.
  DupDatatype(const DupDatatype &other) = default;

  DupDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return DUP; }
  Envelope getEnvelope() const override { return {DUP, 0, 0, 1}; }
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;
};

} // namespace farc

#endif // SLUICE_PACK_STRIDEDDATATYPES_H
