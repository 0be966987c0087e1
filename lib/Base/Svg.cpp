//===- Svg.cpp ------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes shapes as text with one decimal place, which suffices for a screen.
// Files stay small and are the same on every machine.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Svg.h"
#include "sluice/Base/Text.h"

#include <cstdio>

using namespace sluice;

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

static std::string closing(std::string_view element, std::string_view title) {
  if (title.empty())
    return "/>\n";
  return concat("><title>", xmlText(title), "</title></", element, ">\n");
}

std::string sluice::xmlText(std::string_view text) {
  std::string out;
  for (char character : text) {
    if (character == '&')
      out += "&amp;";
    else if (character == '<')
      out += "&lt;";
    else if (character == '>')
      out += "&gt;";
    else if (character == '"')
      out += "&quot;";
    else
      out += character;
  }
  return out;
}

void Svg::rectangle(double x, double y, double width, double height,
                    std::string_view colour, std::string_view title) {
  body += concat("<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"",
                 number(width), "\" height=\"", number(height), "\" fill=\"",
                 colour, '"', closing("rect", title));
}

void Svg::line(double fromX, double fromY, double toX, double toY,
               std::string_view colour, double width) {
  body +=
      concat("<line x1=\"", number(fromX), "\" y1=\"", number(fromY),
             "\" x2=\"", number(toX), "\" y2=\"", number(toY), "\" stroke=\"",
             colour, "\" stroke-width=\"", number(width), "\"/>\n");
}

void Svg::circle(double x, double y, double radius, std::string_view colour,
                 std::string_view title) {
  body += concat("<circle cx=\"", number(x), "\" cy=\"", number(y), "\" r=\"",
                 number(radius), "\" fill=\"", colour,
                 "\" fill-opacity=\"0.75\"", closing("circle", title));
}

static const char *anchorName(Svg::Anchor anchor) {
  switch (anchor) {
  case Svg::Anchor::Start:
    return "start";
  case Svg::Anchor::Middle:
    return "middle";
  case Svg::Anchor::End:
    return "end";
  }
  return "start";
}

void Svg::text(double x, double y, std::string_view content,
               const TextStyle &style) {
  body += concat("<text x=\"", number(x), "\" y=\"", number(y),
                 "\" font-size=\"", number(style.size), "\" text-anchor=\"",
                 anchorName(style.anchor), "\" fill=\"", style.colour, '"',
                 style.isBold ? " font-weight=\"bold\"" : "", '>',
                 xmlText(content), "</text>\n");
}

std::string Svg::finish(double width, double height) const {
  std::string size =
      concat("width=\"", number(width), "\" height=\"", number(height), '"');
  return concat("<svg xmlns=\"http://www.w3.org/2000/svg\" ", size,
                " viewBox=\"0 0 ", number(width), ' ', number(height),
                "\" font-family=\"sans-serif\">\n<rect ", size,
                " fill=\"white\"/>\n", body, "</svg>\n");
}
