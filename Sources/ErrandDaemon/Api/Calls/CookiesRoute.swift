internal import Errand
internal import EventLoop
import Glibc
internal import HttpServer
internal import HttpWire

/// `/v1/cookies`: the caller's own jar. GET lists, PUT sets one or takes in a `cookies.txt`, DELETE removes.
@LoopActor
final class CookiesRoute: ApiRoute {
  let methods = [HttpMethod.get, .head, .put, .delete]
  let pattern: PathPattern = "/v1/cookies"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let jar = core.jars.jar(call.owner)
    switch call.request.head.method {
    case .put:
      try query.finish()
      try put(call, jar)
    case .delete:
      let (name, domain, path) = (try query.text("name"), try query.text("domain"), try query.text("path"))
      try query.finish()
      try remove(name, domain, path, call, jar)
    default:
      let domain = try query.text("domain")
      try query.finish()
      list(jar.cookies().filter { cookie in domain.map { CookiesRoute.isAt(cookie, $0) } ?? true }, call)
    }
  }

  private static func isAt(_ cookie: Cookie, _ domain: String) -> Bool {
    cookie.domain == domain || cookie.domain.hasSuffix("." + domain)
  }

  private func list(_ cookies: [Cookie], _ call: ApiCall) {
    if call.request.head.headers["Accept"]?.lowercased().hasPrefix("text/plain") == true {
      let text = CookieFile.write(cookies, includesSession: true, at: Int64(time(nil)))
      return call.responder.respond(status: 200, headers: ApiAnswer.textHeaders, body: text)
    }
    call.responder.json { writer in
      writer.beginObject()
      writer.key("cookies")
      writer.beginArray()
      for cookie in cookies { CookiesRoute.write(cookie, &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private static func write(_ cookie: Cookie, _ writer: inout JsonWriter) {
    writer.beginObject()
    writer.member("name", cookie.name)
    writer.member("value", cookie.value)
    writer.member("domain", cookie.domain)
    writer.member("path", cookie.path)
    writer.member("host_only", cookie.isHostOnly)
    writer.member("secure", cookie.isSecure)
    writer.member("http_only", cookie.isHttpOnly)
    writer.member("same_site", cookie.sameSite == .unspecified ? "lax" : cookie.sameSite.rawValue)
    writer.key("expires")
    if let expires = cookie.expires { writer.integer(expires) } else { writer.null() }
    writer.endObject()
  }

  private func put(_ call: ApiCall, _ jar: CookieJar) throws(Problem) {
    let now = Int64(time(nil))
    if call.request.head.headers["Content-Type"]?.lowercased().hasPrefix("text/plain") == true {
      let file = CookieFile.read(call.request.body, at: now)
      var refused = file.refused
      for cookie in file.cookies { if (try? jar.set(cookie, at: now)) == nil { refused += 1 } }
      let taken = file.cookies.count + file.refused - refused
      return call.responder.json { writer in
        writer.beginObject()
        writer.member("taken", taken)
        writer.member("expired", file.expired)
        writer.member("refused", refused)
        writer.endObject()
      }
    }
    let cookie = try CookieReader.read(try core.jsonBody(call), at: now)
    do throws(CookieRefusal) {
      try jar.set(cookie, at: now)
    } catch {
      throw .invalidValue("", "is no cookie that can be kept: \(error)")
    }
    call.responder.json { CookiesRoute.write(cookie, &$0) }
  }

  private func remove(_ name: String?, _ domain: String?, _ path: String?, _ call: ApiCall, _ jar: CookieJar) throws(Problem) {
    let removed: Int
    if let name {
      guard let domain else { throw .missing("domain") }
      removed = jar.remove(name: name, domain: domain, path: path ?? "/") ? 1 : 0
    } else {
      if path != nil { throw .missing("name") }
      removed = jar.removeAll(domain: domain)
    }
    call.responder.json { writer in
      writer.beginObject()
      writer.member("removed", removed)
      writer.endObject()
    }
  }
}
