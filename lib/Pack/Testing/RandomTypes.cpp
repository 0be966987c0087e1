//===- RandomTypes.cpp - Random data layouts, for tests -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per constructor. Each receives a budget of elements, chooses its
// counts within it, and divides the rest among its children.
//
//===----------------------------------------------------------------------===//

#include "RandomTypes.h"

#include <algorithm>
#include <cstdlib>

using namespace sluice::pack::naive;

using TypeRef = std::unique_ptr<farc::Datatype>;

int64_t Choices::below(int64_t bound) {
  if (bound <= 1)
    return 0;
  if (isFromBytes) {
    uint64_t value = 0;
    for (int64_t rest = bound - 1; rest > 0 && !bytes.empty(); rest >>= 8) {
      value = value << 8 | bytes.front();
      bytes = bytes.subspan(1);
    }
    return static_cast<int64_t>(value % static_cast<uint64_t>(bound));
  }
  // SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<int64_t>((z ^ z >> 31) % static_cast<uint64_t>(bound));
}

namespace {

class Generator {
public:
  Generator(Choices &choices, const RandomTypeOptions &options)
      : choices(choices), options(options), isSpread(!choices.oneIn(4)) {}

  TypeRef make(int depth, int64_t budget);

private:
  TypeRef primitive();
  TypeRef contiguous(int depth, int64_t budget);
  TypeRef vector(int depth, int64_t budget);
  TypeRef hvector(int depth, int64_t budget);
  TypeRef indexed(int depth, int64_t budget);
  TypeRef hindexed(int depth, int64_t budget);
  TypeRef indexedBlock(int depth, int64_t budget);
  TypeRef hindexedBlock(int depth, int64_t budget);
  TypeRef structure(int depth, int64_t budget);
  TypeRef resized(int depth, int64_t budget);
  TypeRef subarray(int depth, int64_t budget);
  TypeRef distributedArray(int depth, int64_t budget);
  TypeRef dup(int depth, int64_t budget);

  int64_t count(int64_t budget);
  int64_t gap();
  std::vector<int64_t> blockLengths(int64_t count, int64_t budget);
  std::vector<int64_t> displacements(const std::vector<int64_t> &spans,
                                     int64_t unit);
  void shuffle(std::vector<int64_t> &order);

  Choices &choices;
  const RandomTypeOptions &options;
  /// Blocks do not overlap.
  bool isSpread;
};

} // namespace

/// The bytes a block of `length` instances covers.
static int64_t spanOf(const farc::Datatype &type, int64_t length) {
  if (length == 0)
    return 0;
  return std::abs(type.getExtent()) * (length - 1) +
         std::max(type.getTrueExtent(), std::abs(type.getExtent()));
}

/// Usually small, occasionally the whole budget or zero.
int64_t Generator::count(int64_t budget) {
  if (choices.oneIn(30))
    return 0;
  if (choices.oneIn(8))
    return choices.between(1, std::clamp<int64_t>(budget, 1, 600));
  return choices.between(1, std::clamp<int64_t>(budget, 1, 6));
}

int64_t Generator::gap() {
  if (choices.oneIn(32))
    return choices.below(5000);
  return choices.oneIn(3) ? 0 : choices.below(4);
}

std::vector<int64_t> Generator::blockLengths(int64_t count, int64_t budget) {
  std::vector<int64_t> lengths(count);
  int64_t most =
      std::clamp<int64_t>(budget / std::max<int64_t>(count, 1), 1, 9);
  for (int64_t &length : lengths)
    length = choices.oneIn(8) ? 0 : choices.between(1, most);
  return lengths;
}

void Generator::shuffle(std::vector<int64_t> &order) {
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[choices.below(i)]);
}

