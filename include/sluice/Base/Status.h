//===- Status.h - Success or an error with a message ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type with which functions of the runtime report errors. Success costs a
// null pointer; an error has one of a few codes and a complete message. The C
// entry points print the message and end the process; tests inspect it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STATUS_H
#define SLUICE_BASE_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice {

/// Kinds of errors.
enum class StatusCode {
  Ok,
  /// An invalid value: a bad size, a null pointer, a setting.
  InvalidArgument,
  /// A valid call at the wrong time: launch before init, wait twice.
  Misuse,
  /// The user's node code failed: it threw, or its extents are impossible.
  NodeFailed,
  /// Memory or another resource ran out.
  Exhausted,
  /// A file, a process or the system failed.
  System,
};

/// Success, or a code and a message (lower case, no final period).
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  /// An error with a code other than Ok.
  static Status error(StatusCode code, std::string message) {
    assert(code != StatusCode::Ok && "an error needs a code");
    Status status;
    status.payload = std::make_unique<Payload>(code, std::move(message));
    return status;
  }
  /// An error with the code of this name.
  ///@{
  static Status invalidArgument(std::string message) {
    return error(StatusCode::InvalidArgument, std::move(message));
  }
  static Status misuse(std::string message) {
    return error(StatusCode::Misuse, std::move(message));
  }
  ///@}

  /// Whether it is success.
  bool ok() const { return !payload; }
  /// Ok on success.
  StatusCode code() const { return payload ? payload->code : StatusCode::Ok; }
  /// Empty on success.
  std::string message() const {
    return payload ? payload->message : std::string();
  }

private:
  struct Payload {
    Payload(StatusCode code, std::string message)
        : code(code), message(std::move(message)) {}
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Payload> payload;
};

/// A value, or the reason why there is none.
template <typename Value> class [[nodiscard]] Result {
public:
  /// A value.
  Result(Value value) : value(std::move(value)) {}
  /// An error.
  Result(Status status) : error(std::move(status)) {
    assert(!error.ok() && "a result without a value needs an error");
  }
  /// Whether there is a value.
  bool ok() const { return value.has_value(); }
  /// The error, or success.
  const Status &status() const { return error; }
  /// The same, moved out.
  Status takeStatus() { return std::move(error); }
  /// The value; there must be one.
  ///@{
  Value &operator*() { return *value; }
  const Value &operator*() const { return *value; }
  Value *operator->() { return &*value; }
  ///@}

private:
  std::optional<Value> value;
  Status error;
};

} // namespace sluice

#endif // SLUICE_BASE_STATUS_H
