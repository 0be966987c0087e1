//===- ConformanceKernels.cpp - Kernels of every device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments, memory of groups, barriers and shapes, and refused ones.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <bit>
#include <numeric>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

template <typename Element>
static void upload(Queue &queue, Buffer &buffer,
                   const std::vector<Element> &elements) {
  must(must(queue.write(buffer, 0, elements.data(),
                        elements.size() * sizeof(Element)))
           .wait());
}

template <typename Element>
static std::vector<Element> download(Queue &queue, Buffer &buffer) {
  std::vector<Element> elements(buffer.size / sizeof(Element));
  must(must(queue.read(elements.data(), buffer, 0,
                       elements.size() * sizeof(Element)))
           .wait());
  return elements;
}

TEST_P(Conformance, RunsSaxpy) {
  constexpr uint64_t count = 1000;
  std::vector<float> x(count), y(count), expected(count);
  for (uint64_t i = 0; i != count; ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
    expected[i] = float(5 * i);
  }
  auto deviceX = allocate(count * sizeof(float));
  auto deviceY = allocate(count * sizeof(float));
  auto queue = createQueue();
  upload(*queue, *deviceX, x);
  upload(*queue, *deviceY, y);
  float a = 3;
  must(queue->launch(
      kernel("saxpy"), {{16, 1, 1}, {64, 1, 1}},
      std::array{memory(*deviceY), memory(*deviceX), value(a), value(count)}));
  EXPECT_EQ(download<float>(*queue, *deviceY), expected);
}

TEST_P(Conformance, PassesEveryKindOfValue) {
  auto buffer = allocate(6 * sizeof(uint64_t));
  auto queue = createQueue();
  int8_t a = -3;
  uint16_t b = 65535;
  int32_t c = INT32_MIN;
  uint64_t d = UINT64_C(0xFEDCBA9876543210);
  float e = -0.0f;
  double f = 1.0 / 3;
  std::array arguments{memory(*buffer), value(a), value(b), value(c),
                       value(d),        value(e), value(f)};
  must(queue->launch(kernel("everyKind"), {}, arguments));
  // The values were copied by the call.
  a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  std::vector<uint64_t> expected{uint64_t(-3),
                                 65535,
                                 uint64_t(INT32_MIN),
                                 UINT64_C(0xFEDCBA9876543210),
                                 std::bit_cast<uint32_t>(-0.0f),
                                 std::bit_cast<uint64_t>(1.0 / 3)};
  EXPECT_EQ(download<uint64_t>(*queue, *buffer), expected);
}

TEST_P(Conformance, PassesNullPointers) {
  auto buffer = allocate(8), other = allocate(4);
  auto queue = createQueue();
  KernelArgument null = memory(*other);
  null.buffer = nullptr;
  for (const KernelArgument &second : {memory(*other), null, memory(*other)}) {
    must(queue->launch(kernel("address"), {},
                       std::array{memory(*buffer), second}));
    EXPECT_EQ(download<uint64_t>(*queue, *buffer)[0] == 0, !second.buffer);
  }
}

/// A launch uses its own arguments, whatever arguments the previous launch had:
/// successive buffers may have the same handle.
TEST_P(Conformance, TakesTheArgumentsOfEachLaunch) {
  DeviceKernel &step = kernel("step");
  auto queue = createQueue();
  uint32_t factor = 3, rounds = 1;
  for (uint32_t i = 0; i != 20; ++i) {
    auto first = allocate(4), second = allocate(4);
    upload<uint32_t>(*queue, *first, {i});
    upload<uint32_t>(*queue, *second, {i + 1});
    for (Buffer *buffer : {first.get(), second.get(), first.get()})
      must(queue->launch(
          step, {},
          std::array{memory(*buffer), value(factor), value(i), value(rounds)}));
    EXPECT_EQ(download<uint32_t>(*queue, *first)[0], (i * 3 + i) * 3 + i);
    EXPECT_EQ(download<uint32_t>(*queue, *second)[0], (i + 1) * 3 + i);
  }
}

