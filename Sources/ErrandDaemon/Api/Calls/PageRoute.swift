internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /`: what this is, for who comes by with curl.
@LoopActor
final class PageRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/"

  private static let text = """
    errandd \(Daemon.version): hand it HTTP requests; it runs them, and brings each outcome to the delegate you name.

    POST   /v1/requests                   submit one (JSON) or many (application/x-ndjson); ?wait=S for the outcome
    GET    /v1/requests                   list: delegate, tag, key, key_prefix, host, state, limit, cursor
    GET    /v1/requests/{handle}          one request, with its timeline; ?wait=S for the outcome
    GET    /v1/requests/{handle}/body     the response's body as it came
    DELETE /v1/requests/{handle}          cancel
    POST   /v1/cancel                     cancel a scope: delegate, tag, key, key_prefix, host, or "all": true
    GET    /v1/delegates                  the delegates
    GET    /v1/delegates/{name}           the state of one
    PUT    /v1/delegates/{name}           declare one (made by its first request, too)
    GET    /v1/delegates/{name}/events    follow (Accept: text/event-stream), or poll: after, wait, limit
    POST   /v1/delegates/{name}/ack       {"through": SEQ}: events up to SEQ are done with
    GET    /v1/cookies                    your cookies; PUT sets one or takes in a cookies.txt, DELETE removes
    GET    /v1/services                   the catalogue of services
    GET    /v1/stats                      figures
    GET    /healthz, /readyz              health

    curl --unix-socket PATH http://errand/v1/requests -d '{"url": "http://127.0.0.1:8080/", "delegate": "me"}'
    curl --unix-socket PATH -N -H 'Accept: text/event-stream' http://errand/v1/delegates/me/events

    """

  func answer(_ call: ApiCall) throws(Problem) {
    call.responder.respond(status: 200, headers: ApiAnswer.textHeaders, body: Array(PageRoute.text.utf8))
  }
}
