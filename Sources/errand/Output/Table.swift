/// A table for people: columns as wide as their widest cell, the last one cut at the terminal's edge.
struct Table {
  struct Cell {
    let text: String
    var style: Style?

    init(_ text: String?, _ style: Style? = nil) {
      self.text = text.map { Text.onOneLine($0) } ?? "-"
      self.style = style
    }
  }

  let header: [String]
  /// Columns whose cells stand to the right, as numbers do.
  var rightAligned: Set<Int> = []
  var rows: [[Cell]] = []

  init(_ header: [String], rightAligned: Set<Int> = []) {
    self.header = header
    self.rightAligned = rightAligned
  }

  mutating func add(_ cells: Cell...) { rows.append(cells) }

  func lines(width: Int? = Terminal.size?.columns) -> [String] {
    var widths = header.map(\.count)
    for row in rows {
      for (column, cell) in row.enumerated() where column < widths.count { widths[column] = max(widths[column], cell.text.count) }
    }
    let titles = header.map { Cell($0, .bold) }
    return ([titles] + rows).map { line($0, widths, width) }
  }

  func write() { Output.write(Array((lines().joined(separator: "\n") + "\n").utf8)) }

  private func line(_ cells: [Cell], _ widths: [Int], _ limit: Int?) -> String {
    var line = ""
    var used = 0
    for (column, cell) in cells.enumerated() {
      let isLast = column == cells.count - 1
      var text = cell.text
      if let limit { text = Text.cut(text, to: max(0, limit - used)) }
      let padding = String(repeating: " ", count: max(0, widths[column] - text.count))
      let shown = cell.style?(text) ?? text
      line += rightAligned.contains(column) ? padding + shown : isLast ? shown : shown + padding
      if !isLast { line += "  " }
      used += max(widths[column], text.count) + 2
    }
    return line
  }
}
