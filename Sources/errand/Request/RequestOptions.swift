/// The options that describe a request, for every command that makes one.
extension [Option] {
  static let request = message + transport(keyOption: TlsArguments.keyOption) + admission
  /// For a command whose requests have a key of another kind.
  static let requestWithKey = message + transport(keyOption: TlsArguments.keyOptionBesideKeys) + admission

  private static let message: [Option] = [
    Option("header", "H", "LINE", repeats: true, "a header as \"Name: value\"; \"Name;\" sends it empty"),
    Option("param", "q", "NAME=VALUE", repeats: true, "add to the URL's query, percent-encoded; NAME alone has no ="),
    Option(
      "data", "d", "DATA", repeats: true,
      "body, as a form; @FILE reads a file without its line ends, @- standard input; more than one are joined by &"),
    Option("data-binary", nil, "DATA", repeats: true, "the same, byte for byte"),
    Option("json", nil, "DATA", "body of JSON (or @FILE, @-), with Content-Type and Accept application/json"),
    Option("data-raw", nil, "DATA", repeats: true, "the same, and @ is nothing special"),
    Option(
      "data-urlencode", nil, "DATA", repeats: true,
      "a field of a form body, percent-encoded: NAME=VALUE, =VALUE, NAME@FILE or @FILE"),
    Option(
      "form", "F", "PART", repeats: true,
      "a part of a multipart form: NAME=VALUE, NAME=@FILE (read while it is sent), NAME=<FILE (its content as the value); then ;type=TYPE, ;filename=NAME"
    ),
    Option("form-string", nil, "NAME=VALUE", repeats: true, "a part with just this value"),
    Option("user", "u", "USER:PASSWORD", "who is asking, by Basic unless another option says how"),
    Option("digest", "with --user: by Digest"),
    Option("anyauth", "with --user: as the server wants it, Digest before Basic"),
    Option("bearer", nil, "TOKEN", "a bearer token"),
    Option("oauth2-bearer", nil, "TOKEN", "the same"),
    Option("netrc", "n", "take user and password from ~/.netrc"),
    Option("netrc-file", nil, "FILE", "take them from FILE"),
    Option("cookie", "b", "DATA", repeats: true, "cookies to send, as \"name=value; other=value\", or a cookies.txt to begin with"),
    Option("cookie-jar", "c", "FILE", "keep cookies, and write them to FILE (cookies.txt) at the end; - is standard output"),
    Option("compressed", "ask for a compressed body, and decompress it"),
    Option("range", "r", "RANGE", "ask for a part only, such as 0-99"),
    Option("referer", "e", "URL", "the Referer header"),
    Option("location", "L", "go on to where a redirect leads"),
    Option("max-redirs", nil, "N", "with --location: follow at most N redirects (default: 10)"),
    Option("user-agent", "A", "TEXT", "the User-Agent header (default: errand/1)"),
    Option("max-time", "m", "SECONDS", "limit of the whole request; 0 is none (default: none, but 30 s without a byte end it)"),
    Option("connect-timeout", nil, "SECONDS", "limit for resolving and connecting; 0 is none (default: 10)"),
    Option("expect-json", "fail unless the body is JSON (exit code 65; 22 for a status of 400 or above)"),
    Option(
      "envelope", nil, "NAME",
      "read the service's own success or failure from its JSON: status-info or code-msg-data (exit code 65; 22 for a failing status)"),
    Option(
      "retry", nil, "N",
      "try up to N times more, if that is safe, where no connection was had or it was lost, or after 408, 429, 500, 502, 503, 504 (default: 0)"
    ),
  ]

  /// What to do with the response.
  static let response: [Option] = [
    Option("output", "o", "FILE", "write the body to FILE; - is standard output (default)"),
    Option("remote-name", "O", "write the body to a file with the last name of the URL"),
    Option("remote-header-name", "J", "write the body to a file with the name that the server gives; one that is there is not replaced"),
    Option("continue", "with --output or --remote-name: go on with what is there of the file"),
    Option("continue-at", "C", "OFFSET", "the same, as curl writes it: -C -"),
    Option("include", "i", "write the status line and headers before the body"),
    Option("head", "I", "ask for the status and headers only (HEAD)"),
    Option("fail", "f", "for a status of 400 or above write no body and exit with 22"),
    Option("silent", "s", "no progress and no messages on standard error"),
    Option("verbose", "v", "timings and what was done, on standard error"),
    Option("direct", "run the request in this process, even if a daemon answers"),
    .socket,
  ]
}
