//===- Decode.cpp - From envelope and contents to a normal form -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the tree of constructors from the root. Extents are queried from MPI at
// every node, because padding and resized bounds depend on the MPI library.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "DecodeArrays.h"

#include <algorithm>
#include <climits>
#include <new>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using namespace sluice::mpi;
using namespace sluice::pack;

namespace {
/// Thrown for a type that the interposer cannot read; such a type stays with
/// MPI.
struct Undecodable {
  Reason reason = Reason::Unreadable;
};

/// Limit on nested constructors: reading them is recursive.
constexpr int mostLevels = 128;
/// Open MPI returns new handles for the types within a type, so shared types
/// cannot be recognised, and there may be 2^levels paths to them. Reading this
/// many constructors takes about 50 ms.
constexpr int mostConstructors = 10000;

/// The arguments of a constructor. `numbers` are all counts, block lengths and
/// displacements in the order of MPI's tables: integers, then addresses, or the
/// large counts of constructors whose names end in _c.
struct DecodedContents {
  int combiner;
  std::vector<int64_t> numbers;
  /// Subarray and darray with large counts: the arguments that are integers.
  std::vector<int64_t> plain;
  std::vector<MPI_Datatype> types;
};

struct DecodedNode {
  PlacedForm form;
  int64_t extent;
};

class Decoder {
public:
  ~Decoder();
  DecodedNode decode(MPI_Datatype type);
  /// Subtracts the lengths of the constructors' lists from `budget`; false if
  /// it becomes negative.
  bool spend(MPI_Datatype type, int64_t &budget);
  bool isMixed() const {
    return elementSize > 16 || (elementSize & (elementSize - 1)) != 0;
  }
  MPI_Datatype elementType() const {
    return hasSeveral ? MPI_DATATYPE_NULL : element;
  }
  int swapBytes() const { return std::max(swapped, 0); }
  bool hasPadding = false;
  bool hasEmptyPart = false;
  bool hasNegativeExtent = false;
  bool hasShiftedBound = false;

private:
  DecodedNode decodeDerived(MPI_Datatype type);
  void release(size_t kept);
  DecodedContents contentsOf(MPI_Datatype type);
  DecodedNode decodeNamed(MPI_Datatype type);
  PlacedForm build(const DecodedContents &contents);
  PlacedForm buildStrided(const DecodedContents &contents, bool inBytes);
  PlacedForm buildIndexed(const DecodedContents &contents, bool inBytes);
  PlacedForm buildIndexedBlock(const DecodedContents &contents, bool inBytes);
  PlacedForm buildStruct(const DecodedContents &contents);
  PlacedForm buildArray(const DecodedContents &contents);

  /// Size of all basic elements; 0: none seen yet, negative: they differ.
  int64_t elementSize = 0;
  /// The first basic element, and whether there are others.
  MPI_Datatype element = MPI_DATATYPE_NULL;
  bool hasSeveral = false;
  /// The swapBytesOf of all elements; 0: none seen yet, -1: they differ.
  int swapped = 0;
  /// Handles that get_contents returned and that must be freed here.
  std::vector<MPI_Datatype> lent;
  /// MPICH returns the same handle each time, so equal ones are read once.
  std::unordered_map<uintptr_t, DecodedNode> known;
  int levels = 0, constructors = 0;
};
} // namespace

static void check(int code) {
  if (code != MPI_SUCCESS)
    throw Undecodable();
}

static int combinerOf(MPI_Datatype type) {
#if MPI_VERSION >= 4
  MPI_Count integers, addresses, counts, types;
  int combiner;
  check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types,
                                 &combiner));
#else
  int integers, addresses, types, combiner;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
#endif
  return combiner;
}

/// Number of arguments of the outermost constructor, plus one.
static int64_t listLengthOf(MPI_Datatype type) {
  int combiner;
#if MPI_VERSION >= 4
  MPI_Count integers, addresses, counts, types;
  check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types,
                                 &combiner));
  return 1 + int64_t(integers) + addresses + counts + types;
