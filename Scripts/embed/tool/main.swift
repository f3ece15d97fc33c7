// Writes files of text as one file of Swift, as literals of strings: those the compiler reads in a moment, where an array of a million
// numbers takes it minutes.
//
// usage: EmbedTool OUTPUT FOLDER FILE…

import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 2 else {
    FileHandle.standardError.write(Data("usage: EmbedTool OUTPUT FOLDER FILE…\n".utf8))
    exit(64)
}
let output = arguments[arguments.startIndex]
let folder = arguments[arguments.startIndex + 1]

func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\", "\"": literal += "\\\(scalar)"
        case "\n": literal += "\\n"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F: literal += "\\u{\(String(scalar.value, radix: 16))}"
        default: literal.unicodeScalars.append(scalar)
        }
    }
    return literal + "\""
}

func entry(_ file: String) throws -> String {
    guard let text = String(data: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), encoding: .utf8) else {
        FileHandle.standardError.write(Data("\(folder)/\(file): error: only text (UTF-8) can be embedded\n".utf8))
        exit(65)
    }
    return "        (\(literal(file)), \(literal(text))),\n"
}

let entries = try arguments.dropFirst(2).map(entry).joined()
let source = """
    enum EmbeddedFiles {
        /// Under their paths in the folder, in the order of these.
        static let all: [(path: String, text: StaticString)] = [
    \(entries)    ]
    }

    """
try Data(source.utf8).write(to: URL(filePath: output), options: .atomic)