TEST_P(Conformance, SharesMemoryInGroups) {
  constexpr uint64_t count = 4096;
  std::vector<uint32_t> in(count);
  std::iota(in.begin(), in.end(), 5u);
  auto queue = createQueue();
  auto deviceIn = allocate(count * 4), deviceOut = allocate(count * 4);
  upload(*queue, *deviceIn, in);
  for (uint64_t items : {1u, 2u, 32u, 64u}) {
    uint64_t groups = count / items;
    must(queue->launch(
        kernel("sumGroup"), {{groups, 1, 1}, {items, 1, 1}},
        std::array{memory(*deviceOut), memory(*deviceIn), local(items * 4)}));
    std::vector<uint32_t> out = download<uint32_t>(*queue, *deviceOut);
    for (uint64_t g = 0; g != groups; ++g)
      ASSERT_EQ(out[g],
                std::accumulate(in.begin() + int64_t(g * items),
                                in.begin() + int64_t((g + 1) * items), 0u))
          << items << " " << g;
  }
}

TEST_P(Conformance, GivesEachLocalItsOwnMemory) {
  constexpr uint64_t items = 48, groups = 5;
  std::vector<uint64_t> data(items * groups), expected(items * groups);
  for (uint64_t i = 0; i != data.size(); ++i)
    data[i] = i * 0x123456789;
  for (uint64_t g = 0; g != groups; ++g)
    for (uint64_t i = 0; i != items; ++i)
      expected[g * items + i] =
          (data[g * items + items - 1 - i] & ~UINT64_C(255)) |
          (data[g * items + (i ^ 1)] & 255);
  auto queue = createQueue();
  auto buffer = allocate(data.size() * 8);
  upload(*queue, *buffer, data);
  // 47 bytes and one: the second memory must still be aligned.
  must(queue->launch(
      kernel("twoLocals"), {{groups, 1, 1}, {items, 1, 1}},
      std::array{memory(*buffer), local(items + 1), local(items * 8)}));
  EXPECT_EQ(download<uint64_t>(*queue, *buffer), expected);
}

static void expectShape(const std::vector<uint64_t> &out,
                        const LaunchShape &shape) {
  std::array<uint64_t, 3> extent, at;
  for (unsigned d = 0; d != 3; ++d)
    extent[d] = shape.groups[d] * shape.items[d];
  uint64_t linear = 0;
  for (at[2] = 0; at[2] != extent[2]; ++at[2])
    for (at[1] = 0; at[1] != extent[1]; ++at[1])
      for (at[0] = 0; at[0] != extent[0]; ++at[0], ++linear) {
        uint64_t number = 0;
        for (int d = 2; d >= 0; --d)
          number = number << 20 | at[d] / shape.items[d] << 10 |
                   at[d] % shape.items[d];
        ASSERT_EQ(out[linear], number) << at[0] << " " << at[1] << " " << at[2];
      }
}

TEST_P(Conformance, RunsGroupsOfEveryShape) {
  auto queue = createQueue();
  for (const LaunchShape &shape :
       {LaunchShape{{1, 1, 1}, {1, 1, 1}}, LaunchShape{{7, 1, 1}, {3, 1, 1}},
        LaunchShape{{1, 5, 1}, {1, 8, 1}}, LaunchShape{{1, 1, 6}, {1, 1, 4}},
        LaunchShape{{2, 3, 4}, {5, 4, 3}}, LaunchShape{{3, 1, 2}, {1, 16, 2}},
        LaunchShape{{4, 4, 1}, {8, 8, 1}}}) {
    uint64_t count = 1;
    for (unsigned d = 0; d != 3; ++d)
      count *= shape.groups[d] * shape.items[d];
    auto buffer = allocate(count * 8);
    must(queue->launch(kernel("shape"), shape,
                       std::array{memory(*buffer), value(shape.groups[0]),
                                  value(shape.groups[1])}));
    expectShape(download<uint64_t>(*queue, *buffer), shape);
  }
}

TEST_P(Conformance, RunsTheLargestGroup) {
  DeviceKernel &count = kernel("count");
  EXPECT_GE(count.maxGroup, count.goodGroup);
  EXPECT_GE(count.goodGroup, 1u);
  uint64_t items = std::min(count.maxGroup, device->properties().maxItems[0]);
  auto buffer = allocate(4);
  auto queue = createQueue();
  upload<uint32_t>(*queue, *buffer, {0});
  must(queue->launch(count, {{3, 1, 1}, {items, 1, 1}},
                     std::array{memory(*buffer)}));
  EXPECT_EQ(download<uint32_t>(*queue, *buffer)[0], 3 * items);
}

