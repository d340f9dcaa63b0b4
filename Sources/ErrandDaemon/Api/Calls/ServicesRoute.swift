internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/services`: the services that requests may name, with their versions.
@LoopActor
final class ServicesRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/services"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let catalog = core.catalog.current
    let names = Set(catalog.services.keys).union(core.rules.connecting.services.keys).sorted()
    call.responder.json { writer in
      writer.beginObject()
      writer.key("services")
      writer.beginArray()
      for name in names {
        writer.beginObject()
        writer.member("name", name)
        writer.key("versions")
        writer.beginArray()
        for (number, version) in (catalog.services[name]?.versions ?? [:]).sorted(by: { $0.key < $1.key }) {
          writer.beginObject()
          writer.member("version", number)
          writer.member("url", version.urls.first ?? "")
          writer.key("envelope")
          if let envelope = version.envelope { writer.string(envelope.name) } else { writer.null() }
          writer.endObject()
        }
        writer.endArray()
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
  }
}
