import Dispatch
import EventLoop
import FoundationEssentials
import HttpWire
import Testing

@testable import Errand

private struct Item: Codable, Equatable, Sendable {
  var name: String
  var price: Int
}

/// A reference type that must not be shared: an answer all the same.
private final class Box: Decodable {
  var name: String
}

private struct GetItem: HttpCall {
  typealias Response = Item
  var path: String { "/item" }
  var id = 3
}

private struct Broken: HttpCall {
  typealias Response = Item
  let path = "/item"
  var nested = ["a": ["b"]]
}

@Suite(.timeLimit(.minutes(2))) struct TypedAnswerTests {
  private func peer(_ test: (HttpClient, ScriptedPeer) async throws -> Void) async throws {
    try await scene(.test) { connection, request in
      switch request.target {
      case "/item", "/item?id=3": connection.answer(#"{"name": "lamp", "price": 3}"#, fields: "Content-Type: application/json\r\n")
      case "/list": connection.answer(#"[{"name": "a", "price": 1}, {"name": "b", "price": 2}]"#)
      case "/number": connection.answer(" 12 ")
      case "/envelope": connection.answer(#"{"code": 0, "data": [1, 2]}"#)
      case "/html": connection.answer("<html>")
      case "/none": connection.write("HTTP/1.1 204 None\r\n\r\n")
      case "/teapot": connection.answer(#"{"name": "pot", "price": 0}"#, status: 418)
      default: connection.answer(#"{"name": 1}"#)
      }
    } test: { client, peer in
      try await test(client, peer)
    }
  }

  @Test func aRequestIsAnsweredByATypeOfTheCallers() async throws {
    try await peer { client, peer in
      let item = try await client.send(HttpRequest(await peer.url("/item")), as: Item.self)
      #expect(item == Item(name: "lamp", price: 3))
      let list = try await client.send(HttpRequest(await peer.url("/list")), as: [Item].self)
      #expect(list.map(\.name) == ["a", "b"])
      let number = try await client.send(HttpRequest(await peer.url("/number")), as: Int.self)
      #expect(number == 12)
      let nothing = try await client.send(HttpRequest(await peer.url("/none")), as: Item?.self)
      #expect(nothing == nil)
      _ = try await client.send(HttpRequest(await peer.url("/html")), as: NoContent.self)
      let box = try await client.send(HttpRequest(await peer.url("/item")), as: Box.self)
      box.name += "!"
      #expect(box.name == "lamp!")
      #expect(peer.requests.all.allSatisfy { $0.head.headers["Accept"] == "application/json" })
    }
  }

  @Test func whatItAcceptsIsTheRequestsToSay() async throws {
    try await peer { client, peer in
      let request = HttpRequest(await peer.url("/item"), headers: ["Accept": "application/vnd.shop+json"])
      _ = try await client.send(request, as: Item.self)
      #expect(peer.requests.all.first?.head.headers.values("Accept") == ["application/vnd.shop+json"])
    }
  }

  @Test func theDataOfAnEnvelopeIsTheAnswer() async throws {
    try await peer { client, peer in
      var request = HttpRequest(await peer.url("/envelope"))
      request.envelope = .codeMsgData
      let data = try await client.send(request, as: [Int].self)
      #expect(data == [1, 2])
    }
  }

  @Test func aMismatchHasItsPlaceAndTheResponse() async throws {
    try await peer { client, peer in
      func failure(_ path: String) async throws -> HttpClientError {
        do throws(HttpClientError) {
          _ = try await client.send(HttpRequest(await peer.url(path)), as: Item.self)
        } catch {
          return error
        }
        throw Late(description: "no failure")
      }
      let shape = try await failure("/other")
      #expect(shape.code == .wrongShape && shape.response?.text == #"{"name": 1}"# && shape.attempts == 1 && shape.timings.total > 0)
      #expect(shape.message == "the JSON does not fit Item: at name: Expected to decode String but found number instead.")
      let html = try await failure("/html")
      #expect(html.code == .notJson && html.response?.text == "<html>")
      let none = try await failure("/none")
      #expect(none.code == .notJson && none.message == "JSON was asked for and the 204 has no body")
      let status = try await failure("/teapot")
      #expect(status.code == .httpStatus && status.status == 418)
    }
  }

  @Test func completionsGetTypesToo() async throws {
    try await peer { client, peer in
      let results = Record<Result<Item, HttpClientError>>("typed completions")
      let onLoop = Record<Bool>("where they were called")
      client.submit(HttpRequest(await peer.url("/item")), as: Item.self) {
        onLoop.add(EventLoop.shared.isOnLoop)
        results.add($0)
      }
      let first = try await results.first(1)
      #expect((try? first[0].get()) == Item(name: "lamp", price: 3) && onLoop.all == [false])
      client.submit(HttpRequest(await peer.url("/other")), as: Item.self, queue: .global()) { results.add($0) }
      let both = try await results.first(2)
      guard case .failure(let error) = both[1] else {
        Issue.record("no failure")
        return
      }
      #expect(error.code == .wrongShape)
    }
  }

  @Test func aDeclaredRequestIsSentAndAnswered() async throws {
    try await peer { client, peer in
      let base = await peer.url()
      let item = try await client.send(GetItem(), to: base)
      #expect(item.price == 3 && peer.requests.all.last?.target == "/item?id=3")
      let results = Record<Result<Item, HttpClientError>>("answers of calls")
      client.submit(GetItem(), to: base) { results.add($0) }
      let handle = client.submit(Broken(), to: base) { results.add($0) }
      let all = try await results.first(2)
      #expect(all.contains { (try? $0.get().name) == "lamp" })
      let failures = all.compactMap { if case .failure(let error) = $0 { error } else { nil } }
      #expect(failures.map(\.code) == [.invalidRequest] && failures.first?.field == "params")
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .alreadyFinished, "a call that can't be sent has a handle too")
      await #expect(throws: HttpClientError.self) { try await client.send(Broken(), to: base) }
    }
  }

  @Test func aThreadMayWaitForATypedAnswer() async throws {
    try await peer { client, peer in
      let url = await peer.url("/item")
      let item = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Item, any Error>) in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try client.sendAndWait(HttpRequest(url), as: Item.self) })
        }
      }
      #expect(item.name == "lamp")
    }
  }

  @Test func aBodyOfAnEncodableTypeArrives() async throws {
    try await peer { client, peer in
      let item = Item(name: "ä\"b", price: -1)
      let request = HttpRequest(await peer.url("/item"), body: try .json(encoding: item))
      _ = try await client.send(request)
      let seen = try #require(peer.requests.all.first)
      #expect(seen.head.method == .post && seen.head.headers["Content-Type"] == "application/json")
      let back = try JSONDecoder().decode(Item.self, from: Data(seen.body))
      #expect(back == item)
    }
  }

  @Test func theAcceptFieldSurvivesARedirect() async throws {
    try await scene(.test) { connection, request in
      if request.target == "/from" { return connection.answer(status: 302, fields: "Location: /to\r\n") }
      connection.answer("1")
    } test: { client, peer in
      let one = try await client.send(HttpRequest(await peer.url("/from")), as: Int.self)
      #expect(one == 1)
      #expect(peer.requests.all.map { $0.head.headers["Accept"] } == ["application/json", "application/json"])
    }
  }
}
