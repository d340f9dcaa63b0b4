import Dispatch
import Errand
import Glibc
import TestSupport
import Testing

@Suite("Jars of cookies on disk")
struct CookieJarFileTests {
  private let jar = CookieJar()
  private let now: Int64 = 1_780_000_000
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try jar.set(Cookie(name: "session", value: "1", domain: "example.com", creation: now), at: now)
    try jar.set(Cookie(name: "lasting", value: "2", domain: "example.com", isHostOnly: false, expires: now + 60, creation: now), at: now)
  }

  private var path: String { directory.file("cookies.txt") }

  private func names(_ jar: CookieJar) -> [String] { jar.cookies(at: now).map(\.name) }

  private func files() throws -> [String] {
    let listing = try #require(opendir(directory.path))
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } })
    }
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  @Test("a jar is what it was after saving and loading, with the cookies of the session only if asked for")
  func roundTrip() throws {
    for includesSession in [true, false] {
      try jar.save(path: path, includesSession: includesSession, at: now)
      let other = CookieJar()
      let file = try other.load(path: path, at: now)
      #expect(names(other) == (includesSession ? ["session", "lasting"] : ["lasting"]) && file.refused == 0 && file.expired == 0)
      let lasting = try #require(other.cookie(name: "lasting", domain: "example.com", at: now))
      #expect(!lasting.isHostOnly && lasting.expires == now + 60 && lasting.value == "2")
    }
    try jar.save(path: path, at: now)
    #expect(names(try CookieJar.loaded(path, now)) == ["lasting"])
    #expect(try CookieJar().load(path: path, at: now + 60).expired == 1)
  }

  @Test("the file is its owner's alone, takes the place of what was there, and leaves nothing beside it")
  func placing() throws {
    try directory.write("cookies.txt", Array("something else".utf8))
    #expect(chmod(path, 0o644) == 0)
    try jar.save(path: path, at: now)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    #expect(try files() == ["cookies.txt"] && names(CookieJar.loaded(path, now)) == ["lasting"])
  }

  @Test("where it can't be written the error says why, what was there stays, and the change is still one")
  func failing() throws {
    let missing = #expect(throws: SystemError.self) { try jar.save(path: directory.file("no/cookies.txt"), at: now) }
    #expect(missing?.errno == ENOENT)
    #expect(mkdir(path, 0o700) == 0)
    try directory.write("cookies.txt/keep", [])
    let taken = #expect(throws: SystemError.self) { try jar.save(path: path, at: now) }
    #expect(taken?.call == "rename" && jar.hasChanged)
    #expect(try files() == ["cookies.txt"])
  }

  @Test("a file that can't be read, or that is too large, changes nothing")
  func unreadable() throws {
    let missing = #expect(throws: SystemError.self) { try jar.load(path: path, at: now) }
    #expect(missing?.errno == ENOENT)
    let folder = #expect(throws: SystemError.self) { try jar.load(path: directory.path, at: now) }
    #expect(folder?.errno == EISDIR)
    try directory.write("cookies.txt", [])
    #expect(truncate(path, CookieJar.maximumFileBytes + 1) == 0)
    let large = #expect(throws: SystemError.self) { try jar.load(path: path, at: now) }
    #expect(large?.errno == EFBIG && names(jar) == ["session", "lasting"])
  }

  @Test("lines that are none are told, the others are taken and replace what has their place")
  func merging() throws {
    try directory.write(
      "cookies.txt", Array("nonsense\nexample.com\tFALSE\t/\tFALSE\t0\tsession\tnew\n.example.org\tTRUE\t/\tFALSE\t0\tc\td\n".utf8))
    let file = try jar.load(path: path, at: now)
    #expect(file.problems.map(\.description) == ["line 1: it has 1 fields, not 7"] && file.cookies.count == 2)
    #expect(names(jar) == ["session", "lasting", "c"] && jar.cookie(name: "session", domain: "example.com", at: now)?.value == "new")
  }

  @Test("a jar has changed from the first change to the next save; loading is no change, and undoes none")
  func changes() throws {
    #expect(jar.hasChanged && !CookieJar().hasChanged)
    try jar.save(path: path, at: now)
    #expect(!jar.hasChanged)
    let told = Locked(0)
    let other = CookieJar()
    other.onChange = { told.withLock { $0 += 1 } }
    try other.load(path: path, at: now)
    #expect(!other.hasChanged && told.withLock { $0 } == 0)
    other.remove(name: "lasting", domain: "example.com")
    try other.load(path: path, at: now)
    #expect(other.hasChanged)
    try other.save(path: path, at: now)
    #expect(!other.hasChanged)
  }

  @Test("several that save at once leave a whole file of one of them, and nothing beside it")
  func savingAtOnce() throws {
    let jar = jar
    let path = path
    let now = now
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10 { #expect(throws: Never.self) { try jar.save(path: path, includesSession: true, at: now) } }
    }
    #expect(try files() == ["cookies.txt"] && names(CookieJar.loaded(path, now)) == ["session", "lasting"])
  }
}

extension CookieJar {
  fileprivate static func loaded(_ path: String, _ now: Int64) throws -> CookieJar {
    let jar = CookieJar()
    try jar.load(path: path, at: now)
    return jar
  }
}
