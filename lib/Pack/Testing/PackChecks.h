//===- PackChecks.h - What must hold for every layout, for tests ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that random tests and fuzzers make of each layout they come up
// with, against the type map. Each returns what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_PACKCHECKS_H
#define SLUICE_LIB_PACK_TESTING_PACKCHECKS_H

#include "NaivePacker.h"
#include "RandomTypes.h"

#include "sluice/Pack/Kernel.h"
#include "sluice/Pack/Packer.h"

#include <string>
#include <vector>

namespace sluice::pack::naive {

/// A buffer of just the bytes that `count` instances touch, so that a sanitizer
/// sees every other access, filled with bytes that tell positions apart.
class Buffer {
public:
  Buffer(const TypeMap &map, int64_t count, unsigned seed);

  /// What a caller passes: the address of offset 0, perhaps outside.
  std::byte *address() {
    return reinterpret_cast<std::byte *>(
        reinterpret_cast<uintptr_t>(bytes.data()) - range.low);
  }
  bool operator==(const Buffer &other) const { return bytes == other.bytes; }

private:
  Range range;
  std::vector<std::byte> bytes;
};

/// A layout with all that is checked against.
struct Subject {
  Subject(const farc::Datatype &type, const TypeMap &map, int64_t count)
      : type(type), map(map), layout(farc::layoutOf(type)), count(count),
        isUnpackable(!overlaps(map, count)) {}

  const farc::Datatype &type;
  const TypeMap &map;
  Layout layout;
  int64_t count;
  bool isUnpackable;
};

/// Sizes, extents and bounds against the definition.
std::string checkBounds(const farc::Datatype &type, const TypeMap &map);
/// Clone, text and contents give the same type.
std::string checkCopies(const farc::Datatype &type);
/// The elements that the type visits are those of the type map.
std::string checkElements(const farc::Datatype &type, const TypeMap &map);
/// Pack, unpack, and both for parts at random positions.
std::string checkKernel(const Subject &subject, const Kernel &kernel,
                        Choices &choices);
/// The same by the packer of a committed type, which counts uses.
std::string checkPacker(const Subject &subject, Packer &packer,
                        Choices &choices);
/// Between the layout and others of the same packed size.
std::string checkTranspack(const Subject &subject, Choices &choices);
/// The interpreter, and ready-made kernels of every instruction set there is
/// here.
std::vector<Kernel> allKernels(const Layout &layout);

/// All of the above.
std::string checkAll(const farc::Datatype &type, const TypeMap &map,
                     int64_t count, Choices &choices);

/// A type made anew from what envelope and contents say of `type`.
std::unique_ptr<farc::Datatype> rebuild(const farc::Datatype &type);
/// Where two types differ in constructors or arguments; nothing if nowhere.
std::string differenceBetween(const farc::Datatype &left,
                              const farc::Datatype &right);

} // namespace sluice::pack::naive

#endif // SLUICE_LIB_PACK_TESTING_PACKCHECKS_H
