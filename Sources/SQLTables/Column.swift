/// The columns of a table that are read and written, in one order: said once, used by name. A new one shifts nothing.
///
/// A coding key, because the compiler derives its name. To print a case would search all conformances of the program for a description.
package protocol Column: CaseIterable, CodingKey, RawRepresentable where RawValue == Int {}

extension Column {
    /// As SQL writes it: `read_counted`.
    package var name: String {
        self.stringValue.unicodeScalars.reduce(into: "") { name, letter in
            name += letter.properties.isUppercase ? "_" + letter.properties.lowercaseMapping : String(letter)
        }
    }

    /// `id, counted, …`; with a table in front of each where several are asked.
    package static func list(of table: String? = nil) -> String {
        self.allCases.map { column in table.map { "\($0).\(column.name)" } ?? column.name }.joined(separator: ", ")
    }

    /// `(id, counted, …) VALUES (?1, ?2, …)`
    package static var insertion: String {
        "(\(self.list())) VALUES (\(self.places))"
    }

    /// The same in the place of the row with this key, when there is one.
    package static func replacement(of key: Self...) -> String {
        let others = self.allCases.filter { column in !key.contains { $0.rawValue == column.rawValue } }
        let changes = others.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
        let keys = key.map(\.name).joined(separator: ", ")
        return "\(self.insertion) ON CONFLICT (\(keys)) DO UPDATE SET \(changes)"
    }

    package static var places: String { self.allCases.map { "?\($0.rawValue + 1)" }.joined(separator: ", ") }

    package static var count: Int { self.allCases.count }
}
