import System
package import AudioFiles
internal import CSndFile

/// A recording in any form libsndfile reads: FLAC, MP3, Ogg Vorbis, AIFF, CAF, AU, W64 and more.
@safe package final class SoundFile {
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let format: SoundFormat
    /// What the file is, in words: `FLAC (Free Lossless Audio Codec)`.
    package let kind: String
    private let handle: OpaquePointer

    package init(_ file: InputFile) throws {
        try file.rewind()
        var info = SF_INFO()
        let opened = unsafe sf_open_fd(file.descriptor.duplicate().number, Int32(SFM_READ), &info, 1)
        guard let handle = unsafe opened else { throw unsafe Failure(description: String(cString: sf_strerror(nil))) }
        let channels = Int(info.channels)
        let rate = Int(info.samplerate)
        guard SoundFormat.channelCounts.contains(channels), SoundFormat.rates.contains(rate) else {
            unsafe sf_close(handle)
            throw Failure(description: "\(channels) channels at \(rate) Hz are out of range")
        }
        unsafe self.handle = handle
        self.format = SoundFormat(rate: rate, speakers: Speakers(count: channels))
        self.kind = Self.name(of: info.format & Int32(SF_FORMAT_TYPEMASK))
    }

    deinit { unsafe sf_close(self.handle) }

    /// Reads at most `frames` samples of each channel over `samples`. An empty array means the end.
    package func read(_ frames: Int, into samples: inout [Float]) throws {
        let channels = self.format.channels
        let count = frames * channels
        if samples.count < count { samples.append(contentsOf: repeatElement(0, count: count - samples.count)) }
        let got = unsafe samples.withUnsafeMutableBufferPointer { room in
            unsafe sf_readf_float(self.handle, room.baseAddress, sf_count_t(frames))
        }
        samples.removeLast(samples.count - max(0, Int(got)) * channels)
        // A file may hold any bits, and a filter fed with a NaN never recovers.
        for index in samples.indices where !(abs(samples[index]) <= 0x1p10) { samples[index] = 0 }
        let code = unsafe sf_error(self.handle)
        guard code == 0 || got > 0 else { throw unsafe Failure(description: String(cString: sf_strerror(self.handle))) }
    }

    private static func name(of type: Int32) -> String {
        var info = unsafe SF_FORMAT_INFO()
        unsafe info.format = type
        let size = unsafe Int32(MemoryLayout<SF_FORMAT_INFO>.size)
        guard unsafe sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = unsafe info.name else {
            return "sound file"
        }
        return unsafe String(cString: name)
    }
}
