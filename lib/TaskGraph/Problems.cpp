//===- Problems.cpp - What is wrong with a graph, as text -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the problems of a graph like a compiler: file, line, message, notes.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "sluice/Base/Text.h"

#include <cctype>

using namespace sluice;

std::string sluice::textOf(const MetaPlace &place) {
  if (place.line == 0)
    return place.file;
  std::string text = concat(place.file, ':', place.line);
  return place.column ? concat(text, ':', place.column) : text;
}

static std::string line(const MetaPlace &place, std::string_view severity,
                        const std::string &text) {
  std::string where = textOf(place);
  return concat(where, where.empty() ? "" : ": ", severity, ": ", text, '\n');
}

std::string sluice::textOf(const Problem &problem) {
  static constexpr const char *severities[] = {"error", "warning", "remark"};
  std::string text =
      line(problem.place, severities[static_cast<int>(problem.severity)],
           problem.text);
  for (const Problem::Note &note : problem.notes)
    text += line(note.place, "note", note.text);
  return text;
}

std::string sluice::textOf(ElementType type) {
  switch (type.kind) {
  case ElementKind::Signed:
    return concat("si", type.bits);
  case ElementKind::Unsigned:
    return concat("ui", type.bits);
  case ElementKind::Float:
    break;
  }
  return concat('f', type.bits);
}

std::string sluice::shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += concat(text.empty() ? "" : " x ", extent);
  return text;
}

bool sluice::isIdentifier(const std::string &text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])))
    return false;
  for (unsigned char character : text)
    if (!std::isalnum(character) && character != '_')
      return false;
  return true;
}

bool sluice::isModuleName(const std::string &text) {
  size_t dot = text.find('.');
  if (dot == std::string::npos)
    return isIdentifier(text);
  return isIdentifier(text.substr(0, dot)) &&
         isModuleName(text.substr(dot + 1));
}

Problem &TaskGraphModel::error(const MetaPlace &place, std::string text) {
  problems.push_back({Problem::Severity::Error, place, std::move(text), {}});
  return problems.back();
}
