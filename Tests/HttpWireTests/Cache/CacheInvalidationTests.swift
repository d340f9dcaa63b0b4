import Testing

@testable import HttpWire

@Suite struct CacheInvalidationTests {
  /// Method, status, response fields, and the paths at `http://a.example` that are invalidated.
  @Test(
    arguments: [
      ("PUT", 200, "", ["/x?y"]), ("POST", 201, "", ["/x?y"]), ("DELETE", 204, "", ["/x?y"]), ("PATCH", 200, "", ["/x?y"]),
      ("POST", 302, "", ["/x?y"]),
      ("POST", 399, "", ["/x?y"]), ("PURGE", 200, "", ["/x?y"]), ("get", 200, "", ["/x?y"]),
      // Nothing was changed.
      ("GET", 200, "", []), ("HEAD", 200, "", []), ("OPTIONS", 200, "", []), ("TRACE", 200, "", []), ("PUT", 400, "", []),
      ("PUT", 404, "", []),
      ("POST", 409, "", []), ("POST", 500, "", []), ("PUT", 199, "", []), ("GET", 301, "Location: /other", []),
      // What else the response names.
      ("POST", 201, "Location: /items/1", ["/x?y", "/items/1"]), ("POST", 201, "Location: http://a.example/1", ["/x?y", "/1"]),
      ("POST", 201, "Location: 1?q#f", ["/x?y", "/1?q"]), ("POST", 200, "Content-Location: /c", ["/x?y", "/c"]),
      ("PUT", 200, "Location: /l | Content-Location: /c", ["/x?y", "/l", "/c"]),
      ("PUT", 200, "Location: /c | Content-Location: /c", ["/x?y", "/c"]),
      ("PUT", 200, "Location: ?y", ["/x?y"]), ("PUT", 200, "Location: HTTP://A.example:80/l", ["/x?y", "/l"]),
      // Only at the same origin.
      ("POST", 201, "Location: http://b.example/1", ["/x?y"]), ("POST", 201, "Location: https://a.example/1", ["/x?y"]),
      ("POST", 201, "Location: http://a.example:81/1", ["/x?y"]), ("POST", 201, "Location: //b.example/1", ["/x?y"]),
      ("POST", 201, "Content-Location: http://b.example/1", ["/x?y"]), ("POST", 201, "Location: http://[", ["/x?y"]),
      ("POST", 201, "Location: mailto:a@a.example", ["/x?y"]),
    ] as [(String, Int, String, [String])]) func `a change invalidates what it may concern`(
      method: String, status: Int, told: String, paths: [String]
    ) throws
  {
    let url = try HttpUrl("http://a.example/x?y")
    let found = CacheRules.invalidated(by: try HttpMethod(method), of: url, status: status, headers: fields(told))
    #expect(found.map(\.target) == paths)
    #expect(found.allSatisfy { $0.isSameOrigin(as: url) })
  }
}
