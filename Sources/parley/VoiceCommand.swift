import Arguments

/// `parley voice`
struct VoiceCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "voice",
        abstract: "Encode, decode and inspect voice messages.",
        subcommands: [VoiceEncodeCommand.self, VoiceDecodeCommand.self, VoiceInfoCommand.self]
    )

    /// What every command below may end with.
    static let exitCodes: [CommandConfiguration.DocumentedExit] = [
        .init(.success, "All files are done."),
        .init(.failure, "Several files failed, for different reasons."),
        .init(.usage, "The command line is wrong."),
        .init(.dataError, "A file is malformed or has no audio; the message names the byte."),
        .init(.noInput, "A file that was named does not exist."),
        .init(.unavailable, "A file can only be read through ffmpeg, which is not installed."),
        .init(.software, "A codec library failed."),
        .init(.cannotCreate, "A file cannot be written."),
        .init(.ioError, "An input could not be read to its end."),
    ]
}
