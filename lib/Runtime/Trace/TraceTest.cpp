//===- TraceTest.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file must be JSON and name workers, launches and chunks.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"

#include <fstream>
#include <unistd.h>

using namespace sluice;
using namespace sluice::test;

namespace {
/// Just enough of JSON to tell whether a text is some.
class JsonReader {
public:
  explicit JsonReader(const std::string &text)
      : next(text.data()), end(next + text.size()) {}
  bool readAll() { return value() && (space(), next == end); }

private:
  void space() {
    while (next != end && std::isspace(static_cast<unsigned char>(*next)))
      ++next;
  }
  bool take(char wanted) {
    space();
    if (next == end || *next != wanted)
      return false;
    ++next;
    return true;
  }
  bool string() {
    if (!take('"'))
      return false;
    while (next != end && *next != '"') {
      if (static_cast<unsigned char>(*next) < 0x20)
        return false;
      next += *next == '\\' ? 2 : 1;
    }
    return take('"');
  }
  bool number() {
    const char *start = next;
    while (next != end && std::strchr("+-.0123456789eE", *next))
      ++next;
    return next != start;
  }
  template <typename Element> bool list(char last, Element element) {
    if (take(last))
      return true;
    do
      if (!element())
        return false;
    while (take(','));
    return take(last);
  }
  bool value() {
    space();
    if (next == end)
      return false;
    if (*next == '"')
      return string();
    if (take('['))
      return list(']', [this] { return value(); });
    if (take('{'))
      return list('}', [this] { return string() && take(':') && value(); });
    return number();
  }
  const char *next;
  const char *end;
};

class TraceTest : public RuntimeTest {
protected:
  void SetUp() override {
    path = testing::TempDir() + std::to_string(getpid()) + "-sluice-trace-" +
           std::to_string(GetParam()) + ".json";
    options.traceFile = path;
    RuntimeTest::SetUp();
  }
  void TearDown() override { ::unlink(path.c_str()); }
  std::string finishAndRead() {
    EXPECT_EQ(runtime->finish().message(), "");
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + 1))
      ++found;
    return found;
  }
  std::string path;
};
} // namespace

static void nothing(const SluiceInvocation *, uint64_t, uint64_t) {}

TEST_P(TraceTest, NamesWorkersLaunchesAndChunks) {
  PlanBuilder builder("camera");
  builder.node("camera/\"tone\"", nothing, {64});
  builder.node("camera/map", nothing);
  builder.order(0, 1);
  for (int round = 0; round < 3; ++round)
    wait(launch(builder.finish(), nullptr));
  std::string text = finishAndRead();
  EXPECT_TRUE(JsonReader(text).readAll()) << text;
  EXPECT_EQ(count(text, "\"name\":\"camera\",\"cat\":\"launch\""), 3u);
  EXPECT_EQ(count(text, "\"name\":\"camera/map\",\"cat\":\"chunk\""), 3u);
  EXPECT_GE(count(text, "\"name\":\"camera/\\\"tone\\\"\""), 3u);
  EXPECT_EQ(count(text, "\"name\":\"host (worker 0)\""), 1u);
  for (unsigned worker = 1; worker < GetParam(); ++worker)
    EXPECT_EQ(count(text, "\"name\":\"worker " + std::to_string(worker)), 1u);
  EXPECT_EQ(count(text, "\"args\":{\"begin\":0,\"end\":1,\"launch\":"), 3u);
  // The graph once, and an arrow in each launch: "map" waits for "tone".
  EXPECT_EQ(count(text, "\"args\":{\"graph\":\"camera\",\"nodes\":"
                        "[\"camera/\\\"tone\\\"\",\"camera/map\"],"
                        "\"edges\":[[0,1]]}"),
            1u);
  EXPECT_EQ(count(text, "{\"ph\":\"s\""), 3u);
  EXPECT_EQ(count(text, "{\"ph\":\"f\""), 3u);
}

TEST_P(TraceTest, AnEmptyRunIsATraceToo) {
  std::string text = finishAndRead();
  EXPECT_TRUE(JsonReader(text).readAll()) << text;
}

TEST(JsonReader, TellsJsonFromOtherText) {
  for (const char *good : {"[]", "{\"a\":[1,-2.5e3,\"x\\\"\"]}", " 1 "})
    EXPECT_TRUE(JsonReader(good).readAll()) << good;
  for (const char *bad : {"", "[1,]", "{\"a\"}", "[1", "{} {}", "\"\n\""})
    EXPECT_FALSE(JsonReader(bad).readAll()) << bad;
}

INSTANTIATE_TEST_SUITE_P(Workers, TraceTest, testing::Values(1, 2, 8));
