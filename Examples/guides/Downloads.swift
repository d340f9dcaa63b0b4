import Errand

func downloads(_ client: HttpClient, _ base: String, _ directory: String) async throws {
  // Written beside the target, flushed, checked, renamed: the target is never a part of something.
  var request = HttpRequest(base + "/file.bin")
  var download = Download(to: directory + "/file.bin", resumes: true)
  download.maxBytes = 1 << 30
  request.download = download
  let response = try await client.send(request)
  print(response.file?.byteCount ?? 0, response.file?.resumedFrom ?? 0)

  // A name by the server, made safe; a file that is there is not replaced.
  request.download = Download(directory: directory)
  do {
    print(try await client.send(request).file?.path ?? "-")
  } catch {
    print(error.code)
  }

  // What the file must be.
  download.checksum = Checksum("sha-256=" + String(repeating: "0", count: 64))
  download.target = .path(directory + "/other.bin")
  download.resumes = false
  request.download = download
  do {
    _ = try await client.send(request)
  } catch {
    print(error.code)
  }
}
