//===- Subject.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads types from files or the command line, and computes the expected results
// of packing them, element by element.
//
//===----------------------------------------------------------------------===//

#include "Subject.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace sluice;
using namespace sluice::player;

Subject::Subject(std::unique_ptr<farc::Datatype> type)
    : tree(std::move(type)), description(tree->toString()) {}

TypeShape Subject::shape() const {
  return {.size = tree->getSize(),
          .lowerBound = tree->getLowerBound(),
          .extent = tree->getExtent(),
          .trueLowerBound = tree->getTrueLowerBound(),
          .trueExtent = tree->getTrueExtent()};
}

std::string Subject::shortText(size_t width) const {
  std::string text =
      description.size() <= width ? description : tree->toString(true);
  if (text.size() > width)
    text = text.substr(0, width - 3) + "...";
  return text;
}

/// Calls `visit(address offset, bytes)` for all elements of `count` instances.
template <typename Visitor>
static void forEachRun(const farc::Datatype &type, int64_t count,
                       const Visitor &visit) {
  for (int64_t i = 0; i < count; ++i)
    type.forEachElement(i * type.getExtent(),
                        [&](int64_t offset,
                            const farc::PrimitiveDatatype &primitive,
                            int64_t elements) {
                          visit(offset, elements * primitive.getSize());
                        });
}

Result<Subject::Answers> Subject::answers(int64_t count) const {
  Result<Region> memory = Region::of(spanOf(shape(), count));
  Result<Region> stream = Region::of({0, shape().size * count});
  Result<Region> touched = Region::of(spanOf(shape(), count));
  for (Result<Region> *region : {&memory, &stream, &touched})
    if (!region->ok())
      return region->takeStatus();

  Answers answers;
  memory->fillPattern(1);
  std::byte *packed = stream->address();
  forEachRun(*tree, count, [&](int64_t offset, int64_t bytes) {
    std::memcpy(packed, memory->address() + offset, size_t(bytes));
    packed += bytes;
    std::byte *marks = touched->address() + offset;
    for (int64_t i = 0; i < bytes; ++i) {
      answers.overlaps |= marks[i] != std::byte(0);
      marks[i] = std::byte(1);
    }
  });
  auto toText = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  };
  answers.packed = toText(stream->bytes());

  stream->fillPattern(2);
  memory->fillGaps();
  packed = stream->address();
  forEachRun(*tree, count, [&](int64_t offset, int64_t bytes) {
    std::memcpy(memory->address() + offset, packed, size_t(bytes));
    packed += bytes;
  });
  answers.unpacked = toText(memory->bytes());
  return answers;
}

static Result<std::string> readAll(const InputSource &source) {
  if (source.isText)
    return source.text;
  bool isInput = source.name == "-";
  std::FILE *file = isInput ? stdin : std::fopen(source.name.c_str(), "r");
  auto fail = [&] {
    return Status::error(StatusCode::System,
                         concat("cannot read ", quoted(source.name), ": ",
                                systemErrorText(errno)));
  };
  if (!file)
    return fail();
  std::string text;
  char buffer[1 << 16];
  while (size_t size = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, size);
  bool isBroken = std::ferror(file);
  Status status = isBroken ? fail() : Status();
  if (!isInput)
    std::fclose(file);
  if (!status.ok())
    return status;
  return text;
}

/// "FILE:LINE:COLUMN: error: reason", the line, and a caret below the position.
static std::string explain(const InputSource &source, std::string_view text,
                           const farc::ParseError &error) {
  return concat(source.name == "-" ? "<stdin>" : source.name, ':',
                error.getLine(), ':', error.getColumn(),
                ": error: ", error.getReason(), '\n',
                linesAt(text, error.getLine(), error.getColumn()));
}

Result<std::vector<Subject>>
sluice::player::readSubjects(const std::vector<InputSource> &sources) {
  std::vector<Subject> subjects;
  for (const InputSource &source : sources) {
    Result<std::string> text = readAll(source);
    if (!text.ok())
      return Status::invalidArgument(
          "ddtplayer: error: " + text.status().message() + "\n");
    try {
      for (auto &type : farc::parseDatatypes(*text))
        subjects.emplace_back(std::move(type));
    } catch (const farc::ParseError &error) {
      return Status::invalidArgument(explain(source, *text, error));
    } catch (const farc::Error &error) {
      return Status::invalidArgument(
          concat(source.name, ": error: ", error.what(), '\n'));
    }
  }
  return subjects;
}
