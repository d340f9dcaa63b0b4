internal import HttpWire

extension HttpRequest {
  /// What stands before the host of the URL are credentials for it (RFC 3986 section 3.2.1); they are sent as Basic, or as other credentials of the
  /// request say instead, and shown nowhere.
  mutating func takeUserFromUrl() throws(HttpClientError) {
    guard let parsed = try? HttpUrl(url), let userInfo = parsed.userInfo else { return }
    url = "\(parsed.scheme)://\(parsed.hostHeader)\(parsed.target)"
    guard optionBox?.value.credentials == nil, !headers.contains("Authorization") else { return }
    let parts = userInfo.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.compactMap { String(validating: LocalUrl.percentDecoded(Array($0)), as: UTF8.self) }
    guard texts.count == parts.count, let user = texts.first else { throw .invalid("url", "the credentials in the URL are not UTF-8") }
    let credentials = HttpCredentials.basic(user: user, password: texts.count > 1 ? texts[1] : "")
    do throws(WireError) { try credentials.check() } catch {
      throw .invalid("url", "the credentials in the URL can't be sent: \(error.message)")
    }
    self.credentials = credentials
  }
}
