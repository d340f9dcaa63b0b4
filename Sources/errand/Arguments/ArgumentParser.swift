/// Reads a command's options: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, single letters together (`-sf`), and `--`, after which
/// everything is a positional argument. Options and positionals may be mixed.
struct ArgumentParser {
  let options: [Option]

  func parse(_ words: [String]) throws(Failure) -> Arguments {
    var result = Arguments()
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        result.positionals += rest
        break
      } else if word.hasPrefix("--") {
        try long(word.dropFirst(2), &rest, &result)
      } else if word.hasPrefix("-"), word.count > 1 {
        try short(word.dropFirst(), &rest, &result)
      } else {
        result.positionals.append(word)
      }
    }
    return result
  }

  private func long(_ text: Substring, _ rest: inout ArraySlice<String>, _ result: inout Arguments) throws(Failure) {
    let equals = text.firstIndex(of: "=")
    let name = String(text[..<(equals ?? text.endIndex)])
    let attached = equals.map { String(text[text.index(after: $0)...]) }
    guard let option = options.first(where: { $0.long == name }) else {
      let known = options.map { "--" + $0.long }
      throw .usage("unknown option --\(name)" + Suggestion.words(for: "--" + name, among: known))
    }
    switch option.value {
    case .none:
      guard attached == nil else { throw .usage("--\(name) takes no value") }
      result.set(option, "")
    case .optional:
      result.set(option, attached ?? "")
    case .required(let what):
      guard let value = attached ?? rest.popFirst() else { throw .usage("--\(name) needs a value: \(what)") }
      result.set(option, value)
    }
  }

  private func short(_ text: Substring, _ rest: inout ArraySlice<String>, _ result: inout Arguments) throws(Failure) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw .usage("unknown option -\(letter)" + (text.count > 1 ? " in -\(text)" : ""))
      }
      guard case .required(let what) = option.value else {
        result.set(option, "")
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw .usage("-\(letter) (--\(option.long)) needs a value: \(what)")
      }
      result.set(option, value)
      return
    }
  }
}
