internal import Errand

extension CancelReceipt {
  /// The receipt as the control API gives it. `knowsBytes`: false if nobody remembers how many bytes were written.
  func write(to bytes: inout [UInt8], knowsBytes: Bool = true) {
    bytes.append("{\"handle\":\"")
    bytes.append(decimal: handle.id)
    bytes.append("\",\"result\":\"")
    bytes.append(contentsOf: result.rawValue.utf8)
    bytes.append("\",\"sent\":\"")
    bytes.append(contentsOf: sent.rawValue.utf8)
    bytes.append("\",\"bytes_written\":")
    bytes.append(decimalOrNull: knowsBytes ? bytesWritten : nil)
    bytes.append(",\"connection\":\"")
    bytes.append(contentsOf: connection.rawValue.utf8)
    bytes.append("\"}")
  }
}
