//===- TraceElements.cpp - The events of a trace, one by one --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceElements.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
/// Finds where values begin and end, without parsing their contents.
class ElementScanner {
public:
  explicit ElementScanner(StringRef text) : text(text) {}

  size_t place() const { return at; }
  bool isAtEnd() {
    skipBlanks();
    return at == text.size();
  }
  bool take(char wanted) {
    if (isAtEnd() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  /// The text of the next value. Empty if there is none, if it does not end, or
  /// if its brackets are nested too deeply.
  StringRef takeValue() {
    if (isAtEnd())
      return {};
    const size_t start = at;
    unsigned depth = 0;
    do {
      if (isAtEnd())
        return {};
      const char c = text[at];
      if (c == '"') {
        if (!skipString())
          return {};
      } else if (c == '{' || c == '[') {
        ++at;
        if (++depth > maxDepth)
          return {};
      } else if (c == '}' || c == ']') {
        if (!depth)
          return {};
        ++at;
        --depth;
      } else if (c == ',' || c == ':') {
        if (!depth)
          return {};
        ++at;
      } else {
        at = std::min(text.find_first_of(" \t\r\n,:{}[]\"", at), text.size());
      }
    } while (depth);
    return text.slice(start, at);
  }

private:
  static constexpr unsigned maxDepth = 32;

  void skipBlanks() {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  bool skipString() {
    for (++at; at < text.size(); ++at) {
      if (text[at] == '\\')
        ++at;
      else if (text[at] == '"') {
        ++at;
        return true;
      }
    }
    at = text.size();
    return false;
  }

  StringRef text;
  size_t at = 0;
};
} // namespace

Error driver::forEachEvent(StringRef text, StringRef path,
                           function_ref<Error(const json::Object &)> use) {
  ElementScanner scanner(text);
  auto fail = [&](size_t place, const Twine &message) {
    return createStringError(path + ":" +
                             Twine(text.take_front(place).count('\n') + 1) +
                             ": " + message);
  };
  constexpr StringLiteral truncated =
      "the text ends, or is damaged, within the events";
  // Skips everything before the events.
  if (scanner.take('{'))
    while (true) {
      const size_t place = scanner.place();
      StringRef key = scanner.takeValue();
      if (!key.starts_with("\"") || !scanner.take(':'))
        return fail(place, "this is no trace: it has no \"traceEvents\"");
      if (key == "\"traceEvents\"")
        break;
      if (scanner.takeValue().empty() || !scanner.take(','))
        return fail(place, "this is no trace: it has no \"traceEvents\"");
    }
  if (!scanner.take('['))
    return fail(scanner.place(), "this is no trace: expected an array of "
                                 "events");
  if (scanner.take(']'))
    return Error::success();
  do {
    const bool isOver = scanner.isAtEnd();
    const size_t place = scanner.place();
    StringRef element = isOver ? StringRef() : scanner.takeValue();
    if (element.empty())
      return fail(place, truncated);
    Expected<json::Value> event = json::parse(element);
    if (!event && !json::isUTF8(element)) {
      // Names of a program may be in another encoding.
      consumeError(event.takeError());
      event = json::parse(json::fixUTF8(element));
    }
    if (!event) {
      consumeError(event.takeError());
      return fail(place, "this event is damaged");
    }
    const json::Object *object = event->getAsObject();
    if (!object)
      return fail(place, "expected an event, which is an object");
    if (Error error = use(*object))
      return fail(place, toString(std::move(error)));
  } while (scanner.take(','));
  if (!scanner.take(']'))
    return fail(scanner.place(), truncated);
  return Error::success();
}
