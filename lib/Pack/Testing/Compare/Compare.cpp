//===- Compare.cpp - Random types against an MPI's MPI_Pack ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds thousands of random types twice, with Sluice's constructors and with
// the MPI's, and compares sizes, bounds, and every byte that MPI_Pack and
// MPI_Unpack write. Where the two MPIs, or an MPI and the standard, disagree,
// the difference has a name below, and must be exactly that difference.
//
//   compare FIRST-SEED COUNT
//
//===----------------------------------------------------------------------===//

#include "KnownDefects.h"
#include "MPITypes.h"
#include "PackChecks.h"

#include "sluice/Pack/External32.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using namespace sluice::pack;
using namespace sluice::pack::naive;
using Bytes = std::vector<std::byte>;

namespace {

/// Counts the cases, and ends the program at the first failure.
class Comparison {
public:
  void checkSeed(uint64_t seed);
  void report(int64_t count) const;

private:
  [[noreturn]] void fail(const std::string &problem) const;
  void explain(const farc::Datatype &type, const BothBounds &theirs,
               bool isForced);
  void checkPack(const Subject &subject, MPI_Datatype theirs) const;
  void checkExternal32(const Subject &subject, MPI_Datatype theirs) const;
  void checkUnpack(const Subject &subject, MPI_Datatype theirs,
                   const Bytes &packed) const;

  std::map<std::string, int> met;
};

/// The current check.
std::string current;

} // namespace

static void failInMPI(MPI_Comm *, int *code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(*code, text, &length);
  fprintf(stderr, "%s: %s\n", current.c_str(), text);
  exit(1);
}

void Comparison::fail(const std::string &problem) const {
  fprintf(stderr, "%s: %s\n", current.c_str(), problem.c_str());
  exit(1);
}

static std::string toString(const BothBounds &bounds) {
  return "[" + std::to_string(bounds.lower) + ", " +
         std::to_string(bounds.upper) + ") and true [" +
         std::to_string(bounds.trueLower) + ", " +
         std::to_string(bounds.trueUpper) + ")";
}

void Comparison::explain(const farc::Datatype &type, const BothBounds &theirs,
                         bool isForced) {
  for (const KnownDifference &difference : knownDifferences())
    if (difference.explains(type, theirs)) {
      ++met[difference.name];
      return;
    }
  if (isForced) {
    ++met["contains-a-type-of-other-bounds"];
    return;
  }
  fail("'" + type.toString() + "' has bounds " + toString(boundsOf(type)) +
       ", but " + nameOfMPI() + " has " + toString(theirs));
}

void Comparison::checkUnpack(const Subject &subject, MPI_Datatype theirs,
                             const Bytes &packed) const {
  if (!subject.isUnpackable)
    return;
  Buffer ours(subject.map, subject.count, 2);
  Buffer expected(subject.map, subject.count, 2);
  int position = 0;
  std::byte none;
  MPI_Unpack(packed.empty() ? &none : packed.data(), packed.size(), &position,
             expected.address(), subject.count, theirs, MPI_COMM_SELF);
  Packer::of(subject.layout)
      ->unpack(packed.data(), ours.address(), subject.count);
  if (position != static_cast<int>(packed.size()))
    fail("MPI_Unpack took " + std::to_string(position) + " bytes");
  if (!(ours == expected))
    fail("MPI_Unpack gives other bytes");
}

void Comparison::checkPack(const Subject &subject, MPI_Datatype theirs) const {
  Buffer source(subject.map, subject.count, 1);
  Bytes ours(subject.map.size() * subject.count), expected(ours.size());
  int position = 0;
  expected.reserve(1); // Open MPI refuses null for no bytes
  MPI_Pack(source.address(), subject.count, theirs, expected.data(),
           expected.size(), &position, MPI_COMM_SELF);
  Packer::of(subject.layout)
      ->pack(source.address(), subject.count, ours.data());
  if (position != static_cast<int>(ours.size()))
    fail("MPI_Pack gives " + std::to_string(position) + " bytes, expected " +
         std::to_string(ours.size()));
  if (ours != expected)
    fail("MPI_Pack gives other bytes");
  checkUnpack(subject, theirs, ours);
}

static bool isConcerned(const KnownDefect &defect, const farc::Datatype &type) {
  if (defect.concerns(type))
    return true;
  for (const farc::Datatype *child : type.getSubtypes())
    if (isConcerned(defect, *child))
      return true;
  return false;
}

