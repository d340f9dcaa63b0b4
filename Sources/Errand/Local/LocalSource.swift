internal import HttpWire

/// A request whose answer is made on this machine, from its URL.
enum LocalSource: Sendable {
  case data(DataUrl)
  case file(FileUrl)

  /// nil for a URL that goes over the network. Throws `denied` for a `file:` URL that is not allowed, and `invalid_request` for one that can't be read
  /// and for what only a server could do.
  init?(_ request: borrowing HttpRequest, allowsFiles: Bool) throws(HttpClientError) {
    if DataUrl.isOne(request.url) {
      self = .data(try DataUrl(request.url))
    } else if FileUrl.isOne(request.url) {
      guard allowsFiles else {
        throw HttpClientError(.denied, phase: .request, message: "file: URLs are not allowed here (allows_file_urls)")
      }
      self = .file(try FileUrl(request.url))
    } else {
      return nil
    }
    let method = request.method ?? .get
    guard method == .get || method == .head else { throw .invalid("method", "\(method) is not for data: and file: URLs; GET and HEAD are") }
    guard request.body == nil, request.params.isEmpty else {
      throw .invalid(request.body == nil ? "params" : "body", "data: and file: URLs take neither params nor a body")
    }
  }

  /// For lists and logs.
  func shown(_ url: String) -> String {
    switch self {
    case .data(let data): data.shown
    case .file: PeerText.line(url)
    }
  }
}

extension RequestInfo {
  /// The URL, or the path, of a request that was refused, without what may be secret in it.
  static func shown(_ request: HttpRequest) -> String {
    if DataUrl.isOne(request.url) { return (try? DataUrl(request.url))?.shown ?? "data:…" }
    return withoutUserInfo(request.url.isEmpty ? request.path ?? "" : request.url)
  }
}

/// What a local URL turned out to hold.
enum LocalContent: Sendable {
  case bytes([UInt8], mediaType: String)
  case file(LocalFile, mediaType: String)
  case refused(LocalFile.Refusal)
  case malformed(HttpClientError)

  /// Not for the loop.
  init(_ source: LocalSource) {
    switch source {
    case .data(let url):
      do throws(HttpClientError) {
        self = .bytes(try url.decoded(), mediaType: url.mediaType)
      } catch {
        self = .malformed(error)
      }
    case .file(let url):
      do throws(LocalFile.Refusal) {
        let mediaType = SystemMimeTypes.shared.type(forExtension: url.nameExtension) ?? MimeTypes.unknown
        let file = try LocalFile.open(url)
        if file.size == 0, let bytes = file.unannounced() {
          self = .bytes(bytes, mediaType: mediaType)
          file.close()
        } else {
          self = .file(file, mediaType: mediaType)
        }
      } catch {
        self = .refused(error)
      }
    }
  }
}