/// Places for blocks that cover `spans` bytes, in multiples of `unit`.
std::vector<int64_t> Generator::displacements(const std::vector<int64_t> &spans,
                                              int64_t unit) {
  std::vector<int64_t> places(spans.size());
  if (!isSpread || unit == 0) {
    for (int64_t &place : places)
      place = choices.between(-20, 20);
    return places;
  }
  std::vector<int64_t> order(spans.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  if (choices.oneIn(3))
    shuffle(order);
  int64_t next = choices.between(-10, 10);
  for (int64_t i : order) {
    places[i] = next;
    next += (spans[i] + unit - 1) / unit + gap();
  }
  // Descending: multiples of a unit may have a negative extent, too.
  if (choices.oneIn(4))
    for (int64_t &place : places)
      place = -place;
  return places;
}

TypeRef Generator::primitive() {
  using Primitive = farc::PrimitiveDatatype;
  auto type =
      options.primitives.empty()
          ? static_cast<Primitive::PrimitiveType>(
                choices.below(Primitive::PrimitiveTypeCount))
          : options.primitives[choices.below(options.primitives.size())];
  return std::make_unique<Primitive>(type);
}

TypeRef Generator::contiguous(int depth, int64_t budget) {
  int64_t n = count(budget);
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(n, 1));
  return std::make_unique<farc::ContiguousDatatype>(n, base.get());
}

TypeRef Generator::vector(int depth, int64_t budget) {
  int64_t n = count(budget), length = count(budget / std::max<int64_t>(n, 1));
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(n * length, 1));
  int64_t stride = choices.between(-3, 9), extent = std::abs(base->getExtent());
  if (isSpread && extent != 0) {
    stride = (spanOf(*base, length) + extent - 1) / extent + gap();
    stride *= choices.oneIn(4) ? -1 : 1;
  }
  return std::make_unique<farc::VectorDatatype>(n, length, stride, base.get());
}

TypeRef Generator::hvector(int depth, int64_t budget) {
  int64_t n = count(budget), length = count(budget / std::max<int64_t>(n, 1));
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(n * length, 1));
  int64_t stride = choices.between(-33, 99);
  if (isSpread) {
    stride = spanOf(*base, length) + gap();
    stride *= choices.oneIn(4) ? -1 : 1;
  }
  return std::make_unique<farc::HVectorDatatype>(n, length, stride, base.get());
}

TypeRef Generator::indexed(int depth, int64_t budget) {
  int64_t n = count(budget);
  std::vector<int64_t> lengths = blockLengths(n, budget);
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(3 * n, 1));
  std::vector<int64_t> spans;
  for (int64_t length : lengths)
    spans.push_back(spanOf(*base, length));
  std::vector<int64_t> places =
      displacements(spans, std::abs(base->getExtent()));
  return std::make_unique<farc::IndexedDatatype>(n, lengths.data(),
                                                 places.data(), base.get());
}

TypeRef Generator::hindexed(int depth, int64_t budget) {
  int64_t n = count(budget);
  std::vector<int64_t> lengths = blockLengths(n, budget);
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(3 * n, 1));
  std::vector<int64_t> spans;
  for (int64_t length : lengths)
    spans.push_back(spanOf(*base, length));
  std::vector<int64_t> places = displacements(spans, 1);
  return std::make_unique<farc::HIndexedDatatype>(n, lengths.data(),
                                                  places.data(), base.get());
}

TypeRef Generator::indexedBlock(int depth, int64_t budget) {
  int64_t n = count(budget), length = count(budget / std::max<int64_t>(n, 1));
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(n * length, 1));
  std::vector<int64_t> places =
      displacements(std::vector<int64_t>(n, spanOf(*base, length)),
                    std::abs(base->getExtent()));
  return std::make_unique<farc::IndexedBlockDatatype>(n, length, places.data(),
                                                      base.get());
}

TypeRef Generator::hindexedBlock(int depth, int64_t budget) {
  int64_t n = count(budget), length = count(budget / std::max<int64_t>(n, 1));
  TypeRef base = make(depth - 1, budget / std::max<int64_t>(n * length, 1));
  std::vector<int64_t> places =
      displacements(std::vector<int64_t>(n, spanOf(*base, length)), 1);
  return std::make_unique<farc::HIndexedBlockDatatype>(n, length, places.data(),
                                                       base.get());
}

TypeRef Generator::structure(int depth, int64_t budget) {
  int64_t n = choices.oneIn(12) ? 0 : choices.between(1, 5);
  std::vector<int64_t> lengths = blockLengths(n, budget), spans;
  std::vector<TypeRef> owned;
  std::vector<const farc::Datatype *> types;
  for (int64_t length : lengths) {
    owned.push_back(make(depth - 1, budget / (3 * n)));
    types.push_back(owned.back().get());
    spans.push_back(spanOf(*types.back(), length));
  }
  std::vector<int64_t> places = displacements(spans, 1);
  return std::make_unique<farc::StructDatatype>(n, lengths.data(),
                                                places.data(), types.data());
}

