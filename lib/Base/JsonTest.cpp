//===- JsonTest.cpp - Tests of the JSON writer ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the output character by character, since other programs read it.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Json.h"

#include <gtest/gtest.h>

using namespace sluice;

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter json;
  json.beginObject().add("unit", "ns").key("empty").beginArray().endArray();
  json.key("events").beginArray();
  for (int i = 0; i != 3; ++i)
    json.newLine()
        .beginObject()
        .add("i", i)
        .key("t")
        .rawNumber("1.5")
        .endObject();
  json.newLine().endArray().add("last", -1).endObject();
  EXPECT_EQ(json.text(), "{\"unit\":\"ns\",\"empty\":[],\"events\":[\n"
                         "{\"i\":0,\"t\":1.5},\n"
                         "{\"i\":1,\"t\":1.5},\n"
                         "{\"i\":2,\"t\":1.5}\n"
                         "],\"last\":-1}");
}

TEST(JsonWriter, EscapesText) {
  JsonWriter json;
  json.beginObject().add("a\"b", "a\"b\\c\n").endObject();
  EXPECT_EQ(json.text(), "{\"a\\\"b\":\"a\\\"b\\\\c\\u000a\"}");
  EXPECT_EQ(JsonWriter().beginArray().endArray().text(), "[]");
}
