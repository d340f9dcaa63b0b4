import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct MalformedInputTests {
  /// A body, and the field that the problem must name.
  static let submissions: [(body: String, field: String?, kind: String)] = [
    ("", nil, "malformed_json"),
    ("{\"url\": ", nil, "malformed_json"),
    ("{\"url\": \"http://h/\"} x", nil, "malformed_json"),
    ("{\"url\": \"http://h/\", \"url\": \"http://h/\"}", nil, "malformed_json"),
    ("[]", "", "wrong_type"),
    ("\"text\"", "", "wrong_type"),
    ("{}", "/url", "missing_field"),
    ("{\"url\": 7}", "/url", "wrong_type"),
    ("{\"url\": \"\"}", "/url", "invalid_request"),
    ("{\"url\": \"nothing\"}", "/url", "invalid_request"),
    ("{\"url\": \"ftp://h/\"}", "/url", "invalid_request"),
    ("{\"url\": \"http://h/ b\"}", "/url", "invalid_request"),
    ("{\"url\": \"http://h/\", \"webhook\": []}", "/webhook", "unknown_field"),
    ("{\"url\": \"http://h/\", \"a/b~c\": 1}", "/a~1b~0c", "unknown_field"),
    ("{\"url\": \"http://h/\", \"method\": 1}", "/method", "wrong_type"),
    ("{\"url\": \"http://h/\", \"method\": \"GE T\"}", "/method", "invalid_value"),
    ("{\"url\": \"http://h/\", \"method\": \"\"}", "/method", "invalid_value"),
    ("{\"url\": \"http://h/\", \"method\": \"CONNECT\"}", "/method", "invalid_request"),
    ("{\"url\": \"http://h/\", \"params\": 1}", "/params", "wrong_type"),
    ("{\"url\": \"http://h/\", \"params\": {\"a\": {}}}", "/params/a", "wrong_type"),
    ("{\"url\": \"http://h/\", \"params\": {\"a\": [1, null]}}", "/params/a/1", "wrong_type"),
    ("{\"url\": \"http://h/\", \"params\": [[\"a\"]]}", "/params/0", "wrong_type"),
    ("{\"url\": \"http://h/\", \"params\": [[1, 2]]}", "/params/0/0", "wrong_type"),
    ("{\"url\": \"http://h/\", \"headers\": [1]}", "/headers/0", "wrong_type"),
    ("{\"url\": \"http://h/\", \"headers\": {\"A\": 1}}", "/headers/A", "wrong_type"),
    ("{\"url\": \"http://h/\", \"headers\": {\"A\": [\"b\", 2]}}", "/headers/A/1", "wrong_type"),
    ("{\"url\": \"http://h/\", \"headers\": {\"A\": \"b\\r\\nC: d\"}}", "/headers", "invalid_request"),
    ("{\"url\": \"http://h/\", \"headers\": {\"A B\": \"c\"}}", "/headers", "invalid_request"),
    ("{\"url\": \"http://h/\", \"delegate\": 1}", "/delegate", "wrong_type"),
    ("{\"url\": \"http://h/\", \"delegate\": \"\"}", "/delegate", "invalid_value"),
    ("{\"url\": \"http://h/\", \"delegate\": \"a/b\"}", "/delegate", "invalid_value"),
    ("{\"url\": \"http://h/\", \"delegate\": \"\(String(repeating: "a", count: 129))\"}", "/delegate", "invalid_value"),
    ("{\"url\": \"http://h/\", \"tag\": \"7\"}", "/tag", "wrong_type"),
    ("{\"url\": \"http://h/\", \"tag\": 7.5}", "/tag", "invalid_value"),
    ("{\"url\": \"http://h/\", \"tag\": 99999999999999999999}", "/tag", "invalid_value"),
    ("{\"url\": \"http://h/\", \"key\": 1}", "/key", "wrong_type"),
    ("{\"url\": \"http://h/\", \"key\": \"\(String(repeating: "k", count: 1_025))\"}", "/key", "too_large"),
    ("{\"url\": \"http://h/\", \"meta\": \"\(String(repeating: "m", count: 65_536))\"}", "/meta", "too_large"),
    ("{\"url\": \"http://h/\", \"json\": 1, \"body\": \"x\"}", "/body", "invalid_value"),
    ("{\"url\": \"http://h/\", \"form\": 1}", "/form", "wrong_type"),
    ("{\"url\": \"http://h/\", \"body\": {}}", "/body", "wrong_type"),
    ("{\"url\": \"http://h/\", \"body_base64\": \"a\"}", "/body_base64", "invalid_value"),
    ("{\"url\": \"http://h/\", \"timeouts\": 1}", "/timeouts", "wrong_type"),
    ("{\"url\": \"http://h/\", \"timeouts\": {\"connect_ms\": \"1\"}}", "/timeouts/connect_ms", "wrong_type"),
    ("{\"url\": \"http://h/\", \"timeouts\": {\"connect_ms\": -1}}", "/timeouts/connect_ms", "invalid_value"),
    ("{\"url\": \"http://h/\", \"timeouts\": {\"total_ms\": 604800001}}", "/timeouts/total_ms", "invalid_value"),
    ("{\"url\": \"http://h/\", \"timeouts\": {\"read_ms\": 1}}", "/timeouts/read_ms", "unknown_field"),
    ("{\"url\": \"http://h/\", \"retry\": 2}", "/retry", "wrong_type"),
    ("{\"url\": \"http://h/\", \"retry\": {\"max\": 21}}", "/retry/max", "invalid_value"),
    ("{\"url\": \"http://h/\", \"retry\": {\"min\": 1}}", "/retry/min", "unknown_field"),
    ("{\"url\": \"http://h/\", \"envelope\": \"none\"}", "/envelope", "invalid_value"),
    ("{\"url\": \"http://h/\", \"expect\": \"xml\"}", "/expect", "invalid_value"),
    ("{\"url\": \"http://h/\", \"accept_status\": 404}", "/accept_status", "wrong_type"),
    ("{\"url\": \"http://h/\", \"accept_status\": [404, 99]}", "/accept_status/1", "invalid_value"),
    ("{\"url\": \"http://h/\", \"max_body_bytes\": -1}", "/max_body_bytes", "invalid_value"),
    ("{\"url\": \"http://h/\", \"unix_socket\": \"relative\"}", "/unix_socket", "invalid_value"),
  ]

  @Test func `each wrong submission is refused with problem details that name the field`() async throws {
    try await TestDaemon.with { test in
      for (body, field, kind) in Self.submissions {
        let answer = try await test.submit(body)
        #expect((400..<500).contains(answer.status), "\(body)")
        #expect(answer.headers["Content-Type"] == "application/problem+json", "\(body)")
        #expect(answer.json["type"]?.string == "urn:errand:problem:\(kind)", "\(body): \(answer.text)")
        #expect(answer.json["field"]?.string == field, "\(body): \(answer.text)")
        #expect(answer.json["status"]?.int == Int64(answer.status))
        #expect(answer.json["title"]?.string?.isEmpty == false)
        #expect(answer.json["detail"]?.string?.isEmpty == false)
      }
      #expect(try await test.get("/v1/requests").json["requests"]?.array == [])
    }
  }

  /// A body, and what its problem says.
  static let hints: [(path: String, body: String, detail: String)] = [
    (
      "/v1/requests", #"{"url": "http://h/", "timeout_ms": 1}"#,
      "the field \"timeout_ms\" is not known; there are: \(SubmissionReader.fields.joined(separator: ", "))"
    ),
    (
      "/v1/requests", #"{"url": "http://h/", "timeouts": {"read_ms": 1}}"#,
      "the field \"read_ms\" is not known in /timeouts; there are: queue_ms, connect_ms, first_byte_ms, idle_ms, total_ms"
    ),
    (
      "/v1/requests", #"{"url": "http://h/", "retry": {"min": 1}}"#,
      "the field \"min\" is not known in /retry; there are: max, statuses, errors, base_delay_ms, max_delay_ms"
    ),
    (
      "/v1/requests", #"{"url": "http://h/", "retry": 2}"#,
      "/retry must be an object with any of \"max\", \"statuses\", \"errors\", \"base_delay_ms\", \"max_delay_ms\", not a number"
    ),
    (
      "/v1/requests", #"{"url": "http://h/", "timeouts": 2}"#,
      "/timeouts must be an object with any of \"queue_ms\", \"connect_ms\", \"first_byte_ms\", \"idle_ms\", \"total_ms\", not a number"
    ),
    ("/v1/cancel", #"{"delegates": "a"}"#, "the field \"delegates\" is not known; there are: delegate, tag, key, key_prefix, host, all"),
    (
      "/v1/requests", #"{"url": "http://h/", "method": "post"}"#,
      "/method is \"post\", and methods are case-sensitive: did you mean POST?"
    ),
    (
      "/v1/requests", #"{"url": "http://h/", "method": "Get"}"#,
      "/method is \"Get\", and methods are case-sensitive: did you mean GET?"
    ),
    ("/v1/requests", #"{"url": "http://h/", "headers": [["A"]]}"#, "/headers/0 must be a pair of a name and a value, not an array"),
    ("/v1/requests", #"{"url": "http://h/", "headers": [["A", 1]]}"#, "/headers/0/1 must be a string, not a number"),
    ("/v1/requests", #"{"url": "http://h/", "headers": "A: b"}"#, "/headers must be an object, or an array of pairs, not a string"),
  ]

  @Test func `a problem says what there is in place of what was given`() async throws {
    try await TestDaemon.with { test in
      for (path, body, detail) in Self.hints {
        let problem = try await test.post(path, body).json
        #expect(problem["detail"]?.string == detail)
      }
      // A token that is no known method is the server's to judge.
      #expect(try await test.outcome(path: "/echo", "\"method\": \"purge\"").type == "finished")
    }
  }

  @Test func `malformed JSON is told with line and column`() async throws {
    try await TestDaemon.with { test in
      let problem = try await test.submit("{\n  \"url\": \"http://h/\",\n  \"tag\": 07\n}").json
      #expect(problem["line"]?.int == 3)
      #expect(problem["column"]?.int == 10)
      #expect(problem["detail"]?.string?.contains("line 3, column 10") == true)
    }
  }

  @Test func `limits are named when they are hit`() async throws {
    try await TestDaemon.with {
      $0.limits.submitBytes = 2_000
      $0.limits.batchLines = 3
      $0.limits.lineBytes = 100
      $0.limits.metaBytes = 10
      $0.limits.keyBytes = 4
      $0.limits.fields = 2
      $0.limits.delegatesPerOwner = 1
    } _: { test in
      let url = "\"url\": \"http://127.0.0.1:1/\""
      func limit(_ answer: TestDaemon.Answer) -> String? { answer.json["limit"]?.string }
      let long = try await test.submit("{\(url), \"body\": \"\(String(repeating: "x", count: 2_000))\"}")
      #expect(long.status == 413)
      #expect(limit(long) == "submit_bytes")
      #expect(long.json["limit_value"]?.int == 2_000)
      #expect(long.json["detail"]?.string?.contains("longer than 2000 bytes (limit submit_bytes; a body in base64 counts as") == true)
      #expect(limit(try await test.batch(["{\(url)}", "{\(url)}", "{\(url)}", "{\(url)}"])) == "batch_lines")
      #expect(limit(try await test.batch(["{\(url), \"body\": \"\(String(repeating: "x", count: 100))\"}"])) == "line_bytes")
      let meta = try await test.submit("{\(url), \"meta\": \"0123456789\"}")
      #expect(limit(meta) == "meta_bytes")
      #expect(meta.json["detail"]?.string == "/meta has 12 bytes, more than 10 (limit meta_bytes)")
      #expect(limit(try await test.submit("{\(url), \"key\": \"01234\"}")) == "key_bytes")
      for field in ["params", "form", "headers"] {
        for many in [#"{"a": "1", "b": ["2", "3"]}"#, #"[["a", "1"], ["b", "2"], ["c", "3"]]"#] {
          let answer = try await test.submit("{\(url), \"\(field)\": \(many)}")
          #expect(answer.status == 413)
          #expect(limit(answer) == "fields")
          #expect(answer.json["field"]?.string == "/\(field)")
          #expect(answer.json["detail"]?.string == "/\(field) has 3 fields, more than 2 (limit fields)")
        }
        #expect(try await test.submit("{\(url), \"\(field)\": {\"a\": [\"1\", \"2\"]}}").status == 202)
      }
      #expect(try await test.submit("{\(url)}").status == 202)
      let second = try await test.submit("{\(url), \"delegate\": \"other\"}")
      #expect(second.status == 429)
      #expect(limit(second) == "delegates_per_owner")
    }
  }

  static let queries: [(path: String, field: String)] = [
    ("/v1/requests?limit=0", "limit"), ("/v1/requests?limit=1001", "limit"), ("/v1/requests?limit=x", "limit"),
    ("/v1/requests?limit=1&limit=2", "limit"), ("/v1/requests?tag=x", "tag"), ("/v1/requests?state=odd", "state"),
    ("/v1/requests?cursor=abc", "cursor"), ("/v1/requests?colour=red", "colour"), ("/v1/requests/1?x=1", "x"),
    ("/v1/delegates/a/events?after=-1", "after"), ("/v1/delegates/a/events?wait=x", "wait"),
    ("/v1/delegates/a/events?wait=3601", "wait"), ("/v1/delegates/a/events?limit=0", "limit"), ("/v1/delegates/a%2Fb/events", "name"),
    ("/v1/delegates?x", "x"), ("/v1/stats?x=1", "x"), ("/v1/delegates/a/events?owner=me", "owner"),
  ]

  @Test func `each wrong query value is refused by name`() async throws {
    try await TestDaemon.with { test in
      for (path, field) in Self.queries {
        let answer = try await test.get(path)
        #expect(answer.status == 400, "\(path): \(answer.text)")
        #expect(answer.json["field"]?.string == field, "\(path): \(answer.text)")
      }
      for wait in ["x", "-1", "3601", "1e3", ""] {
        let answer = try await test.post("/v1/requests?wait=\(wait)", "{\"url\": \"http://127.0.0.1:1/\"}")
        #expect(answer.status == 400, "\(wait)")
        #expect(answer.json["field"]?.string == "wait")
      }
      #expect(try await test.get("/v1/requests?key=%zz").status == 400)
    }
  }

  @Test func `a wrong method is answered with 405 and the methods that are allowed`() async throws {
    try await TestDaemon.with { test in
      for (method, path, allow) in [
        (HttpMethod.patch, "/v1/requests", "POST, GET, HEAD"), (.post, "/v1/requests/1", "GET, HEAD, DELETE, PATCH"),
        (.get, "/v1/cancel", "POST"),
        (.delete, "/v1/stats", "GET, HEAD"), (.post, "/v1/delegates/a/events", "GET"), (.get, "/v1/delegates/a/ack", "POST"),
      ] {
        let answer = try await test.call(method, path)
        #expect(answer.status == 405, "\(path)")
        #expect(answer.headers["Allow"] == allow)
        #expect(answer.json["type"]?.string == "urn:errand:problem:method_not_allowed")
      }
    }
  }

  @Test func `unknown handles, delegates and paths are 404`() async throws {
    try await TestDaemon.with { test in
      for path in ["/v1/requests/999", "/v1/requests/abc", "/v1/requests/-1", "/v1/requests/1/body", "/v1/requests/99999999999999999999"] {
        let answer = try await test.get(path)
        #expect(answer.status == 404, "\(path)")
        #expect(answer.json["type"]?.string == "urn:errand:problem:unknown_handle")
      }
      #expect(try await test.call(.delete, "/v1/requests/5").status == 404)
      #expect(try await test.get("/v1/delegates/nobody").json["type"]?.string == "urn:errand:problem:unknown_delegate")
      #expect(try await test.get("/v2/requests").json["type"]?.string == "urn:errand:problem:not_found")
      #expect(try await test.get("/v1/requests/1/body/x").status == 404)
    }
  }

  @Test func `wrong bodies of the other calls name the field`() async throws {
    try await TestDaemon.with { test in
      for (method, path, body, field) in [
        (HttpMethod.post, "/v1/cancel", "{}", ""), (.post, "/v1/cancel", "[]", ""), (.post, "/v1/cancel", "{\"tag\": \"x\"}", "/tag"),
        (.post, "/v1/cancel", "{\"all\": false}", "/all"), (.post, "/v1/cancel", "{\"all\": true, \"tag\": 1}", "/all"),
        (.post, "/v1/cancel", "{\"owner\": \"x\"}", "/owner"), (.post, "/v1/cancel", "{\"key_prefix\": 1}", "/key_prefix"),
        (.put, "/v1/delegates/a", "{\"type\": \"webhook\"}", "/webhook"), (.put, "/v1/delegates/a", "{\"url\": \"x\"}", "/url"),
        (.put, "/v1/delegates/a", "7", ""),
      ] {
        let answer = try await test.call(method, path, body)
        #expect(answer.status == 400, "\(body)")
        #expect(answer.json["field"]?.string == field, "\(body): \(answer.text)")
      }
      #expect(try await test.call(.put, "/v1/delegates/a", "{\"type\": \"mailbox\"}").status == 201)
      for (body, field) in [
        ("{}", "/through"), ("{\"through\": -1}", "/through"), ("{\"through\": 1}", "/through"), ("{\"to\": 1}", "/to"),
      ] {
        let answer = try await test.post("/v1/delegates/a/ack", body)
        #expect(answer.status == 400)
        #expect(answer.json["field"]?.string == field, "\(body): \(answer.text)")
      }
    }
  }
}
