/// A resolver on c-ares: asynchronous, IPv4 and IPv6 asked for side by side, with the system's hosts file, name servers and search domains.
///
/// - Answers are kept for their time to live, within the limits of ``ResolverSettings``; that a name does not exist is remembered for a short time.
/// - Many resolutions of one name at a time are one question for each family.
/// - `localhost` and names under it answer with the loopback addresses and never leave the machine (RFC 6761 section 6.3).
/// - The two files are looked at again, off the loop, when what is known of them is older than a second, and with ``flush()``.
/// - Cancelling is O(1) and waits for nobody.
@LoopActor
public final class CaresResolver: NameResolver {
  /// With the default settings.
  public static let shared = CaresResolver()

  /// A question that is to be asked or with the name servers.
  private final class Question {
    let key: DnsQuestion
    let generation: UInt64
    var waiting: Set<UInt64> = []

    nonisolated init(_ key: DnsQuestion, generation: UInt64) {
      self.key = key
      self.generation = generation
    }
  }

  private enum Files {
    case unknown
    case known(NameFiles.State, at: Instant)
  }

  private typealias Told = @LoopActor (Result<ResolvedPart, ResolveError>) -> Void
  private struct Waiting {
    let name: HostName
    let told: Told
    /// nil while the files are looked at.
    var lookup: NameLookup?
  }

  private let settings: ResolverSettings
  private var files = Files.unknown
  private var isCheckingFiles = false
  private var waitingForFiles: [UInt64] = []
  private var hosts = HostsFile()
  private var channel: DnsChannel?
  private var channelFailure = ResolveError("no resolver", isTemporary: true)
  private var cache: AnswerCache
  private var waiting: [UInt64: Waiting] = [:] {
    didSet { keptWhileWaiting = waiting.isEmpty ? nil : self }
  }
  /// Who let go of the resolver is still told what was asked for.
  private var keptWhileWaiting: CaresResolver?
  /// Those that a further resolution may join.
  private var questions: [DnsQuestion: Question] = [:]
  private var line: [Question] = []
  private var lineHead = 0
  private var asked: [UInt64: Question] = [:]
  private var lastID: UInt64 = 0
  /// Counts the flushes: answers from before one are not kept.
  private var generation: UInt64 = 0

  public nonisolated init(_ settings: ResolverSettings) {
    self.settings = settings
    cache = AnswerCache(maximum: settings.maxAnswers)
  }

  /// `servers` is `address:port,…`; nil asks the system's configuration. `timeout` is for one try at one server, `tries` the number of tries.
  public nonisolated convenience init(servers: String? = nil, timeout: Duration = .seconds(5), tries: Int = 2) {
    var settings = ResolverSettings()
    settings.servers = servers
    settings.timeout = timeout
    settings.tries = tries
    self.init(settings)
  }

  isolated deinit {
    channel?.retire()
  }

  public func resolve(
    _ host: String, _ done: @escaping @LoopActor (Result<[SocketAddress], ResolveError>) -> Void
  ) -> ResolveID {
    var found: [SocketAddress] = []
    return resolveParts(host) { result in
      switch result {
      case .success(let part):
        found += part.addresses
        if part.isLast { done(.success(found)) }
      case .failure(let error): done(.failure(error))
      }
    }
  }

  public func resolveParts(
    _ host: String, _ told: @escaping @LoopActor (Result<ResolvedPart, ResolveError>) -> Void
  ) -> ResolveID {
    lastID += 1
    let id = lastID
    if let literal = SocketAddress.ip(host, port: 0) {
      told(.success(ResolvedPart([literal], isLast: true)))
      return ResolveID(id)
    }
    do throws(ResolveError) {
      let name = try HostName(host)
      if name.isLocalhost {
        told(.success(ResolvedPart([.loopback(port: 0), .loopback(port: 0, v6: true)], isLast: true)))
        return ResolveID(id)
      }
      waiting[id] = Waiting(name: name, told: told)
    } catch {
      told(.failure(error))
      return ResolveID(id)
    }
    if case .known(_, let checkedAt) = files, EventLoop.shared.now < checkedAt + settings.fileCheckInterval {
      begin(id)
    } else {
      waitingForFiles.append(id)
      checkFiles()
    }
    return ResolveID(id)
  }

  public func cancel(_ id: ResolveID) {
    // c-ares has no cancel for one question: its answer is kept for others, and finds nobody else waiting.
    guard let lookup = waiting.removeValue(forKey: id.value)?.lookup else { return }
    for isIPv6 in [true, false] {
      questions[DnsQuestion(name: lookup.candidate, isIPv6: isIPv6)]?.waiting.remove(id.value)
    }
  }

  /// Forgets all answers, and reads the files again: for a machine whose network has changed. Resolutions under way go on.
  public func flush() {
    files = .unknown
    forgetAnswers()
  }

  /// How many resolutions wait for an answer.
  public var waitingCount: Int { waiting.count }

