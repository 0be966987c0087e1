//===- HugeTest.cpp - Layouts and packed sizes beyond 2 and 4 GiB ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that nothing is truncated to 32 bits. Buffers are sparse: address space
// in which only accessed pages have memory.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include "sluice-c/Pack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

using namespace sluice::pack;
using namespace sluice::pack::naive;

namespace {

constexpr int64_t GiB = int64_t(1) << 30;

/// Zeros from `-below` to `above` around the address.
class SparseBuffer {
public:
  SparseBuffer(int64_t below, int64_t above)
      : below(below), size(below + above) {
    void *mapped = mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      return;
    madvise(mapped, size_t(size), MADV_HUGEPAGE); // fewer page faults
    first = static_cast<std::byte *>(mapped);
  }
  ~SparseBuffer() {
    if (first)
      munmap(first, size_t(size));
  }
  SparseBuffer(const SparseBuffer &) = delete;

  bool isThere() const { return first; }
  std::byte *address() { return first + below; }

private:
  int64_t below;
  int64_t size;
  std::byte *first = nullptr;
};

/// Few elements, far apart.
struct FarApart {
  const char *text;
  int64_t count;
};

class FarApartTest : public testing::TestWithParam<FarApart> {};

/// A number that distinguishes element `i` of a type map from others.
std::byte valueOf(size_t i) { return static_cast<std::byte>(17 + 31 * i); }

void forEachByte(const TypeMap &map, int64_t count,
                 const std::function<void(int64_t, size_t)> &visit) {
  size_t next = 0;
  for (int64_t k = 0; k != count; ++k)
    for (const Element &element : map.elements)
      for (int64_t byte = 0; byte != element.size; ++byte)
        visit(k * map.extent() + element.offset + byte, next++);
}

void checkFarApart(const Layout &layout, const Kernel &kernel,
                   const TypeMap &map, int64_t count) {
  Range range = touchedRange(map, count);
  SparseBuffer source(4096 - range.low, range.high + 4096);
  SparseBuffer target(4096 - range.low, range.high + 4096);
  ASSERT_TRUE(source.isThere() && target.isThere());
  forEachByte(map, count, [&](int64_t offset, size_t i) {
    source.address()[offset] = valueOf(i);
  });
  std::vector<std::byte> packed(size_t(map.size() * count));
  kernel.pack(source.address(), count, packed.data(), kernel.context.get());
  for (size_t i = 0; i != packed.size(); ++i)
    ASSERT_EQ(packed[i], valueOf(i)) << "byte " << i << " of " << kernel.name;

  // In two parts, the second first.
  int64_t middle = int64_t(packed.size()) / 2 + 1;
  int64_t rest = int64_t(packed.size()) - middle;
  std::vector<std::byte> part(packed.size());
  packRange(layout, kernel, source.address(), count, middle, rest,
            part.data() + middle);
  packRange(layout, kernel, source.address(), count, 0, middle, part.data());
  ASSERT_EQ(part, packed);
  unpackRange(layout, kernel, part.data(), 0, middle, target.address(), count);
  kernel.unpack(packed.data(), count, target.address(), kernel.context.get());
  forEachByte(map, count, [&](int64_t offset, size_t i) {
    ASSERT_EQ(target.address()[offset], valueOf(i));
  });
}

TEST_P(FarApartTest, IsPackedAndUnpackedByEveryKernel) {
  auto types = farc::parseDatatypes(GetParam().text);
  std::optional<TypeMap> map = typeMapOf(*types.at(0));
  ASSERT_TRUE(map);
  EXPECT_EQ(checkBounds(*types[0], *map), "");
  Layout layout = farc::layoutOf(*types[0]);
  for (const Kernel &kernel : allKernels(layout))
    checkFarApart(layout, kernel, *map, GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(
    HugeTest, FarApartTest,
    testing::Values(
        // Strides just beyond 2^31 and 2^32, up and down.
        FarApart{"hvec(5 1 2147483656)[double]", 1},
        FarApart{"hvec(3 2 -2147483656)[int]", 1},
        FarApart{"vec(4 3 1073741827)[int]", 1},
        FarApart{"hvec(2 1 4294967297)[byte]", 1},
        // Displacements in bytes and in elements.
        FarApart{"hidx(0,1 5368709127,2 -3221225472,3)[short]", 1},
        FarApart{"idx(0,1 1610612737,1 -536870913,2)[int]", 1},
        FarApart{"hidxb(2: 0 2147483648 4294967296 4294967299)[byte]", 1},
        FarApart{"idxb(1: 0 268435457 805306369 1000000000)[double]", 1},
        FarApart{"struct(0,1[byte] 2147483649,1[int] 6442450944,3[double])", 1},
        // Extents.
        FarApart{"resized(0,2147483652)[int]", 3},
        FarApart{"resized(-5,4294967301)[hidx(0,1 7,2)[byte]]", 2},
        FarApart{"resized(0,-3221225473)[struct(0,1[int] 8,1[byte])]", 3},
        FarApart{"subarray(c: 3,2,1 40000,2,39998 40000,1,39999)[int]", 1}));

/// A long range of addresses over little memory: each window shows the same
/// bytes, so the last written value remains.
class RepeatedWindow {
public:
  static constexpr int64_t Window = 64 << 20;

  explicit RepeatedWindow(int64_t size)
      : size((size + Window - 1) / Window * Window) {
    int file = memfd_create("window", 0);
    void *mapped = mmap(nullptr, size_t(this->size), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || ftruncate(file, Window) != 0 || mapped == MAP_FAILED)
      return;
    first = static_cast<std::byte *>(mapped);
    for (int64_t at = 0; at != this->size; at += Window)
      mmap(first + at, Window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           file, 0);
    close(file);
  }
  ~RepeatedWindow() { munmap(first, size_t(size)); }
  RepeatedWindow(const RepeatedWindow &) = delete;

  std::byte *address() { return first; }

private:
  int64_t size;
  std::byte *first = nullptr;
};

bool isSanitized() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

/// Every second double of 4 GiB; 2 GiB packed.
std::unique_ptr<farc::Datatype> largeVector() {
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::DOUBLE);
  return std::make_unique<farc::VectorDatatype>(GiB / 4, 1, 2, &element);
}

TEST(HugeTest, PartsBeyond4GiBOfTheStream) {
  std::unique_ptr<farc::Datatype> type = largeVector();
  int64_t count = 3, position = 5 * GiB + 3, length = 100000;
  SparseBuffer buffer(0, 13 * GiB), target(0, 13 * GiB);
  ASSERT_TRUE(buffer.isThere() && target.isThere());
  // The address of byte `i` of the stream.
  auto placeOf = [&](int64_t i) {
    int64_t instance = i / type->getSize(), rest = i % type->getSize();
    return instance * type->getExtent() + rest / 8 * 16 + rest % 8;
  };
  for (int64_t i = 0; i != length; ++i)
    buffer.address()[placeOf(position + i)] = valueOf(size_t(i));
  std::shared_ptr<Packer> packer = Packer::of(farc::layoutOf(*type));
  std::vector<std::byte> part(static_cast<size_t>(length));
  packer->packPart(buffer.address(), count, position, length, part.data());
  packer->unpackPart(part.data(), position, length, target.address(), count);
  for (int64_t i = 0; i != length; ++i) {
    ASSERT_EQ(part[size_t(i)], valueOf(size_t(i))) << i;
    ASSERT_EQ(target.address()[placeOf(position + i)], valueOf(size_t(i)));
  }
  EXPECT_EQ(target.address()[placeOf(position - 1)], std::byte(0));
  EXPECT_EQ(target.address()[placeOf(position + length)], std::byte(0));
}

TEST(HugeTest, MoreThan2GiBInOneCall) {
  if (isSanitized())
    GTEST_SKIP() << "takes minutes under a sanitizer";
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::CHAR);
  farc::VectorDatatype type(GiB + 5, 2, 3, &element);
  int64_t total = type.getSize();
  ASSERT_GT(total, 2 * GiB);
  SparseBuffer in(0, type.getExtent());
  RepeatedWindow out(total);
  ASSERT_TRUE(in.isThere() && out.address());
  // The last window is written up to byte 10; the earlier bytes are those of
  // the window that ends at 2 GiB.
  std::vector<int64_t> probes = {2 * GiB - 777, 2 * GiB - 1, 2 * GiB,
                                 2 * GiB + 1, total - 1};
  for (size_t i = 0; i != probes.size(); ++i)
    in.address()[probes[i] / 2 * 3 + probes[i] % 2] = valueOf(i);
  farc::DDT_Commit(&type);
  farc::DDT_Pack(in.address(), out.address(), &type, 1);
  for (size_t i = 0; i != probes.size(); ++i)
    EXPECT_EQ(out.address()[probes[i]], valueOf(i)) << probes[i];
  EXPECT_EQ(out.address()[total - 2], std::byte(0));
}

TEST(HugeTest, TheCInterfaceGives64Bits) {
  LPK_Datatype element, type;
  ASSERT_EQ(LPK_Primitive(LPK_DOUBLE, &element), LPK_SUCCESS);
  ASSERT_EQ(LPK_Vector(3 * GiB, 1, 2, element, &type), LPK_SUCCESS);
  LPK_Aint lower, extent;
  EXPECT_EQ(LPK_Get_extent(type, &lower, &extent), LPK_SUCCESS);
  EXPECT_EQ(extent, (2 * 3 * GiB - 1) * 8);
  LPK_Count size;
  EXPECT_EQ(LPK_Get_size_x(type, &size), LPK_SUCCESS);
  EXPECT_EQ(size, 24 * GiB);
  EXPECT_EQ(LPK_Pack_size(5, type, &size), LPK_SUCCESS);
  EXPECT_EQ(size, 120 * GiB);

  int small = 7;
  EXPECT_EQ(LPK_Get_size(type, &small), LPK_ERR_OVERFLOW);
  EXPECT_STRNE(LPK_Last_error(), "");
  EXPECT_EQ(small, 7);
  int integers[3];
  EXPECT_EQ(LPK_Get_contents(type, 3, 0, 1, integers, nullptr, &element),
            LPK_ERR_OVERFLOW);
  EXPECT_EQ(LPK_Pack_size(int64_t(1) << 40, type, &size), LPK_ERR_OVERFLOW);
  LPK_Free(&type);
  LPK_Free(&element);
}

} // namespace