#else
  int integers, addresses, types;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  return 1 + int64_t(integers) + addresses + types;
#endif
}

static bool isLeaf(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

static bool isNamed(MPI_Datatype type) {
  try {
    return isLeaf(combinerOf(type));
  } catch (const Undecodable &) {
    return false;
  }
}

static int64_t extentOf(MPI_Datatype type) {
  MPI_Count lower, extent;
  check(PMPI_Type_get_extent_x(type, &lower, &extent));
  return extent;
}

Decoder::~Decoder() { release(0); }

/// Frees all handles after the first `kept` ones. Those of Open MPI are new
/// objects, whose addresses may be reused.
void Decoder::release(size_t kept) {
  for (; lent.size() > kept; lent.pop_back()) {
    if (isNamed(lent.back()))
      continue;
#ifdef OPEN_MPI
    known.erase(keyOf(lent.back()));
#endif
    native::Type_free(&lent.back());
  }
}

DecodedContents Decoder::contentsOf(MPI_Datatype type) {
  DecodedContents result;
#if MPI_VERSION >= 4
  MPI_Count integers, addresses, counts, types;
  check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types,
                                 &result.combiner));
  std::vector<MPI_Count> large(counts + 1);
#else
  int integers, addresses, types;
  const int counts = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types,
                               &result.combiner));
#endif
  if (isLeaf(result.combiner))
    return result;
  std::vector<int> small(integers + 1);
  std::vector<MPI_Aint> places(addresses + 1);
  result.types.resize(types);
#if MPI_VERSION >= 4
  check(native::Type_get_contents_c(type, integers, addresses, counts, types,
                                    small.data(), places.data(), large.data(),
                                    result.types.data()));
#else
  check(native::Type_get_contents(type, integers, addresses, types,
                                  small.data(), places.data(),
                                  result.types.data()));
#endif
  lent.insert(lent.end(), result.types.begin(), result.types.end());
  std::vector<int64_t> &first = counts ? result.plain : result.numbers;
  first.assign(small.begin(), small.begin() + integers);
  first.insert(first.end(), places.begin(), places.begin() + addresses);
#if MPI_VERSION >= 4
  result.numbers.insert(result.numbers.end(), large.begin(),
                        large.begin() + counts);
#endif
  return result;
}

/// The size in bytes of the numbers in an element, if `external32` contains the
/// same numbers with reversed bytes; else -1. Sizes of Fortran's types depend
/// on the options of its compiler, and that of `long` on the library.
static int swapBytesOf(MPI_Datatype type) {
  for (MPI_Datatype one : {MPI_BYTE, MPI_CHAR, MPI_SIGNED_CHAR,
                           MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_UINT8_T})
    if (type == one)
      return 1;
  for (MPI_Datatype two :
       {MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT16_T, MPI_UINT16_T})
    if (type == two)
      return 2;
  for (MPI_Datatype four : {MPI_INT, MPI_UNSIGNED, MPI_FLOAT, MPI_INT32_T,
                            MPI_UINT32_T, MPI_C_FLOAT_COMPLEX})
    if (type == four)
      return 4;
  for (MPI_Datatype eight : {MPI_DOUBLE, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
                             MPI_INT64_T, MPI_UINT64_T, MPI_C_DOUBLE_COMPLEX})
    if (type == eight)
      return 8;
  return -1;
}

DecodedNode Decoder::decodeNamed(MPI_Datatype type) {
  MPI_Count size, lower, extent;
  check(PMPI_Type_size_x(type, &size));
  check(PMPI_Type_get_true_extent_x(type, &lower, &extent));
  if (size != 0) {
    elementSize = elementSize == 0 || elementSize == size ? int64_t(size) : -1;
    hasSeveral |= size != extent || size != extentOf(type) ||
                  (element != MPI_DATATYPE_NULL && element != type);
    element = type;
    hasPadding |= type == MPI_LONG_DOUBLE ||
                  type == MPI_C_LONG_DOUBLE_COMPLEX ||
                  type == MPI_LONG_DOUBLE_INT;
    const int swaps = swapBytesOf(type);
    swapped = swapped == 0 || swapped == swaps ? swaps : -1;
  }
  if (size == extent || size == 0)
    return {{size ? lower : 0, blockForm(size)}, extentOf(type)};
  if (type != MPI_SHORT_INT)
    throw Undecodable();
  struct Pair {
    short value;
    int index;
  };
  const PlacedForm parts[] = {{0, blockForm(sizeof(short))},
                              {offsetof(Pair, index), blockForm(sizeof(int))}};
  return {sequence(parts), extentOf(type)};
}

