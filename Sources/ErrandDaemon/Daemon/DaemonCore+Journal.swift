internal import Errand
internal import EventLoop
internal import HttpWire

/// What outlives the process, and what becomes of it in the next one.
extension DaemonCore {
  func requestWillBeSent(_ request: RequestInfo, _ go: @escaping @LoopActor @Sendable () -> Void) {
    guard let record = store.record(request.handle), record.isJournaled, !record.isSending else { return go() }
    store.sending(record)
    // With a disk that takes nothing it waits: sent without a note, it might be sent again after a crash.
    journal.onceWritten { _ in go() }
  }

  /// Cancels for a caller; the receipts may be told when the journal says so.
  func cancelling<Receipts>(_ body: () -> Receipts) -> Receipts {
    isCancelling = true
    defer { isCancelling = false }
    return body()
  }

  /// Whether a request that is cut off as the daemon ends is left to the next run: it is on disk, and may be run again.
  func isLeft(_ record: RequestRecord, _ outcome: Outcome) -> Bool {
    guard case .cancelled = outcome, isDraining, !isCancelling, record.isJournaled, !record.isSending else { return false }
    return journal.state == .sound
  }

  /// Takes up what earlier processes left: what waited runs, and so does what was under way and may be repeated; what may not, and may have been
  /// sent, ends with the code `unknown`.
  func recover(_ content: JournalContent) {
    keys.restore(content.keys)
    let left = store.restore(content)
    for stored in content.mailboxes {
      guard let settings = stored.settings, let mailbox = store.mailbox(DelegateID(owner: Owner(uid: stored.owner), name: stored.name))
      else {
        continue
      }
      mailbox.settings = settings
      webhooks.restore(mailbox, settings)
    }
    var (run, unknown, refused) = (0, 0, 0)
    let reader = SubmissionReader(rules: rules)
    for (record, stored) in left {
      record.isBegun = true
      let submission = stored.submission.flatMap { read($0, reader) }
      switch submission {
      case nil:
        unknown += 1
        end(record, .unknown, "what the journal has of this request can't be read", sent: stored.isSending ? .maybeSent : .notSent)
      case .failure(let problem)?:
        refused += 1
        end(record, .invalidRequest, "after the restart the request is no longer taken: \(problem.detail)", sent: .notSent)
      case .success(let submission)?:
        record.identity = RequestIdentity(submission, at: record.acceptedAt)
        if stored.isSending {
          unknown += 1
          end(record, .unknown, "the daemon ended while the request may have been sent; it is not sent again", sent: .maybeSent)
        } else {
          run += 1
          begin(again: record, submission)
        }
      }
    }
    tell(content, run: run, unknown: unknown, refused: refused)
  }

  private func begin(again record: RequestRecord, _ submission: Submission) {
    do throws(Problem) {
      try check(submission, of: record.owner)
    } catch {
      return end(record, .denied, "after the restart the request is no longer taken: \(error.detail)", sent: .notSent)
    }
    if let refusal = run(record, submission, isReadmitted: true) {
      end(record, refusal.code, "after the restart the request is no longer taken: \(refusal.message)", sent: .notSent)
    }
  }

  private func read(_ stored: StoredSubmission, _ reader: SubmissionReader) -> Result<Submission, Problem>? {
    guard let json = try? JsonValue.parse(stored.json) else { return nil }
    do throws(Problem) {
      var submission = try reader.read(json)
      for field in stored.headers { submission.request.headers.append(field.name, field.value) }
      return .success(submission)
    } catch {
      return .failure(error)
    }
  }

  private func end(_ record: RequestRecord, _ code: HttpClientError.Code, _ message: String, sent: SentState) {
    let method = (try? HttpMethod(record.method)) ?? .get
    let info = RequestInfo(
      handle: record.handle, url: record.url, method: method, tag: record.tag, key: record.key, delegateName: record.mailbox.id.name,
      owner: record.owner.description)
    requestEnded(info, .failed(HttpClientError(code, message: message, sent: sent)))
  }

  private func tell(_ content: JournalContent, run: Int, unknown: Int, refused: Int) {
    if content.unreadable > 0 {
      log.write(.error, "events in the journal can't be read", [("events", "\(content.unreadable)")])
    }
    guard run + unknown + refused + content.events.count > 0 else { return }
    log.write(
      .info, "taken up from the journal",
      [("run", "\(run)"), ("unknown", "\(unknown)"), ("refused", "\(refused)"), ("events", "\(content.events.count)")])
  }
}

extension Log {
  @LoopActor
  func write(of state: Journal.State, atStart: Bool = false) {
    switch state {
    case .off: break
    case .sound: if !atStart { write(.info, "the journal can be written again") }
    case .failing(let fault): write(.error, "the journal can't be written", [("reason", "\(fault)")])
    case .damaged(let fault): write(.error, "the journal is damaged, and is left as it is", [("reason", "\(fault)")])
    }
  }
}
