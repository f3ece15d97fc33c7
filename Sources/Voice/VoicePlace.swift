package import SoundFiles

/// Where sound comes from.
package enum VoiceInput: Hashable, Sendable {
    case file(String)
    case standardInput

    package var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "-"
        }
    }

    package func open() throws -> InputFile {
        switch self {
        case .file(let path): try InputFile(path: path)
        case .standardInput: try .standardInput()
        }
    }
}

/// Where a file goes.
package enum VoiceOutput: Hashable, Sendable {
    case file(String)
    case standardOutput

    package var name: String {
        switch self {
        case .file(let path): path
        case .standardOutput: "-"
        }
    }

    package func open() throws -> OutputFile {
        switch self {
        case .file(let path): try OutputFile(path: path)
        case .standardOutput: try .standardOutput()
        }
    }

    /// What has been written is out, and cannot be taken back.
    var isStream: Bool {
        switch self {
        case .file(let path): OutputFile.isStream(path)
        case .standardOutput: true
        }
    }
}
