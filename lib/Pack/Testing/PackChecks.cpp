//===- PackChecks.cpp - Checks of layouts for tests -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares everything byte for byte with the type map.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include <algorithm>
#include <functional>

using namespace sluice::pack;
using namespace sluice::pack::naive;

using Bytes = std::vector<std::byte>;

static std::byte testByte(size_t position, unsigned seed) {
  uint64_t z = (position + 1) * 0x9e3779b97f4a7c15 + seed * 0x94d049bb133111eb;
  return static_cast<std::byte>((z ^ z >> 29) >> 13);
}

Buffer::Buffer(const TypeMap &map, int64_t count, unsigned seed)
    : range(touchedRange(map, count)), bytes(range.high - range.low) {
  bytes.reserve(1); // MPIs refuse null even for empty data
  for (size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = testByte(i, seed);
}

static std::string expectEqual(const char *what, int64_t is, int64_t expected) {
  if (is == expected)
    return "";
  return std::string(what) + " is " + std::to_string(is) + ", expected " +
         std::to_string(expected);
}

/// The first problem that is not empty.
static std::string firstOf(std::initializer_list<std::string> problems) {
  for (const std::string &problem : problems)
    if (!problem.empty())
      return problem;
  return "";
}

std::string naive::checkBounds(const farc::Datatype &type, const TypeMap &map) {
  return firstOf({
      expectEqual("size", type.getSize(), map.size()),
      expectEqual("lower bound", type.getLowerBound(), map.lowerBound),
      expectEqual("upper bound", type.getUpperBound(), map.upperBound),
      expectEqual("extent", type.getExtent(), map.extent()),
      expectEqual("true lower bound", type.getTrueLowerBound(),
                  map.trueLowerBound()),
      expectEqual("true upper bound", type.getTrueUpperBound(),
                  map.trueUpperBound()),
      expectEqual("true extent", type.getTrueExtent(),
                  map.trueUpperBound() - map.trueLowerBound()),
      expectEqual("size of the form", type.normalForm().form->size, map.size()),
  });
}

std::string naive::checkCopies(const farc::Datatype &type) {
  std::unique_ptr<farc::Datatype> clone(type.clone());
  std::vector<std::unique_ptr<farc::Datatype>> parsed = [&] {
    std::vector<std::unique_ptr<farc::Datatype>> v;
    v.push_back(rebuild(type));
    return v;
  }();
  if (parsed.size() != 1)
    return "the text reads as " + std::to_string(parsed.size()) + " types";
  std::unique_ptr<farc::Datatype> rebuilt = rebuild(type);
  for (const farc::Datatype *copy :
       {clone.get(), parsed[0].get(), rebuilt.get()})
    if (std::string problem = differenceBetween(type, *copy); !problem.empty())
      return problem;
  if (!(layoutOf(*parsed[0]) == layoutOf(type)))
    return "the type that was read from the text has another form";
  return "";
}

std::string naive::checkElements(const farc::Datatype &type,
                                 const TypeMap &map) {
  size_t next = 0;
  std::string problem;
  auto visit = [&](int64_t offset, const farc::PrimitiveDatatype &primitive,
                   int64_t count) {
    for (int64_t i = 0; i != count && problem.empty(); ++i, ++next) {
      int64_t at = offset + i * primitive.getSize();
      if (next == map.elements.size() || map.elements[next].offset != at ||
          map.elements[next].size != primitive.getSize())
        problem = "element " + std::to_string(next) + " is visited at " +
                  std::to_string(at);
    }
  };
  type.forEachElement(0, visit);
  if (problem.empty() && next != map.elements.size())
    return expectEqual("number of visited elements", next, map.elements.size());
  return problem;
}

namespace {

/// The four operations, with a kernel or a packer.
struct Operations {
  std::function<void(const void *in, int64_t count, void *out)> pack;
  std::function<void(const void *in, void *out, int64_t count)> unpack;
  std::function<void(const void *in, int64_t count, int64_t position,
                     int64_t length, void *out)>
      packPart;
  std::function<void(const void *in, int64_t position, int64_t length,
                     void *out, int64_t count)>
      unpackPart;
};

} // namespace

static std::string checkParts(const Subject &subject, const Operations &does,
                              const Bytes &packed, Choices &choices) {
  const TypeMap &map = subject.map;
  int64_t count = subject.count, total = packed.size();
  int64_t position = choices.below(total + 1);
  int64_t length = choices.below(total - position + 1);
  std::string where = " of bytes [" + std::to_string(position) + ", " +
                      std::to_string(position + length) + ")";
  Buffer source(map, count, 1);
  Bytes part(length);
  does.packPart(source.address(), count, position, length, part.data());
  if (!std::equal(part.begin(), part.end(), packed.begin() + position))
    return "packing" + where + " gives other bytes";
  if (!subject.isUnpackable)
    return "";
  Buffer target(map, count, 2), expected(map, count, 2);
  unpackPart(map, part, position, expected.address(), count);
  does.unpackPart(part.data(), position, length, target.address(), count);
  if (!(target == expected))
    return "unpacking" + where + " gives other bytes";
  return "";
}

static std::string checkOperations(const Subject &subject,
                                   const Operations &does, Choices &choices) {
  const TypeMap &map = subject.map;
  int64_t count = subject.count;
  Buffer source(map, count, 1), untouched(map, count, 1);
  Bytes expected = pack(map, source.address(), count);
  Bytes packed(expected.size());
  does.pack(source.address(), count, packed.data());
  if (packed != expected)
    return "packing gives other bytes";
  if (!(source == untouched))
    return "packing changed the source";
  if (subject.isUnpackable) {
    Buffer target(map, count, 2), correct(map, count, 2);
    unpackPart(map, packed, 0, correct.address(), count);
    does.unpack(packed.data(), target.address(), count);
    if (!(target == correct))
      return "unpacking gives other bytes";
  }
  for (int i = 0; i != 3; ++i)
    if (std::string problem = checkParts(subject, does, packed, choices);
        !problem.empty())
      return problem;
  return "";
}

static Operations operationsOf(const Layout &layout, const Kernel &kernel) {
  auto in = [](const void *p) { return static_cast<const std::byte *>(p); };
  auto out = [](void *p) { return static_cast<std::byte *>(p); };
  return {
      [=](const void *from, int64_t count, void *to) {
        kernel.pack(in(from), count, out(to), kernel.context.get());
      },
      [=](const void *from, void *to, int64_t count) {
        kernel.unpack(in(from), count, out(to), kernel.context.get());
      },
      [=](const void *from, int64_t count, int64_t position, int64_t length,
          void *to) {
        packRange(layout, kernel, in(from), count, position, length, out(to));
      },
      [=](const void *from, int64_t position, int64_t length, void *to,
          int64_t count) {
        unpackRange(layout, kernel, in(from), position, length, out(to), count);
      }};
}

std::string naive::checkKernel(const Subject &subject, const Kernel &kernel,
                               Choices &choices) {
  std::string problem =
      checkOperations(subject, operationsOf(subject.layout, kernel), choices);
  return problem.empty() ? "" : "kernel '" + kernel.name + "': " + problem;
}

std::string naive::checkPacker(const Subject &subject, Packer &packer,
                               Choices &choices) {
  Operations does = {
      [&](const void *in, int64_t count, void *out) {
        packer.pack(in, count, out);
      },
      [&](const void *in, void *out, int64_t count) {
        packer.unpack(in, out, count);
      },
      [&](const void *in, int64_t count, int64_t position, int64_t length,
          void *out) { packer.packPart(in, count, position, length, out); },
      [&](const void *in, int64_t position, int64_t length, void *out,
          int64_t count) {
        packer.unpackPart(in, position, length, out, count);
      }};
  std::string problem = checkOperations(subject, does, choices);
  return problem.empty()
             ? ""
             : "packer with '" + packer.kernel().name + "': " + problem;
}

/// Bytes in blocks of random lengths at random distances, `size` in total.
static std::unique_ptr<farc::Datatype> scattered(int64_t size,
                                                 Choices &choices) {
  std::vector<int64_t> lengths, places;
  int64_t most = choices.between(1, 70), next = choices.between(-9, 9);
  for (int64_t left = size; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, choices.between(1, most)));
    places.push_back(next);
    next += lengths.back() + choices.below(3);
  }
  farc::PrimitiveDatatype byte(farc::PrimitiveDatatype::BYTE);
  return std::make_unique<farc::HIndexedDatatype>(
      lengths.size(), lengths.data(), places.data(), &byte);
}

