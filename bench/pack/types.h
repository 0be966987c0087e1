//===- types.h - Where the bytes of a layout lie ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of layouts.h are written once, against a small set of type
// constructors with the meaning of MPI's. Every program brings its own: MPI's,
// Sluice's, and, here, one that only visits the bytes in pack order. That one
// is the oracle: it says how many bytes there are and which ones they must be.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_TYPES_H
#define SLUICE_BENCH_PACK_TYPES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace bench {

enum class Basic { Byte, Char, Short, Int, Float, Double };

constexpr int64_t sizeOf(Basic basic) {
  constexpr int64_t sizes[] = {1, 1, 2, 4, 4, 8};
  return sizes[static_cast<int>(basic)];
}

/// `length` types, `displacement` bytes from the struct's begin.
template <class Type> struct Field {
  int length;
  int64_t displacement;
  Type type;
};

/// The constructors as an oracle: a type is what visits its runs of bytes.
class Places {
public:
  using Visit = std::function<void(int64_t offset, int64_t bytes)>;
  struct Node {
    int64_t size, low, high; ///< bytes packed; lower and upper bound
    std::function<void(int64_t origin, const Visit &)> visit;
    int64_t extent() const { return high - low; }
    bool isDense() const { return size == extent() && low == 0; }
  };
  using Type = std::shared_ptr<const Node>;

  Type basic(Basic which) { return run(sizeOf(which)); }

  Type contiguous(int count, Type type) {
    if (type->isDense())
      return run(count * type->size);
    return strided(count, type->extent(), type);
  }

  Type hvector(int count, int length, int64_t stride, Type type) {
    return strided(count, stride, contiguous(length, type));
  }

  Type vector(int count, int length, int stride, Type type) {
    return hvector(count, length, stride * type->extent(), type);
  }

  Type indexedBlock(int length, const std::vector<int> &places, Type type) {
    std::vector<Field<Type>> fields;
    for (int place : places)
      fields.push_back({length, place * type->extent(), type});
    return structure(fields);
  }

  Type structure(const std::vector<Field<Type>> &fields) {
    Node node = {0, INT64_MAX, INT64_MIN, {}};
    std::vector<std::pair<int64_t, Type>> parts;
    for (const Field<Type> &field : fields) {
      parts.emplace_back(field.displacement,
                         contiguous(field.length, field.type));
      const Node &part = *parts.back().second;
      node.size += part.size;
      node.low = std::min(node.low, field.displacement + part.low);
      node.high = std::max(node.high, field.displacement + part.high);
    }
    node.visit = [parts](int64_t origin, const Visit &visit) {
      for (const auto &[displacement, part] : parts)
        part->visit(origin + displacement, visit);
    };
    return std::make_shared<Node>(node);
  }

  Type resized(Type type, int64_t low, int64_t extent) {
    return std::make_shared<Node>(
        Node{type->size, low, low + extent, type->visit});
  }

  /// Sizes in C's order, the last one contiguous.
  template <size_t N>
  Type subarray(const std::array<int, N> &sizes,
                const std::array<int, N> &parts,
                const std::array<int, N> &starts, Type type) {
    int64_t pitch = type->extent(), origin = 0;
    for (size_t i = N; i-- > 0; pitch *= sizes[i]) {
      type = strided(parts[i], pitch, type);
      origin += starts[i] * pitch;
    }
    return resized(structure({{1, origin, type}}), 0, pitch);
  }

private:
  static Type run(int64_t bytes) {
    return std::make_shared<Node>(
        Node{bytes, 0, bytes, [bytes](int64_t origin, const Visit &visit) {
               visit(origin, bytes);
             }});
  }

  static Type strided(int64_t count, int64_t stride, Type type) {
    if (type->isDense() && type->size == stride)
      return run(count * stride);
    const int64_t last = (count - 1) * stride;
    return std::make_shared<Node>(
        Node{count * type->size, type->low + std::min<int64_t>(last, 0),
             type->high + std::max<int64_t>(last, 0),
             [=](int64_t origin, const Visit &visit) {
               for (int64_t i = 0; i < count; ++i)
                 type->visit(origin + i * stride, visit);
             }});
  }
};

/// A type, and how many instances of it a row packs.
template <class Type> struct Instances {
  Type type;
  int64_t count;
};

inline void visitAll(const Instances<Places::Type> &layout,
                     const Places::Visit &visit) {
  for (int64_t i = 0; i < layout.count; ++i)
    layout.type->visit(i * layout.type->extent(), visit);
}

inline int64_t packedBytes(const Instances<Places::Type> &layout) {
  return layout.count * layout.type->size;
}

/// The bytes from the buffer's begin to the last one that is packed. No layout
/// here has bytes before the begin.
inline int64_t spannedBytes(const Instances<Places::Type> &layout) {
  int64_t end = 0;
  visitAll(layout, [&](int64_t offset, int64_t bytes) {
    end = std::max(end, offset + bytes);
  });
  return end;
}

inline void packByDefinition(const Instances<Places::Type> &layout,
                             const std::byte *in, std::byte *out) {
  visitAll(layout, [&](int64_t offset, int64_t bytes) {
    std::memcpy(out, in + offset, bytes);
    out += bytes;
  });
}

inline void unpackByDefinition(const Instances<Places::Type> &layout,
                               const std::byte *in, std::byte *out) {
  visitAll(layout, [&](int64_t offset, int64_t bytes) {
    std::memcpy(out + offset, in, bytes);
    in += bytes;
  });
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_TYPES_H
