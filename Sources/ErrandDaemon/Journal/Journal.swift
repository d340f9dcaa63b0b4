internal import Dispatch
internal import Errand
internal import EventLoop

/// What has to outlive the process, on its way to the disk: changes of one turn of the loop, and of all turns that pass while an earlier batch is
/// being written, are one commit (group commit). Written in their order on a thread of its own.
///
/// While the disk does not take a batch, it is tried again about once a second, and no request is taken that would have to be journaled; outcomes
/// are told all the same, from memory. A journal whose file is damaged is left as it is, for its operator, and nothing more is written to it.
@LoopActor
final class Journal {
  enum State: Sendable, Equatable {
    case sound
    /// Turned off by the configuration.
    case off
    case failing(JournalFault)
    case damaged(JournalFault)
  }

  /// Told on the loop whether what was added before is on disk.
  typealias Completion = @LoopActor @Sendable (_ isWritten: Bool) -> Void

  /// Changes in one commit at the most: what is waited for comes in time.
  private static let batchLimit = 8_192
  /// Changes that may wait before no more requests are taken.
  private static let backlogLimit = 500_000
  private nonisolated static let vacuumPages = 256

  private let file: Locked<JournalFile>?
  private let queue = DispatchQueue(label: "errand.journal")
  private(set) var state: State
  private var waiting: [JournalOperation] = []
  /// With the number of changes after which each is told.
  private var completions = FifoQueue<(after: UInt64, needsDisk: Bool, body: Completion)>()
  private var added: UInt64 = 0
  private var written: UInt64 = 0
  private var isWriting = false
  private var isScheduled = false
  private var isClosed = false
  private var whenIdle: [@LoopActor () -> Void] = []
  private(set) var byteCount: Int64
  private(set) var commits: UInt64 = 0
  private(set) var failures: UInt64 = 0
  /// Commits up to the last look, and up to the last time that memory was given back.
  private var lastSeen: UInt64 = 0
  private var lastShrunk: UInt64 = 0
  var maxBytes: Int64
  /// Told of each change of its state.
  var onChange: ((State) -> Void)?

  /// What the disk holds, and the journal for more of it. Reads the disk: not for the loop.
  nonisolated static func open(in stateDirectory: String, _ settings: JournalSettings) async -> (Journal, JournalContent) {
    guard settings.enabled else { return (await Journal(nil, .off, settings, byteCount: 0), JournalContent()) }
    do throws(JournalFault) {
      let file = try JournalFile(in: stateDirectory, settings)
      let content = try file.load()
      let bytes = try file.byteCount()
      return (await Journal(Locked(file), .sound, settings, byteCount: bytes), content)
    } catch {
      return (await Journal(nil, .damaged(error), settings, byteCount: 0), JournalContent())
    }
  }

  /// One that is turned off.
  static var off: Journal { Journal(nil, .off, JournalSettings(), byteCount: 0) }

  private init(_ file: Locked<JournalFile>?, _ state: State, _ settings: JournalSettings, byteCount: Int64) {
    self.file = file
    self.state = state
    self.byteCount = byteCount
    maxBytes = Int64(settings.maxBytes)
  }

  var backlog: Int { Int(added - written) }

  /// Why no request can be journaled just now; nil if one can.
  var refusal: Problem? {
    switch state {
    case .off: .journalUnavailable("the journal is turned off (setting journal.enabled)")
    case .failing(let fault), .damaged(let fault): .journalUnavailable("\(fault)")
    case .sound:
      if byteCount >= maxBytes {
        .journalFull("the journal holds \(byteCount) bytes (limit journal.max_bytes, \(maxBytes))")
      } else if backlog >= Journal.backlogLimit {
        .journalUnavailable("\(backlog) changes wait to be written")
      } else {
        nil
      }
    }
  }

  /// Nothing waits, and the memory of the last burst was given up.
  var isAtRest: Bool { file == nil || lastShrunk == commits && backlog == 0 }

  // MARK: Writing

  func add(_ operation: JournalOperation) {
    switch state {
    case .off, .damaged: return
    case .sound, .failing: break
    }
    waiting.append(operation)
    added += 1
    schedule()
  }

  /// `body` is told once all that was added so far is on disk, or is known not to be for now. In their order; never before this returns.
  func afterWriting(_ body: @escaping Completion) { complete(body, needsDisk: false) }

  /// `body` is told once all that was added so far is on disk, however long that takes, or will never be.
  func onceWritten(_ body: @escaping Completion) { complete(body, needsDisk: true) }

  private func complete(_ body: @escaping Completion, needsDisk: Bool) {
    completions.append((added, needsDisk, body))
    schedule()
  }

  private func schedule() {
    guard !isWriting, !isScheduled else { return }
    isScheduled = true
    EventLoop.shared.atEndOfTurn {
      self.isScheduled = false
      if case .failing = self.state { self.tell() } else { self.write() }
    }
  }

