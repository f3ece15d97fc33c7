import JSON

/// A list of objects as a person reads it: one a line, the columns aligned.
enum AdminTable {
    static func print(_ answer: [UInt8], _ list: String, _ columns: [String]) {
        for row in self.aligned(self.rows(answer, list, columns)) { Swift.print(row) }
    }

    static func rows(_ answer: [UInt8], _ list: String, _ columns: [String]) -> [[String]] {
        let reader = JSONReader(answer.span)
        guard let object = try? reader.document(), let list = reader.member(list, of: object) else { return [] }
        var rows: [[String]] = []
        var elements = reader.elements(of: list)
        while let element = elements.next() {
            rows.append(columns.map { self.text(of: $0, in: element, answer) })
        }
        return rows
    }

    private static func text(of column: String, in row: JSONValue, _ answer: [UInt8]) -> String {
        let reader = JSONReader(answer.span)
        guard let value = reader.member(column, of: row) else { return "" }
        return reader.string(value) ?? reader.integer(value).map(String.init) ?? ""
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
