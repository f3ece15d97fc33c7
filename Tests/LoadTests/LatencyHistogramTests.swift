import Load
import Testing

@Suite("A histogram of latencies")
struct LatencyHistogramTests {
    @Test("knows percentiles to within four in a hundred, over nine orders of magnitude")
    func percentiles() {
        var random = SystemRandomNumberGenerator()
        for magnitude in [10, 1_000, 100_000, 10_000_000, 3_000_000_000] {
            var histogram = LatencyHistogram()
            let times = (0..<2_000).map { _ in Int64.random(in: 1...Int64(magnitude), using: &random) }.sorted()
            for time in times { histogram.add(.microseconds(time)) }
            for share in [0.01, 0.5, 0.9, 0.99, 0.999] {
                let exact = Double(times[max(0, Int((share * 2_000).rounded(.up)) - 1)])
                let found = histogram.percentile(share) / .microseconds(1)
                #expect(found >= exact && found <= exact * 1.04 + 1, "\(share) of \(magnitude)")
            }
        }
    }

    @Test("counts exactly what is shorter than 32 µs")
    func small() {
        var histogram = LatencyHistogram()
        for microseconds in 0..<32 { histogram.add(.microseconds(microseconds)) }
        for microseconds in 1..<32 {
            #expect(histogram.percentile(Double(microseconds + 1) / 32) == .microseconds(microseconds))
        }
    }

    @Test("keeps its mean, its number and the longest")
    func sums() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == .zero)
        for milliseconds in [1, 2, 3, 10] { histogram.add(.milliseconds(milliseconds)) }
        #expect(histogram.mean == .milliseconds(4))
        #expect(histogram.count == 4)
        #expect(histogram.percentile(1) == .milliseconds(10))
        #expect(histogram.longest == .milliseconds(10))
    }

    @Test("takes times of any length", arguments: [Duration.zero, .seconds(-5), .seconds(1_000_000_000)])
    func extremes(_ time: Duration) {
        var histogram = LatencyHistogram()
        histogram.add(time)
        #expect(histogram.count == 1)
        #expect(histogram.percentile(0.5) <= max(time, .zero))
    }
}
