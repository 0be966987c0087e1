//===- ReportTest.cpp - Messages as JSON and SARIF ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The representation of each part of a message, and of text that JSON or a URI
// must escape.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Report.h"
#include "RulePages.h"
#include "TestFolder.h"
#include "sluice/Diagnostics/ToolOutput.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

#include <fstream>
#include <variant>

using namespace sluice;
namespace json = llvm::json;

namespace {
/// Messages about a file of one line.
struct Reports : testing::Test {
  Reports() : path(folder.file("a b.c")) {
    std::ofstream(path) << "\u20ac = call(y);\n";
  }

  SourcePlace at(unsigned column) const { return {path, 1, column}; }

  /// The document of one message, parsed.
  json::Value write(const std::deque<Diagnostic> &diagnostics, ReportForm form,
                    bool isGood = false) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeReport(diagnostics, {"1.2", "check", isGood}, form, os);
    llvm::Expected<json::Value> value = json::parse(text);
    EXPECT_TRUE(bool(value)) << text;
    return value ? std::move(*value) : json::Value(nullptr);
  }

  Diagnostic full() const {
    Diagnostic wrong = {.rule = "H08",
                        .message = "no y",
                        .place = at(7),
                        .fix = Fix{"write z", {{at(12), at(13), "z"}}}};
    wrong.note(at(12), "it is here").note({}, "nowhere");
    return wrong;
  }

  test::TestFolder folder;
  std::string path;
};

/// The value at a path of keys and indices.
const json::Value &
get(const json::Value &value,
    std::initializer_list<std::variant<const char *, size_t>> path) {
  static const json::Value none = nullptr;
  const json::Value *at = &value;
  for (const auto &step : path) {
    if (const char *const *key = std::get_if<const char *>(&step)) {
      const json::Object *object = at->getAsObject();
      at = object ? object->get(*key) : nullptr;
    } else {
      const json::Array *array = at->getAsArray();
      size_t index = std::get<size_t>(step);
      at = array && index < array->size() ? &(*array)[index] : nullptr;
    }
    if (!at)
      return none;
  }
  return *at;
}

json::Value span(unsigned begin, unsigned end) {
  return json::Object{{"startLine", 1},
                      {"startColumn", begin},
                      {"endLine", 1},
                      {"endColumn", end}};
}
} // namespace

TEST_F(Reports, AreJson) {
  json::Value value = write({full()}, ReportForm::Json);
  EXPECT_EQ(get(value, {"version"}), json::Value(1));
  EXPECT_EQ(get(value, {"successful"}), json::Value(false));
  const json::Value &message = get(value, {"diagnostics", 0ul});
  EXPECT_EQ(get(message, {"severity"}), "error");
  EXPECT_EQ(get(message, {"rule"}), "H08");
  EXPECT_EQ(get(message, {"source"}), "sluice");
  // The call, in bytes.
  EXPECT_EQ(get(message, {"place"}),
            json::Value(json::Object{
                {"file", path},
                {"begin", json::Object{{"line", 1}, {"column", 7}}},
                {"end", json::Object{{"line", 1}, {"column", 14}}}}));
  EXPECT_EQ(get(message, {"related", 0ul, "message"}), "it is here");
  EXPECT_EQ(get(message, {"related", 1ul}),
            json::Value(json::Object{{"message", "nowhere"}}));
  EXPECT_EQ(get(message, {"fixes", 0ul, "title"}), "write z");
  EXPECT_EQ(get(message, {"fixes", 0ul, "edits", 0ul, "text"}), "z");
}

TEST_F(Reports, AreSarif) {
  json::Value value = write({full()}, ReportForm::Sarif, /*isGood=*/true);
  EXPECT_EQ(get(value, {"version"}), "2.1.0");
  const json::Value &run = get(value, {"runs", 0ul});
  EXPECT_EQ(get(run, {"invocations", 0ul, "executionSuccessful"}),
            json::Value(true));
  EXPECT_EQ(get(run, {"tool", "driver", "rules", 0ul, "id"}), "H08");
  const json::Value &result = get(run, {"results", 0ul});
  EXPECT_EQ(get(result, {"level"}), "error");
  EXPECT_EQ(get(result, {"ruleIndex"}), json::Value(0));
  const json::Value &place =
      get(result, {"locations", 0ul, "physicalLocation"});
  // In units of UTF-16: the first character has three bytes.
  EXPECT_EQ(get(place, {"region"}), span(5, 12));
  std::string uri =
      get(place, {"artifactLocation", "uri"}).getAsString()->str();
  EXPECT_TRUE(llvm::StringRef(uri).starts_with("file:///")) << uri;
  EXPECT_TRUE(llvm::StringRef(uri).ends_with("/a%20b.c")) << uri;
  EXPECT_EQ(get(result, {"relatedLocations", 0ul, "message", "text"}),
            "it is here");
  EXPECT_EQ(get(result, {"relatedLocations", 1ul}),
            json::Value(
                json::Object{{"message", json::Object{{"text", "nowhere"}}}}));
  const json::Value &change =
      get(result, {"fixes", 0ul, "artifactChanges", 0ul, "replacements", 0ul});
  EXPECT_EQ(get(change, {"deletedRegion"}), span(10, 11));
  EXPECT_EQ(get(change, {"insertedContent", "text"}), "z");
}

