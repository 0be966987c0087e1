//===- ArrayDatatypes.h - Parts of arrays of several dimensions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's subarray and darray. MPI defines both by equivalent simpler
// constructors (MPI 3.1, sections 4.1.3 and 4.1.4), and they are built from
// these here: a type keeps its arguments and its equivalent type.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_ARRAYDATATYPES_H
#define SLUICE_PACK_ARRAYDATATYPES_H

#include "sluice/Pack/StridedDatatypes.h"

#include <concepts>

namespace farc {

/// Common base of subarray and darray: everything but the arguments comes from
/// the equivalent type.
class ArrayDatatype : public UnaryDatatype {
public:
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

protected:
  /// Clones `base`; `constructor` is the name in error messages.
  ArrayDatatype(const char *constructor, const Datatype *base)
      : UnaryDatatype(constructor, base) {}
  /// An uncommitted copy; shares immutable parts.
  ArrayDatatype(const ArrayDatatype &other) = default;
  /// Takes the bounds and the elements of the equivalent type.
  void setMeaning(TypeRef type);

private:
  TypeRef meaning;
};

/// The block of `subsizes` elements that begins at `starts` in an array of
/// `sizes` elements; its extent is that of the whole array.
class SubarrayDatatype : public ArrayDatatype {
public:
  /// Throws Error for invalid arguments; clones `base`.
  SubarrayDatatype(int64_t dimensions, const int64_t *sizes,
                   const int64_t *subsizes, const int64_t *starts, Order order,
                   const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Number>
  SubarrayDatatype(int64_t dimensions, const Number *sizes,
                   const Number *subsizes, const Number *starts, Order order,
                   const Datatype *base)
      : SubarrayDatatype(dimensions, widened(dimensions, sizes).data(),
                         widened(dimensions, subsizes).data(),
                         widened(dimensions, starts).data(), order, base) {}
  /// An uncommitted copy; shares immutable parts.
  SubarrayDatatype(const SubarrayDatatype &other) = default;

  /// The number of dimensions of the array.
  int64_t getDimensions() const { return int64_t(arguments->size() / 3); }
  /// The order of the array.
  Order getOrder() const { return order; }

  SubarrayDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return SUBARRAY; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;

private:
  int64_t sizeOf(int64_t i) const { return (*arguments)[size_t(i)]; }
  int64_t subsizeOf(int64_t i) const { return sizeOf(i + getDimensions()); }
  int64_t startOf(int64_t i) const { return sizeOf(i + 2 * getDimensions()); }
  void check() const;
  TypeRef build() const;

  /// Sizes, subsizes, starts.
  List arguments;
  Order order;
};

/// The share of process `rank` of `size` in an array that is distributed over a
/// grid of processes (row-major, whatever the order of the array).
class DarrayDatatype : public ArrayDatatype {
public:
  /// `distributionArguments[i]` is a block size, or DISTRIBUTE_DFLT_DARG.
  DarrayDatatype(int64_t size, int64_t rank, int64_t dimensions,
                 const int64_t *globalSizes, const Distribution *distributions,
                 const int64_t *distributionArguments, const int64_t *processes,
                 Order order, const Datatype *base);
  /// The same from arrays of any integer type.
  template <std::integral Number>
  DarrayDatatype(int64_t size, int64_t rank, int64_t dimensions,
                 const Number *globalSizes, const Distribution *distributions,
                 const Number *distributionArguments, const Number *processes,
                 Order order, const Datatype *base)
      : DarrayDatatype(size, rank, dimensions,
                       widened(dimensions, globalSizes).data(), distributions,
                       widened(dimensions, distributionArguments).data(),
                       widened(dimensions, processes).data(), order, base) {}
  /// An uncommitted copy; shares immutable parts.
  DarrayDatatype(const DarrayDatatype &other) = default;

  /// The number of dimensions of the array.
  int64_t getDimensions() const { return int64_t(arguments->size() / 4); }
  /// The order of the array.
  Order getOrder() const { return order; }

  DarrayDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return DARRAY; }
  Envelope getEnvelope() const override;
  Contents getContents() const override;
  std::string toString(bool summary = false) const override;

private:
  int64_t argument(int64_t group, int64_t i) const {
    return (*arguments)[size_t(group * getDimensions() + i)];
  }
  int64_t globalSize(int64_t i) const { return argument(0, i); }
  Distribution distribution(int64_t i) const {
    return Distribution(argument(1, i));
  }
  int64_t distributionArgument(int64_t i) const { return argument(2, i); }
  int64_t processes(int64_t i) const { return argument(3, i); }
  void check() const;
  void checkDimension(int64_t i) const;
  int64_t blockSize(int64_t i) const;
  TypeRef distribute(int64_t i, int64_t coordinate, const TypeRef &element,
                     int64_t elementExtent) const;
  TypeRef build() const;

  int64_t size;
  int64_t rank;
  /// Global sizes, distributions, their arguments, processes.
  List arguments;
  Order order;
};

} // namespace farc

#endif // SLUICE_PACK_ARRAYDATATYPES_H
