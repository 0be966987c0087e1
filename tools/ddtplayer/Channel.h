//===- Channel.h - Messages between the player and its helpers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two MPI libraries cannot be in one process, since both define the same
// functions. So each runs in a helper process, which handles the player's
// requests one after another:
//
//   player                                       helper
//     <------------------ name of the library ------
//     -- request: a letter and its arguments ------>
//     <----- answer: '+' and results, or '-' and ---
//            a message
//
// Player and helper are built together and run on one machine, so values are
// sent as they are in memory. A message is its length in eight bytes, followed
// by its bytes.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_CHANNEL_H
#define DDTPLAYER_CHANNEL_H

#include "sluice/Base/Status.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice::player {

/// First bytes of requests.
enum class ChannelRequest : char {
  /// int64 count, text -> Shape
  Prepare = 'b',
  /// Quantity, double seconds -> double
  Measure = 'm',
  Commit = 'c',
  /// -> bytes
  Packed = 'p',
  Unpacked = 'u',
  Release = 'r',
};

/// Puts a message together.
class Writer {
public:
  template <typename Value> Writer &add(const Value &value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  /// Adds the rest of the message.
  Writer &addRest(std::string_view text) {
    bytes += text;
    return *this;
  }
  const std::string &message() const { return bytes; }

private:
  std::string bytes;
};

/// Splits a message into values; missing values are zero.
class Reader {
public:
  explicit Reader(std::string_view message) : rest(message) {}
  template <typename Value> Value take() {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value{};
    size_t size = std::min(sizeof value, rest.size());
    std::memcpy(static_cast<void *>(&value), rest.data(), size);
    rest.remove_prefix(size);
    return value;
  }
  std::string_view takeRest() const { return rest; }

private:
  std::string_view rest;
};

/// One end of a socket.
class Channel {
public:
  explicit Channel(int socket) : socket(socket) {}
  ~Channel();
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  /// Returns an error if the other end is closed.
  Status send(std::string_view message);
  Status send(std::string_view head, std::span<const std::byte> rest);
  Result<std::string> receive();

private:
  Status sendBytes(const char *bytes, size_t size);
  Status receiveBytes(char *bytes, size_t size);

  int socket;
};

} // namespace sluice::player

#endif // DDTPLAYER_CHANNEL_H
