//===- Builtins.cpp - Copies and fills ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both operate on spans of memory.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"

using namespace sluice::regions;

namespace {
struct CopyClosure {
  std::vector<uint64_t> elementBytes;
};
struct FillClosure {
  std::vector<char> value;
};
} // namespace

static void runCopy(const SluiceTask *, const SluiceView *views,
                    const void *closure) {
  const auto &sizes = static_cast<const CopyClosure *>(closure)->elementBytes;
  for (size_t field = 0; field < sizes.size(); ++field) {
    const auto *from = static_cast<const char *>(views[0].fields[field]);
    auto *to = static_cast<char *>(views[1].fields[field]);
    const uint64_t size = sizes[field];
    forEachSpan(*views[1].domain, [&](int64_t begin, int64_t end) {
      std::memmove(to + indexOf(*views[1].domain, begin) * size,
                   from + indexOf(*views[0].domain, begin) * size,
                   (end - begin) * size);
    });
  }
}

void sluice::regions::makeCopy(Statement &statement) {
  auto closure = std::make_shared<CopyClosure>();
  const StatementArgument &to = statement.arguments[1];
  for (uint32_t field : to.fields)
    closure->elementBytes.push_back(to.root->fields[field].elementBytes());
  statement.body = runCopy;
  statement.closure = closure.get();
  statement.ownedClosure = closure;
}

/// Repeats a value: doubles the existing part, up to a piece that stays in the
/// nearest cache.
static void fillSpan(char *to, uint64_t bytes, const std::vector<char> &value) {
  constexpr uint64_t maxPiece = 16384;
  uint64_t done = std::min<uint64_t>(bytes, value.size());
  std::memcpy(to, value.data(), done);
  while (done < bytes) {
    uint64_t whole = std::min(done, maxPiece) / value.size() * value.size();
    uint64_t piece =
        std::min(std::max<uint64_t>(whole, value.size()), bytes - done);
    std::memcpy(to + done, to, piece);
    done += piece;
  }
}

static void runFill(const SluiceTask *, const SluiceView *views,
                    const void *closure) {
  const auto &value = static_cast<const FillClosure *>(closure)->value;
  auto *to = static_cast<char *>(views[0].fields[0]);
  const bool isZero = std::all_of(value.begin(), value.end(),
                                  [](char byte) { return byte == 0; });
  forEachSpan(*views[0].domain, [&](int64_t begin, int64_t end) {
    char *start = to + indexOf(*views[0].domain, begin) * value.size();
    uint64_t bytes = (end - begin) * value.size();
    if (isZero)
      std::memset(start, 0, bytes);
    else
      fillSpan(start, bytes, value);
  });
}

void sluice::regions::makeFill(Statement &statement, const void *value) {
  auto closure = std::make_shared<FillClosure>();
  const StatementArgument &to = statement.arguments[0];
  const auto *bytes = static_cast<const char *>(value);
  closure->value.assign(bytes,
                        bytes + to.root->fields[to.fields[0]].elementBytes());
  statement.body = runFill;
  statement.closure = closure.get();
  statement.ownedClosure = closure;
}
