//===- IndexedDatatypes.h - Layouts of listed blocks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's indexed constructors, whose blocks lie at listed displacements, and
// struct, whose blocks are of different types. The lists are shared between a
// type and its clones.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_INDEXEDDATATYPES_H
#define SLUICE_PACK_INDEXEDDATATYPES_H

#include "sluice/Pack/StridedDatatypes.h"

#include <concepts>

namespace farc {

/// What the four indexed classes share.
class ListedDatatype : public UnaryDatatype {
public:
  /// How many blocks there are.
  int64_t getCount() const { return int64_t(displacements->size()); }
  /// The length of block `i`, in instances of the base type.
  int64_t getBlocklen(int64_t i) const {
    return blocklens ? (*blocklens)[size_t(i)] : blocklen;
  }
  /// As given: in extents of the base type or in bytes.
  int64_t getDisplacement(int64_t i) const {
    return (*displacements)[size_t(i)];
  }
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

protected:
  /// What displacements count.
  enum Unit { Bytes, Extents };
  /// What a constructor was given.
  struct Arguments {
    /// The name in errors.
    const char *constructor;
    /// How many blocks there are.
    int64_t count;
    /// Null: all blocks have length `blocklen`.
    const int64_t *blocklens;
    /// The length of all blocks, if there is no list.
    int64_t blocklen;
    /// Where the blocks begin.
    const int64_t *displacements;
    /// What `displacements` count.
    Unit unit;
  };
  /// Copies the lists, clones `base`. Throws Error for what cannot be.
  ListedDatatype(const Arguments &arguments, const Datatype *base);
  /// A copy, not committed; shares what never changes.
  ListedDatatype(const ListedDatatype &other) = default;

  /// "name(0,1 8,2)[base]" or "name(2: 0 8)[base]".
  std::string listText(const char *name, bool summary) const;
  /// [count, lengths...], or [count, length] for blocks of one length.
  std::vector<int64_t> lengthContents() const;
  /// All displacements, as given.
  const std::vector<int64_t> &displacementList() const {
    return *displacements;
  }

private:
  int64_t placeOf(int64_t i) const { return (*displacements)[i] * unitBytes; }
  void computeBounds(const char *constructor);

  List blocklens;
  int64_t blocklen;
  List displacements;
  int64_t unitBytes;
};

/// `blocklens[i]` instances at `displacements[i]` extents of the base type.
class IndexedDatatype : public ListedDatatype {
public:
  /// From `count` blocks. Throws Error for what cannot be; clones the types.
  IndexedDatatype(int64_t count, const int64_t *blocklens,
                  const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  IndexedDatatype(int64_t count, const Length *blocklens,
                  const Displacement *displacements, const Datatype *base)
      : IndexedDatatype(count, widened(count, blocklens).data(),
                        widened(count, displacements).data(), base) {}
  /// A copy, not committed; shares what never changes.
  IndexedDatatype(const IndexedDatatype &other) = default;

  IndexedDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return INDEXED; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// `blocklens[i]` instances at `displacements[i]` bytes.
class HIndexedDatatype : public ListedDatatype {
public:
  /// From `count` blocks. Throws Error for what cannot be; clones the types.
  HIndexedDatatype(int64_t count, const int64_t *blocklens,
                   const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  HIndexedDatatype(int64_t count, const Length *blocklens,
                   const Displacement *displacements, const Datatype *base)
      : HIndexedDatatype(count, widened(count, blocklens).data(),
                         widened(count, displacements).data(), base) {}
  /// A copy, not committed; shares what never changes.
  HIndexedDatatype(const HIndexedDatatype &other) = default;

  HIndexedDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return HINDEXED; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// `blocklen` instances at each of `displacements`, in extents of the base.
class IndexedBlockDatatype : public ListedDatatype {
public:
  /// From `count` blocks. Throws Error for what cannot be; clones the types.
  IndexedBlockDatatype(int64_t count, int64_t blocklen,
                       const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Displacement>
  IndexedBlockDatatype(int64_t count, int64_t blocklen,
                       const Displacement *displacements, const Datatype *base)
      : IndexedBlockDatatype(count, blocklen,
                             widened(count, displacements).data(), base) {}
  /// A copy, not committed; shares what never changes.
  IndexedBlockDatatype(const IndexedBlockDatatype &other) = default;

  IndexedBlockDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return INDEXEDBLOCK; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// `blocklen` instances at each of `displacements`, in bytes.
class HIndexedBlockDatatype : public ListedDatatype {
public:
  /// From `count` blocks. Throws Error for what cannot be; clones the types.
  HIndexedBlockDatatype(int64_t count, int64_t blocklen,
                        const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Displacement>
  HIndexedBlockDatatype(int64_t count, int64_t blocklen,
                        const Displacement *displacements, const Datatype *base)
      : HIndexedBlockDatatype(count, blocklen,
                              widened(count, displacements).data(), base) {}
  /// A copy, not committed; shares what never changes.
  HIndexedBlockDatatype(const HIndexedBlockDatatype &other) = default;

  HIndexedBlockDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return HINDEXEDBLOCK; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// `blocklens[i]` instances of `types[i]` at `displacements[i]` bytes. The end
/// is padded to the largest alignment of the members that have bytes, as both
/// Open MPI and MPICH do, unless a member's bounds are marked.
class StructDatatype : public BuiltinDatatype {
public:
  /// From `count` blocks. Throws Error for what cannot be; clones the types.
  StructDatatype(int64_t count, const int64_t *blocklens,
                 const int64_t *displacements, const Datatype *const *types);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  StructDatatype(int64_t count, const Length *blocklens,
                 const Displacement *displacements,
                 const Datatype *const *types)
      : StructDatatype(count, widened(count, blocklens).data(),
                       widened(count, displacements).data(), types) {}
  /// A copy, not committed; shares what never changes.
  StructDatatype(const StructDatatype &other) = default;

  /// How many members there are.
  int64_t getCount() const { return int64_t(members->size()); }

  StructDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return STRUCT; }
  std::vector<const Datatype *> getSubtypes() const override;
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

private:
  sluice::pack::PlacedForm formOfMembers() const;
  struct Member {
    int64_t blocklen;
    int64_t displacement;
    /// Equal pointers given are equal here, too.
    TypeRef type;
  };
  void computeBounds();

  std::shared_ptr<const std::vector<Member>> members;
};

} // namespace farc

#endif // SLUICE_PACK_INDEXEDDATATYPES_H
