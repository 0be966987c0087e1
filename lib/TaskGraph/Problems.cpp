//===- Problems.cpp - Problems of a graph ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of checks in calls: accepted names, the text of types and
// shapes in messages, and where messages are stored.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "sluice/Base/Text.h"

#include <cctype>

using namespace sluice;

std::string sluice::textOf(ScalarType type) {
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

/// Python itself checks the letters when it looks for the name later.
bool sluice::isPythonName(const std::string &text) {
  std::string plain = text;
  for (char &character : plain)
    if (static_cast<unsigned char>(character) >= 0x80)
      character = '_';
  return isIdentifier(plain);
}

bool sluice::isModuleName(const std::string &text) {
  size_t dot = text.find('.');
  if (dot == std::string::npos)
    return isPythonName(text);
  return isPythonName(text.substr(0, dot)) &&
         isModuleName(text.substr(dot + 1));
}

Diagnostic &TaskGraphModel::error(const MetaPlace &place, std::string text) {
  problems.push_back({.message = std::move(text), .place = place});
  return problems.back();
}