DecodedNode Decoder::decode(MPI_Datatype type) {
  auto [place, isNew] = known.try_emplace(keyOf(type));
  if (!isNew)
    return place->second;
  if (++levels > mostLevels)
    throw Undecodable{Reason::TooLarge};
  DecodedNode node = decodeDerived(type);
  --levels;
  hasNegativeExtent |= node.extent < 0;
  return known[keyOf(type)] = node;
}

DecodedNode Decoder::decodeDerived(MPI_Datatype type) {
  MPI_Count size;
  check(PMPI_Type_size_x(type, &size));
  // A type without bytes may have any number of parts.
  if (size == 0) {
    hasEmptyPart = true;
    return {{0, emptyForm()}, extentOf(type)};
  }
  const size_t kept = lent.size();
  DecodedContents contents = contentsOf(type);
  if (isLeaf(contents.combiner))
    return decodeNamed(type);
  if (++constructors > mostConstructors)
    throw Undecodable{Reason::TooLarge};
  DecodedNode node{build(contents), extentOf(type)};
  release(kept);
  return node;
}

bool Decoder::spend(MPI_Datatype type, int64_t &budget) {
  int64_t length = listLengthOf(type);
  if (length > budget)
    return false;
  budget -= length;
  for (MPI_Datatype child : contentsOf(type).types)
    if (!spend(child, budget))
      return false;
  return true;
}

/// The combiners of MPI 1's Fortran constructors mean the same as C's.
static int modernCombiner(int combiner) {
#if !defined(OPEN_MPI) || !OMPI_OMIT_MPI1_COMPAT_DECLS
  if (combiner == MPI_COMBINER_HVECTOR_INTEGER)
    return MPI_COMBINER_HVECTOR;
  if (combiner == MPI_COMBINER_HINDEXED_INTEGER)
    return MPI_COMBINER_HINDEXED;
  if (combiner == MPI_COMBINER_STRUCT_INTEGER)
    return MPI_COMBINER_STRUCT;
#endif
  return combiner;
}

PlacedForm Decoder::build(const DecodedContents &contents) {
  switch (modernCombiner(contents.combiner)) {
  case MPI_COMBINER_RESIZED:
    hasShiftedBound |= contents.numbers.at(0) != 0;
    [[fallthrough]];
  case MPI_COMBINER_DUP:
    return decode(contents.types.at(0)).form;
  case MPI_COMBINER_CONTIGUOUS: {
    DecodedNode base = decode(contents.types.at(0));
    return repeat(base.form, contents.numbers.at(0), base.extent);
  }
  case MPI_COMBINER_VECTOR:
    return buildStrided(contents, false);
  case MPI_COMBINER_HVECTOR:
    return buildStrided(contents, true);
  case MPI_COMBINER_INDEXED:
    return buildIndexed(contents, false);
  case MPI_COMBINER_HINDEXED:
    return buildIndexed(contents, true);
  case MPI_COMBINER_INDEXED_BLOCK:
    return buildIndexedBlock(contents, false);
  case MPI_COMBINER_HINDEXED_BLOCK:
    return buildIndexedBlock(contents, true);
  case MPI_COMBINER_STRUCT:
    return buildStruct(contents);
  case MPI_COMBINER_SUBARRAY:
  case MPI_COMBINER_DARRAY:
    return buildArray(contents);
  default:
    throw Undecodable();
  }
}

