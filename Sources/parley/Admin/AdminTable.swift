import JSON
import Journal
import Vocabulary

/// A list of objects as a person reads it: one a line, the columns aligned.
enum AdminTable {
    /// - Parameters:
    ///   - nothing: what is said of an empty list.
    ///   - times: columns that hold milliseconds since 1970.
    static func print(
        _ answer: [UInt8], _ list: String, _ columns: [String], orElse nothing: String, times: Set<String> = []
    ) {
        let rows = self.rows(answer, list, columns, times: times)
        if rows.isEmpty { Swift.print(nothing) }
        for row in self.aligned(rows) { Swift.print(PlainText.of(row)) }
    }

    static func rows(_ answer: [UInt8], _ list: String, _ columns: [String], times: Set<String> = []) -> [[String]] {
        guard let answer = try? JSONObject(answer.span), let list = answer.value(list) else { return [] }
        var rows: [[String]] = []
        var elements = answer.reader.elements(of: list)
        while let element = elements.next() {
            let row = JSONObject(found: element, in: answer.reader)
            rows.append(
                columns.map { column in
                    if let text = row[column, .text] { return text }
                    guard let number = row[column, .integer] else { return "" }
                    return times.contains(column) ? self.time(Int64(clamping: number)) : String(number)
                })
        }
        return rows
    }

    private static func time(_ milliseconds: Int64) -> String {
        LogTime(secondsSince1970: milliseconds / 1000, milliseconds: milliseconds % 1000).description
    }

    static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingTail()
        }
    }
}

extension String {
    fileprivate func trimmingTail() -> String {
        String(self.reversed().drop { $0 == " " }.reversed())
    }
}
