import Errand
import EventLoop
import Testing

@testable import ErrandDaemon

struct TransferMeterTests {
  private func progress(_ uploaded: Int64, _ downloaded: Int64) -> RequestProgress {
    RequestProgress(uploaded: uploaded, uploadTotal: nil, downloaded: downloaded, downloadTotal: nil)
  }

  @Test func `what has not moved is not told, and the rate is that since the last look`() {
    let start = Instant(nanoseconds: 0)
    var meter = TransferMeter(at: start)
    #expect(meter.looked(progress(0, 0), at: start + .seconds(1)) == nil)
    #expect(meter.looked(progress(100, 0), at: start + .seconds(2)) == .init(rate: 100))
    #expect(meter.looked(progress(100, 0), at: start + .seconds(3)) == nil)
    #expect(meter.looked(progress(200, 900), at: start + .seconds(5)) == .init(rate: 500))
    #expect(meter.looked(progress(0, 900), at: start + .seconds(6)) == .init(rate: nil), "it was begun anew")
    #expect(meter.looked(progress(50, 900), at: start + .seconds(7)) == .init(rate: 50))
  }

  @Test func `no time and the largest numbers are fine`() {
    let start = Instant(nanoseconds: 0)
    var meter = TransferMeter(at: start)
    #expect(meter.looked(progress(0, 1 << 40), at: start)?.rate == 1_000 << 40)
  }
}
