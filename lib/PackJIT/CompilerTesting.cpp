//===- CompilerTesting.cpp - Common parts of tests of compiled kernels ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "sluice/Base/Text.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;
using namespace sluice::pack::jit::test;

//===-- The naive packer -------------------------------------------------===//

static void listBytes(const Form &form, int64_t origin,
                      std::vector<int64_t> &out);

static void listLoops(const Form &form, size_t depth, int64_t origin,
                      std::vector<int64_t> &out) {
  if (depth == form.dimensions.size())
    return listBytes(*form.children[0], origin, out);
  for (int64_t i = 0; i != form.dimensions[depth].count; ++i)
    listLoops(form, depth + 1, origin + i * form.dimensions[depth].stride, out);
}

static void listBytes(const Form &form, int64_t origin,
                      std::vector<int64_t> &out) {
  auto listRun = [&](int64_t offset, int64_t length) {
    for (int64_t i = 0; i != length; ++i)
      out.push_back(origin + offset + i);
  };
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Custom:
    return;
  case FormKind::Block:
    return listRun(0, form.size);
  case FormKind::Strided:
    return listLoops(form, 0, origin, out);
  case FormKind::Runs:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      listRun(form.offsets[i], form.lengths[i]);
    return;
  case FormKind::Indexed:
  case FormKind::Sequence:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      listBytes(*form.children[form.kind == FormKind::Indexed ? 0 : i],
                origin + form.offsets[i], out);
    return;
  }
}

std::vector<int64_t> jit::test::bytesOf(const Layout &layout, int64_t count) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i != count; ++i)
    listBytes(*layout.form, layout.offset + i * layout.extent, out);
  return out;
}

//===-- Buffers ----------------------------------------------------------===//

GuardedBuffer::GuardedBuffer(size_t size, Side side, size_t shift)
    : bytes(size) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t inner = (size + shift + page - 1) / page * page;
  mapped = inner + 2 * page;
  void *memory =
      ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  mapping = static_cast<std::byte *>(memory);
  if (inner != 0)
    ::mprotect(mapping + page, inner, PROT_READ | PROT_WRITE);
  first = side == AtStart ? mapping + page + shift
                          : mapping + page + inner - size - shift;
}

GuardedBuffer::~GuardedBuffer() { ::munmap(mapping, mapped); }

//===-- Kernels ----------------------------------------------------------===//

Compiler &jit::test::compiler() {
  return *sluicePackCompiler(compilerInterfaceVersion);
}

Kernel jit::test::compile(const Layout &layout, const Processor &processor) {
  Result<Kernel> kernel = compiler().compile({&layout, &processor, false});
  // Without masks, some layouts keep their ready-made kernels.
  bool mayDecline = processor.vectors != Processor::Vectors::AVX512;
  EXPECT_TRUE(kernel.ok() ||
              (mayDecline && kernel.status().code() == StatusCode::Exhausted))
      << kernel.status().message();
  return kernel.ok() ? *kernel : interpretedKernel(layout);
}

std::vector<Processor> jit::test::processors() {
  std::vector<Processor> all{thisProcessor()};
  auto add = [&](Processor::Vectors vectors) {
    if (thisProcessor().vectors <= vectors)
      return;
    all.push_back(thisProcessor());
    all.back().vectors = vectors;
    all.back().hasVBMI = false;
  };
  if (thisProcessor().hasVBMI) {
    all.push_back(thisProcessor());
    all.back().hasVBMI = false;
  }
  add(Processor::Vectors::AVX2);
  add(Processor::Vectors::Baseline);
  return all;
}

static std::byte sample(size_t i) {
  return static_cast<std::byte>(i * 7 + (i >> 8) * 13 + 1);
}

static bool report(const char *what, const Layout &layout, int64_t count,
                   size_t byte, const Kernel &kernel) {
  ADD_FAILURE() << what << " of " << count << " x " << toText(layout)
                << " differs at byte " << byte << " (" << kernel.name << ")";
  return false;
}

