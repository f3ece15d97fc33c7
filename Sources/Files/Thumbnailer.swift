package import FileTypes
internal import System
package import Vocabulary

/// Makes small pictures of large ones, in a child process: the bytes are a stranger's, and whatever they do to a decoder
/// they do to the child.
///
/// The child is libvips' `vipsthumbnail`. It gets the picture as its standard input and gives the small one on its
/// standard output; it is told no path, reads only the forms that libvips itself trusts, and can use so much memory and
/// time and no more.
package struct Thumbnailer: Sendable {
    private let program: String

    package enum Failure: Error, Hashable, Sendable {
        /// Nothing to gain: it is small enough as it is.
        case smallEnough
        /// Whatever it is, drawing it would take too much.
        case tooLarge
        /// The child could not be started, or found no picture.
        case refused
        /// Nothing came out of the child for so long that it was ended.
        case stalled
        case notKept(FileTrouble)
    }

    /// The longer side, in pixels.
    package static let side = 300

    enum Limit {
        /// Of the picture.
        static let pixels = 100_000_000
        /// Of address space, in KiB.
        static let memory = 1 << 20
        /// Of processor time, in seconds.
        static let processorTime = 10
        /// Between two pieces of output, in milliseconds.
        static let silence: Int32 = 15_000
        /// Of what comes out.
        static let bytes = 2 << 20
    }

    /// Nil where libvips is not installed.
    package init?() {
        guard let program = ProcessEnvironment.program("vipsthumbnail") else { return nil }
        self.program = program
    }

    /// Blocks until the small picture lies beside the large one; says how large it is.
    ///
    /// - Parameter upload: what the file was brought as, if that may still be there.
    package func make(
        of file: KeptFile, from upload: FileID? = nil, in place: any ThumbnailPlace
    ) throws(Failure) -> PictureSize {
        guard let picture = file.picture else { throw .refused }
        guard max(picture.width, picture.height) > Self.side else { throw .smallEnough }
        guard picture.pixels <= Limit.pixels else { throw .tooLarge }
        if let known = place.thumbnailSize(of: file) { return known }
        guard let copy = place.copy(of: file, from: upload) else { throw .refused }
        let bytes = try self.draw(copy.path, file.type)
        let type = FileType(sniffing: bytes.span, isWhole: true)
        guard type == Self.form(of: file.type), let size = PictureSize(of: type, in: bytes.span) else { throw .refused }
        do throws(FileTrouble) {
            try place.keepThumbnail(bytes, of: file)
        } catch {
            throw .notKept(error)
        }
        return size
    }

    /// Blocks until the picture is drawn anew, no larger than a small one: of the bytes that came, none is in it.
    package func redraw(_ file: KeptFile, in place: any ThumbnailPlace) throws(Failure) -> [UInt8] {
        guard let picture = file.picture else { throw .refused }
        guard picture.pixels <= Limit.pixels else { throw .tooLarge }
        guard let copy = place.copy(of: file, from: nil) else { throw .refused }
        return try self.draw(copy.path, file.type)
    }

    /// Photos stay photos; what may be transparent stays so.
    package static func form(of type: FileType) -> FileType { type == .jpeg ? .jpeg : .png }

    private func draw(_ path: String, _ type: FileType) throws(Failure) -> [UInt8] {
        let form = Self.form(of: type) == .jpeg ? ".jpg[Q=80,strip]" : ".png[strip]"
        let script = "ulimit -v \(Limit.memory); ulimit -t \(Limit.processorTime); ulimit -c 0; exec \"$@\""
        let arguments = [self.program, "stdin", "--size", "\(Self.side)x\(Self.side)>", "-o", form]
        let environment = ["PATH=/usr/bin:/bin", "LANG=C", "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1"]
        let started = try? ChildProcess(
            script: script, arguments, environment: environment, [0: .file(path), 2: .nothing])
        guard var child = consume started else { throw .refused }
        let output: [UInt8]?
        do throws(ChildProcess.Failure) {
            output = try child.output(upTo: Limit.bytes, within: Limit.silence)
        } catch {
            throw error == .stalled ? .stalled : .refused
        }
        guard let output else { throw .refused }
        return output
    }
}
