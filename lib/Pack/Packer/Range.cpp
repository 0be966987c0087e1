//===- Range.cpp - Packing a part of the stream ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message layer packs in pieces that may end anywhere, even in the middle of
// a block. Seeking takes a division per loop and a binary search per list,
// never a walk from the start.
//
//===----------------------------------------------------------------------===//

#include "../Form/CheckedArithmetic.h"
#include "../Form/FormBuilding.h"
#include "PartPlan.h"
#include "sluice/Pack/DatatypeBase.h"

#include <algorithm>
#include <cstring>

using namespace sluice::pack;

/// A copy that is inlined for the short runs of most lists.
static inline void copyRun(std::byte *to, const std::byte *from,
                           int64_t length) {
  if (length > 32)
    return void(std::memcpy(to, from, size_t(length)));
  // Two halves that overlap in the middle.
  auto twice = [&]<size_t size>(std::integral_constant<size_t, size>) {
    std::byte first[size], last[size];
    std::memcpy(first, from, size);
    std::memcpy(last, from + length - int64_t(size), size);
    std::memcpy(to, first, size);
    std::memcpy(to + length - int64_t(size), last, size);
  };
  if (length >= 16)
    return twice(std::integral_constant<size_t, 16>());
  if (length >= 8)
    return twice(std::integral_constant<size_t, 8>());
  if (length >= 4)
    return twice(std::integral_constant<size_t, 4>());
  for (int64_t i = 0; i < length; ++i)
    to[i] = from[i];
}

