import Errand

final class Printer: HttpClientDelegate {
  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) {
    print("\(request.key ?? "-"): \(response.status) \(response.text)")
  }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) {
    print("\(request.key ?? "-"): \(error)")
  }
}

let url = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080/"
let (client, printer) = (HttpClient.shared, Printer())
client.request(url, params: ["q": "swift"], delegate: printer, tag: 7, key: "list")
let form = client.request(url, params: ["name": "lamp"], method: .post, delegate: printer, tag: 8, key: "new")
print("cancelling \(form): \(await client.cancel(form).result)")
do { print("awaited: \(try await client.send(HttpRequest(url)).status)") } catch { print("awaited: \(error)") }
await client.shutdown(grace: .seconds(5))
