/// `COMMAND --name value --flag ...`
struct Arguments {
  let command: String
  private var values: [String: String] = [:]

  init(_ words: ArraySlice<String>) {
    command = words.first ?? ""
    var name: String?
    for word in words.dropFirst() {
      if word.hasPrefix("--") {
        name = word
        values[word] = ""
      } else if let option = name {
        values[option] = word
        name = nil
      }
    }
  }

  subscript(_ name: String) -> String? { values[name] }
  func has(_ name: String) -> Bool { values[name] != nil }
  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  func port(_ name: String) -> UInt16? { values[name].flatMap { UInt16($0) } }
  func ports(_ name: String) -> [UInt16]? { values[name]?.split(separator: ",").compactMap { UInt16($0) } }
}
