import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct DelegateOrderTests {
  private func id(_ uid: UInt32, _ name: String) -> DelegateID { DelegateID(owner: Owner(uid: uid), name: name) }

  @Test func `it gives the same pages as a sorted array, whatever comes and goes`() {
    var generator = SeededGenerator(seed: 7)
    var order = DelegateOrder()
    var model: Set<DelegateID> = []
    for step in 0..<6_000 {
      let one = id(UInt32.random(in: 0..<3, using: &generator), "n\(Int.random(in: 0..<2_000, using: &generator))")
      if step % 3 < 2 {
        if model.insert(one).inserted { order.insert(one) }
      } else {
        model.remove(one)
        order.remove(one)
      }
      guard step % 200 == 0 else { continue }
      let sorted = model.sorted()
      #expect(order.page(after: nil, limit: .max) == sorted)
      #expect(order.page(after: one, limit: 700) == Array(sorted.filter { $0 > one }.prefix(700)))
    }
  }

  @Test func `delegates come page by page`() async throws {
    try await TestDaemon.with { test in
      for number in 0..<7 { _ = try await test.call(.put, "/v1/delegates/d\(number)") }
      var names: [String] = []
      var sizes: [Int] = []
      var cursor: String?
      repeat {
        let page = try await test.get("/v1/delegates?limit=3\(cursor.map { "&cursor=\($0)" } ?? "")").json
        let rows = page["delegates"]?.array ?? []
        sizes.append(rows.count)
        names += rows.compactMap { $0["name"]?.string }
        cursor = page["next"]?.string
      } while cursor != nil
      #expect(names == (0..<7).map { "d\($0)" })
      #expect(sizes == [3, 3, 1])
      #expect(try await test.get("/v1/delegates").json["delegates"]?.array?.count == 7)
      for query in ["cursor=d1", "cursor=uid:x/d", "limit=0", "limit=1001"] {
        #expect(try await test.get("/v1/delegates?\(query)").status == 400)
      }
    }
  }

  @Test func `an owner sees its own pages only, and root all`() async throws {
    let store = await LocalStore(Journal.off, limits: StoreLimits())
    for uid: UInt32 in [7, 1, 5] { for name in ["a", "b", "c"] { _ = await store.makeMailbox(id(uid, name)) } }
    #expect(await names(store, 5, after: nil) == (["a", "b"], "b"))
    #expect(await names(store, 5, after: id(5, "b")) == (["c"], nil))
    #expect(await names(store, 5, after: id(1, "a")) == (["a", "b"], "b"))
    #expect(await names(store, 5, after: id(7, "a")) == ([], nil))
    #expect(await names(store, 0, after: id(1, "c")) == (["a", "b"], "b"))
  }

  @Test func `a sweep looks at a bounded number of mailboxes, and at all of them in turn`() async throws {
    let store = await LocalStore(Journal.off, limits: StoreLimits())
    for number in 0..<2_500 { _ = await store.makeMailbox(id(1, "d\(number)")) }
    var left: [Int] = []
    for _ in 0..<3 {
      await store.sweep(.now() + .seconds(200_000))
      left.append(await store.figures.delegates)
    }
    #expect(left == [1_500, 500, 0])
  }

  @LoopActor private func names(_ store: LocalStore, _ uid: UInt32, after cursor: DelegateID?) -> ([String], String?) {
    let page = store.mailboxes(Owner(uid: uid), after: cursor, limit: 2)
    return (page.mailboxes.map(\.id.name), page.next?.name)
  }
}
