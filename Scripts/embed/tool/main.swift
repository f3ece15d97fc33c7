// Writes files of text as one file of Swift, as literals of strings. The compiler reads them in a moment; an array of as many numbers
// takes it minutes.
//
// usage: EmbedTool OUTPUT FOLDER FILE…

import Foundation

let arguments = CommandLine.arguments
guard arguments.count > 3 else {
    FileHandle.standardError.write(Data("usage: EmbedTool OUTPUT FOLDER FILE…\n".utf8))
    exit(64)
}
let output = URL(filePath: arguments[1])
let folder = URL(filePath: arguments[2])

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
    let url = folder.appending(path: file)
    guard let text = String(data: try Data(contentsOf: url), encoding: .utf8) else {
        let path = url.path(percentEncoded: false)
        FileHandle.standardError.write(Data("\(path): error: only text (UTF-8) can be embedded\n".utf8))
        exit(65)
    }
    return "        (\(literal(file)), \(literal(text))),\n"
}

let entries = try arguments.dropFirst(3).map(entry).joined()
let source = """
    enum EmbeddedFiles {
        /// Under their paths in the folder, in the order of these.
        static let all: [(path: String, text: StaticString)] = [
    \(entries)    ]
    }

    """
try Data(source.utf8).write(to: output, options: .atomic)
