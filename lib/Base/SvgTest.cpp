//===- SvgTest.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that drawings are well-formed XML for any text in them.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Svg.h"

#include <gtest/gtest.h>

using namespace sluice;

TEST(Svg, ReplacesWhatXmlKeepsForItself) {
  EXPECT_EQ(xmlText("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
}

TEST(Svg, WritesShapesInTheirOrder) {
  Svg svg;
  svg.rectangle(1, 2, 3.25, 4, "#123456", "1 < 2");
  svg.line(0, 0, 10, 0, "black");
  svg.text(5, 6, "a&b", {.size = 11, .anchor = Svg::Anchor::End});
  std::string file = svg.finish(20, 10);
  size_t box = file.find("<rect x=\"1.0\" y=\"2.0\" width=\"3.2\"");
  size_t line = file.find("<line x1=\"0.0\"");
  size_t text = file.find("text-anchor=\"end\"");
  ASSERT_NE(box, std::string::npos);
  EXPECT_NE(file.find("<title>1 &lt; 2</title></rect>"), std::string::npos);
  EXPECT_LT(box, line);
  EXPECT_LT(line, text);
  EXPECT_NE(text, std::string::npos);
  EXPECT_NE(file.find(">a&amp;b</text>"), std::string::npos);
  EXPECT_TRUE(file.starts_with("<svg xmlns="));
  EXPECT_TRUE(file.ends_with("</svg>\n"));
}
