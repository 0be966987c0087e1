//===- IndexedDatatypes.h - Layouts of listed blocks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's indexed constructors, with blocks at listed displacements, and struct,
// with blocks of different types. A type and its clones share the lists.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_INDEXEDDATATYPES_H
#define SLUICE_PACK_INDEXEDDATATYPES_H

#include "sluice/Pack/StridedDatatypes.h"

#include <concepts>

namespace farc {

/// Common base of the four indexed classes.
class ListedDatatype : public UnaryDatatype {
public:
  /// The number of blocks.
  int64_t getCount() const { return int64_t(displacements->size()); }
  /// The length of block `i`, in instances of the base type.
  int64_t getBlocklen(int64_t i) const {
    return blocklens ? (*blocklens)[size_t(i)] : blocklen;
  }
  /// As passed to the constructor: in extents of the base type or in bytes.
  int64_t getDisplacement(int64_t i) const {
    return (*displacements)[size_t(i)];
  }
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

protected:
  /// The unit of displacements.
  enum Unit { Bytes, Extents };
  /// The arguments of a constructor.
  struct Arguments {
    /// The name in error messages.
    const char *constructor;
    /// The number of blocks.
    int64_t count;
    /// Null: all blocks have length `blocklen`.
    const int64_t *blocklens;
    /// The length of all blocks, if there is no list.
    int64_t blocklen;
    /// The displacements of the blocks.
    const int64_t *displacements;
    /// The unit of `displacements`.
    Unit unit;
  };
  /// Copies the lists, clones `base`. Throws Error for invalid arguments.
  ListedDatatype(const Arguments &arguments, const Datatype *base);
  /// An uncommitted copy; shares immutable parts.
  ListedDatatype(const ListedDatatype &other) = default;

  /// "name(0,1 8,2)[base]" or "name(2: 0 8)[base]".
  std::string listText(const char *name, bool summary) const;
  /// [count, lengths...], or [count, length] for blocks of one length.
  std::vector<int64_t> lengthContents() const;
  /// All displacements, as passed to the constructor.
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
  /// Constructs from `count` blocks. Throws Error for invalid arguments; clones
  /// the types.
  IndexedDatatype(int64_t count, const int64_t *blocklens,
                  const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  IndexedDatatype(int64_t count, const Length *blocklens,
                  const Displacement *displacements, const Datatype *base)
      : IndexedDatatype(count, widened(count, blocklens).data(),
                        widened(count, displacements).data(), base) {}
  /// An uncommitted copy; shares immutable parts.
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
  /// Constructs from `count` blocks. Throws Error for invalid arguments; clones
  /// the types.
  HIndexedDatatype(int64_t count, const int64_t *blocklens,
                   const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  HIndexedDatatype(int64_t count, const Length *blocklens,
                   const Displacement *displacements, const Datatype *base)
      : HIndexedDatatype(count, widened(count, blocklens).data(),
                         widened(count, displacements).data(), base) {}
  /// An uncommitted copy; shares immutable parts.
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
  /// Constructs from `count` blocks. Throws Error for invalid arguments; clones
  /// the types.
  IndexedBlockDatatype(int64_t count, int64_t blocklen,
                       const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Displacement>
  IndexedBlockDatatype(int64_t count, int64_t blocklen,
                       const Displacement *displacements, const Datatype *base)
      : IndexedBlockDatatype(count, blocklen,
                             widened(count, displacements).data(), base) {}
  /// An uncommitted copy; shares immutable parts.
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
  /// Constructs from `count` blocks. Throws Error for invalid arguments; clones
  /// the types.
  HIndexedBlockDatatype(int64_t count, int64_t blocklen,
                        const int64_t *displacements, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Displacement>
  HIndexedBlockDatatype(int64_t count, int64_t blocklen,
                        const Displacement *displacements, const Datatype *base)
      : HIndexedBlockDatatype(count, blocklen,
                              widened(count, displacements).data(), base) {}
  /// An uncommitted copy; shares immutable parts.
  HIndexedBlockDatatype(const HIndexedBlockDatatype &other) = default;

  HIndexedBlockDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return HINDEXEDBLOCK; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;
};

/// `blocklens[i]` instances of `types[i]` at `displacements[i]` bytes. The end
/// is padded to the largest alignment of the members that contain bytes, as in
/// Open MPI and MPICH, unless a member's bounds are marked.
class StructDatatype : public BuiltinDatatype {
public:
  /// Constructs from `count` blocks. Throws Error for invalid arguments; clones
  /// the types.
  StructDatatype(int64_t count, const int64_t *blocklens,
                 const int64_t *displacements, const Datatype *const *types);
  /// The same from arrays of any integer type.
  template <std::integral Length, std::integral Displacement>
  StructDatatype(int64_t count, const Length *blocklens,
                 const Displacement *displacements,
                 const Datatype *const *types)
      : StructDatatype(count, widened(count, blocklens).data(),
                       widened(count, displacements).data(), types) {}
  /// An uncommitted copy; shares immutable parts.
  StructDatatype(const StructDatatype &other) = default;

  /// The number of members.
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
    /// Equal argument pointers result in equal pointers here.
    TypeRef type;
  };
  void computeBounds();

  std::shared_ptr<const std::vector<Member>> members;
};

} // namespace farc

#endif // SLUICE_PACK_INDEXEDDATATYPES_H