namespace {

/// Copies parts of one instance. `packed` advances; positions are relative to
/// the current form, whose plan may be null.
template <bool isPack> class PartCopier {
public:
  PartCopier(std::byte *user, std::byte *packed) : user(user), packed(packed) {}

  /// Packed bytes [from, to) of `form` placed at `origin`.
  void copy(const Form &form, const PartPlan *plan, int64_t origin,
            int64_t from, int64_t to) {
    if (from >= to)
      return;
    switch (form.kind) {
    case FormKind::Empty:
    case FormKind::Custom:
      return;
    case FormKind::Block:
      return copyBytes(origin + from, to - from);
    case FormKind::Strided:
      return copyLoop(form, plan, 0, form.size, origin, from, to);
    case FormKind::Indexed:
      return copyIndexed(form, plan, origin, from, to);
    case FormKind::Runs:
      return copyRuns(form, plan, origin, from, to);
    case FormKind::Sequence:
      return copySequence(form, plan, origin, from, to);
    }
  }

private:
  void copyBytes(int64_t offset, int64_t length) {
    if constexpr (isPack)
      copyRun(packed, addressAt(user, offset), length);
    else
      copyRun(addressAt(user, offset), packed, length);
    packed += length;
  }

  void copyWhole(const Form &form, int64_t origin) {
    forEachRun(form, origin, [this](int64_t offset, int64_t length) {
      copyBytes(offset, length);
    });
  }

  void callKernel(const Kernel &kernel, int64_t origin, int64_t count,
                  int64_t bytes) {
    if constexpr (isPack)
      kernel.pack(addressAt(user, origin), count, packed, kernel.context.get());
    else
      kernel.unpack(packed, count, addressAt(user, origin),
                    kernel.context.get());
    packed += bytes;
  }

  /// The loop at `level`, whose iterations have a total of `size` bytes: an
  /// incomplete iteration, whole ones, an incomplete one.
  void copyLoop(const Form &form, const PartPlan *plan, size_t level,
                int64_t size, int64_t origin, int64_t from, int64_t to) {
    if (level == form.dimensions.size())
      return copy(*form.children.front(),
                  plan ? plan->children.front().get() : nullptr, origin, from,
                  to);
    auto [count, stride] = form.dimensions[level];
    int64_t step = size / count;
    int64_t first = from / step, end = to / step;
    auto copyInside = [&](int64_t i, int64_t from, int64_t to) {
      copyLoop(form, plan, level + 1, step, origin + i * stride, from, to);
    };
    if (first == end)
      return copyInside(first, from - first * step, to - first * step);
    if (first * step != from)
      copyInside(first, from - first * step, step), ++first;
    if (first != end)
      copyIterations(form, plan, level, origin + first * stride, end - first,
                     step);
    if (end * step != to)
      copyInside(end, 0, to - end * step);
  }

  void copyIterations(const Form &form, const PartPlan *plan, size_t level,
                      int64_t origin, int64_t count, int64_t step) {
    if (plan && count * step >= minCall)
      return callKernel(plan->kernels[level], origin, count, count * step);
    int64_t stride = form.dimensions[level].stride;
    auto visit = [this](int64_t offset, int64_t length) {
      copyBytes(offset, length);
    };
    for (int64_t i = 0; i != count; ++i)
      detail::forEachRunOfLoops(form, level + 1, origin + i * stride, visit);
  }

  template <int64_t size>
  void copyBlocks(std::span<const int64_t> offsets, int64_t origin) {
    for (int64_t offset : offsets) {
      if constexpr (isPack)
        std::memcpy(packed, addressAt(user, origin + offset), size);
      else
        std::memcpy(addressAt(user, origin + offset), packed, size);
      packed += size;
    }
  }

  /// Whole children at `offsets`.
  void copyPlaces(const Form &child, const PartPlan *plan,
                  std::span<const int64_t> offsets, int64_t origin) {
    switch (child.kind == FormKind::Block ? child.size : 0) {
    case 4:
      return copyBlocks<4>(offsets, origin);
    case 8:
      return copyBlocks<8>(offsets, origin);
    case 16:
      return copyBlocks<16>(offsets, origin);
    case 24:
      return copyBlocks<24>(offsets, origin);
    case 32:
      return copyBlocks<32>(offsets, origin);
    }
    const PartPlan *ofChild = child.kind == FormKind::Block ? nullptr : plan;
    for (int64_t offset : offsets)
      copyChild(child, ofChild, 0, origin + offset);
  }

  /// A whole child, with its kernel in `plan` if there is one.
  void copyChild(const Form &child, const PartPlan *plan, size_t index,
                 int64_t origin) {
    if (plan && plan->kernels[index].pack)
      return callKernel(plan->kernels[index], origin, 1, child.size);
    copyWhole(child, origin);
  }

  /// Blocks [first, end) up to the last whole segment; returns the next one.
  int64_t copySegments(const Form &form, const PartPlan &plan, int64_t origin,
                       int64_t first, int64_t end) {
    auto entries = int64_t(segment);
    const Form &block = *form.children.front();
    int64_t aligned = (first + entries - 1) / entries * entries;
    if (aligned + entries > end)
      return first;
    std::span<const int64_t> offsets(form.offsets);
    copyPlaces(block, nullptr,
               offsets.subspan(size_t(first), size_t(aligned - first)), origin);
    for (; aligned + entries <= end; aligned += entries)
      callKernel(plan.kernels[size_t(aligned / entries)],
                 origin + offsets[size_t(aligned)], 1, entries * block.size);
    return aligned;
  }

  void copyIndexed(const Form &form, const PartPlan *plan, int64_t origin,
                   int64_t from, int64_t to) {
    const Form &child = *form.children.front();
    int64_t size = child.size, first = from / size, end = to / size;
    const PartPlan *childPlan = plan && !plan->children.empty()
                                    ? plan->children.front().get()
                                    : nullptr;
    auto copyInside = [&](int64_t i, int64_t from, int64_t to) {
      copy(child, childPlan, origin + form.offsets[size_t(i)], from, to);
    };
    if (first == end)
      return copyInside(first, from - first * size, to - first * size);
    if (first * size != from)
      copyInside(first, from - first * size, size), ++first;
    if (child.kind == FormKind::Block && plan)
      first = copySegments(form, *plan, origin, first, end);
    std::span<const int64_t> offsets(form.offsets);
    copyPlaces(child, plan, offsets.subspan(size_t(first), size_t(end - first)),
               origin);
    if (end * size != to)
      copyInside(end, 0, to - end * size);
  }

  /// The last entry of a list that begins at or before `position`.
  static size_t entryAt(const Form &form, int64_t position) {
    return size_t(std::upper_bound(form.positions.begin(), form.positions.end(),
                                   position) -
                  form.positions.begin() - 1);
  }

  void copyRuns(const Form &form, const PartPlan *plan, int64_t origin,
                int64_t from, int64_t to) {
    size_t i = entryAt(form, from), entries = form.positions.size();
    int64_t skipped = from - form.positions[i];
    for (int64_t left = to - from; left > 0; skipped = 0) {
      size_t end = i + segment;
      if (plan && i % segment == 0 && skipped == 0 && end <= entries) {
        int64_t bytes = (end == entries ? form.size : form.positions[end]) -
                        form.positions[i];
        if (bytes <= left) {
          callKernel(plan->kernels[i / segment], origin + form.offsets[i], 1,
                     bytes);
          left -= bytes;
          i = end;
          continue;
        }
      }
      int64_t length = std::min(form.lengths[i] - skipped, left);
      copyBytes(origin + form.offsets[i] + skipped, length);
      left -= length;
      ++i;
    }
  }

  void copySequence(const Form &form, const PartPlan *plan, int64_t origin,
                    int64_t from, int64_t to) {
    for (size_t i = entryAt(form, from);
         i != form.positions.size() && form.positions[i] < to; ++i) {
      const Form &child = *form.children[i];
      int64_t begin = std::max<int64_t>(from - form.positions[i], 0);
      int64_t end = std::min(to - form.positions[i], child.size);
      if (begin == 0 && end == child.size)
        copyChild(child, plan, i, origin + form.offsets[i]);
      else
        copy(child, plan ? plan->children[i].get() : nullptr,
             origin + form.offsets[i], begin, end);
    }
  }

  /// Fewer bytes are copied run by run.
  static constexpr int64_t minCall = 256;
  static constexpr auto segment = size_t(PartPlan::segment);

  std::byte *user;
  std::byte *packed;
};

/// Handles a part of an instance that only generated code can pack: packs a
/// whole instance first.
template <bool isPack>
void copyByInstance(const Layout &layout, const Kernel &kernel,
                    std::byte *instance, int64_t from, int64_t length,
                    std::byte *packed) {
  std::vector<std::byte> whole(size_t(layout.size()));
  kernel.pack(instance, 1, whole.data(), kernel.context.get());
  if constexpr (isPack)
    return void(std::memcpy(packed, whole.data() + from, size_t(length)));
  std::memcpy(whole.data() + from, packed, size_t(length));
  kernel.unpack(whole.data(), 1, instance, kernel.context.get());
}

/// Splits a range at the boundaries of instances.
template <bool isPack>
void copyRange(const Layout &layout, const Kernel &kernel, const PartPlan *plan,
               std::byte *user, int64_t position, int64_t length,
               std::byte *packed) {
  int64_t size = layout.size();
  while (length > 0) {
    int64_t instance = position / size, from = position % size;
    int64_t origin = instance * layout.extent;
    int64_t piece = std::min(size - from, length);
    if (piece == size) {
      int64_t whole = length / size;
      if constexpr (isPack)
        kernel.pack(addressAt(user, origin), whole, packed,
                    kernel.context.get());
      else
        kernel.unpack(packed, whole, addressAt(user, origin),
                      kernel.context.get());
      piece = whole * size;
    } else if (layout.form->hasCustom) {
      copyByInstance<isPack>(layout, kernel, addressAt(user, origin), from,
                             piece, packed);
    } else {
      PartCopier<isPack>(user, packed)
          .copy(*layout.form, plan, origin + layout.offset, from, from + piece);
    }
    packed += piece;
    position += piece;
    length -= piece;
  }
}

} // namespace

