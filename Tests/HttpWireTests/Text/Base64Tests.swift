import Testing

@testable import HttpWire

struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `the vectors of RFC 4648 hold in both directions`(plain: String, encoded: String) {
    var bytes: [UInt8] = []
    Base64.append(Array(plain.utf8), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test func `every byte survives`() {
    let all = [UInt8](0...255)
    var text: [UInt8] = []
    Base64.append(all, to: &text)
    #expect(Base64.decode(String(decoding: text, as: UTF8.self)) == all)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "====", "Z===", "Zm 9", "Zm9\n", "-_-_"])
  func `anything else is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
