//===- CArrays.cpp - C functions that make parts of arrays ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subarray and darray, each for arrays of int and of 64-bit numbers.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"

using namespace farc;

template <typename Number>
static int createSubarray(int dimensions, const Number *sizes,
                          const Number *subsizes, const Number *starts,
                          int order, LPK_Datatype oldtype,
                          LPK_Datatype *newtype) {
  return guarded([&] {
    LPK_Datatype &result = resultAt(newtype, "the new layout");
    SharedType base = typeOf(oldtype);
    result = addHandle(std::make_unique<SubarrayDatatype>(
        dimensions, sizes, subsizes, starts, Order(order), base.get()));
  });
}

int LPK_Subarray(int dimensions, const int sizes[], const int subsizes[],
                 const int starts[], int order, LPK_Datatype oldtype,
                 LPK_Datatype *newtype) {
  return createSubarray(dimensions, sizes, subsizes, starts, order, oldtype,
                        newtype);
}

int LPK_Subarray_c(int dimensions, const LPK_Count sizes[],
                   const LPK_Count subsizes[], const LPK_Count starts[],
                   int order, LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return createSubarray(dimensions, sizes, subsizes, starts, order, oldtype,
                        newtype);
}

namespace {
/// The arguments of a darray except its types.
template <typename Number> struct DarrayArguments {
  LPK_Count size;
  LPK_Count rank;
  int dimensions;
  const Number *globalSizes;
  const int *distributions;
  const Number *distributionArguments;
  const Number *processes;
  int order;
};
} // namespace

template <typename Number>
static int createDarray(const DarrayArguments<Number> &given,
                        LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return guarded([&] {
    LPK_Datatype &result = resultAt(newtype, "the new layout");
    SharedType base = typeOf(oldtype);
    std::vector<Distribution> distributions;
    for (int i = 0; given.distributions && i < given.dimensions; ++i)
      distributions.push_back(Distribution(given.distributions[i]));
    result = addHandle(std::make_unique<DarrayDatatype>(
        given.size, given.rank, given.dimensions, given.globalSizes,
        given.distributions ? distributions.data() : nullptr,
        given.distributionArguments, given.processes, Order(given.order),
        base.get()));
  });
}

int LPK_Darray(int size, int rank, int dimensions, const int gsizes[],
               const int distributions[], const int dargs[], const int psizes[],
               int order, LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return createDarray<int>(
      {size, rank, dimensions, gsizes, distributions, dargs, psizes, order},
      oldtype, newtype);
}

int LPK_Darray_c(LPK_Count size, LPK_Count rank, int dimensions,
                 const LPK_Count gsizes[], const int distributions[],
                 const LPK_Count dargs[], const LPK_Count psizes[], int order,
                 LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return createDarray<LPK_Count>(
      {size, rank, dimensions, gsizes, distributions, dargs, psizes, order},
      oldtype, newtype);
}
