//===- KernelTesting.cpp - Checking kernels byte for byte -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that accesses a byte too many ends the process at a guard page.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace sluice::pack;
using namespace sluice::pack::kerneltest;

static void appendOffsets(const Form &form, size_t depth, int64_t origin,
                          std::vector<int64_t> &bytes) {
  auto appendBlock = [&](int64_t offset, int64_t size) {
    for (int64_t i = 0; i != size; ++i)
      bytes.push_back(origin + offset + i);
  };
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Custom:
    return;
  case FormKind::Block:
    return appendBlock(0, form.size);
  case FormKind::Strided:
    if (depth == form.dimensions.size())
      return appendOffsets(*form.children[0], 0, origin, bytes);
    for (int64_t i = 0; i != form.dimensions[depth].count; ++i)
      appendOffsets(form, depth + 1, origin + i * form.dimensions[depth].stride,
                    bytes);
    return;
  case FormKind::Indexed:
    for (int64_t offset : form.offsets)
      appendOffsets(*form.children[0], 0, origin + offset, bytes);
    return;
  case FormKind::Runs:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      appendBlock(form.offsets[i], form.lengths[i]);
    return;
  case FormKind::Sequence:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      appendOffsets(*form.children[i], 0, origin + form.offsets[i], bytes);
    return;
  }
}

std::vector<int64_t> kerneltest::byteOffsets(const Form &form, int64_t origin) {
  std::vector<int64_t> bytes;
  appendOffsets(form, 0, origin, bytes);
  return bytes;
}

GuardedBuffer::GuardedBuffer(int64_t size, Side side) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t inner = (size_t(size) + page - 1) / page * page;
  mappedBytes = inner + 2 * page;
  void *memory = mmap(nullptr, mappedBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<char *>(memory) + page,
                                       inner, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  mapping = static_cast<std::byte *>(memory);
  bytes = mapping + page + (side == AtBegin ? 0 : inner - size_t(size));
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping, mappedBytes); }

std::vector<Processor> kerneltest::processors() {
  using Vectors = Processor::Vectors;
  const Processor &best = thisProcessor();
  std::vector<Processor> all;
  for (Vectors vectors : {Vectors::Baseline, Vectors::AVX2, Vectors::AVX512})
    if (vectors <= best.vectors) {
      Processor processor = best;
      processor.vectors = vectors;
      processor.hasVBMI = false;
      all.push_back(processor);
    }
  if (best.hasVBMI)
    all.push_back(best);
  Processor streaming = best;
  streaming.lastLevelBytes = 0;
  all.push_back(streaming);
  return all;
}

std::string kerneltest::describe(const Processor &processor) {
  const char *names[] = {"baseline", "avx2", "avx512"};
  return names[int(processor.vectors)] +
         std::string(processor.hasVBMI ? " with VBMI" : "") +
         (processor.lastLevelBytes == 0 ? ", no caches" : "");
}

namespace {

/// One layout, its bytes, and the buffers of one check.
class Check {
public:
  Check(const Layout &layout, int64_t count) : layout(layout), count(count) {
    auto one = byteOffsets(*layout.form, layout.offset);
    for (int64_t i = 0; i != count; ++i)
      for (int64_t offset : one)
        offsets.push_back(offset + i * layout.extent);
    auto [first, last] = std::minmax_element(offsets.begin(), offsets.end());
    low = *first;
    size = *last + 1 - low;
  }

  void run(const Processor &processor, GuardedBuffer::Side side) {
    Kernel kernel = readyMadeKernel(layout, processor);
    SCOPED_TRACE("kernel '" + kernel.name + "' for " +
                 kerneltest::describe(processor));
    ASSERT_TRUE(kernel.pack && kernel.unpack);
    EXPECT_EQ(kernel.origin, KernelOrigin::ReadyMade);
    checkPack(kernel, side);
    checkUnpack(kernel, side);
  }

private:
  std::byte *origin(const GuardedBuffer &buffer) { return buffer.data() - low; }

  void checkPack(const Kernel &kernel, GuardedBuffer::Side side) {
    GuardedBuffer user(size, side), packed(int64_t(offsets.size()), side);
    fill(user.data(), size);
    std::memset(packed.data(), 0xA5, offsets.size());
    kernel.pack(origin(user), count, packed.data(), kernel.context.get());
    for (size_t i = 0; i != offsets.size(); ++i)
      ASSERT_EQ(packed.data()[i], origin(user)[offsets[i]])
          << "packed byte " << i << " of " << offsets.size();
  }

  void checkUnpack(const Kernel &kernel, GuardedBuffer::Side side) {
    GuardedBuffer user(size, side), packed(int64_t(offsets.size()), side);
    fill(packed.data(), int64_t(offsets.size()));
    std::vector<std::byte> expected(size_t(size), std::byte(0xA5));
    for (size_t i = 0; i != offsets.size(); ++i)
      expected[size_t(offsets[i] - low)] = packed.data()[i];
    std::memset(user.data(), 0xA5, size_t(size));
    kernel.unpack(packed.data(), count, origin(user), kernel.context.get());
    for (int64_t i = 0; i != size; ++i)
      ASSERT_EQ(user.data()[i], expected[size_t(i)])
          << "unpacked byte " << i << " of " << size;
  }

  static void fill(std::byte *bytes, int64_t size) {
    std::mt19937 random(7);
    for (int64_t i = 0; i != size; ++i)
      bytes[i] = std::byte(random());
  }

  Layout layout;
  int64_t count;
  std::vector<int64_t> offsets;
  int64_t low, size;
};

} // namespace

void kerneltest::checkKernels(const Layout &layout, int64_t count) {
  SCOPED_TRACE(std::to_string(count) + " instances, extent " +
               std::to_string(layout.extent));
  Check check(layout, count);
  for (const Processor &processor : processors())
    for (auto side : {GuardedBuffer::AtBegin, GuardedBuffer::AtEnd}) {
      check.run(processor, side);
      if (::testing::Test::HasFatalFailure())
        return;
    }
}
