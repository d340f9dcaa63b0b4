internal import EventLoop
internal import HttpServer

/// All calls of the API, the busiest first.
@LoopActor
enum ApiRoutes {
  static func register(_ core: DaemonCore, on server: HttpServer) {
    let routes: [any ApiRoute] = [
      SubmitRoute(core), ListRoute(core), ShowRoute(core), BodyRoute(core), CancelRoute(core), ChangeRoute(core), PauseRoute(core),
      ResumeRoute(core), CancelScopeRoute(core), EventsRoute(core),
      AcknowledgeRoute(core), DelegateRoute(core), RedeliverRoute(core), DelegatesRoute(core), CookiesRoute(core), ServicesRoute(core),
      StatsRoute(core), MetricsRoute(core),
      HealthRoute(), ReadyRoute(core), PageRoute(),
    ]
    for route in routes { server.register(ApiHandler(route, core)) }
    server.register(UnknownPathHandler(routes.map(\.pattern), core))
  }
}