  /// How many answers are kept.
  public var answerCount: Int { cache.count }

  private func forgetAnswers() {
    generation += 1
    cache.removeAll()
    questions = [:]
  }

  // MARK: The files

  private func checkFiles() {
    guard !isCheckingFiles else { return }
    isCheckingFiles = true
    var known: NameFiles.State?
    if case .known(let state, _) = files { known = state }
    let generation = generation
    NameFiles.check(settings, since: known) { [self] changes in
      isCheckingFiles = false
      let isFlushed = generation != self.generation
      take(changes)
      if isFlushed {
        files = .unknown
        return checkFiles()
      }
      let ids = waitingForFiles
      waitingForFiles = []
      for id in ids { begin(id) }
    }
  }

  private func take(_ changes: NameFiles.Changes) {
    files = .known(changes.state, at: EventLoop.shared.now)
    if let changed = changes.hosts { hosts = changed }
    switch changes.channel {
    case nil: break
    case .success(let opened):
      if channel != nil { forgetAnswers() }
      channel?.retire()
      channel = DnsChannel(opened, timeout: settings.timeout) { [weak self] id, answer in self?.answered(id, answer) }
      askFirst()
    case .failure(let error):
      // Those of before go on serving, if there are any; it is tried again with the next name.
      channelFailure = error
      files = .unknown
    }
  }

  // MARK: Resolutions

  private func begin(_ id: UInt64) {
    guard let entry = waiting[id] else { return }
    if let addresses = hosts.addresses(of: entry.name.text) {
      waiting[id] = nil
      return entry.told(.success(ResolvedPart(addresses, isLast: true)))
    }
    guard let channel else {
      waiting[id] = nil
      let error = ResolveError("can't resolve \(entry.name.text): \(channelFailure)", isTemporary: true)
      return entry.told(.failure(error))
    }
    let candidates = entry.name.candidates(domains: channel.domains, ndots: channel.ndots)
    waiting[id]?.lookup = NameLookup(entry.name.text, candidates: candidates)
    ask(id)
  }

  /// Asks for both families of the name that is next, IPv6 first (RFC 8305 section 3).
  private func ask(_ id: UInt64) {
    guard let name = waiting[id]?.lookup?.candidate else { return }
    for isIPv6 in [true, false] {
      // What the first answer led to may have ended this one.
      let question = DnsQuestion(name: name, isIPv6: isIPv6)
      guard waiting[id]?.lookup?.awaits(question) == true else { return }
      if let answer = cache.answer(to: question, at: EventLoop.shared.now) {
        feed(answer, to: id, question)
      } else {
        join(question, id)
      }
    }
  }

  private func feed(_ answer: DnsAnswer, to id: UInt64, _ question: DnsQuestion) {
    guard waiting[id]?.lookup?.awaits(question) == true,
      let step = waiting[id]?.lookup?.answered(answer, isIPv6: question.isIPv6), let told = waiting[id]?.told
    else { return }
    switch step {
    case .wait: break
    case .askNext: ask(id)
    case .tell(let addresses, let isLast):
      if isLast { waiting[id] = nil }
      told(.success(ResolvedPart(addresses, isLast: isLast)))
    case .fail(let error):
      waiting[id] = nil
      told(.failure(error))
    }
  }

  // MARK: Questions

  private func join(_ key: DnsQuestion, _ id: UInt64) {
    if let question = questions[key] {
      question.waiting.insert(id)
      return
    }
    let question = Question(key, generation: generation)
    question.waiting.insert(id)
    questions[key] = question
    line.append(question)
    askFirst()
  }

  /// Puts questions to the name servers, in their order, as far as the limit allows.
  private func askFirst() {
    guard let channel else { return }
    let limit = min(max(1, settings.maxQuestions), 16_384)
    while asked.count < limit, lineHead < line.count {
      let question = line[lineHead]
      lineHead += 1
      if question.waiting.isEmpty {
        // All that wanted to know were cancelled.
        if questions[question.key] === question { questions[question.key] = nil }
        continue
      }
      lastID += 1
      asked[lastID] = question
      channel.ask(question.key, id: lastID)
    }
    if lineHead * 2 >= line.count {
      line.removeFirst(lineHead)
      lineHead = 0
    }
  }

  private func answered(_ id: UInt64, _ answer: DnsAnswer) {
    guard let question = asked.removeValue(forKey: id) else { return }
    if questions[question.key] === question { questions[question.key] = nil }
    if question.generation == generation {
      cache.keep(answer, to: question.key, for: lifetime(of: answer), at: EventLoop.shared.now)
    }
    for id in question.waiting.sorted() { feed(answer, to: id, question.key) }
    askFirst()
  }

  private func lifetime(of answer: DnsAnswer) -> Duration {
    switch answer {
    case .addresses(_, let timeToLive): min(.seconds(Int64(timeToLive)), settings.maxTimeToLive)
    case .none: settings.negativeTimeToLive
    case .failed: .zero
    }
  }
}
