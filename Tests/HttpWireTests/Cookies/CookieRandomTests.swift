import TestSupport
import Testing

@testable import HttpWire

/// The same as a jar, by the simplest means: one list, looked through from end to end.
private struct PlainJar {
  struct Kept {
    var cookie: Cookie
    var order: Int
    var use: Int
  }

  let limits: CookieLimits
  var kept: [Kept] = []
  var clock = 0

  mutating func set(_ cookie: Cookie, at now: Int64) {
    clock += 1
    kept.removeAll { $0.cookie.isExpired(at: now) }
    var new = Kept(cookie: cookie, order: clock, use: clock)
    if let index = kept.firstIndex(where: { $0.cookie.hasIdentity(of: cookie) }) {
      new.order = kept[index].order
      new.cookie.creation = kept[index].cookie.creation
      kept.remove(at: index)
    }
    guard !cookie.isExpired(at: now) else { return }
    kept.append(new)
    evict {
      Self.site($0.cookie.domain) == Self.site(cookie.domain)
    } above: {
      $0.cookiesPerDomain
    }
    evict { _ in
      true
    } above: {
      $0.cookies
    }
  }

  private static func site(_ domain: String) -> String { PublicSuffixes.registrableDomain(of: domain) ?? domain }

  private mutating func evict(_ counts: (Kept) -> Bool, above limit: (CookieLimits) -> Int) {
    while kept.count(where: counts) > limit(limits) {
      let candidates = kept.indices.filter { counts(kept[$0]) }
      guard
        let index = candidates.min(by: {
          (kept[$0].cookie.isSecure ? 1 : 0, kept[$0].use) < (kept[$1].cookie.isSecure ? 1 : 0, kept[$1].use)
        })
      else { return }
      kept.remove(at: index)
    }
  }

  mutating func header(_ url: HttpUrl, at now: Int64) -> String? {
    kept.removeAll { $0.cookie.isExpired(at: now) }
    let origin = CookieOrigin(url)
    let sent = kept.indices.filter { kept[$0].cookie.isFor(origin) }.sorted { one, other in
      let (one, other) = (kept[one], kept[other])
      return (-one.cookie.path.utf8.count, one.cookie.creation, one.order) < (
        -other.cookie.path.utf8.count, other.cookie.creation, other.order
      )
    }
    for index in sent {
      clock += 1
      kept[index].use = clock
    }
    return sent.isEmpty ? nil : sent.map { "\(kept[$0].cookie.name)=\(kept[$0].cookie.value)" }.joined(separator: "; ")
  }
}

@Suite("Jars and random events")
struct CookieRandomTests {
  @Test("after any sequence of events a jar holds and sends what one with a plain list does", arguments: 0..<UInt64(10))
  func sequences(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var limits = CookieLimits()
    limits.cookiesPerDomain = 6
    limits.cookies = 20
    var jar = CookieJarState(limits: limits)
    var plain = PlainJar(limits: limits)
    let hosts = [
      "a.test", "b.a.test", "c.b.a.test", "d.test", "e.co.uk", "f.e.co.uk", "co.uk", "127.0.0.1", "localhost", "g.test", "h.test",
    ]
    let paths = ["/", "/x", "/x/y", "/z"]
    var now = cookieNow
    for _ in 0..<1_000 {
      now += Int64.random(in: 0...2, using: &generator)
      let host = hosts[Int.random(in: 0..<hosts.count, using: &generator)]
      let path = paths[Int.random(in: 0..<paths.count, using: &generator)]
      let name = "abc".randomElement(using: &generator).map(String.init) ?? ""
      switch generator.next() % 12 {
      case 0..<6:
        let cookie = Cookie(
          name: name, value: "\(generator.next() % 3)", domain: host, isHostOnly: Bool.random(using: &generator), path: path,
          expires: Bool.random(using: &generator) ? nil : now + Int64.random(in: -1...40, using: &generator),
          isSecure: generator.next() % 3 == 0,
          creation: now)
        let checked = try cookie.checked().cookie
        plain.set(checked, at: now)
        let isRefused = (try? jar.set(cookie, at: now)) == nil
        #expect(isRefused == (!checked.isExpired(at: now) && !plain.kept.contains { $0.cookie.hasIdentity(of: checked) }))
      case 6..<10:
        let url = try HttpUrl("\(Bool.random(using: &generator) ? "http" : "https")://\(host)\(path)")
        #expect(jar.header(for: url, at: now) == plain.header(url, at: now))
      case 10:
        jar.remove(name: name, domain: host, path: path)
        plain.kept.removeAll { $0.cookie.name == name && $0.cookie.domain == host && $0.cookie.path == path }
      default:
        guard generator.next() % 10 == 0 else { continue }
        jar.removeAll(domain: host)
        plain.kept.removeAll { CookieDomain.matches($0.cookie.domain, host) }
      }
      let expected = plain.kept.filter { !$0.cookie.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie.inShort)
      try #require(jar.all(at: now).map(\.inShort) == expected)
      #expect(jar.sites.values.map(\.count).reduce(0, +) == jar.count && jar.entries.compactMap(\.self).count == jar.count)
    }
  }