/// Bytes at equal distances, `size` in total.
static std::unique_ptr<farc::Datatype> strided(int64_t size, Choices &choices) {
  int64_t width = choices.between(1, 16);
  while (size % width)
    --width;
  farc::PrimitiveDatatype byte(farc::PrimitiveDatatype::BYTE);
  return std::make_unique<farc::HVectorDatatype>(
      size / width, width, width + choices.below(9), &byte);
}

std::string naive::checkTranspack(const Subject &subject, Choices &choices) {
  int64_t count = subject.count, total = subject.map.size() * count;
  std::unique_ptr<farc::Datatype> other =
      choices.oneIn(2) ? strided(total, choices) : scattered(total, choices);
  std::optional<TypeMap> otherMap = typeMapOf(*other);
  if (!otherMap)
    return "";
  std::shared_ptr<Packer> ours = Packer::of(subject.layout);
  std::shared_ptr<Packer> theirs = Packer::of(layoutOf(*other));

  Buffer source(subject.map, count, 1);
  Buffer target(*otherMap, 1, 2), expected(*otherMap, 1, 2);
  Bytes packed = pack(subject.map, source.address(), count);
  unpackPart(*otherMap, packed, 0, expected.address(), 1);
  Status status =
      transpack(*ours, source.address(), count, *theirs, target.address(), 1);
  if (!status.ok() || !(target == expected))
    return "transpacking to '" + other->toString() + "' gives other bytes";
  if (!subject.isUnpackable)
    return "";

  Buffer back(subject.map, count, 3), correct(subject.map, count, 3);
  unpackPart(subject.map, packed, 0, correct.address(), count);
  status =
      transpack(*theirs, target.address(), 1, *ours, back.address(), count);
  if (!status.ok() || !(back == correct))
    return "transpacking from '" + other->toString() + "' gives other bytes";
  return "";
}