/// Whether random bytes are valid in external32 and the MPIs convert the type:
/// excludes types that are narrower in external32, and types without a
/// conversion.
static bool isConverted(const farc::Datatype &type) {
  using Primitive = farc::PrimitiveDatatype;
  if (type.getDatatypeName() == farc::PRIMITIVE) {
    Primitive::PrimitiveType name =
        static_cast<const Primitive &>(type).getType();
    return name == Primitive::LONG || name == Primitive::UNSIGNED_LONG ||
           name == Primitive::WCHAR || name == Primitive::LONG_DOUBLE ||
           name == Primitive::C_LONG_DOUBLE_COMPLEX;
  }
  for (const farc::Datatype *child : type.getSubtypes())
    if (isConverted(*child))
      return true;
  return false;
}

void Comparison::checkExternal32(const Subject &subject,
                                 MPI_Datatype theirs) const {
  if (isConverted(subject.type) || failsInExternal32(subject.type))
    return;
  MPI_Aint size, position = 0;
  MPI_Pack_external_size("external32", subject.count, theirs, &size);
  int64_t expectedSize = external32Size(subject.type, subject.count);
  if (size != expectedSize)
    fail("MPI_Pack_external_size gives " + std::to_string(size) +
         ", expected " + std::to_string(expectedSize));
  Buffer source(subject.map, subject.count, 1);
  Bytes ours(size), expected(size);
  expected.reserve(1);
  MPI_Pack_external("external32", source.address(), subject.count, theirs,
                    expected.data(), size, &position);
  int64_t end = 0;
  packExternal32(subject.type, source.address(), subject.count, ours.data(),
                 size, end);
  if (position != size || end != size)
    fail("MPI_Pack_external ends at " + std::to_string(position) + ", we at " +
         std::to_string(end) + " of " + std::to_string(size));
  if (ours != expected)
    fail("MPI_Pack_external gives other bytes");
}

static RandomTypeOptions optionsOf() {
  RandomTypeOptions options = {
      .maxElements = 300, .maxSpan = 1 << 16, .primitives = {}};
  for (int i = 0; i != farc::PrimitiveDatatype::PrimitiveTypeCount; ++i) {
    auto type = static_cast<farc::PrimitiveDatatype::PrimitiveType>(i);
    if (predefinedType(type) != MPI_DATATYPE_NULL)
      options.primitives.push_back(type);
  }
  return options;
}

void Comparison::checkSeed(uint64_t seed) {
  static const RandomTypeOptions options = optionsOf();
  Choices choices(seed);
  std::unique_ptr<farc::Datatype> type = randomType(choices, options);
  std::optional<TypeMap> map = typeMapOf(*type);
  int64_t count = choices.below(5);
  current = "seed " + std::to_string(seed) + ": " + std::to_string(count) +
            " x " + type->toString();
  for (const KnownDefect &defect : knownDefects())
    if (isConcerned(defect, *type)) {
      ++met[defect.name];
      return;
    }
  MPITypes types([this](const farc::Datatype &part, const BothBounds &theirs,
                        bool isForced) { explain(part, theirs, isForced); });
  MPI_Datatype theirs = types.make(*type);
  MPI_Count size;
  MPI_Type_size_x(theirs, &size);
  if (size != type->getSize())
    fail("size is " + std::to_string(type->getSize()) + ", but " + nameOfMPI() +
         " has " + std::to_string(size));
  MPI_Type_commit(&theirs);
  Subject subject(*type, *map, count);
  checkPack(subject, theirs);
  checkExternal32(subject, theirs);
  freeType(theirs);
}

void Comparison::report(int64_t count) const {
  printf("%s packs %lld random types as we do, except\n", nameOfMPI(),
         static_cast<long long>(count));
  for (const auto &[name, times] : met)
    printf("  %s: %d\n", name.c_str(), times);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: compare FIRST-SEED COUNT\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  for (const KnownDefect &defect : knownDefects())
    if (!defect.isThere()) {
      fprintf(stderr,
              "'%s' was repaired in this %s: compare such types again\n",
              defect.name, nameOfMPI());
      return 1;
    }
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(failInMPI, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int64_t first = atoll(argv[1]), count = atoll(argv[2]);
  Comparison comparison;
  for (int64_t seed = first; seed != first + count; ++seed)
    comparison.checkSeed(seed);
  comparison.report(count);
  MPI_Finalize();
}
