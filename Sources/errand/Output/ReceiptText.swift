/// A cancel's receipt in words.
enum ReceiptText {
  static func describe(sent: String?, bytesWritten: Int64?, connection: String?) -> String {
    let first =
      switch sent {
      case "not_sent": "nothing of the request was sent"
      case "maybe_sent": "a part of the request was sent"
      case "sent": "the request was sent"
      default: "it is not known what was sent"
      }
    let written = bytesWritten.map { $0 > 0 ? " (\($0) bytes written)" : "" } ?? ""
    let last =
      switch connection {
      case "closed": ", the connection was closed"
      case "kept": ", the connection was kept"
      default: ""
      }
    return first + written + last
  }
}
