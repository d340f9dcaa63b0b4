internal import HttpWire

/// `get`, `post`, `put`, `patch`, `delete` and `head`: one request, as a person would make it with curl.
extension Command {
  static let get = verb(
    .get, summary: "Get a URL and print its body.",
    examples: [
      Example(line: "errand get http://localhost:8080/items -q q=swift", says: "with a query"),
      Example(line: "errand get -o dump.tar http://localhost:8080/dump.tar", says: "into a file; progress shows on a terminal"),
      Example(line: "errand get --fail --max-time 5 http://localhost:8080/health", says: "for scripts: 22 for a bad status, 28 after 5 s"),
      Example(line: "errand get https://localhost:8443/ --cacert root.pem", says: "TLS; trusts the authorities of that file only"),
      Example(line: "errand get --envelope code-msg-data http://localhost:8080/api", says: "65 if the service itself says no"),
    ])

  static let post = verb(
    .post, summary: "Post a body to a URL and print the answer.",
    examples: [
      Example(line: "errand post http://localhost:8080/items --json '{\"name\": \"lamp\"}'", says: "JSON"),
      Example(line: "errand post http://localhost:8080/login --data-urlencode user=ann --data-urlencode remember=yes", says: "a form"),
      Example(line: "errand post http://localhost:8080/upload -F note=new -F 'file=@a.png;type=image/png'", says: "a multipart form"),
      Example(
        line: "date | errand post http://localhost:8080/log --data-binary @- -H 'Content-Type: text/plain'",
        says: "what another program says"),
    ])

  static let put = verb(
    .put, summary: "Put a body to a URL and print the answer.",
    examples: [
      Example(line: "errand put http://localhost:8080/items/7 --json @item.json", says: "JSON from a file"),
      Example(line: "errand put http://localhost:8080/files/a.bin --data-binary @a.bin", says: "a file, byte for byte"),
    ])

  static let patch = verb(
    .patch, summary: "Change a part of what a URL names and print the answer.",
    examples: [
      Example(line: "errand patch http://localhost:8080/items/7 --json '{\"name\": \"lamp\"}'", says: "one member, as JSON"),
      Example(
        line: "errand patch http://localhost:8080/items/7 --data-binary @p.json -H 'Content-Type: application/json-patch+json'",
        says: "a JSON Patch"),
    ])

  static let delete = verb(
    .delete, summary: "Delete what a URL names and print the answer.",
    examples: [
      Example(line: "errand delete http://localhost:8080/items/7", says: "one item"),
      Example(line: "errand delete -i --retry 3 http://localhost:8080/items/7", says: "with the answer's head; again after 429 or 503"),
    ])

  static let head = verb(
    .head, summary: "Ask for a URL's status and headers only, and print them.",
    examples: [
      Example(line: "errand head http://localhost:8080/dump.tar", says: "how large is it?"),
      Example(line: "errand head -v --direct http://localhost:8080/", says: "in this process, with timings"),
    ])

  private static func verb(_ method: HttpMethod, summary: String, examples: [Example]) -> Command {
    Command(
      name: method.rawValue.lowercased(), theme: .oneRequest, summary: summary, synopsis: ["[OPTIONS] URL"],
      details: """
        The request goes through the daemon if one answers on its socket, and the body is printed when the daemon has all of it. Otherwise, \
        or with --direct, this process makes the request and prints the body as it comes. So it does with a request that is larger than the \
        daemon takes, and it gets again a body that turned out larger than the daemon keeps (16 MiB for each, unless set otherwise). The body is printed whatever the \
        status; with --fail a failing status has none. A failing status is no failure of errand, unless --fail, --expect-json or --envelope \
        asks for more: then the exit code is 22. Files that options name are read by this command, and go to the daemon as \
        contents. Redirects are printed, or followed with --location. A URL without a \
        scheme is an http one. Ctrl-C, SIGTERM (as timeout sends it) and SIGHUP cancel the request and tell what was sent.
        """,
      options: .request + .response, examples: examples,
      exitCodes: ExitCode.allCases.filter { $0 != .noDaemon && $0 != .noSuchHandle }
    ) { (arguments) throws(Failure) in
      let method = arguments.has("head") ? HttpMethod.head : method
      let spec = try RequestSpec(arguments, method: method)
      let writing = ResponseWriting(arguments, isHead: method == .head)
      if !arguments.has("direct"), let code = try DaemonVerb.run(spec, writing, ControlClient(arguments)) { return code }
      let code = try DirectRun.run(spec, writing)
      try spec.cookies.save()
      return code
    }
  }
}
