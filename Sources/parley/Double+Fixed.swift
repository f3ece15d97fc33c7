extension Double {
    /// The number with so many digits after the point.
    func fixed(_ digits: Int) -> String {
        guard self.isFinite, abs(self) < 1e12 else { return "\(self)" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(self) * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let rest = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
}
