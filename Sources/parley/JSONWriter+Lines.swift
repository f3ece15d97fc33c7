internal import JSON
internal import Vocabulary

/// The objects that commands print.
extension JSONWriter {
    /// With so many digits after the point.
    mutating func field(_ name: String, _ number: Double?, digits: Int) {
        self.nullable(name, number?.isFinite == true ? number : nil) { $0.raw(Array($1.fixed(digits).utf8)) }
    }

    /// One object as a line of text, which steers no terminal.
    static func line(_ content: (inout JSONWriter) -> Void) -> String {
        PlainText.json(String(decoding: self.object(content), as: UTF8.self))
    }
}