void sluice::pack::checkRange(const Layout &layout, int64_t count,
                              int64_t position, int64_t length) {
  int64_t total = checkedMultiply(layout.size(), count);
  if (position < 0 || length < 0 || position > total ||
      length > total - position)
    throw farc::Error(farc::Error::ARGUMENT,
                      "bytes [" + std::to_string(position) + ", " +
                          std::to_string(position) + " + " +
                          std::to_string(length) +
                          ") are not within the packed stream of " +
                          std::to_string(total) + " bytes");
}

void sluice::pack::packPlanned(const Layout &layout, const Kernel &kernel,
                               const PartPlan *plan, const std::byte *in,
                               int64_t position, int64_t length,
                               std::byte *out) {
  copyRange<true>(layout, kernel, plan, const_cast<std::byte *>(in), position,
                  length, out);
}

void sluice::pack::unpackPlanned(const Layout &layout, const Kernel &kernel,
                                 const PartPlan *plan, const std::byte *in,
                                 int64_t position, int64_t length,
                                 std::byte *out) {
  copyRange<false>(layout, kernel, plan, out, position, length,
                   const_cast<std::byte *>(in));
}

/// A plan for one call, if the range is long enough to justify it.
static std::unique_ptr<const PartPlan>
planForOneCall(const Layout &layout, int64_t position, int64_t length) {
  if (length < 32 << 10 || !needsPlan(layout, position, length))
    return nullptr;
  return PartPlan::of(*layout.form);
}

void sluice::pack::packRange(const Layout &layout, const Kernel &kernel,
                             const std::byte *in, int64_t count,
                             int64_t position, int64_t length, std::byte *out) {
  checkRange(layout, count, position, length);
  packPlanned(layout, kernel, planForOneCall(layout, position, length).get(),
              in, position, length, out);
}

void sluice::pack::unpackRange(const Layout &layout, const Kernel &kernel,
                               const std::byte *in, int64_t position,
                               int64_t length, std::byte *out, int64_t count) {
  checkRange(layout, count, position, length);
  unpackPlanned(layout, kernel, planForOneCall(layout, position, length).get(),
                in, position, length, out);
}