TEST_P(Conformance, RefusesGroupsThatAreTooLarge) {
  DeviceKernel &count = kernel("count");
  const Properties &properties = device->properties();
  uint64_t largest = count.maxGroup;
  auto buffer = allocate(4);
  auto queue = createQueue();
  upload<uint32_t>(*queue, *buffer, {0});
  for (const LaunchShape &shape :
       {LaunchShape{{1, 1, 1}, {largest + 1, 1, 1}},
        LaunchShape{{1, 1, 1}, {largest, 2, 1}},
        LaunchShape{{1, 1, 1}, {1, 1, properties.maxItems[2] + 1}},
        LaunchShape{{1, 1, 1}, {1, UINT64_MAX, 1}},
        LaunchShape{{1, 1, 1}, {UINT64_C(1) << 32, UINT64_C(1) << 32, 1}},
        LaunchShape{{1, 1, 1}, {0, 1, 1}},
        LaunchShape{{UINT64_MAX, 1, 1}, {2, 1, 1}},
        LaunchShape{{1, properties.maxGrid[1] + 1, 1}, {1, 1, 1}}}) {
    Result<Event> end =
        queue->launch(count, shape, std::array{memory(*buffer)});
    ASSERT_FALSE(end.ok()) << shape.items[0];
    EXPECT_EQ(end.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(end.status().message().find("'count'"), std::string::npos)
        << end.status().message();
  }
  EXPECT_EQ(download<uint32_t>(*queue, *buffer)[0], 0u);
  EXPECT_TRUE(device->isUsable());
}

TEST_P(Conformance, RunsNothingInEmptyGrids) {
  auto buffer = allocate(4);
  auto queue = createQueue();
  upload<uint32_t>(*queue, *buffer, {0});
  for (const LaunchShape &shape :
       {LaunchShape{{0, 1, 1}, {1, 1, 1}}, LaunchShape{{5, 0, 5}, {1, 1, 1}},
        LaunchShape{{1, 1, 0}, {8, 1, 1}}})
    must(
        must(queue->launch(kernel("count"), shape, std::array{memory(*buffer)}))
            .wait());
  EXPECT_EQ(download<uint32_t>(*queue, *buffer)[0], 0u);
}

TEST_P(Conformance, RefusesWrongArguments) {
  auto buffer = allocate(4096);
  auto queue = createQueue();
  DeviceKernel &sum = kernel("sumGroup");
  uint64_t most = device->properties().localMemory;
  std::array good{memory(*buffer), memory(*buffer), local(4)};
  auto refused = [&](std::span<const KernelArgument> arguments,
                     const char *part) {
    Result<Event> end = queue->launch(sum, {}, arguments);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(end.status().message().find(part), std::string::npos)
        << end.status().message();
  };
  must(queue->launch(sum, {}, good));
  refused(std::span(good).first(2), "2 arguments");
  refused({}, "0 arguments");
  refused(std::array{good[0], good[1], good[2], good[2]}, "4 arguments");
  refused(std::array{good[0], good[1], local(most + 1)}, "bytes");
  refused(std::array{good[0], good[1], local(UINT64_MAX)}, "bytes");
  must(must(queue->launch(sum, {}, good)).wait());
}

TEST_P(Conformance, RoundsEveryOperation) {
  auto buffer = allocate(8);
  auto queue = createQueue();
  double a = 1 + 0x1p-30, b = 1 - 0x1p-30, c = -1;
  must(
      queue->launch(kernel("multiplyAdd"), {},
                    std::array{memory(*buffer), value(a), value(b), value(c)}));
  // With one rounding it would be -2^-60.
  EXPECT_EQ(download<double>(*queue, *buffer)[0], 0.0);
}

TEST_P(Conformance, AddsAtomically) {
  auto buffer = allocate(4);
  auto queue = createQueue(), other = createQueue();
  upload<uint32_t>(*queue, *buffer, {0});
  for (unsigned i = 0; i != 10; ++i)
    must((i % 2 ? *queue : *other)
             .launch(kernel("count"), {{100, 1, 1}, {64, 1, 1}},
                     std::array{memory(*buffer)}));
  must(other->finish());
  EXPECT_EQ(download<uint32_t>(*queue, *buffer)[0], 64000u);
}
