import Foundation
import Testing

@testable import Operations

@Suite("The tables of the protocol's document")
struct ProtocolDocumentTests {
    /// What a table says of a request or an event: its name, and which fields it must and may have.
    private struct Row {
        let name: String
        let fields: Set<String>
    }

    private static let root = #filePath.replacing("Tests/OperationsTests/ProtocolDocumentTests.swift", with: "")

    /// The rows of all tables whose first column has this title.
    private static func rows(_ title: String) throws -> [Row] {
        let text = try String(contentsOfFile: "\(self.root)docs/protocol.md", encoding: .utf8)
        var (rows, isMeant): ([Row], Bool) = ([], false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("| ") else {
                isMeant = false
                continue
            }
            if line.hasPrefix("| \(title) |") { isMeant = true }
            if isMeant { rows += self.rows(in: line.replacing("\\|", with: "¦").split(separator: "|")[0]) }
        }
        return rows
    }

    /// `name {fields}` between backquotes, as often as it stands in the cell.
    private static func rows(in cell: Substring) -> [Row] {
        cell.split(separator: "`").compactMap { span in
            let name = span.prefix { $0.isLetter || $0 == "." }
            let isBare = name.count == span.count && name.contains(".")
            guard name.first?.isLowercase == true, isBare || span.dropFirst(name.count).hasPrefix(" {") else {
                return nil
            }
            return Row(name: String(name), fields: self.fields(in: span.dropFirst(name.count + 1)))
        }
    }

    /// The names at the outermost level of an object, with a question mark behind what may be missing. Of alternatives
    /// each may be.
    private static func fields(in object: Substring) -> Set<String> {
        var (fields, depth, isValue, isAlternative): (Set<String>, Int, Bool, Bool) = ([], 0, false, false)
        var rest = object
        while let character = rest.popFirst() {
            switch character {
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case ":" where depth == 1: isValue = true
            case "," where depth == 1: (isValue, isAlternative) = (false, false)
            case "\"" where depth == 1 && !isValue:
                let name = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(name.count + 1)
                isAlternative = isAlternative || rest.first == "¦"
                fields.insert("\(name)\(rest.first == "?" || isAlternative ? "?" : "")")
            default: break
            }
        }
        return fields
    }

    /// What two rows together say of one name: what stands in only one of them may be missing.
    private static func fields(of name: String, in rows: [Row]) -> Set<String>? {
        let own = rows.filter { $0.name == name }.map(\.fields)
        guard let first = own.first else { return nil }
        let always = own.reduce(first) { $0.intersection($1) }
        let other = own.reduce(first) { $0.union($1) }.subtracting(always)
        return always.union(other.map { $0.hasSuffix("?") ? $0 : "\($0)?" })
    }

    private static func names(_ fields: [FieldDescription]) -> Set<String> {
        Set(fields.map { "\($0.name)\($0.isOptional ? "?" : "")" })
    }

    @Test("The document has a row for every request, with the fields it has, and for no other")
    func requests() throws {
        let rows = try Self.rows("request")
        for operation in Operation.all {
            #expect(
                Self.fields(of: operation.name, in: rows) == Self.names(operation.description.fields),
                "\(operation.name)")
        }
        let unknown = rows.map(\.name).filter { Operation($0) == nil }
        #expect(unknown.isEmpty)
    }

    @Test("The document has a row for every event, with the fields it has, and for no other")
    func events() throws {
        let rows = try Self.rows("event")
        for event in ServerEvent.allCases where event != .chatEntry {
            #expect(Self.fields(of: event.rawValue, in: rows) == Self.names(event.fields), "\(event.rawValue)")
        }
        #expect(Set(rows.map(\.name)) == Set(ServerEvent.allCases.map(\.rawValue)))
    }

    @Test("The page's scripts ask for nothing that is not in the table, and hear of everything about rooms and calls")
    func scripts() throws {
        let folder = "\(Self.root)Sources/Assets/Web/"
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".js") {
            let text = try String(contentsOfFile: folder + file, encoding: .utf8)
            for match in text.matches(of: /'((?:room|call|chat|presence|profile|session|ice)\.[a-zA-Z]+)'/) {
                names.insert(String(match.1))
            }
        }
        let events = Set(ServerEvent.allCases.map(\.rawValue))
        #expect(names.subtracting(events).filter { Operation($0) == nil }.isEmpty)
        let heard = events.filter { $0.hasPrefix("room.") || $0.hasPrefix("call.") || $0.hasPrefix("session.") }
        #expect(heard.subtracting(names).isEmpty)
    }
}
