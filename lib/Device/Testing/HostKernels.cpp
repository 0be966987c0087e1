//===- HostKernels.cpp - Kernels of the tests for the host device ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of TestKernels.c as functions that run one group.
//
//===----------------------------------------------------------------------===//

#include "../Host/HostKernels.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <stdexcept>

using namespace sluice::device;

namespace {
/// Arguments by position.
struct Arguments {
  void *const *pointers;
  template <typename Value> Value value(unsigned index) const {
    return *static_cast<const Value *>(pointers[index]);
  }
  template <typename Element> Element *memory(unsigned index) const {
    return static_cast<Element *>(pointers[index]);
  }
};
} // namespace

/// Calls `item(i)` for every item of a one-dimensional group.
template <typename Item>
static void forItems(const HostGroup &group, Item item) {
  for (uint64_t i = 0; i != group.items[0]; ++i)
    item(i);
}

static void saxpy(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *y = arguments.memory<float>(0);
  auto *x = arguments.memory<const float>(1);
  auto a = arguments.value<float>(2);
  auto n = arguments.value<uint64_t>(3);
  forItems(group, [&](uint64_t item) {
    uint64_t i = group.group[0] * group.items[0] + item;
    if (i < n)
      y[i] = a * x[i] + y[i];
  });
}

static void everyKind(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *out = arguments.memory<uint64_t>(0);
  out[0] = uint64_t(arguments.value<int8_t>(1));
  out[1] = arguments.value<uint16_t>(2);
  out[2] = uint64_t(arguments.value<int32_t>(3));
  out[3] = arguments.value<uint64_t>(4);
  out[4] = std::bit_cast<uint32_t>(arguments.value<float>(5));
  out[5] = std::bit_cast<uint64_t>(arguments.value<double>(6));
}

static void step(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *data = arguments.memory<uint32_t>(0);
  auto factor = arguments.value<uint32_t>(1);
  auto addend = arguments.value<uint32_t>(2);
  auto rounds = arguments.value<uint32_t>(3);
  forItems(group, [&](uint64_t item) {
    uint32_t &x = data[group.group[0] * group.items[0] + item];
    for (uint32_t round = 0; round < rounds; ++round)
      x = x * factor + addend;
  });
}

static void sumGroup(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *out = arguments.memory<uint32_t>(0);
  auto *in = arguments.memory<const uint32_t>(1);
  auto *part = arguments.memory<uint32_t>(2);
  uint64_t n = group.items[0];
  forItems(group, [&](uint64_t i) { part[i] = in[group.group[0] * n + i]; });
  for (uint64_t half = n / 2; half > 0; half /= 2)
    forItems(group, [&](uint64_t i) {
      if (i < half)
        part[i] += part[i + half];
    });
  out[group.group[0]] = part[0];
}

static void twoLocals(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  uint64_t n = group.items[0];
  auto *data = arguments.memory<uint64_t>(0) + group.group[0] * n;
  auto *low = arguments.memory<uint8_t>(1);
  auto *high = arguments.memory<uint64_t>(2);
  forItems(group, [&](uint64_t i) {
    low[i] = uint8_t(data[i]);
    high[i] = data[i] & ~UINT64_C(255);
  });
  forItems(group, [&](uint64_t i) { data[i] = high[n - 1 - i] | low[i ^ 1]; });
}

static void shape(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *out = arguments.memory<uint64_t>(0);
  uint64_t width = arguments.value<uint64_t>(1) * group.items[0];
  uint64_t height = arguments.value<uint64_t>(2) * group.items[1];
  std::array<uint64_t, 3> item;
  auto index = [&](int d) { return group.group[d] * group.items[d] + item[d]; };
  for (item[2] = 0; item[2] != group.items[2]; ++item[2])
    for (item[1] = 0; item[1] != group.items[1]; ++item[1])
      for (item[0] = 0; item[0] != group.items[0]; ++item[0]) {
        uint64_t number = 0;
        for (int d = 2; d >= 0; --d)
          number = number << 20 | group.group[d] << 10 | item[d];
        out[(index(2) * height + index(1)) * width + index(0)] = number;
      }
}

static void multiplyAdd(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  volatile double product =
      arguments.value<double>(1) * arguments.value<double>(2);
  arguments.memory<double>(0)[0] = product + arguments.value<double>(3);
}

static void address(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  arguments.memory<uintptr_t>(0)[0] =
      reinterpret_cast<uintptr_t>(arguments.memory<uint32_t>(1));
}

static void count(const HostGroup &group, void *const *pointers) {
  std::atomic_ref counter(Arguments{pointers}.memory<uint32_t>(0)[0]);
  forItems(group,
           [&](uint64_t) { counter.fetch_add(1, std::memory_order_relaxed); });
}

/// Only for the host: other devices would be lost.
static void fail(const HostGroup &group, void *const *pointers) {
  throw std::runtime_error("failed on purpose");
}

static const HostKernelEntry entries[] = {{"saxpy", saxpy, 4},
                                          {"everyKind", everyKind, 7},
                                          {"step", step, 4},
                                          {"sumGroup", sumGroup, 3},
                                          {"twoLocals", twoLocals, 3},
                                          {"shape", shape, 3},
                                          {"multiplyAdd", multiplyAdd, 4},
                                          {"count", count, 1},
                                          {"address", address, 2},
                                          {"fail", fail, 0}};

/// Like the kernels of Packing.cpp, for units of type `Unit`.
template <typename Unit, bool isGather>
static void packPieces(const HostGroup &group, void *const *pointers) {
  Arguments arguments{pointers};
  auto *list = arguments.memory<uint32_t>(1);
  uint64_t base = arguments.value<uint64_t>(2);
  uint64_t data = arguments.value<uint64_t>(3);
  uint64_t first = group.group[0] * group.items[1];
  uint64_t last =
      std::min<uint64_t>(first + group.items[1], arguments.value<uint32_t>(4));
  for (uint64_t piece = first; piece < last; ++piece) {
    Unit *place = arguments.memory<Unit>(0) + base + list[2 * piece];
    Unit *packed = arguments.memory<Unit>(1) + data + list[2 * piece + 1];
    uint64_t size = (list[2 * piece + 3] - list[2 * piece + 1]) * sizeof(Unit);
    std::memcpy(isGather ? packed : place, isGather ? place : packed, size);
  }
}

static const HostKernelEntry packingEntries[] = {
    {"gatherBytes", packPieces<uint8_t, true>, 5},
    {"gatherWords", packPieces<uint32_t, true>, 5},
    {"scatterBytes", packPieces<uint8_t, false>, 5},
    {"scatterWords", packPieces<uint32_t, false>, 5}};

namespace {
struct Registration {
  Registration() {
    registerHostKernels("sluiceTestKernels", entries);
    registerHostKernels("sluicePacking", packingEntries);
  }
};
} // namespace

static const Registration registration;
