//===- NaiveRebuild.cpp - Types rebuilt from their contents ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Envelope and contents are complete: this code rebuilds a type from them
// alone, and compares two types by them.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

using namespace sluice::pack;
using namespace sluice::pack::naive;

using TypeRef = std::unique_ptr<farc::Datatype>;

static TypeRef rebuildStruct(const farc::Contents &contents,
                             const std::vector<TypeRef> &types) {
  std::vector<const farc::Datatype *> lent;
  for (const TypeRef &type : types)
    lent.push_back(type.get());
  return std::make_unique<farc::StructDatatype>(
      contents.integers[0], contents.integers.data() + 1,
      contents.addresses.data(), lent.data());
}

static TypeRef rebuildSubarray(const std::vector<int64_t> &integers,
                               const farc::Datatype *base) {
  int64_t rank = integers[0];
  const int64_t *next = integers.data() + 1;
  return std::make_unique<farc::SubarrayDatatype>(
      rank, next, next + rank, next + 2 * rank,
      static_cast<farc::Order>(next[3 * rank]), base);
}

static TypeRef rebuildDarray(const std::vector<int64_t> &integers,
                             const farc::Datatype *base) {
  int64_t rank = integers[2];
  const int64_t *next = integers.data() + 3;
  std::vector<farc::Distribution> distributions;
  for (int64_t d = 0; d != rank; ++d)
    distributions.push_back(static_cast<farc::Distribution>(next[rank + d]));
  return std::make_unique<farc::DarrayDatatype>(
      integers[0], integers[1], rank, next, distributions.data(),
      next + 2 * rank, next + 3 * rank,
      static_cast<farc::Order>(next[4 * rank]), base);
}

static TypeRef rebuildFrom(farc::DatatypeName combiner,
                           const farc::Contents &contents,
                           const std::vector<TypeRef> &types) {
  const int64_t *integers = contents.integers.data();
  const int64_t *addresses = contents.addresses.data();
  if (combiner == farc::STRUCT)
    return rebuildStruct(contents, types);
  const farc::Datatype *base = types.at(0).get();
  switch (combiner) {
  case farc::CONTIGUOUS:
    return std::make_unique<farc::ContiguousDatatype>(integers[0], base);
  case farc::VECTOR:
    return std::make_unique<farc::VectorDatatype>(integers[0], integers[1],
                                                  integers[2], base);
  case farc::HVECTOR:
    return std::make_unique<farc::HVectorDatatype>(integers[0], integers[1],
                                                   addresses[0], base);
  case farc::INDEXED:
    return std::make_unique<farc::IndexedDatatype>(
        integers[0], integers + 1, integers + 1 + integers[0], base);
  case farc::HINDEXED:
    return std::make_unique<farc::HIndexedDatatype>(integers[0], integers + 1,
                                                    addresses, base);
  case farc::INDEXEDBLOCK:
    return std::make_unique<farc::IndexedBlockDatatype>(
        integers[0], integers[1], integers + 2, base);
  case farc::HINDEXEDBLOCK:
    return std::make_unique<farc::HIndexedBlockDatatype>(
        integers[0], integers[1], addresses, base);
  case farc::RESIZED:
    return std::make_unique<farc::ResizedDatatype>(base, addresses[0],
                                                   addresses[1]);
  case farc::SUBARRAY:
    return rebuildSubarray(contents.integers, base);
  case farc::DARRAY:
    return rebuildDarray(contents.integers, base);
  default:
    return std::make_unique<farc::DupDatatype>(base);
  }
}

TypeRef naive::rebuild(const farc::Datatype &type) {
  farc::Envelope envelope = type.getEnvelope();
  if (envelope.combiner == farc::PRIMITIVE)
    return TypeRef(type.clone());
  farc::Contents contents = type.getContents();
  std::vector<TypeRef> types;
  for (const TypeRef &child : contents.datatypes)
    types.push_back(rebuild(*child));
  return rebuildFrom(envelope.combiner, contents, types);
}

static std::string pair(const char *what, const farc::Datatype &left,
                        const farc::Datatype &right) {
  return std::string(what) + " of '" + left.toString() + "' and '" +
         right.toString() + "' differ";
}

std::string naive::differenceBetween(const farc::Datatype &left,
                                     const farc::Datatype &right) {
  farc::Envelope envelope = left.getEnvelope();
  if (!(envelope == right.getEnvelope()))
    return pair("the envelopes", left, right);
  if (envelope.combiner == farc::PRIMITIVE) {
    using Primitive = farc::PrimitiveDatatype;
    if (static_cast<const Primitive &>(left).getType() !=
        static_cast<const Primitive &>(right).getType())
      return pair("the primitive types", left, right);
    return "";
  }
  farc::Contents ours = left.getContents(), theirs = right.getContents();
  if (ours.integers != theirs.integers || ours.addresses != theirs.addresses ||
      ours.datatypes.size() != theirs.datatypes.size())
    return pair("the contents", left, right);
  if (static_cast<size_t>(envelope.integers) != ours.integers.size() ||
      static_cast<size_t>(envelope.addresses) != ours.addresses.size() ||
      static_cast<size_t>(envelope.datatypes) != ours.datatypes.size())
    return "the envelope of '" + left.toString() +
           "' has other numbers of "
           "arguments than its contents";
  for (size_t i = 0; i != ours.datatypes.size(); ++i)
    if (std::string difference =
            differenceBetween(*ours.datatypes[i], *theirs.datatypes[i]);
        !difference.empty())
      return difference;
  return "";
}
