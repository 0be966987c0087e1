//===- Range.cpp - Packing a part of the stream ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message layer packs in pieces that end anywhere, in the middle of a block
// too. Seeking takes a division per loop and a binary search per list, never a
// walk from the start.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Kernel.h"

#include <algorithm>
#include <cstring>

using namespace sluice::pack;

namespace {

/// Copies parts of one instance. `packed` moves along; positions are relative
/// to the form at hand.
template <bool isPack> class PartCopier {
public:
  PartCopier(std::byte *user, std::byte *packed) : user(user), packed(packed) {}

  /// Packed bytes [from, to) of `form` placed at `origin`.
  void copy(const Form &form, int64_t origin, int64_t from, int64_t to) {
    if (from >= to)
      return;
    if (from == 0 && to == form.size)
      return copyWhole(form, origin);
    switch (form.kind) {
    case FormKind::Empty:
    case FormKind::Custom:
      return;
    case FormKind::Block:
      return copyBytes(origin + from, to - from);
    case FormKind::Strided:
      return copyLoop(form, 0, form.size, origin, from, to);
    case FormKind::Indexed:
      return copyIndexed(form, origin, from, to);
    case FormKind::Runs:
    case FormKind::Sequence:
      return copyList(form, origin, from, to);
    }
  }

private:
  void copyBytes(int64_t offset, int64_t length) {
    if constexpr (isPack)
      std::memcpy(packed, user + offset, size_t(length));
    else
      std::memcpy(user + offset, packed, size_t(length));
    packed += length;
  }

  void copyWhole(const Form &form, int64_t origin) {
    forEachRun(form, origin, [this](int64_t offset, int64_t length) {
      copyBytes(offset, length);
    });
  }

  /// The loop at `depth`, whose iterations together have `size` bytes.
  void copyLoop(const Form &form, size_t depth, int64_t size, int64_t origin,
                int64_t from, int64_t to) {
    if (depth == form.dimensions.size())
      return copy(*form.children.front(), origin, from, to);
    auto [count, stride] = form.dimensions[depth];
    int64_t step = size / count;
    for (int64_t i = from / step; i * step < to; ++i)
      copyLoop(form, depth + 1, step, origin + i * stride,
               std::max<int64_t>(from - i * step, 0),
               std::min(to - i * step, step));
  }

  void copyIndexed(const Form &form, int64_t origin, int64_t from, int64_t to) {
    const Form &child = *form.children.front();
    for (int64_t i = from / child.size; i * child.size < to; ++i)
      copy(child, origin + form.offsets[size_t(i)],
           std::max<int64_t>(from - i * child.size, 0),
           std::min(to - i * child.size, child.size));
  }

  void copyList(const Form &form, int64_t origin, int64_t from, int64_t to) {
    auto entry =
        std::upper_bound(form.positions.begin(), form.positions.end(), from) -
        form.positions.begin() - 1;
    for (size_t i = size_t(entry);
         i != form.positions.size() && form.positions[i] < to; ++i) {
      int64_t begin = std::max<int64_t>(from - form.positions[i], 0);
      int64_t end = to - form.positions[i];
      if (form.kind == FormKind::Sequence) {
        const Form &child = *form.children[i];
        copy(child, origin + form.offsets[i], begin, std::min(end, child.size));
        continue;
      }
      end = std::min(end, form.lengths[i]);
      copyBytes(origin + form.offsets[i] + begin, end - begin);
    }
  }

  std::byte *user;
  std::byte *packed;
};

/// Splits a range at the instances' borders.
template <bool isPack>
void copyRange(const Layout &layout, const Kernel &kernel, std::byte *user,
               int64_t position, int64_t length, std::byte *packed) {
  int64_t size = layout.size();
  while (length > 0) {
    int64_t instance = position / size, from = position % size;
    int64_t origin = instance * layout.extent;
    int64_t piece = std::min(size - from, length);
    if (piece == size) {
      int64_t whole = length / size;
      if constexpr (isPack)
        kernel.pack(user + origin, whole, packed, kernel.context.get());
      else
        kernel.unpack(packed, whole, user + origin, kernel.context.get());
      piece = whole * size;
    } else {
      PartCopier<isPack>(user, packed)
          .copy(*layout.form, origin + layout.offset, from, from + piece);
    }
    packed += piece;
    position += piece;
    length -= piece;
  }
}

} // namespace

static void checkRange(const Layout &layout, int64_t count, int64_t position,
                       int64_t length) {
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

void sluice::pack::packRange(const Layout &layout, const Kernel &kernel,
                             const std::byte *in, int64_t count,
                             int64_t position, int64_t length, std::byte *out) {
  checkRange(layout, count, position, length);
  copyRange<true>(layout, kernel, const_cast<std::byte *>(in), position, length,
                  out);
}

void sluice::pack::unpackRange(const Layout &layout, const Kernel &kernel,
                               const std::byte *in, int64_t position,
                               int64_t length, std::byte *out, int64_t count) {
  checkRange(layout, count, position, length);
  copyRange<false>(layout, kernel, out, position, length,
                   const_cast<std::byte *>(in));
}
