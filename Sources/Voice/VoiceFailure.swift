import System
import AudioFiles
import OpusCodec
import SoundFiles

/// Why nothing came of one file, in words, and in the exit code that scripts read.
package struct VoiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The numbers are those of `sysexits.h`.
    package enum Kind: Int32, Hashable, Sendable, CaseIterable {
        /// The file is not what it says, or holds no sound.
        case badData = 65
        case noInput = 66
        /// A program that is needed is not installed.
        case unavailable = 69
        /// Our own mistake, or a library's.
        case software = 70
        case cannotCreate = 73
        case inputOutput = 74
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Names what any part of the work may throw.
    package init(_ error: any Error) {
        switch error {
        case let failure as VoiceFailure: self = failure
        case let failure as SystemError: self.init(Self.kind(of: failure), failure.description)
        case FFmpeg.Failure.notInstalled: self.init(.unavailable, FFmpeg.Failure.notInstalled.description)
        case let failure as AudioFileError: self.init(.badData, failure.description)
        case let failure as FFmpeg.Failure: self.init(.badData, failure.description)
        case let failure as SoundFile.Failure: self.init(.badData, failure.description)
        case let failure as OpusRemuxer.Failure: self.init(.badData, failure.description)
        case let failure as VoiceEncoder.Failure: self.init(.badData, failure.description)
        case let failure as OpusError: self.init(.software, failure.description)
        default: self.init(.software, "\(error)")
        }
    }

    private static func kind(of failure: SystemError) -> Kind {
        switch failure.operation {
        case .open: failure.isMissing ? .noInput : .inputOutput
        case .read: .inputOutput
        case .write, .replace: .cannotCreate
        }
    }
}
