//===- CConstructors.cpp - C functions that make layouts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function makes an object of the class with its name and a handle for it.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"
#include "sluice/Base/Text.h"

using namespace farc;
using sluice::concat;

/// Passes the object that `make` returns to the caller.
template <typename Make> static int create(LPK_Datatype *newtype, Make make) {
  return guarded([&] {
    LPK_Datatype &result = resultAt(newtype, "the new layout");
    result = addHandle(std::unique_ptr<Datatype>(make()));
  });
}

/// The same for constructors with one old type.
template <typename Make>
static int create(LPK_Datatype oldtype, LPK_Datatype *newtype, Make make) {
  return create(newtype, [&]() -> Datatype * {
    SharedType base = typeOf(oldtype);
    return make(base.get());
  });
}

/// LibPack's numbers in the order of PrimitiveType up to LONG_DOUBLE; from
/// C_BOOL on both use the same order.
static constexpr PrimitiveDatatype::PrimitiveType originalTypes[] = {
    PrimitiveDatatype::CHAR,           PrimitiveDatatype::SIGNED_CHAR,
    PrimitiveDatatype::UNSIGNED_CHAR,  PrimitiveDatatype::BYTE,
    PrimitiveDatatype::WCHAR,          PrimitiveDatatype::SHORT,
    PrimitiveDatatype::UNSIGNED_SHORT, PrimitiveDatatype::INT,
    PrimitiveDatatype::UNSIGNED,       PrimitiveDatatype::LONG,
    PrimitiveDatatype::UNSIGNED_LONG,  PrimitiveDatatype::FLOAT,
    PrimitiveDatatype::DOUBLE,         PrimitiveDatatype::LONG_DOUBLE,
    PrimitiveDatatype::LONG_LONG,      PrimitiveDatatype::UNSIGNED_LONG_LONG,
    PrimitiveDatatype::LONG_LONG,
};
static constexpr int numOriginal = int(std::size(originalTypes));
static_assert(LPK_C_BOOL == numOriginal &&
              LPK_PRIMITIVE_COUNT - LPK_C_BOOL ==
                  PrimitiveDatatype::PrimitiveTypeCount -
                      PrimitiveDatatype::C_BOOL);

static PrimitiveDatatype::PrimitiveType typeOfNumber(LPK_Primitivetype number) {
  if (number < 0 || number >= LPK_PRIMITIVE_COUNT)
    throw Error(Error::ARGUMENT,
                concat("there is no basic type ", number,
                       "; they go from 0 to ", LPK_PRIMITIVE_COUNT - 1));
  if (number < numOriginal)
    return originalTypes[number];
  return PrimitiveDatatype::PrimitiveType(number - numOriginal +
                                          PrimitiveDatatype::C_BOOL);
}

int LPK_Primitive(LPK_Primitivetype primitivetype, LPK_Datatype *newtype) {
  return create(newtype, [&] {
    return new PrimitiveDatatype(typeOfNumber(primitivetype));
  });
}

int LPK_Get_primitive(LPK_Datatype datatype, LPK_Primitivetype *primitivetype) {
  return guarded([&] {
    LPK_Primitivetype &result = resultAt(primitivetype, "the basic type");
    SharedType type = typeOf(datatype);
    if (type->getDatatypeName() != PRIMITIVE)
      throw Error(Error::ARGUMENT, concat(sluice::quoted(type->toString(true)),
                                          " is no basic type"));
    auto primitive = static_cast<PrimitiveDatatype &>(*type).getType();
    // Searches backwards, so that LPK_LONG_LONG takes precedence over its other
    // name.
    result = LPK_PRIMITIVE_COUNT - 1;
    while (typeOfNumber(result) != primitive)
      --result;
  });
}

int LPK_Contiguous(LPK_Count count, LPK_Datatype oldtype,
                   LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new ContiguousDatatype(count, base);
  });
}

int LPK_Vector(LPK_Count count, LPK_Count blocklen, LPK_Count stride,
               LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new VectorDatatype(count, blocklen, stride, base);
  });
}

int LPK_Hvector(LPK_Count count, LPK_Count blocklen, LPK_Aint stride,
                LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new HVectorDatatype(count, blocklen, stride, base);
  });
}

/// idx, hidx: `Type` is the class.
template <typename Type, typename Length, typename Displacement>
static int createIndexed(LPK_Count count, const Length *blocklens,
                         const Displacement *displacements,
                         LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new Type(count, blocklens, displacements, base);
  });
}

int LPK_Indexed(LPK_Count count, const int blocklens[],
                const int displacements[], LPK_Datatype oldtype,
                LPK_Datatype *newtype) {
  return createIndexed<IndexedDatatype>(count, blocklens, displacements,
                                        oldtype, newtype);
}

