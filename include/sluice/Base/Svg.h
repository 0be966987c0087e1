//===- Svg.h - Drawings made of lines, boxes and text ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Charts and pictures of layouts are SVG files, which every browser shows and
// which need no library. This is the small part of SVG that they use.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_SVG_H
#define SLUICE_BASE_SVG_H

#include <string>
#include <string_view>

namespace sluice {

/// Shapes in drawing order; later ones cover earlier ones. Coordinates are
/// pixels from the top left corner.
class Svg {
public:
  enum class Anchor { Start, Middle, End };
  struct TextStyle {
    double size = 12;
    Anchor anchor = Anchor::Start;
    std::string_view colour = "#222";
    bool isBold = false;
  };

  void rectangle(double x, double y, double width, double height,
                 std::string_view colour, std::string_view title = "");
  void line(double fromX, double fromY, double toX, double toY,
            std::string_view colour, double width = 1);
  void circle(double x, double y, double radius, std::string_view colour,
              std::string_view title = "");
  void text(double x, double y, std::string_view content,
            const TextStyle &style);
  void text(double x, double y, std::string_view content) {
    text(x, y, content, TextStyle());
  }

  /// The complete file, on a white background.
  std::string finish(double width, double height) const;

private:
  std::string body;
};

/// `text` with XML's reserved characters escaped.
std::string xmlText(std::string_view text);

} // namespace sluice

#endif // SLUICE_BASE_SVG_H
