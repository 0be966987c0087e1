//===- CQueries.cpp - C functions that query layouts ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, bounds, constructors, and texts of layouts. Results are written only
// if all of them fit.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Packer.h"

#include <cstring>

using namespace farc;
using sluice::concat;
using sluice::quoted;

int LPK_Get_extent(LPK_Datatype datatype, LPK_Aint *lowerbound,
                   LPK_Aint *extent) {
  return guarded([&] {
    LPK_Aint &lower = resultAt(lowerbound, "the lower bound");
    LPK_Aint &length = resultAt(extent, "the extent");
    SharedType type = typeOf(datatype);
    lower = type->getLowerBound();
    length = type->getExtent();
  });
}

int LPK_Get_true_extent(LPK_Datatype datatype, LPK_Aint *lowerbound,
                        LPK_Aint *extent) {
  return guarded([&] {
    LPK_Aint &lower = resultAt(lowerbound, "the lower bound");
    LPK_Aint &length = resultAt(extent, "the extent");
    SharedType type = typeOf(datatype);
    lower = type->getTrueLowerBound();
    length = type->getTrueExtent();
  });
}

int LPK_Get_size(LPK_Datatype datatype, int *size) {
  return guarded([&] {
    resultAt(size, "the size") = narrowed<int>(typeOf(datatype)->getSize(),
                                               "the size", "LPK_Get_size_x");
  });
}

int LPK_Get_size_x(LPK_Datatype datatype, LPK_Count *size) {
  return guarded(
      [&] { resultAt(size, "the size") = typeOf(datatype)->getSize(); });
}

template <typename Number>
static int getEnvelope(LPK_Datatype datatype, Number *integers,
                       Number *addresses, Number *datatypes, int *combiner) {
  return guarded([&] {
    Number *const places[] = {integers, addresses, datatypes};
    Envelope envelope = typeOf(datatype)->getEnvelope();
    const int64_t counts[] = {envelope.integers, envelope.addresses,
                              envelope.datatypes};
    int &name = resultAt(combiner, "the combiner");
    Number results[3];
    for (int i = 0; i != 3; ++i) {
      resultAt(places[i], "a number of the envelope");
      results[i] = narrowed<Number>(counts[i], "the number of entries",
                                    "LPK_Get_envelope_c");
    }
    for (int i = 0; i != 3; ++i)
      *places[i] = results[i];
    name = int(envelope.combiner);
  });
}

int LPK_Get_envelope(LPK_Datatype datatype, int *integers, int *addresses,
                     int *datatypes, int *combiner) {
  return getEnvelope(datatype, integers, addresses, datatypes, combiner);
}

int LPK_Get_envelope_c(LPK_Datatype datatype, LPK_Count *integers,
                       LPK_Count *addresses, LPK_Count *datatypes,
                       int *combiner) {
  return getEnvelope(datatype, integers, addresses, datatypes, combiner);
}

static void checkArray(const char *what, size_t needed, int64_t given,
                       const void *array) {
  if (needed == 0)
    return;
  if (given < 0 || size_t(given) < needed)
    throw Error(Error::TRUNCATED, concat("there are ", needed, ' ', what,
                                         ", but the array has only ", given));
  if (!array)
    throw Error(Error::ARGUMENT, concat("the array of ", what, " is null"));
}

namespace {
/// The caller's arrays and their lengths.
template <typename Integer, typename Address> struct ContentsArrays {
  int64_t maxIntegers;
  int64_t maxAddresses;
  int64_t maxDatatypes;
  Integer *integers;
  Address *addresses;
  LPK_Datatype *datatypes;
};
} // namespace

template <typename Integer, typename Address>
static int getContents(LPK_Datatype datatype,
                       const ContentsArrays<Integer, Address> &given) {
  return guarded([&] {
    Contents contents = typeOf(datatype)->getContents();
    checkArray("integers", contents.integers.size(), given.maxIntegers,
               given.integers);
    checkArray("addresses", contents.addresses.size(), given.maxAddresses,
               given.addresses);
    checkArray("types", contents.datatypes.size(), given.maxDatatypes,
               given.datatypes);
    for (int64_t value : contents.integers)
      narrowed<Integer>(value, "the integer", "LPK_Get_contents_c");
    for (size_t i = 0; i != contents.integers.size(); ++i)
      given.integers[i] = Integer(contents.integers[i]);
    for (size_t i = 0; i != contents.addresses.size(); ++i)
      given.addresses[i] = Address(contents.addresses[i]);
    for (size_t i = 0; i != contents.datatypes.size(); ++i)
      given.datatypes[i] = addHandle(std::move(contents.datatypes[i]));
  });
}

int LPK_Get_contents(LPK_Datatype datatype, int maxintegers, int maxaddresses,
                     int maxdatatypes, int integers[], LPK_Aint addresses[],
                     LPK_Datatype datatypes[]) {
  return getContents<int, LPK_Aint>(datatype,
                                    {maxintegers, maxaddresses, maxdatatypes,
                                     integers, addresses, datatypes});
}

int LPK_Get_contents_c(LPK_Datatype datatype, LPK_Count maxintegers,
                       LPK_Count maxaddresses, LPK_Count maxdatatypes,
                       LPK_Count integers[], LPK_Count addresses[],
                       LPK_Datatype datatypes[]) {
  return getContents<LPK_Count, LPK_Count>(datatype, {maxintegers, maxaddresses,
                                                      maxdatatypes, integers,
                                                      addresses, datatypes});
}

/// Copies `text` and a final 0 to the caller, and always its length.
static void giveText(const std::string &text, char *buffer, LPK_Count size,
                     LPK_Count *length) {
  if (length)
    *length = LPK_Count(text.size());
  if (size == 0)
    return;
  if (size < 0 || size_t(size) <= text.size())
    throw Error(Error::TRUNCATED, concat("the text needs ", text.size() + 1,
                                         " bytes, but the buffer has ", size));
  memcpy(&resultAt(buffer, "the text"), text.c_str(), text.size() + 1);
}

int LPK_To_text(LPK_Datatype datatype, char *buffer, LPK_Count size,
                LPK_Count *length) {
  return guarded(
      [&] { giveText(typeOf(datatype)->toString(), buffer, size, length); });
}

int LPK_Kernel_name(LPK_Datatype datatype, char *buffer, LPK_Count size,
                    LPK_Count *length) {
  return guarded([&] {
    SharedType type = typeOf(datatype);
    if (!type->getPacker())
      throw Error(Error::NOT_COMMITTED,
                  concat(quoted(type->toString(true)),
                         " is not committed; call LPK_Commit first"));
    giveText(type->getPacker()->kernel().name, buffer, size, length);
  });
}