/// Unpacking is defined only if no byte is written twice.
static bool overlaps(std::vector<int64_t> offsets) {
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

bool jit::test::isRight(const Kernel &kernel, const Layout &layout,
                        int64_t count, GuardedBuffer::Side side, size_t shift) {
  std::vector<int64_t> offsets = bytesOf(layout, count);
  if (offsets.empty()) {
    kernel.pack(nullptr, count, nullptr, kernel.context.get());
    kernel.unpack(nullptr, count, nullptr, kernel.context.get());
    return true;
  }
  auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
  GuardedBuffer strided(static_cast<size_t>(*high - *low + 1), side, shift);
  GuardedBuffer packed(offsets.size(), side, shift);
  std::byte *origin = strided.data() - *low;
  for (size_t i = 0; i != strided.size(); ++i)
    strided[i] = sample(i);
  kernel.pack(origin, count, packed.data(), kernel.context.get());
  for (size_t i = 0; i != offsets.size(); ++i)
    if (packed[i] != origin[offsets[i]])
      return report("packing", layout, count, i, kernel);

  if (overlaps(offsets))
    return true;
  std::vector<std::byte> expected(strided.size(), std::byte{0xa5});
  std::fill_n(strided.data(), strided.size(), std::byte{0xa5});
  for (size_t i = 0; i != offsets.size(); ++i) {
    packed[i] = sample(i + 3);
    expected[static_cast<size_t>(offsets[i] - *low)] = packed[i];
  }
  kernel.unpack(packed.data(), count, origin, kernel.context.get());
  for (size_t i = 0; i != expected.size(); ++i)
    if (strided[i] != expected[i])
      return report("unpacking", layout, count, i, kernel);
  return true;
}

void jit::test::checkLayout(const Layout &layout) {
  for (const Processor &processor : processors()) {
    Kernel kernel = compile(layout, processor);
    for (int64_t count : {0, 1, 2, 3, 7, 13, 65})
      for (auto side : {GuardedBuffer::AtStart, GuardedBuffer::AtEnd})
        if (count * layout.size() < (1 << 17) &&
            !isRight(kernel, layout, count, side, count == 3 ? 5 : 0))
          return;
  }
}

//===-- Forms ------------------------------------------------------------===//

PlacedForm jit::test::block(int64_t size) { return {0, blockForm(size)}; }

PlacedForm jit::test::strided(int64_t count, int64_t stride,
                              const PlacedForm &form) {
  return repeat(form, count, stride);
}

PlacedForm jit::test::placed(std::vector<int64_t> offsets,
                             const PlacedForm &form) {
  return placeAt(form, offsets);
}

PlacedForm
jit::test::runs(const std::vector<std::pair<int64_t, int64_t>> &places) {
  std::vector<PlacedForm> parts;
  for (auto [offset, length] : places)
    parts.push_back({offset, blockForm(length)});
  return sequence(parts);
}

Layout jit::test::layoutOf(const PlacedForm &form, int64_t extent) {
  return {form.offset, extent, form.form};
}

/// The distance at which one instance of `form` may follow another without
/// overlap.
static int64_t room(const PlacedForm &form, int64_t gap) {
  return form.form->high - form.form->low + gap;
}

PlacedForm jit::test::randomForm(std::mt19937 &random, int depth) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  auto pickGap = [&] { return pick(0, 3) ? pick(0, 12) : 8 * pick(0, 20); };
  if (depth == 0)
    return block(pick(0, 2) ? int64_t(1) << pick(0, 5) : pick(1, 150));
  if (pick(0, 3) == 0) {
    std::vector<PlacedForm> parts;
    int64_t at = 0;
    for (int64_t i = pick(1, 5); i > 0; --i) {
      PlacedForm part = randomForm(random, depth - 1);
      part.offset = at - part.form->low;
      at += room(part, pickGap());
      parts.push_back(part);
    }
    std::shuffle(parts.begin(), parts.end(), random);
    return sequence(parts);
  }
  PlacedForm child = randomForm(random, depth - 1);
  if (pick(0, 2)) {
    int64_t stride = room(child, pickGap());
    return strided(pick(1, 20), pick(0, 4) ? stride : -stride, child);
  }
  std::vector<int64_t> offsets;
  int64_t at = 0;
  for (int64_t i = pick(1, pick(0, 9) ? 20 : 600); i > 0; --i) {
    offsets.push_back(at);
    at += room(child, pickGap());
  }
  if (pick(0, 1))
    std::shuffle(offsets.begin(), offsets.end(), random);
  return placed(offsets, child);
}