  /// To be called about once a second: tries again what failed, and keeps house.
  func lookAfter() {
    if case .failing = state, !isWriting { return write() }
    guard let file, !isWriting, waiting.isEmpty, case .sound = state else { return }
    isWriting = true
    let isToShrink = commits > lastShrunk && commits == lastSeen
    lastSeen = commits
    let commits = self.commits
    queue.async {
      let count = file.withLock { file in file.vacuum(pages: Journal.vacuumPages) ? try? file.byteCount() : nil }
      if isToShrink { file.withLock { $0.shrink() } }
      EventLoop.shared.enqueue {
        if let count { self.byteCount = count }
        if isToShrink { self.lastShrunk = commits }
        self.isWriting = false
        self.goOn()
      }
    }
  }

  private func write() {
    guard let file, !isWriting, !isClosed, !waiting.isEmpty else { return tell() }
    isWriting = true
    let batch: [JournalOperation]
    if waiting.count <= Journal.batchLimit {
      batch = waiting
      waiting = []
      waiting.reserveCapacity(min(batch.count, 1_024))
    } else {
      batch = Array(waiting[..<Journal.batchLimit])
      waiting.removeFirst(Journal.batchLimit)
    }
    queue.async {
      let result = file.withLock { file in
        Result { () throws(JournalFault) in
          try file.write(batch)
          return try file.byteCount()
        }
      }
      EventLoop.shared.enqueue { self.wrote(batch, result) }
    }
  }

  private func wrote(_ batch: [JournalOperation], _ result: Result<Int64, JournalFault>) {
    isWriting = false
    switch result {
    case .success(let bytes):
      written += UInt64(batch.count)
      byteCount = bytes
      commits += 1
      enter(.sound)
    case .failure(let fault) where fault.isLasting:
      failures += 1
      waiting = []
      written = added
      enter(.damaged(fault))
    case .failure(let fault):
      failures += 1
      // A request that is not on disk is not taken: whoever waits for its answer is told so, and has to hand it over again.
      let kept = batch.filter { if case .accepted = $0 { false } else { true } }
      refuseAccepted(in: batch.count - kept.count)
      waiting = kept + waiting
      enter(.failing(fault))
    }
    goOn()
  }

  /// Those of the batch are not to be written any more; neither are those that came after it.
  private func refuseAccepted(in count: Int) {
    let later = waiting.count
    waiting.removeAll { if case .accepted = $0 { true } else { false } }
    written += UInt64(count + later - waiting.count)
  }

  private func goOn() {
    tell()
    if case .failing = state {} else if !waiting.isEmpty { write() }
    guard !isWriting else { return }
    let bodies = whenIdle
    whenIdle = []
    for body in bodies { body() }
  }

  /// Tells whoever has waited long enough.
  private func tell() {
    guard !isWriting else { return tellWritten() }
    switch state {
    case .sound: tellWritten()
    case .failing:
      var later = FifoQueue<(after: UInt64, needsDisk: Bool, body: Completion)>()
      let all = completions
      completions = later
      tell(all) { entry in
        // What was before it in the batch may have been left out meanwhile: it waits for all there is.
        if entry.needsDisk { later.append((added, true, entry.body)) }
        return !entry.needsDisk
      }
      // What they added in turn comes after them.
      while let entry = completions.popFirst() { later.append(entry) }
      completions = later
    case .off, .damaged:
      let all = completions
      completions = FifoQueue()
      tell(all) { _ in true }
    }
  }

  private func tell(
    _ entries: FifoQueue<(after: UInt64, needsDisk: Bool, body: Completion)>,
    where isTold: ((after: UInt64, needsDisk: Bool, body: Completion)) -> Bool
  ) {
    var entries = entries
    while let entry = entries.popFirst() {
      if isTold(entry) { entry.body(false) }
    }
  }

  private func tellWritten() {
    while let first = completions.first, first.after <= written {
      completions.popFirst()
      first.body(true)
    }
  }

  private func enter(_ new: State) {
    guard new != state else { return }
    state = new
    onChange?(new)
  }

  // MARK: Reading

  /// The body of a result that is on disk alone. `then` is told on the loop.
  func body(mailbox: Int64, seq: UInt64, _ then: @escaping @LoopActor @Sendable ([UInt8]?) -> Void) {
    guard let file else { return then(nil) }
    queue.async {
      let body = file.withLock { file in try? file.body(mailbox: mailbox, seq: seq) }
      EventLoop.shared.enqueue { then(body) }
    }
  }

  // MARK: The end

  /// Returns when all that was added so far is on disk, or is known not to be for now.
  func settle() async {
    await withCheckedContinuation { continuation in afterWriting { _ in continuation.resume() } }
  }

  /// Writes what is left, and lets the disk go. Nothing is written afterwards.
  func close() async {
    if !waiting.isEmpty, !isWriting { write() }
    while isWriting { await withCheckedContinuation { continuation in whenIdle.append { continuation.resume() } } }
    isClosed = true
    guard let file else { return }
    await withCheckedContinuation { continuation in
      queue.async {
        file.withLock { $0.checkpoint() }
        continuation.resume()
      }
    }
  }
}
