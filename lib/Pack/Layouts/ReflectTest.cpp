//===- ReflectTest.cpp - Tests of layouts of C++ types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares layouts with the compiler's types: sizes and offsets, and the bytes
// of packed objects.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Reflect.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace sluice;

namespace {

template <typename T> std::string textOf() {
  auto layout = layoutOf<T>();
  EXPECT_EQ(layout->getLowerBound(), 0);
  EXPECT_EQ(layout->getExtent(), int64_t(sizeof(T)));
  return layout->toString();
}

enum class Colour : unsigned short { Red, Green };
enum Plain : int { None };

TEST(ReflectTest, BasicTypes) {
  EXPECT_EQ(textOf<int>(), "int");
  EXPECT_EQ(textOf<const volatile double>(), "double");
  EXPECT_EQ(textOf<bool>(), "bool");
  EXPECT_EQ(textOf<char>(), "char");
  EXPECT_EQ(textOf<signed char>(), "signed_char");
  EXPECT_EQ(textOf<unsigned char>(), "unsigned_char");
  EXPECT_EQ(textOf<char8_t>(), "unsigned_char");
  EXPECT_EQ(textOf<char16_t>(), "uint16");
  EXPECT_EQ(textOf<char32_t>(), "uint32");
  EXPECT_EQ(textOf<wchar_t>(), "wchar");
  EXPECT_EQ(textOf<short>(), "short");
  EXPECT_EQ(textOf<unsigned short>(), "unsigned_short");
  EXPECT_EQ(textOf<unsigned>(), "unsigned");
  EXPECT_EQ(textOf<long>(), "long");
  EXPECT_EQ(textOf<unsigned long>(), "unsigned_long");
  EXPECT_EQ(textOf<long long>(), "long_long");
  EXPECT_EQ(textOf<unsigned long long>(), "unsigned_long_long");
  EXPECT_EQ(textOf<float>(), "float");
  EXPECT_EQ(textOf<long double>(), "long_double");
  EXPECT_EQ(textOf<std::complex<float>>(), "float_complex");
  EXPECT_EQ(textOf<std::complex<double>>(), "double_complex");
  EXPECT_EQ(textOf<std::complex<long double>>(), "long_double_complex");
  EXPECT_EQ(textOf<std::byte>(), "byte");
  EXPECT_EQ(textOf<Colour>(), "unsigned_short");
  EXPECT_EQ(textOf<Plain>(), "int");
}

TEST(ReflectTest, Arrays) {
  EXPECT_EQ(textOf<int[3]>(), "ctg(3)[int]");
  EXPECT_EQ((textOf<double[2][3]>()), "ctg(2)[ctg(3)[double]]");
  EXPECT_EQ((textOf<std::array<float, 4>>()), "ctg(4)[float]");
  EXPECT_EQ((textOf<std::array<std::array<char, 2>, 3>[2]>()),
            "ctg(2)[ctg(3)[ctg(2)[char]]]");
}

struct Particle {
  double position[3];
  int id;
};

TEST(ReflectTest, StructsHaveTheirPaddingInTheExtentOnly) {
  EXPECT_EQ(textOf<Particle>(), "struct(0,1[ctg(3)[double]] 24,1[int])");
  EXPECT_EQ(layoutOf<Particle>()->getSize(), 28);
  struct Mixed {
    char a;
    double b;
    short c;
    int d;
  };
  EXPECT_EQ(textOf<Mixed>(),
            "struct(0,1[char] 8,1[double] 16,1[short] 20,1[int])");
  struct alignas(32) Aligned {
    int a;
  };
  EXPECT_EQ(textOf<Aligned>(), "resized(0,32)[struct(0,1[int])]");
  struct Empty {};
  EXPECT_EQ(textOf<Empty>(), "resized(0,1)[struct()]");
}

TEST(ReflectTest, StructsNest) {
  struct Cell {
    Particle particles[2];
    std::array<Particle, 2> more;
    Colour colour;
    const bool isFull = false;
    std::complex<double> weight;
    struct {
      char x, y;
    } pair;
  };
  EXPECT_EQ(textOf<Cell>(),
            "struct(0,1[ctg(2)[struct(0,1[ctg(3)[double]] 24,1[int])]] "
            "64,1[ctg(2)[struct(0,1[ctg(3)[double]] 24,1[int])]] "
            "128,1[unsigned_short] 130,1[bool] 136,1[double_complex] "
            "152,1[struct(0,1[char] 1,1[char])])");
}

TEST(ReflectTest, LargeArraysAreOneField) {
  struct Field {
    double values[100000];
    char names[64][8];
    int count;
  };
  EXPECT_EQ(textOf<Field>(), "struct(0,1[ctg(100000)[double]] "
                             "800000,1[ctg(64)[ctg(8)[char]]] 800512,1[int])");
}

struct SixtyFour {
  int a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14,
      a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29,
      a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44,
      a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59,
      a60, a61, a62, a63;
};

TEST(ReflectTest, ThereMayBeManyFields) {
  auto layout = layoutOf<SixtyFour>();
  EXPECT_EQ(layout->getSubtypes().size(), 64u);
  EXPECT_EQ(layout->getSize(), 256);
  EXPECT_EQ(*layoutOf(*layout).form, *pack::blockForm(256));
}

struct ThirtyTwo {
  char a00;
  double a01;
  char a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15;
  double a16;
  char a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30;
  long double a31;
};

TEST(ReflectTest, OffsetsAreTheCompilers) {
  auto layout = layoutOf<ThirtyTwo>();
  std::vector<int64_t> places = layout->getContents().addresses;
  ASSERT_EQ(places.size(), 32u);
  EXPECT_EQ(places[1], int64_t(offsetof(ThirtyTwo, a01)));
  EXPECT_EQ(places[16], int64_t(offsetof(ThirtyTwo, a16)));
  EXPECT_EQ(places[17], int64_t(offsetof(ThirtyTwo, a17)));
  EXPECT_EQ(places[31], int64_t(offsetof(ThirtyTwo, a31)));
}

TEST(ReflectTest, ObjectsArePackedWithoutPadding) {
  auto layout = layoutOf<Particle>();
  farc::DDT_Commit(layout.get());
  const Particle particles[2] = {{{1, 2, 3}, 4}, {{5, 6, 7}, 8}};
  char packed[56];
  farc::DDT_Pack(particles, packed, layout.get(), 2);
  double value;
  int id;
  memcpy(&value, packed + 28 + 8, sizeof value);
  memcpy(&id, packed + 28 + 24, sizeof id);
  EXPECT_EQ(value, 6);
  EXPECT_EQ(id, 8);
  Particle back[2] = {};
  farc::DDT_Unpack(packed, back, layout.get(), 2);
  EXPECT_EQ(memcmp(back[1].position, particles[1].position, 24), 0);
  EXPECT_EQ(back[0].id, 4);
}

/// A class with private members and one member that is not packed.
class Body {
public:
  explicit Body(double mass) : mass(mass) {}
  virtual ~Body() = default;

private:
  friend struct sluice::LayoutTrait<Body>;
  [[maybe_unused]] Body *next = nullptr;
  [[maybe_unused]] float velocity[2] = {};
  double mass;
};

struct Handwritten {
  int *pointer;
  int value;
};

struct Derived : Particle {
  short flag;
};

struct Holder {
  Handwritten inside;
  int value;
};

} // namespace

SLUICE_LAYOUT(Body, mass, velocity);
SLUICE_LAYOUT(Derived, position, id, flag);
template <> struct sluice::LayoutTrait<Handwritten> {
  static std::unique_ptr<farc::Datatype> layout() {
    auto value = layoutOf<int>();
    int64_t place = offsetof(Handwritten, value);
    farc::HIndexedBlockDatatype placed(1, 1, &place, value.get());
    return std::make_unique<farc::ResizedDatatype>(&placed, 0,
                                                   sizeof(Handwritten));
  }
};

namespace {

TEST(ReflectTest, MembersCanBeListed) {
  EXPECT_EQ(textOf<Body>(),
            "resized(0,32)[struct(24,1[double] 16,1[ctg(2)[float]])]");
  EXPECT_EQ(textOf<Derived>(),
            "struct(0,1[ctg(3)[double]] 24,1[int] 32,1[short])");
}

TEST(ReflectTest, TraitsAreUsedInsideOtherTypes) {
  EXPECT_EQ(textOf<Holder>(),
            "resized(0,24)[struct(0,1[resized(0,16)[hidxb(1: 8)[int]]] "
            "16,1[int])]");
}

} // namespace