int LPK_Indexed_c(LPK_Count count, const LPK_Count blocklens[],
                  const LPK_Count displacements[], LPK_Datatype oldtype,
                  LPK_Datatype *newtype) {
  return createIndexed<IndexedDatatype>(count, blocklens, displacements,
                                        oldtype, newtype);
}

int LPK_Hindexed(LPK_Count count, const int blocklens[],
                 const LPK_Aint displacements[], LPK_Datatype oldtype,
                 LPK_Datatype *newtype) {
  return createIndexed<HIndexedDatatype>(count, blocklens, displacements,
                                         oldtype, newtype);
}

int LPK_Hindexed_c(LPK_Count count, const LPK_Count blocklens[],
                   const LPK_Count displacements[], LPK_Datatype oldtype,
                   LPK_Datatype *newtype) {
  return createIndexed<HIndexedDatatype>(count, blocklens, displacements,
                                         oldtype, newtype);
}

/// idxb, hidxb: `Type` is the class.
template <typename Type, typename Displacement>
static int createBlocks(LPK_Count count, LPK_Count blocklen,
                        const Displacement *displacements, LPK_Datatype oldtype,
                        LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new Type(count, blocklen, displacements, base);
  });
}

int LPK_Indexed_block(LPK_Count count, LPK_Count blocklen,
                      const int displacements[], LPK_Datatype oldtype,
                      LPK_Datatype *newtype) {
  return createBlocks<IndexedBlockDatatype>(count, blocklen, displacements,
                                            oldtype, newtype);
}

int LPK_Indexed_block_c(LPK_Count count, LPK_Count blocklen,
                        const LPK_Count displacements[], LPK_Datatype oldtype,
                        LPK_Datatype *newtype) {
  return createBlocks<IndexedBlockDatatype>(count, blocklen, displacements,
                                            oldtype, newtype);
}

int LPK_Hindexed_block(LPK_Count count, LPK_Count blocklen,
                       const LPK_Aint displacements[], LPK_Datatype oldtype,
                       LPK_Datatype *newtype) {
  return createBlocks<HIndexedBlockDatatype>(count, blocklen, displacements,
                                             oldtype, newtype);
}

int LPK_Hindexed_block_c(LPK_Count count, LPK_Count blocklen,
                         const LPK_Count displacements[], LPK_Datatype oldtype,
                         LPK_Datatype *newtype) {
  return createBlocks<HIndexedBlockDatatype>(count, blocklen, displacements,
                                             oldtype, newtype);
}

template <typename Length, typename Displacement>
static int createStruct(LPK_Count count, const Length *blocklens,
                        const Displacement *displacements,
                        const LPK_Datatype *oldtypes, LPK_Datatype *newtype) {
  return create(newtype, [&] {
    std::vector<SharedType> owners;
    std::vector<const Datatype *> types;
    for (LPK_Count i = 0; oldtypes && i < count; ++i) {
      owners.push_back(typeOf(oldtypes[i]));
      types.push_back(owners.back().get());
    }
    return new StructDatatype(count, blocklens, displacements,
                              oldtypes ? types.data() : nullptr);
  });
}

int LPK_Struct(LPK_Count count, const int blocklens[],
               const LPK_Aint displacements[], const LPK_Datatype oldtypes[],
               LPK_Datatype *newtype) {
  return createStruct(count, blocklens, displacements, oldtypes, newtype);
}

int LPK_Struct_c(LPK_Count count, const LPK_Count blocklens[],
                 const LPK_Count displacements[], const LPK_Datatype oldtypes[],
                 LPK_Datatype *newtype) {
  return createStruct(count, blocklens, displacements, oldtypes, newtype);
}

int LPK_Resized(LPK_Datatype oldtype, LPK_Aint lowerbound, LPK_Aint extent,
                LPK_Datatype *newtype) {
  return create(oldtype, newtype, [&](const Datatype *base) {
    return new ResizedDatatype(base, lowerbound, extent);
  });
}

int LPK_Dup(LPK_Datatype oldtype, LPK_Datatype *newtype) {
  return create(oldtype, newtype,
                [&](const Datatype *base) { return new DupDatatype(base); });
}

int LPK_From_text(const char *text, LPK_Datatype *newtype) {
  return create(newtype, [&]() -> Datatype * {
    if (!text)
      throw Error(Error::ARGUMENT, "the text is null");
    auto types = parseDatatypes(text);
    if (types.size() != 1)
      throw Error(Error::ARGUMENT, concat("expected a text of 1 type, but it "
                                          "stands for ",
                                          types.size()));
    return types.front().release();
  });
}
