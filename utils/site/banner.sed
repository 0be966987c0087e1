# Turns the banner of a header into Doxygen's description of the file, and the
# comments of headers for C89 into Doxygen comments. Works line by line, so
# that line numbers stay correct.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

1s/ *-[-* C+]*===\/\/$//
1s/ *-*===!$//
1s/ *-*===$//
1s/^\/\*===- [^ ]* - /\/** @brief /
1,/^\/\/===-*===\/\/$/ {
  s/^\/\/===- [^ ]* - /\/\/\/ @brief /
  s/^\/\/===-*===\/\/$/\/\/\//
  s/^\/\/ SPDX.*/\/\/\/ @file/
  s/^\/\/\( .*\)\{0,1\}$/\/\/\/\1/
  s/ #include/ \\#include/
}
1,/^!===-*===!$/ {
  s/^!===- [^ ]* - /!> @brief /
  s/^!===-*===!$/!>/
  s/^! SPDX.*/!> @file/
  s/^!\( .*\)\{0,1\}$/!>\1/
}
s/^ \* SPDX.*/ * @file/
s/^\/\*@\([{}]\)\*\/$/\/**@\1*\//
s/^\( *\)\/\* /\1\/** /
s/^ \*===-*===\*\/$/ *\//
