//===- PackChecks.h - Checks of layouts for tests -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that random tests and fuzzers make for each layout, against the
// type map. Each returns a problem, or nothing.
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

/// A buffer of exactly the bytes that `count` instances use, so that a
/// sanitizer detects every other access, filled with bytes that distinguish
/// positions.
class Buffer {
public:
  Buffer(const TypeMap &map, int64_t count, unsigned seed);

  /// The address that a caller passes: that of offset 0, possibly outside.
  std::byte *address() {
    return reinterpret_cast<std::byte *>(
        reinterpret_cast<uintptr_t>(bytes.data()) - range.low);
  }
  bool operator==(const Buffer &other) const { return bytes == other.bytes; }

private:
  Range range;
  std::vector<std::byte> bytes;
};

/// A layout with all data for its checks.
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
/// Clone, text and contents result in the same type.
std::string checkCopies(const farc::Datatype &type);
/// The elements that the type visits are those of the type map.
std::string checkElements(const farc::Datatype &type, const TypeMap &map);
/// The same with the packer of a committed type, which counts uses.
std::string checkKernel(const Subject &subject, const Kernel &kernel,
                        Choices &choices);
/// The same by the packer of a committed type, which counts uses.
std::string checkPacker(const Subject &subject, Packer &packer,
                        Choices &choices);
/// Between the layout and others of the same packed size.
std::string checkTranspack(const Subject &subject, Choices &choices);
/// The interpreter, and ready-made kernels for every instruction set of this
/// machine.
std::vector<Kernel> allKernels(const Layout &layout);

/// All of the above.
std::string checkAll(const farc::Datatype &type, const TypeMap &map,
                     int64_t count, Choices &choices);

/// A type rebuilt from the envelope and contents of `type`.
std::unique_ptr<farc::Datatype> rebuild(const farc::Datatype &type);
/// The first difference in constructors or arguments; nothing if there is none.
std::string differenceBetween(const farc::Datatype &left,
                              const farc::Datatype &right);

} // namespace sluice::pack::naive

#endif // SLUICE_LIB_PACK_TESTING_PACKCHECKS_H