TypeRef Generator::resized(int depth, int64_t budget) {
  TypeRef base = make(depth - 1, budget);
  int64_t low = choices.between(-9, 9);
  int64_t extent = choices.between(options.hasNegativeExtents ? -40 : 0, 80);
  if (isSpread) {
    extent = base->getTrueExtent() + gap();
    if (options.hasNegativeExtents && choices.oneIn(8))
      extent = -extent;
  }
  return std::make_unique<farc::ResizedDatatype>(base.get(), low, extent);
}

TypeRef Generator::subarray(int depth, int64_t budget) {
  int64_t rank = choices.between(1, 4);
  std::vector<int64_t> sizes, subsizes, starts;
  for (int64_t d = 0; d != rank; ++d) {
    sizes.push_back(choices.between(1, rank > 2 ? 5 : 12));
    subsizes.push_back(
        choices.between(1, std::clamp<int64_t>(budget, 1, sizes.back())));
    starts.push_back(choices.between(0, sizes.back() - subsizes.back()));
    budget /= subsizes.back();
  }
  TypeRef base = make(depth - 1, budget);
  auto order = choices.oneIn(2) ? farc::ORDER_FORTRAN : farc::ORDER_C;
  return std::make_unique<farc::SubarrayDatatype>(
      rank, sizes.data(), subsizes.data(), starts.data(), order, base.get());
}

TypeRef Generator::distributedArray(int depth, int64_t budget) {
  int64_t rank = choices.between(1, 3), processes = 1;
  std::vector<int64_t> sizes, arguments, grid;
  std::vector<farc::Distribution> distributions;
  for (int64_t d = 0; d != rank; ++d) {
    int64_t size = choices.between(1, std::clamp<int64_t>(budget, 1, 9));
    auto distribution = static_cast<farc::Distribution>(choices.below(3));
    bool isWhole = distribution == farc::DISTRIBUTE_NONE;
    int64_t along = isWhole ? 1 : choices.between(1, 3);
    int64_t argument = farc::DISTRIBUTE_DFLT_DARG;
    int64_t least =
        distribution == farc::DISTRIBUTE_BLOCK ? (size + along - 1) / along : 1;
    if (!isWhole && choices.oneIn(2))
      argument = choices.between(least, least + 2);
    sizes.push_back(size);
    distributions.push_back(distribution);
    arguments.push_back(argument);
    grid.push_back(along);
    processes *= along;
    budget /= size;
  }
  TypeRef base = make(depth - 1, budget);
  auto order = choices.oneIn(2) ? farc::ORDER_FORTRAN : farc::ORDER_C;
  return std::make_unique<farc::DarrayDatatype>(
      processes, choices.below(processes), rank, sizes.data(),
      distributions.data(), arguments.data(), grid.data(), order, base.get());
}

TypeRef Generator::dup(int depth, int64_t budget) {
  TypeRef base = make(depth - 1, budget);
  return std::make_unique<farc::DupDatatype>(base.get());
}

TypeRef Generator::make(int depth, int64_t budget) {
  using Maker = TypeRef (Generator::*)(int, int64_t);
  static constexpr Maker makers[] = {
      &Generator::contiguous,    &Generator::vector,
      &Generator::hvector,       &Generator::indexed,
      &Generator::hindexed,      &Generator::indexedBlock,
      &Generator::hindexedBlock, &Generator::structure,
      &Generator::resized,       &Generator::subarray,
      &Generator::vector,        &Generator::distributedArray,
      &Generator::structure,     &Generator::dup};
  if (depth == 0 || choices.oneIn(12))
    return primitive();
  return (this->*makers[choices.below(std::size(makers))])(depth, budget);
}

TypeRef sluice::pack::naive::randomType(Choices &choices,
                                        const RandomTypeOptions &options) {
  for (int depth = choices.between(1, options.maxDepth);; --depth) {
    Generator generator(choices, options);
    TypeRef type = generator.make(depth, options.maxElements);
    if (depth == 0 || (type->getTrueExtent() <= options.maxSpan &&
                       std::abs(type->getExtent()) <= options.maxSpan))
      return type;
  }
}