TEST_F(Reports, LeaveOutWhatIsMissing) {
  std::deque<Diagnostic> plain = {
      {.severity = Severity::Remark, .message = "none"}};
  json::Value value = write(plain, ReportForm::Json);
  EXPECT_EQ(get(value, {"diagnostics", 0ul}),
            json::Value(json::Object{{"severity", "remark"},
                                     {"message", "none"},
                                     {"source", "sluice"},
                                     {"related", json::Array{}},
                                     {"fixes", json::Array{}}}));
  EXPECT_EQ(
      get(write(plain, ReportForm::Sarif), {"runs", 0ul, "results", 0ul}),
      json::Value(json::Object{{"level", "note"},
                               {"message", json::Object{{"text", "none"}}}}));
}

TEST_F(Reports, OfFilesWithoutLines) {
  std::deque<Diagnostic> whole = {{.message = "empty", .place = {"rel/b.c"}}};
  EXPECT_EQ(get(write(whole, ReportForm::Json), {"diagnostics", 0ul, "place"}),
            json::Value(json::Object{{"file", "rel/b.c"}}));
  EXPECT_EQ(
      get(write(whole, ReportForm::Sarif),
          {"runs", 0ul, "results", 0ul, "locations", 0ul, "physicalLocation"}),
      json::Value(json::Object{
          {"artifactLocation",
           json::Object{{"uri", "rel/b.c"}, {"uriBaseId", "PWD"}}}}));
}

TEST_F(Reports, TellEachMessageOnce) {
  std::deque<Diagnostic> twice = {full(), full()};
  twice.push_back(full());
  twice.back().place.column = 8;
  for (ReportForm form : {ReportForm::Json, ReportForm::Sarif}) {
    json::Value value = write(twice, form);
    const json::Value &list = form == ReportForm::Json
                                  ? get(value, {"diagnostics"})
                                  : get(value, {"runs", 0ul, "results"});
    EXPECT_EQ(list.getAsArray()->size(), 2u);
  }
}

TEST_F(Reports, HoldTextsThatAreNoUnicode) {
  std::deque<Diagnostic> odd = {
      {.message = "a\xff\"\n", .place = {"\xfe.c", 1, 1}}};
  for (ReportForm form : {ReportForm::Json, ReportForm::Sarif})
    EXPECT_NE(write(odd, form), json::Value(nullptr));
}

TEST_F(Reports, NameThePagesOfRules) {
  EXPECT_EQ(ruleUri(""), "");
  std::pair<const char *, const char *> pages[] = {
      {"H08", "/hpvm-rules.md#h08"},
      {"D1", "/rdir-rules.md#d1"},
      {"race", "/races.md#what-is-refuted"},
      {"scan", "/hpvm-rules.md#scans"},
      {"hint", "/hpvm-rules.md#what-the-c-and-c-front-end-says"},
      {"of nobody", "/hpvm-rules.md"},
      {"hetero-loop", "/hetero.md#limits"}};
  for (auto [rule, page] : pages)
    EXPECT_TRUE(llvm::StringRef(ruleUri(rule)).ends_with(page))
        << ruleUri(rule);
}

TEST_F(Reports, NameTheirPagesOnASite) {
  EXPECT_EQ(sitePageOf("H08"), "rules/h08.html");
  EXPECT_EQ(sitePageOf("W1"), "rules/w1.html");
  EXPECT_EQ(sitePageOf("thread-local"), "rules/thread-local.html");
  EXPECT_EQ(sitePageOf("of nobody"), "rules/index.html");
}

TEST_F(Reports, ReceiveWhatWouldBePrinted) {
  std::vector<std::string> received;
  redirectDiagnostics([&](const Diagnostic &diagnostic) {
    received.push_back(textOf(diagnostic));
  });
  EXPECT_TRUE(areDiagnosticsRedirected());
  printError("one");
  std::string printed;
  llvm::raw_string_ostream os(printed);
  Diagnostics messages;
  messages.warning({"a.c", 2, 1}, "three", "H48");
  messages.error({"a.c", 1, 1}, "two");
  messages.print(os);
  printToolOutput("ld: four\n", Severity::Error);
  printToolOutput("seven\n", Severity::Warning);
  printToolOutput("ld.lld: warning: unknown -z value: x\n"
                  "clang: warning: unused: error: no\n"
                  "ld.lld: error: undefined symbol: f\n"
                  ">>> referenced by a.c: warning: in a name\n\n",
                  Severity::Warning);
  printToolOutput("\n", Severity::Error);
  redirectDiagnostics(nullptr);
  messages.print(os);
  EXPECT_EQ(received,
            (std::vector<std::string>{"error: one\n", "a.c:1:1: error: two\n",
                                      "a.c:2:1: warning: three [H48]\n",
                                      "error: ld: four\n", "warning: seven\n",
                                      "warning: ld.lld: warning: unknown -z "
                                      "value: x\n",
                                      "warning: clang: warning: unused: error: "
                                      "no\n",
                                      "error: ld.lld: error: undefined symbol: "
                                      "f\n>>> referenced by a.c: warning: in a "
                                      "name\n"}));
  EXPECT_EQ(printed, "a.c:1:1: error: two\na.c:2:1: warning: three [H48]\n");
}
