import Hashing
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct ChecksumTests {
  private static let hello = HashAlgorithm.sha256.hash(Array("hello".utf8))

  @Test(arguments: [
    "sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "SHA256=2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824",
    "sha-256=LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:",
  ]) func itIsReadFromHexAndBase64(text: String) {
    let checksum = Checksum(text)
    #expect(checksum?.algorithm == .sha256 && checksum?.bytes == ChecksumTests.hello)
    #expect(checksum?.description == "sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
  }

  @Test(arguments: [
    "", "=", "sha-256", "sha-256=", "sha-256=2cf2", "sha-3=00", "md5=LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "sha-256=:",
  ])
  func otherTextIsNone(text: String) {
    #expect(Checksum(text) == nil)
  }

  @Test func allAlgorithmsHaveAName() {
    for algorithm in HashAlgorithm.allCases {
      let checksum = Checksum(algorithm, algorithm.hash([1]))
      #expect(checksum != nil && checksum.flatMap { Checksum($0.description) } == checksum)
      #expect(Checksum(algorithm, []) == nil)
    }
  }

  @Test(
    arguments: [
      (nil, "", true), ("sha-256=LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "", true),
      ("sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9825", "", false),
      (nil, "Repr-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:\r\n", true),
      (nil, "Repr-Digest: sha-256=:AAJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:\r\n", false),
      (nil, "Digest: md5=XUFAKrxLKna5cZ2REBfFkg==\r\n", true), (nil, "Digest: md5=AAAAKrxLKna5cZ2REBfFkg==\r\n", false),
      ("md5=XUFAKrxLKna5cZ2REBfFkg==", "Digest: SHA-256=AAJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=\r\n", false),
      (nil, "Digest: unknown=AAAA\r\n", true),
    ] as [(String?, String, Bool)])
  func whatTheFileHasToBeIsChecked(own: String?, fields: String, isRight: Bool) async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.answer("hello", fields: "ETag: \"v\"\r\n" + fields)
    } test: { client, peer in
      for resumes in [false, true] {
        let download = Download(to: directory.file("file\(resumes)"), resumes: resumes, checksum: own.flatMap { Checksum($0) })
        let request = HttpRequest.downloading(await peer.url(), download)
        if isRight {
          _ = try await client.send(request)
          #expect(directory.text("file\(resumes)") == "hello")
        } else {
          let error = try await client.failure(request)
          #expect(error.code == .checksum && error.phase == .response, "\(error)")
          #expect(error.message.split(separator: "=").count == 3, "both values: \(error)")
          try await directory.wait(for: [])
        }
      }
    }
  }

  @Test(arguments: [true, false]) func aResumedFileIsCheckedAsAWhole(isRight: Bool) async throws {
    let directory = try TemporaryDirectory()
    let bytes = ServedFile.text(700_000)
    let path = try directory.write("file", Array(bytes[..<(isRight ? 600_000 : 599_999)]) + (isRight ? [] : [0]))
    let server = FileServer(ServedFile(bytes: bytes))
    let checksum = Checksum(.sha512, HashAlgorithm.sha512.hash(bytes))
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: path, resumes: true, checksum: checksum))
      if isRight {
        let response = try await client.send(request)
        #expect(response.file?.resumedFrom == 600_000)
      } else {
        let failure = try await client.failure(request)
        #expect(failure.code == .checksum)
        // What the user had is there again.
        try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
        #expect(directory.text("file").utf8.count == 600_000)
      }
      #expect(directory.names == ["file"])
    }
  }
}