PlacedForm Decoder::buildStrided(const DecodedContents &contents,
                                 bool inBytes) {
  DecodedNode base = decode(contents.types.at(0));
  const std::vector<int64_t> &n = contents.numbers;
  int64_t stride = n.at(2) * (inBytes ? 1 : base.extent);
  return repeat(repeat(base.form, n.at(1), base.extent), n.at(0), stride);
}

PlacedForm Decoder::buildIndexed(const DecodedContents &contents,
                                 bool inBytes) {
  DecodedNode base = decode(contents.types.at(0));
  const int64_t *lengths = &contents.numbers.at(0) + 1;
  int64_t count = lengths[-1];
  const int64_t *places = lengths + count;
  std::vector<PlacedForm> parts;
  parts.reserve(count);
  for (int64_t i = 0; i != count; ++i) {
    PlacedForm part = repeat(base.form, lengths[i], base.extent);
    part.offset += places[i] * (inBytes ? 1 : base.extent);
    parts.push_back(std::move(part));
  }
  return sequence(parts);
}

PlacedForm Decoder::buildIndexedBlock(const DecodedContents &contents,
                                      bool inBytes) {
  DecodedNode base = decode(contents.types.at(0));
  const std::vector<int64_t> &n = contents.numbers;
  std::vector<int64_t> places(n.begin() + 2, n.begin() + 2 + n.at(0));
  if (!inBytes)
    for (int64_t &place : places)
      place *= base.extent;
  return placeAt(repeat(base.form, n.at(1), base.extent), places);
}

PlacedForm Decoder::buildStruct(const DecodedContents &contents) {
  const int64_t *lengths = &contents.numbers.at(0) + 1;
  int64_t count = lengths[-1];
  const int64_t *places = lengths + count;
  std::vector<PlacedForm> parts;
  parts.reserve(count);
  for (int64_t i = 0; i != count; ++i) {
    if (lengths[i] == 0) {
      hasEmptyPart = true;
      continue;
    }
    DecodedNode base = decode(contents.types.at(i));
    PlacedForm part = repeat(base.form, lengths[i], base.extent);
    part.offset += places[i];
    parts.push_back(std::move(part));
  }
  return sequence(parts);
}

PlacedForm Decoder::buildArray(const DecodedContents &contents) {
  DecodedNode base = decode(contents.types.at(0));
  std::optional<ArrayArguments> arguments =
      arrayArguments(contents.combiner, contents.plain, contents.numbers);
  if (!arguments)
    throw Undecodable();
  return arrayForm(*arguments, base.form, base.extent);
}

/// Whether MPI reports the same size and the same touched bytes.
static bool agrees(MPI_Datatype type, const PlacedForm &form) {
  MPI_Count size, lower, extent;
  check(PMPI_Type_size_x(type, &size));
  check(PMPI_Type_get_true_extent_x(type, &lower, &extent));
  if (form.form->size != size)
    return false;
  return size == 0 || (form.offset + form.form->low == lower &&
                       form.form->high - form.form->low == extent);
}

/// Whether each run follows the previous one; remembers visited forms, because
/// forms share parts.
static bool rises(const Form &form,
                  std::unordered_map<const Form *, bool> &seen) {
  auto [place, isNew] = seen.try_emplace(&form, true);
  if (!isNew)
    return place->second;
  for (const FormRef &child : form.children)
    if (!rises(*child, seen))
      return seen[&form] = false;
  int64_t reach = form.children.empty() ? 0 : form.children[0]->high;
  int64_t low = form.children.empty() ? 0 : form.children[0]->low;
  bool result = low >= 0;
  for (size_t i = form.dimensions.size(); i-- != 0;) {
    auto [times, stride] = form.dimensions[i];
    result &= stride >= reach - low;
    reach += (times - 1) * stride;
  }
  for (size_t i = 1; i < form.offsets.size(); ++i) {
    const Form *before =
        form.kind == FormKind::Sequence  ? form.children[i - 1].get()
        : form.kind == FormKind::Indexed ? form.children[0].get()
                                         : nullptr;
    const int64_t end = before ? before->high : form.lengths[i - 1];
    result &= form.offsets[i] >= form.offsets[i - 1] + end;
  }
  return seen[&form] = result;
}

