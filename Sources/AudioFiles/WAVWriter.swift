import Bytes

/// Writes a WAV file whose size is known only at the end.
///
/// The header leaves room for the sizes of an RF64 file. Once the sound is over, `header(for:)` makes
/// the final header, of the same length, to be written over the first.
package struct WAVWriter: Sendable {
    package let format: WAVFormat

    package init(format: WAVFormat) {
        self.format = format
    }

    /// The header for sound of unknown length: right for a pipe, and playable as it is.
    package var openHeader: [UInt8] { self.header(riffSize: .max, dataSize: .max, wide: nil) }

    /// The header for sound of so many bytes.
    package func header(for soundBytes: Int) -> [UInt8] {
        let header = self.openHeader.count
        let riff = soundBytes + soundBytes & 1 + header - 8
        guard riff >= Int(UInt32.max) else {
            return self.header(riffSize: UInt32(riff), dataSize: UInt32(soundBytes), wide: nil)
        }
        return self.header(riffSize: .max, dataSize: .max, wide: (riff, soundBytes))
    }

    private func header(riffSize: UInt32, dataSize: UInt32, wide: (riff: Int, data: Int)?) -> [UInt8] {
        let format = self.format.bytes
        var writer = ByteWriter(reservingCapacity: 128)
        writer.write(wide == nil ? "RIFF" : "RF64")
        writer.writeLittleEndian(riffSize)
        writer.write("WAVE")
        writer.write(wide == nil ? "JUNK" : "ds64")
        writer.writeLittleEndian(UInt32(28))
        writer.writeLittleEndian(UInt64(wide?.riff ?? 0))
        writer.writeLittleEndian(UInt64(wide?.data ?? 0))
        writer.writeLittleEndian(UInt64((wide?.data ?? 0) / self.format.frameSize))
        writer.writeLittleEndian(UInt32(0))
        writer.write("fmt ")
        writer.writeLittleEndian(UInt32(format.count))
        writer.write(contentsOf: format)
        writer.write("data")
        writer.writeLittleEndian(dataSize)
        return writer.bytes
    }
}
