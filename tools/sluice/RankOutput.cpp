//===- RankOutput.cpp - Output of ranks and their launcher ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a rank writes a line in pieces, there is a mark before each piece, and
// pieces of other ranks may be between them.
//
//===----------------------------------------------------------------------===//

#include "RankOutput.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <utility>

using namespace llvm;

bool Relay::readSome() {
  char piece[4096];
  ssize_t size = ::read(from, piece, sizeof piece);
  if (size < 0 && (errno == EINTR || errno == EAGAIN))
    return true;
  rest.append(piece, std::max<ssize_t>(0, size));
  passOn(size <= 0);
  if (size > 0)
    return true;
  finish();
  return false;
}

void Relay::finish() {
  for (auto &[rank, line] : lines)
    if (!line.empty())
      relay(rank, std::exchange(line, ""));
}

/// The length of the part of `text` that certainly contains no part of a mark.
static size_t lengthWithoutMark(StringRef text) {
  static constexpr size_t longestMark = 40;
  size_t begin = text.find_last_of("<[");
  if (begin == StringRef::npos || text.size() - begin > longestMark ||
      text.drop_front(begin).find_first_of(" \n") != StringRef::npos)
    return text.size();
  // The marks of Open MPI have one bracket of each kind.
  size_t before = text.take_front(begin).rfind('[');
  return before != StringRef::npos && text.size() - before <= longestMark
             ? before
             : begin;
}

void Relay::passOn(bool isEnd) {
  if (!only.empty())
    return add(std::exchange(rest, ""));
  StringRef text = rest;
  SmallVector<StringRef> parts;
  while (mark.match(text, &parts)) {
    add(text.take_front(parts[0].begin() - text.begin()));
    current = parts[1].str();
    text = text.drop_front(parts[0].end() - text.begin());
  }
  size_t length = isEnd ? text.size() : lengthWithoutMark(text);
  add(text.take_front(length));
  rest = text.drop_front(length).str();
}

void Relay::add(StringRef text) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string &line = lines[current];
    line += text.take_front(end == StringRef::npos ? end : end + 1);
    if (end == StringRef::npos)
      return;
    relay(current, std::exchange(line, ""));
    // The following text has a mark, unless it is the launcher's.
    current = only;
    text = text.drop_front(end + 1);
  }
}

void Relay::relay(StringRef rank, std::string text) {
  if (rank.empty()) {
    said.byLauncher += text;
    return;
  }
  // MPICH's addition to the message of a rank that ends all ranks.
  if (StringRef(text).starts_with("Abort(") &&
      StringRef(text).contains(": application called MPI_Abort(")) {
    said.byLauncher += text;
    return;
  }
  // Open MPI's message about reading the memory of a rank that no longer
  // exists.
  static const Regex goneRank(
      "^\\[[^ ]+\\] Read -1, expected [0-9]+, errno = 3");
  if (to == 2 && goneRank.match(text)) {
    said.byLauncher += text;
    return;
  }
  // The runtime's messages about a program, and about its options.
  const bool isError =
      to == 2 && (StringRef(text).starts_with("sluice: error: ") ||
                  StringRef(text).starts_with("error: "));
  if (isError) {
    auto [first, isNew] = said.errors.try_emplace(text, rank.str());
    if (!isNew && first->second != rank)
      return;
    for (StringRef part :
         {" has not answered for ", " has waited for others for ",
          " is done, but MPI does not "})
      said.isLost |= StringRef(text).contains(part);
  } else if (rank != "0") {
    text = ("[rank " + rank + "] " + text).str();
  }
  for (size_t done = 0; done < text.size();) {
    ssize_t size = ::write(to, text.data() + done, text.size() - done);
    if (size <= 0 && errno != EINTR) {
      if (!isErrors())
        said.outputError = errno;
      break;
    }
    done += std::max<ssize_t>(0, size);
  }
  hasRelayed = true;
}

RankEnd rankEnd(StringRef byLauncher) {
  RankEnd end;
  SmallVector<StringRef> parts;
  // Open MPI.
  if (Regex("process rank ([0-9]+) with PID ([0-9]+) on node ([^ ]+) exited on "
            "signal ([0-9]+)")
          .match(byLauncher, &parts)) {
    to_integer(parts[1], end.rank);
    to_integer(parts[2], end.process);
    end.host = parts[3].str();
    to_integer(parts[4], end.signal);
  } else if (Regex("process rank ([0-9]+) with PID [0-9]+ on[ \n]+node ([^ ]+) "
                   "exiting improperly")
                 .match(byLauncher, &parts)) {
    to_integer(parts[1], end.rank);
    end.host = parts[2].str();
    end.isEarly = true;
  } else if (Regex("PID ([0-9]+) RUNNING AT ([^ \n]+)")
                 .match(byLauncher, &parts)) {
    // MPICH.
    to_integer(parts[1], end.process);
    end.host = parts[2].str();
    if (Regex("EXIT STRING: [^(\n]+ \\(signal ([0-9]+)\\)")
            .match(byLauncher, &parts))
      to_integer(parts[1], end.signal);
  }
  return end;
}

bool namesRank(StringRef byLauncher) {
  // Open MPI, then MPICH.
  for (StringRef words :
       {"exited with non-zero status", "non-zero exit code", "MPI_ABORT was",
        "EXIT CODE:", "application called MPI_Abort("})
    if (byLauncher.contains(words))
      return true;
  return rankEnd(byLauncher).signal != 0;
}