bool sluice::mpi::isQuickToDecode(MPI_Datatype type) {
  int64_t budget = 256;
  try {
    return Decoder().spend(type, budget);
  } catch (const Undecodable &) {
    return true; // and left to MPI
  } catch (const std::exception &) {
    return false;
  }
}

Decoded sluice::mpi::decode(MPI_Datatype type) {
  Decoded result;
  try {
    Decoder decoder;
    DecodedNode node = decoder.decode(type);
    if (!agrees(type, node.form)) {
      result.reason = Reason::OtherBounds;
      return result;
    }
    result.layout = {node.form.offset, node.extent, node.form.form};
    result.isMixed = decoder.isMixed();
    result.element = decoder.elementType();
    result.swapBytes = decoder.swapBytes();
    result.hasPadding = decoder.hasPadding;
    result.isSuspect = decoder.hasEmptyPart || decoder.hasNegativeExtent;
    std::unordered_map<const Form *, bool> seen;
    result.differsInFiles =
        decoder.hasShiftedBound || !rises(*result.layout.form, seen);
  } catch (const Undecodable &problem) {
    result.reason = problem.reason;
  } catch (const std::exception &) {
    // No memory, or offsets beyond 64 bits.
    result.reason = Reason::Unreadable;
  }
  return result;
}

bool sluice::mpi::isPredefined(MPI_Datatype type) {
  static const std::unordered_set<uintptr_t> &all = *[] {
    auto *keys = new std::unordered_set<uintptr_t>;
    for (MPI_Datatype one : {MPI_CHAR,
                             MPI_SIGNED_CHAR,
                             MPI_UNSIGNED_CHAR,
                             MPI_BYTE,
                             MPI_WCHAR,
                             MPI_SHORT,
                             MPI_UNSIGNED_SHORT,
                             MPI_INT,
                             MPI_UNSIGNED,
                             MPI_LONG,
                             MPI_UNSIGNED_LONG,
                             MPI_LONG_LONG,
                             MPI_UNSIGNED_LONG_LONG,
                             MPI_FLOAT,
                             MPI_DOUBLE,
                             MPI_LONG_DOUBLE,
                             MPI_PACKED,
                             MPI_INT8_T,
                             MPI_INT16_T,
                             MPI_INT32_T,
                             MPI_INT64_T,
                             MPI_UINT8_T,
                             MPI_UINT16_T,
                             MPI_UINT32_T,
                             MPI_UINT64_T,
                             MPI_C_BOOL,
                             MPI_C_FLOAT_COMPLEX,
                             MPI_C_DOUBLE_COMPLEX,
                             MPI_C_LONG_DOUBLE_COMPLEX,
                             MPI_AINT,
                             MPI_OFFSET,
                             MPI_COUNT,
                             MPI_FLOAT_INT,
                             MPI_DOUBLE_INT,
                             MPI_LONG_INT,
                             MPI_SHORT_INT,
                             MPI_2INT,
                             MPI_LONG_DOUBLE_INT,
                             MPI_CXX_BOOL,
                             MPI_CXX_FLOAT_COMPLEX,
                             MPI_CXX_DOUBLE_COMPLEX,
                             MPI_CXX_LONG_DOUBLE_COMPLEX,
                             MPI_INTEGER,
                             MPI_REAL,
                             MPI_DOUBLE_PRECISION,
                             MPI_COMPLEX,
                             MPI_DOUBLE_COMPLEX,
                             MPI_LOGICAL,
                             MPI_CHARACTER,
                             MPI_2INTEGER,
                             MPI_2REAL,
                             MPI_2DOUBLE_PRECISION,
                             MPI_INTEGER1,
                             MPI_INTEGER2,
                             MPI_INTEGER4,
                             MPI_INTEGER8,
                             MPI_REAL4,
                             MPI_REAL8,
                             MPI_COMPLEX8,
                             MPI_COMPLEX16})
      if (one != MPI_DATATYPE_NULL)
        keys->insert(keyOf(one));
    return keys;
  }();
  return all.contains(keyOf(type));
}
