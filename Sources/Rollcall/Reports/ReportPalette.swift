/// The colors of a report, each named for its meaning.
package struct ReportPalette: Sendable {
  /// The colors by their names in the style sheet.
  package let colors: KeyValuePairs<String, String>

  /// The declarations of the colors in the style sheet.
  var declarations: String { colors.map { "--\($0):\($1);" }.joined() }

  /// The pairs of colors that are used as text and its background.
  package static let texts: [(text: String, ground: String)] =
    ["ink", "muted", "accent", "came", "went", "changed"].flatMap {
      [($0, "paper"), ($0, "panel")]
    }
    + ["error", "warning", "info"].flatMap { severity in
      [(severity, "\(severity)-tint"), (severity, "paper"), ("ink", "\(severity)-tint")]
    } + [("paper", "accent")]

  /// The colors of shapes that carry a meaning on the background `paper`.
  package static let shapes = ["error-mark", "warning-mark", "info-mark", "request", "accent"]

  /// The colors on white.
  package static let light = ReportPalette(colors: [
    "paper": "#ffffff", "panel": "#f4f6f8", "ink": "#1c2128", "muted": "#59636e",
    "line": "#dde2e8", "accent": "#0a58a8", "lane": "#b4c4d6", "request": "#6b3fa0",
    "came": "#116d31", "went": "#b02a1c", "changed": "#7d5200",
    "error": "#b02a1c", "error-tint": "#fdecea", "warning": "#7d5200", "warning-tint": "#fdf3d8",
    "info": "#0a58a8", "info-tint": "#e8f1fb",
    "error-mark": "#d1372a", "warning-mark": "#bf7800", "info-mark": "#2f7fd6",
  ])

  /// The colors of the dark mode.
  package static let dark = ReportPalette(colors: [
    "paper": "#101419", "panel": "#191f27", "ink": "#e4e9ef", "muted": "#9aa5b1",
    "line": "#2a323c", "accent": "#7db5f5", "lane": "#435468", "request": "#c5a3f0",
    "came": "#62c97c", "went": "#ff8f84", "changed": "#e0b050",
    "error": "#ff8f84", "error-tint": "#36191a", "warning": "#e0b050", "warning-tint": "#2e2512",
    "info": "#7db5f5", "info-tint": "#15263a",
    "error-mark": "#ff7468", "warning-mark": "#e6a93a", "info-mark": "#6aaaf2",
  ])
}
