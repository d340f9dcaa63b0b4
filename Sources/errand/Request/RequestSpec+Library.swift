internal import Errand
internal import HttpWire

extension RequestSpec {
  /// The request for the library in this process.
  func httpRequest() throws(Failure) -> HttpRequest {
    var request = HttpRequest(url, method: method, headers: headers, body: body.map { .bytes($0) })
    if !parts.isEmpty {
      var read: [MultipartPart] = []
      for part in parts { read.append(try part.part()) }
      request.body = .multipart(read)
    }
    request.credentials = who.credentials
    request.decodes = decodes
    if let jar = cookies.jar { request.cookies = .jar(jar) }
    request.download = download
    request.timeouts = Timeouts(connect: connectTimeout, total: maxTime ?? .zero)
    if let maxTime {
      // Who sets a limit for the whole wants no shorter one for a part of it.
      request.timeouts.firstByte = .zero
      request.timeouts.idle = .zero
      if maxTime == .zero, connectTimeout == nil { request.timeouts.connect = .zero }
    }
    try transport.apply(to: &request)
    request.redirects = follows ? .follow : .manual
    request.maxRedirects = maxRedirects
    request.expect = expectsJson ? .json : .any
    request.retry.max = retries
    request.retry.statuses = RequestSpec.retriedStatuses
    if let envelope {
      guard let profile = EnvelopeProfile.shipped.first(where: { $0.name == envelope }) else {
        let known = EnvelopeProfile.shipped.map(\.name)
        throw .usage(
          "--envelope: \"\(envelope)\" is none of \(known.joined(separator: ", "))" + Suggestion.words(for: envelope, among: known))
      }
      request.envelope = profile
    }
    return request
  }
}