  private static let fields = [
    "a=b; Path=/x; Domain=example.com; Max-Age=60; Secure; HttpOnly; SameSite=None", "__Host-a=b; Secure; Path=/", "__Secure-a=b; Secure",
    "a=b; Expires=Thu, 28 May 2026 20:27:40 GMT; SameSite=Lax", "=a", "a", "a=\"b c\"; Max-Age=-1", "ü=ü; Domain=.www.example.com; Path=/ü",
    "a=b; Domain=co.uk",
  ]

  @Test("50,000 damaged Set-Cookie fields trap nothing, and whatever is kept could have been set by hand, sent and written to a file")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 5)
    let urls = try ["http://www.example.com/x/y", "https://www.example.com/x/y", "https://a.co.uk/", "http://127.0.0.1/x"].map {
      try HttpUrl($0)
    }
    var jar = CookieJarState()
    var kept = 0
    for round in 0..<50_000 {
      let valid = Self.fields[round % Self.fields.count]
      let bytes = round % 10 == 0 ? generator.bytes(upTo: 64) : generator.mutation(of: Array(valid.utf8))
      let url = urls[round / 7 % urls.count]
      if round % 4 == 0 { jar.removeAll() }
      jar.store(setCookies: [String(decoding: bytes, as: UTF8.self)], from: url, at: cookieNow)
      #expect(jar.count <= 4)
      kept += jar.count
      let cookies = jar.all(at: cookieNow)
      for cookie in cookies {
        let (checked, site) = try cookie.checked()
        #expect(checked == cookie && jar.sites[site] != nil)
        #expect(cookie.expires.map { $0 > cookieNow && $0 <= cookieNow + CookieLimits.ageSeconds } ?? true)
      }
      if let header = jar.header(for: url, at: cookieNow) {
        #expect(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } && header.utf8.count { $0 == 0x3B } < cookies.count)
      }
      guard round % 10 == 0 else { continue }
      let storable = cookies.filter { !($0.name + $0.value + $0.path).contains("\t") }
      let read = CookieFile.read(CookieFile.write(cookies, includesSession: true, at: cookieNow), at: cookieNow)
      #expect(read.refused == 0 && read.cookies.count == storable.count)
      for (one, other) in zip(read.cookies, storable) {
        #expect(
          one.hasIdentity(of: other) && one.value.hasBytes(of: other.value) && one.expires == other.expires
            && one.isHttpOnly == other.isHttpOnly)
      }
    }
    #expect(kept > 10_000)
  }

  @Test("30,000 damaged lines of a file trap nothing, and what is read of them can be put into a jar")
  func fuzzFile() throws {
    var generator = SeededGenerator(seed: 6)
    let lines = [
      "#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1880000000\ta\tb", "example.com\tFALSE\t/x\tFALSE\t0\ta\t",
      "\u{FEFF}# comment\r\n::1\tFALSE\t/\tFALSE\t0.5\t\tb",
    ].map { Array($0.utf8) }
    var jar = CookieJarState()
    for round in 0..<30_000 {
      let content = CookieFile.read(generator.mutation(of: lines[round % lines.count]), at: cookieNow)
      #expect(content.problems.count == min(content.refused, CookieFile.maximumProblems))
      for cookie in content.cookies { try jar.set(cookie, at: cookieNow) }
    }
    #expect(jar.count > 0)
  }
}
