/// "Did you mean": the known word that is least edits away.
enum Suggestion {
  /// ` (did you mean X?)`, or nothing if no word is near.
  static func words(for word: String, among known: [String]) -> String {
    nearest(to: word, among: known).map { " (did you mean \($0)?)" } ?? ""
  }

  static func nearest(to word: String, among known: [String]) -> String? {
    let near = known.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
    if let near, near.distance <= max(1, word.count / 3) { return near.word }
    let longer = known.filter { word.count >= 3 && $0.hasPrefix(word) }
    return longer.count == 1 ? longer.first : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  static func distance(_ left: String, _ right: String) -> Int {
    let one = Array(left.utf8)
    let other = Array(right.utf8)
    guard one.count < 64, other.count < 64 else { return .max }
    var rows = [Array(0...other.count)]
    for i in 0..<one.count {
      var row = [i + 1]
      for j in 0..<other.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
