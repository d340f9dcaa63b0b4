extension CacheControl {
  mutating func read(_ directive: UnsafeRawBufferPointer) {
    isEmpty = false
    let equals = directive.firstIndex(of: Ascii.equals)
    let name = Ascii.trimmed(directive[piece: 0..<(equals ?? directive.count)])
    let argument = equals.map { directive[piece: $0 + 1..<directive.count] }
    if Ascii.equals(name, "max-age") {
      set(\.maxAge, argument, orElse: 0)
    } else if Ascii.equals(name, "no-store") {
      noStore = true
    } else if Ascii.equals(name, "no-cache") {
      readNoCache(argument)
    } else if Ascii.equals(name, "must-revalidate") {
      mustRevalidate = true
    } else if Ascii.equals(name, "must-understand") {
      mustUnderstand = true
    } else if Ascii.equals(name, "public") {
      isPublic = true
    } else if Ascii.equals(name, "private") {
      isPrivate = true
    } else if Ascii.equals(name, "immutable") {
      isImmutable = true
    } else if Ascii.equals(name, "only-if-cached") {
      onlyIfCached = true
    } else if Ascii.equals(name, "max-stale") {
      if argument == nil { maxStale = maxStale ?? Self.longest } else { set(\.maxStale, argument, orElse: nil) }
    } else if Ascii.equals(name, "min-fresh") {
      set(\.minFresh, argument, orElse: Self.longest)
    } else if Ascii.equals(name, "stale-while-revalidate") {
      set(\.staleWhileRevalidate, argument, orElse: nil)
    } else if Ascii.equals(name, "stale-if-error") {
      set(\.staleIfError, argument, orElse: nil)
    }
  }

  private mutating func set(_ time: WritableKeyPath<CacheControl, Int64?>, _ argument: UnsafeRawBufferPointer?, orElse strict: Int64?) {
    guard self[keyPath: time] == nil else { return }
    self[keyPath: time] = argument.flatMap { Self.seconds(FieldList.unquoted($0)) } ?? strict
  }

  private mutating func readNoCache(_ argument: UnsafeRawBufferPointer?) {
    var names: [String] = []
    var isValid = true
    if let argument {
      FieldList.unquoted(argument).withBytes { list in
        FieldList.forEach(list) { name in
          if !name.allSatisfy(Ascii.isToken) { isValid = false }
          names.append(String(decoding: name.map(Ascii.lower), as: UTF8.self))
        }
      }
    }
    if names.isEmpty || !isValid { noCache = true } else { noCacheFields += names }
  }

  /// A number of seconds as Cache-Control and Age have it: digits alone. Larger ones than ``longest`` are that.
  static func seconds(_ text: some Sequence<UInt8>) -> Int64? {
    var value: Int64?
    for byte in text {
      guard Ascii.isDigit(byte) else { return nil }
      value = min((value ?? 0) * 10 + Int64(byte - Ascii.zero), longest)
    }
    return value
  }
}
