//===- RankOutput.cpp - What ranks and their launcher say -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line that a rank writes in pieces has a mark before each of them.
//
//===----------------------------------------------------------------------===//

#include "RankOutput.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <unistd.h>

using namespace llvm;

bool Relay::readSome() {
  char piece[4096];
  ssize_t size = ::read(from, piece, sizeof piece);
  if (size < 0 && errno == EINTR)
    return true;
  if (size <= 0) {
    if (!rest.empty())
      relay(rest);
    return false;
  }
  rest.append(piece, size);
  StringRef text = rest;
  while (text.contains('\n')) {
    auto [line, after] = text.split('\n');
    relay(line.str() + "\n");
    text = after;
  }
  rest = text.str();
  return true;
}

void Relay::relay(const std::string &line) {
  SmallVector<StringRef> parts;
  if (!mark.match(line, &parts)) {
    said.byLauncher += line;
    return;
  }
  std::string text = line.substr(parts[0].size());
  for (size_t at; (at = text.find(parts[0].str())) != std::string::npos;)
    text.erase(at, parts[0].size());
  // What MPICH adds to the words of a rank that ends all.
  if (StringRef(text).starts_with("Abort(") &&
      StringRef(text).contains(": application called MPI_Abort(")) {
    said.byLauncher += text;
    return;
  }
  // What the runtime says of a program, and what it says of its options.
  const bool isError =
      to == 2 && (StringRef(text).starts_with("sluice: error: ") ||
                  StringRef(text).starts_with("error: "));
  if (isError) {
    if (StringRef(said.errors).contains(text))
      return;
    said.errors += text;
    for (StringRef part :
         {" has not answered for ", " has waited for others for ",
          " is done, but MPI does not "})
      said.isLost |= StringRef(text).contains(part);
  } else if (parts[1] != "0") {
    text = "[rank " + parts[1].str() + "] " + text;
  }
  for (size_t done = 0; done < text.size();) {
    ssize_t size = ::write(to, text.data() + done, text.size() - done);
    if (size <= 0 && errno != EINTR)
      break;
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
