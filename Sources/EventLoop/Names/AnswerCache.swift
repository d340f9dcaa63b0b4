/// What name servers answered, for as long as it counts. In two generations: when the young one is full it becomes the old one, and what was not
/// used since is forgotten with the next change. So memory is bounded, each step is O(1), and what is used stays.
struct AnswerCache {
  private struct Entry {
    let answer: DnsAnswer
    let expires: Instant
  }

  private var young: [DnsQuestion: Entry] = [:]
  private var old: [DnsQuestion: Entry] = [:]
  private let generationSize: Int

  init(maximum: Int) {
    generationSize = max(0, maximum / 2)
  }

  var count: Int { young.count + old.count }

  mutating func answer(to question: DnsQuestion, at now: Instant) -> DnsAnswer? {
    if let entry = young[question] {
      if now < entry.expires { return entry.answer }
      young[question] = nil
      return nil
    }
    guard let entry = old.removeValue(forKey: question), now < entry.expires else { return nil }
    insert(question, entry)
    return entry.answer
  }

  /// Keeps an answer; nothing is kept for no time.
  mutating func keep(_ answer: DnsAnswer, to question: DnsQuestion, for duration: Duration, at now: Instant) {
    guard duration > .zero, generationSize > 0 else { return }
    old[question] = nil
    insert(question, Entry(answer: answer, expires: now + duration))
  }

  mutating func removeAll() {
    young = [:]
    old = [:]
  }

  private mutating func insert(_ question: DnsQuestion, _ entry: Entry) {
    if young.count >= generationSize, young[question] == nil {
      old = young
      young = [:]
    }
    young[question] = entry
  }
}
