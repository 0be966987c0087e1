//===- rows.h - The rows `pack` and `unpack` --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program that packs defines the functions of `Peer` below, and its main
// calls servePacking. A row is `pack:LAYOUT` or `unpack:LAYOUT`; its buffers
// are filled with numbers that depend on their place, and what comes out is
// compared with the definition of the layout, byte for byte, including the
// bytes that must not change.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_ROWS_H
#define SLUICE_BENCH_PACK_ROWS_H

#include "layouts.h"
#include "timing.h"

namespace bench {

/// What a program is asked to do.
struct Peer {
  /// Makes ready for the layout of that name.
  void (*prepare)(const std::string &layout);
  void (*pack)(const std::byte *in, std::byte *out);
  void (*unpack)(const std::byte *in, std::byte *out);
  void (*release)();
  /// It only copies as many bytes as are packed: the limit, not a way to pack.
  bool isCopy = false;
};

/// Memory with bytes behind it that nobody may touch.
class Buffer {
public:
  static constexpr int64_t guard = 64;
  static constexpr unsigned char untouched = 0xa5;

  void allocate(int64_t bytes) {
    size = bytes;
    memory.reset(static_cast<std::byte *>(
        benchAllocate(static_cast<size_t>(bytes + guard))));
  }
  void clear() { std::memset(memory.get(), untouched, wholeSize()); }
  void number(uint64_t seed) {
    clear();
    uint64_t state = seed;
    for (int64_t at = 0; at < size; at += 8) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const uint64_t mixed = state ^ (state >> 29);
      std::memcpy(memory.get() + at, &mixed, std::min<int64_t>(8, size - at));
    }
  }
  void release() { memory.reset(); }
  std::byte *data() const { return memory.get(); }
  size_t wholeSize() const { return static_cast<size_t>(size + guard); }

private:
  struct Free {
    void operator()(std::byte *bytes) const { std::free(bytes); }
  };
  int64_t size = 0;
  std::unique_ptr<std::byte, Free> memory;
};

/// Null if the buffers are equal, else what the first different byte is.
inline const char *compareBytes(const char *what, const Buffer &expected,
                                const Buffer &found) {
  const std::byte *a = expected.data(), *b = found.data();
  if (std::memcmp(a, b, expected.wholeSize()) == 0)
    return nullptr;
  const auto at = std::mismatch(a, a + expected.wholeSize(), b).first - a;
  return benchWrong(what, at, static_cast<double>(a[at]),
                    static_cast<double>(b[at]));
}

/// The row being measured.
struct Case {
  Peer peer;
  Instances<Places::Type> layout;
  Buffer typed, packed;
  Repetitions repetitions;
  bool isPack = true;
  BenchRow *row = nullptr;

  void allocate() {
    Places places;
    layout = makeLayout(places, benchParameters);
    if (peer.isCopy) {
      const int64_t bytes = packedBytes(layout);
      layout = {
          places.contiguous(static_cast<int>(bytes), places.basic(Basic::Byte)),
          1};
    }
    typed.allocate(spannedBytes(layout));
    packed.allocate(packedBytes(layout));
    row->work = static_cast<double>(packedBytes(layout));
    repetitions.forget();
    peer.prepare(benchParameters);
  }

  void reset() {
    if (isPack) {
      typed.number(1);
      packed.clear();
    } else {
      packed.number(2);
      typed.clear();
    }
  }

  void run() {
    if (isPack)
      peer.pack(typed.data(), packed.data());
    else
      peer.unpack(packed.data(), typed.data());
  }

  const char *verify() {
    Buffer expected;
    if (isPack) {
      expected.allocate(packedBytes(layout));
      expected.clear();
      packByDefinition(layout, typed.data(), expected.data());
      return compareBytes("packed", expected, packed);
    }
    expected.allocate(spannedBytes(layout));
    expected.clear();
    unpackByDefinition(layout, packed.data(), expected.data());
    return compareBytes("unpacked", expected, typed);
  }

  void release() {
    peer.release();
    typed.release();
    packed.release();
  }
};

inline Case current;

inline BenchRow packingRow(const char *name) {
  BenchRow row = {};
  row.name = name;
  row.reset = [] { current.reset(); };
  row.run = [] { current.run(); };
  row.verify = [] { return current.verify(); };
  row.release = [] { current.release(); };
  row.measure = [] { return current.repetitions.time([] { current.run(); }); };
  return row;
}

/// Serves the driver. `prepare` runs before the layout's buffers are filled.
inline int servePacking(const Peer &peer) {
  static BenchRow rows[] = {packingRow("pack"), packingRow("unpack")};
  rows[0].allocate = [] {
    current.isPack = true;
    current.row = &rows[0];
    current.allocate();
  };
  rows[1].allocate = [] {
    current.isPack = false;
    current.row = &rows[1];
    current.allocate();
  };
  current.peer = peer;
  return benchServe(rows, 2);
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_ROWS_H