std::vector<Kernel> naive::allKernels(const Layout &layout) {
  std::vector<Kernel> kernels = {interpretedKernel(layout)};
  Processor processor = thisProcessor();
  auto best = static_cast<int>(processor.vectors);
  for (int vectors = 0; vectors <= best; ++vectors) {
    processor.vectors = static_cast<Processor::Vectors>(vectors);
    processor.hasVBMI = vectors == best && thisProcessor().hasVBMI;
    kernels.push_back(readyMadeKernel(layout, processor));
  }
  // As a buffer larger than the caches would select it.
  processor.level2Bytes = processor.lastLevelBytes = 1;
  kernels.push_back(readyMadeKernel(layout, processor));
  return kernels;
}

std::string naive::checkAll(const farc::Datatype &type, const TypeMap &map,
                            int64_t count, Choices &choices) {
  std::string problem = firstOf(
      {checkBounds(type, map), checkCopies(type), checkElements(type, map)});
  if (!problem.empty())
    return problem;
  Subject subject(type, map, count);
  for (const Kernel &kernel : allKernels(subject.layout))
    if (problem = checkKernel(subject, kernel, choices); !problem.empty())
      return problem;
  problem = checkPacker(subject, *Packer::of(subject.layout), choices);
  return problem.empty() ? checkTranspack(subject, choices) : problem;
}
