//===- TextArrays.cpp - Parsing subarray and darray -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both list their dimensions one by one, each with all of its arguments.
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"
#include "sluice/Base/Text.h"

using namespace farc;
using sluice::concat;

Order TextParser::parseOrder() {
  Token token = lexer.take();
  if (token.kind == Token::Name && token.text == "c")
    return ORDER_C;
  if (token.kind == Token::Name && token.text == "fortran")
    return ORDER_FORTRAN;
  fail(token, concat("expected the order 'c' or 'fortran', but found ",
                     token.description()));
}

TypeList TextParser::parseSubarray(const Token &name) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> subsizes;
  std::vector<int64_t> starts;
  expect('(', "'subarray'");
  Order order = parseOrder();
  expect(':', "the order");
  while (!takeIf(')')) {
    sizes.push_back(parseNumber("the size of a dimension or ')'"));
    expect(',', "the size of a dimension");
    subsizes.push_back(parseNumber("the subsize of a dimension"));
    expect(',', "the subsize of a dimension");
    starts.push_back(parseNumber("the start of a dimension"));
    skipSeparator();
  }
  return forEachBase(name, sizes.size(), [&](const Datatype *base) {
    return new SubarrayDatatype(int64_t(sizes.size()), sizes.data(),
                                subsizes.data(), starts.data(), order, base);
  });
}

/// size "," distribution [ "(" block ")" ] "," processes
TextParser::Dimension TextParser::parseDimension() {
  Dimension dimension;
  dimension.size = parseNumber("the size of a dimension or ')'");
  expect(',', "the size of a dimension");
  Token kind = lexer.take();
  if (kind.text == "none")
    dimension.distribution = DISTRIBUTE_NONE;
  else if (kind.text == "block")
    dimension.distribution = DISTRIBUTE_BLOCK;
  else if (kind.text == "cyclic")
    dimension.distribution = DISTRIBUTE_CYCLIC;
  else
    fail(kind, concat("expected 'none', 'block' or 'cyclic', but found ",
                      kind.description()));
  dimension.argument = DISTRIBUTE_DFLT_DARG;
  if (takeIf('(')) {
    dimension.argument = parseNumber("the argument of a distribution");
    expect(')', "the argument of a distribution");
  }
  expect(',', "the distribution of a dimension");
  dimension.processes = parseNumber("the processes of a dimension");
  return dimension;
}

TypeList TextParser::parseDarray(const Token &name) {
  std::vector<int64_t> sizes;
  std::vector<Distribution> distributions;
  std::vector<int64_t> arguments;
  std::vector<int64_t> processes;
  expect('(', "'darray'");
  Order order = parseOrder();
  int64_t size = parseNumber("the number of processes");
  takeIf(',');
  int64_t rank = parseNumber("the rank");
  expect(':', "the rank");
  while (!takeIf(')')) {
    Dimension dimension = parseDimension();
    sizes.push_back(dimension.size);
    distributions.push_back(dimension.distribution);
    arguments.push_back(dimension.argument);
    processes.push_back(dimension.processes);
    skipSeparator();
  }
  return forEachBase(name, sizes.size(), [&](const Datatype *base) {
    return new DarrayDatatype(size, rank, int64_t(sizes.size()), sizes.data(),
                              distributions.data(), arguments.data(),
                              processes.data(), order, base);
  });
}
