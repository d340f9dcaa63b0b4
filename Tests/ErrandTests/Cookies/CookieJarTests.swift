import Dispatch
import Errand
import Glibc
import TestSupport
import Testing

@Suite("Jars of cookies")
struct CookieJarTests {
  private let jar = CookieJar()
  private let now: Int64 = 1_780_000_000

  private func url(_ text: String = "https://example.com/") throws -> HttpUrl { try HttpUrl(text) }

  private func cookie(_ name: String, _ value: String = "1", expires: Int64? = nil) -> Cookie {
    Cookie(name: name, value: value, domain: "example.com", expires: expires, creation: now)
  }

  @Test("the Set-Cookie fields of a response, each for itself and in any case, are sent with the next request")
  func exchange() throws {
    let headers: HttpHeaders = [
      "Set-Cookie": "a=1; Path=/", "X": "Set-Cookie", "set-cookie": "b=2, c=3", "SET-COOKIE": "d=4; Domain=com", "Cookie": "e=5",
    ]
    #expect(try jar.store(headers, from: url(), at: now).map(\.reason) == [.publicSuffix])
    #expect(try jar.header(for: url("http://example.com/x"), at: now) == "a=1; b=2, c=3")
    #expect(try jar.header(for: url("http://example.org/"), at: now) == nil)
    #expect(try jar.store(["X": "y"], from: url()) == [])
  }

  @Test("SameSite counts when another site led here")
  func crossSite() throws {
    try jar.store(["Set-Cookie": "a=1; SameSite=Strict", "set-cookie": "b=1"], from: url(), at: now)
    #expect(try jar.header(for: url(), method: .post, at: now) == "a=1; b=1")
    #expect(try jar.header(for: url(), method: .get, isCrossSite: true, at: now) == "b=1")
    #expect(try jar.header(for: url(), method: .post, isCrossSite: true, at: now) == nil)
  }

  @Test("cookies are listed, found, set and removed, and without a time given it is now")
  func owner() throws {
    try jar.set(cookie("a", expires: Int64(time(nil)) + 3_600))
    try jar.set(cookie("b", expires: Int64(time(nil)) - 1))
    try jar.set(cookie("c"))
    #expect(jar.cookies().map(\.name) == ["a", "c"])
    #expect(try jar.cookies(for: url()).map(\.name) == ["a", "c"] && jar.cookies(for: url("http://example.org/")).isEmpty)
    #expect(jar.cookie(name: "a", domain: "example.com")?.value == "1" && jar.cookie(name: "b", domain: "example.com") == nil)
    #expect(throws: CookieRefusal.malformed) { try jar.set(cookie("a;b")) }
    #expect(try jar.header(for: url()) == "a=1; c=1")
    #expect(jar.remove(name: "a", domain: "example.com") && !jar.remove(name: "a", domain: "example.com"))
    #expect(jar.removeAll(domain: "example.org") == 0 && jar.removeAll() == 1 && jar.cookies().isEmpty)
  }

  @Test("the limits of a jar are those it was made with")
  func limits() throws {
    var limits = CookieLimits()
    limits.cookies = 1
    let jar = CookieJar(limits: limits)
    try jar.set(cookie("a"))
    try jar.set(cookie("b"))
    #expect(jar.cookies().map(\.name) == ["b"])
  }

  @Test("each change is told once, outside of the lock, and what is none is not")
  func hook() throws {
    let counts = Locked<[Int]>([])
    #expect(jar.onChange == nil)
    jar.onChange = { [unowned jar] in counts.withLock { $0.append(jar.cookies(at: 1_780_000_000).count) } }
    try jar.store(["Set-Cookie": "a=1"], from: url(), at: now)
    try jar.store(["Set-Cookie": "a=1"], from: url(), at: now)
    try jar.store(["Set-Cookie": "a=1; Domain=com"], from: url(), at: now)
    _ = try jar.header(for: url(), at: now)
    try jar.set(cookie("b"), at: now)
    #expect(throws: CookieRefusal.self) { try jar.set(cookie("", "")) }
    jar.remove(name: "c", domain: "example.com")
    jar.remove(name: "a", domain: "example.com")
    jar.removeAll()
    jar.removeAll()
    #expect(counts.withLock { $0 } == [1, 2, 1, 0])
    jar.onChange = nil
    try jar.set(cookie("b"), at: now)
    #expect(counts.withLock { $0.count } == 4)
  }

  @Test("threads that set, send, list, remove and save at once leave a jar that is whole")
  func threads() throws {
    let directory = try TemporaryDirectory()
    let url = try url("http://www.example.com/")
    let jar = jar
    let now = now
    let told = Locked(0)
    jar.onChange = { told.withLock { $0 += 1 } }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<200 {
        jar.store(["Set-Cookie": "t\(thread)n\(round % 10)=\(round)", "set-cookie": "common=\(thread)"], from: url, at: now)
        #expect(jar.header(for: url, at: now)?.contains("common=") == true)
        if round % 7 == 0 { jar.remove(name: "t\(thread)n\(round % 10)", domain: "www.example.com") }
        if round % 50 == 0 { try? jar.save(path: directory.file("jar"), includesSession: true, at: now) }
        if round % 20 == 0 { #expect(!jar.cookies(at: now).isEmpty && jar.hasChanged || !jar.hasChanged) }
      }
      for index in 0..<10 { jar.store(["Set-Cookie": "t\(thread)n\(index)=last"], from: url, at: now) }
    }
    #expect(jar.cookies(at: now).count == 81 && jar.cookies(at: now).filter { $0.value == "last" }.count == 80)
    #expect(told.withLock { $0 } >= 1_600)
    let saved = CookieJar()
    #expect(try saved.load(path: directory.file("jar"), at: now).refused == 0)
  }
}
