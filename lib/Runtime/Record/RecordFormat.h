//===- RecordFormat.h - The format of a record ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is a line of text followed by events, each with its kind, its size,
// a hash of both and a hash of its content. Events are appended as they happen:
// in the record of a program that was killed, all but the last are complete and
// valid. Numbers are stored in groups of seven bits, the lowest first; texts
// follow their sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDFORMAT_H
#define SLUICE_RUNTIME_RECORD_RECORDFORMAT_H

#include "sluice/Base/Hash.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice {

inline constexpr char recordFileName[] = "record.sluice";
inline constexpr std::string_view recordMark = "sluice-record 1\n";

enum class RecordEvent : uint32_t {
  Program = 1,
  Graph,
  Launch,
  NodeBegin,
  NodeEnd,
  Changes,
  LaunchEnd,
  Note,
  End
};

/// The header of an event.
struct RecordHead {
  uint32_t event;
  uint32_t
      check; ///< of both numbers, so that damage is not mistaken for the end
  uint64_t size; ///< of the content
  char hash[32];

  static uint32_t checkOf(uint32_t event, uint64_t size) {
    return static_cast<uint32_t>(
        ((size ^ event) * 0x9e3779b97f4a7c15 ^ event) >> 32);
  }
  static RecordHead of(RecordEvent event, std::string_view content) {
    RecordHead head = {uint32_t(event),
                       checkOf(uint32_t(event), content.size()),
                       content.size(),
                       {}};
    const std::string hash =
        ContentHash().add(uint64_t(event)).add(content).text();
    std::memcpy(head.hash, hash.data(), sizeof head.hash);
    return head;
  }
};
static_assert(sizeof(RecordHead) == 48);

/// Appends to the content of an event.
class RecordEncoder {
public:
  RecordEncoder &number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
  RecordEncoder &signedNumber(int64_t value) {
    return number(uint64_t(value) << 1 ^ uint64_t(value >> 63));
  }
  RecordEncoder &text(std::string_view text) {
    number(text.size());
    bytes += text;
    return *this;
  }

  std::string bytes;
};

/// Reads the content of an event. After a failure everything is 0 or empty.
class RecordDecoder {
public:
  explicit RecordDecoder(std::string_view bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty())
        break;
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    fail();
    return 0;
  }
  int64_t signedNumber() {
    const uint64_t value = number();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  std::string_view text() {
    const uint64_t size = number();
    if (size > rest.size()) {
      fail();
      return {};
    }
    std::string_view found = rest.substr(0, size);
    rest.remove_prefix(size);
    return found;
  }
  /// A number below `end`.
  uint32_t index(uint64_t end) {
    const uint64_t value = number();
    if (value < end)
      return static_cast<uint32_t>(value);
    fail();
    return 0;
  }
  /// The number of following items, of at least one byte each.
  uint64_t count() {
    const uint64_t value = number();
    if (value <= rest.size())
      return value;
    fail();
    return 0;
  }
  void fail() {
    failed = true;
    rest = {};
  }
  /// Everything was read and valid.
  bool isGood() const { return !failed && rest.empty(); }

private:
  std::string_view rest;
  bool failed = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDFORMAT_H
