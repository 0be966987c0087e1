//===- StridedDatatypes.h - Layouts of blocks at equal distances ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's contiguous, vector and hvector, and the two constructors that keep all
// elements: resized and dup.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_STRIDEDDATATYPES_H
#define SLUICE_PACK_STRIDEDDATATYPES_H

#include "sluice/Pack/DatatypeBase.h"

namespace farc {

/// Common base of the classes with one component type.
class UnaryDatatype : public BuiltinDatatype {
public:
  /// The component type, owned by this type.
  const Datatype *getBasetype() const { return base.get(); }
  std::vector<const Datatype *> getSubtypes() const override {
    return {base.get()};
  }

protected:
  /// Clones `base`. `constructor` is the name of the new type in error
  /// messages.
  UnaryDatatype(const char *constructor, const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
  UnaryDatatype(const UnaryDatatype &other) = default;
  /// Contents with one clone of the base type.
  Contents contentsOf(std::vector<int64_t> integers,
                      std::vector<int64_t> addresses) const;
  /// "name(arguments)[base]"
  std::string textOf(const std::string &head, bool summary) const;

  /// The component type.
  TypeRef base;
};

/// `count` instances, each one extent after the previous one.
class ContiguousDatatype : public UnaryDatatype {
public:
  /// Throws Error for invalid arguments; clones `base`.
  ContiguousDatatype(int64_t count, const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
  ContiguousDatatype(const ContiguousDatatype &other) = default;

  /// The argument of the constructor.
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

/// `count` blocks of `blocklen` instances that start `stride` bytes apart; the
/// stride may be negative or zero.
class HVectorDatatype : public UnaryDatatype {
public:
  /// Throws Error for invalid arguments; clones `base`.
  HVectorDatatype(int64_t count, int64_t blocklen, int64_t stride,
                  const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
  HVectorDatatype(const HVectorDatatype &other) = default;

  /// The argument of the constructor.
  int64_t getCount() const { return count; }
  /// The argument of the constructor.
  int64_t getBlocklen() const { return blocklen; }
  /// The argument of the constructor: in bytes here, in extents of the base
  /// type in a vector.
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
  /// The distance between the starts of consecutive blocks.
  int64_t strideBytes() const { return bytes; }

private:
  int64_t count;
  int64_t blocklen;
  int64_t stride;
  int64_t bytes;
};

/// Like HVectorDatatype, with a stride in extents of the base type.
class VectorDatatype : public HVectorDatatype {
public:
  /// Throws Error for invalid arguments; clones `base`.
  VectorDatatype(int64_t count, int64_t blocklen, int64_t stride,
                 const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
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
  /// Throws Error for invalid arguments; clones `base`.
  ResizedDatatype(const Datatype *base, int64_t lowerBound, int64_t extent);
  /// An uncommitted copy; shares immutable parts.
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

/// A duplicate of the base type; only the name differs.
class DupDatatype : public UnaryDatatype {
public:
  /// Throws Error for invalid arguments; clones `base`.
  explicit DupDatatype(const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
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
