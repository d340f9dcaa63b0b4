import HttpWire
import Testing

@testable import Errand

@Suite struct CacheFileNameTests {
  @Test func `a name is read as it was written`() throws {
    let key = CacheKey(try HttpUrl("http://a.example/"))
    for fields in [[], ["accept"]] {
      let name = CacheFileName(key: key, variant: CacheVariant(fields: fields, request: ["Accept": "a/b"]))
      #expect(name.text.utf8.count == 196)
      #expect(CacheFileName(name.text) == name)
      #expect(name.hasFields == !fields.isEmpty)
    }
  }

  @Test func `a foreign name is none of ours`() throws {
    let key = CacheKey(try HttpUrl("http://a.example/"))
    let name = CacheFileName(key: key, variant: CacheVariant(fields: [], request: [:])).text
    for other in [
      "", ".", "a.b.e", name + "x", "x" + name, name.uppercased(), String(name.dropLast()), String(name.dropLast()) + "x", name + ".e",
    ] {
      #expect(CacheFileName(other) == nil, "\(other)")
    }
    #expect(!CacheFileName.isOutdated(name) && !CacheFileName.isOutdated("a.b.e"))
    let outdated = String(name.dropFirst(65))
    #expect(CacheFileName.isOutdated(outdated) && CacheFileName(outdated) == nil)
    #expect(CacheFileName.isTemporary(CacheFileName.temporary(7)))
    for other in [
      "errand-cache-.tmp", "errand-cache-x.tmp", "errand-cache-1.tmp2", "errand-cache-1", "a-errand-cache-1.tmp", CacheFileName.lock, name,
      "1.tmp",
    ] {
      #expect(!CacheFileName.isTemporary(other), "\(other)")
    }
  }
}
