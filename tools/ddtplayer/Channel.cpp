//===- Channel.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two MPI libraries cannot be in one process, so each runs in a helper process.
// The player and its helpers communicate over a socket, in messages with a
// length.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::player;

Channel::~Channel() { close(socket); }

Status Channel::sendBytes(const char *bytes, size_t size) {
  while (size != 0) {
    ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0)
      return Status::error(StatusCode::System, systemErrorText(errno));
    bytes += sent;
    size -= size_t(sent);
  }
  return Status();
}

Status Channel::receiveBytes(char *bytes, size_t size) {
  while (size != 0) {
    ssize_t received = ::recv(socket, bytes, size, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received < 0)
      return Status::error(StatusCode::System, systemErrorText(errno));
    if (received == 0)
      return Status::error(StatusCode::System, "the other process has ended");
    bytes += received;
    size -= size_t(received);
  }
  return Status();
}

Status Channel::send(std::string_view message) { return send(message, {}); }

Status Channel::send(std::string_view head, std::span<const std::byte> rest) {
  uint64_t size = head.size() + rest.size();
  Status status = sendBytes(reinterpret_cast<const char *>(&size), sizeof size);
  if (status.ok())
    status = sendBytes(head.data(), head.size());
  if (status.ok())
    status =
        sendBytes(reinterpret_cast<const char *>(rest.data()), rest.size());
  return status;
}

Result<std::string> Channel::receive() {
  uint64_t size = 0;
  Status status = receiveBytes(reinterpret_cast<char *>(&size), sizeof size);
  if (!status.ok())
    return status;
  std::string message(size, '\0');
  if (status = receiveBytes(message.data(), size); !status.ok())
    return status;
  return message;
}
