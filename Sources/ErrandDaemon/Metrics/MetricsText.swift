/// The text format of Prometheus, version 0.0.4.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var bytes: [UInt8] = []

  /// Begins a family; its samples follow.
  mutating func family(_ metric: Metric) {
    line("# HELP \(metric.rawValue) \(metric.help)")
    line("# TYPE \(metric.rawValue) \(metric.kind.rawValue)")
  }

  /// A family of one sample.
  mutating func single(_ metric: Metric, _ value: some BinaryInteger) {
    family(metric)
    sample(metric, [], "\(value)")
  }

  /// A family of one sample.
  mutating func single(_ metric: Metric, _ value: Double) {
    family(metric)
    sample(metric, [], "\(value)")
  }

  /// `values`: those of the family's labels, in their order.
  mutating func sample(_ metric: Metric, _ values: [String], _ value: String, suffix: String = "", bound: String? = nil) {
    var labels = zip(metric.labels, values).map { "\($0)=\"\(MetricsText.escaped($1))\"" }
    if let bound { labels.append("le=\"\(bound)\"") }
    line("\(metric.rawValue)\(suffix)\(labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") \(value)")
  }

  mutating func histogram(_ metric: Metric, _ values: [String], _ histogram: Histogram) {
    var sum: UInt64 = 0
    for (index, count) in histogram.counts.enumerated() {
      sum += count
      sample(metric, values, "\(sum)", suffix: "_bucket", bound: index < Histogram.bounds.count ? "\(Histogram.bounds[index])" : "+Inf")
    }
    sample(metric, values, "\(Double(histogram.microseconds) / 1_000_000)", suffix: "_sum")
    sample(metric, values, "\(sum)", suffix: "_count")
  }

  private mutating func line(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0x0A)
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
