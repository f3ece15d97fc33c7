import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct SystemFailure: Error {
    let code = errno
}

func removeTree(_ path: String) {
    for name in SampleFolder(path).names {
        if remove("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
    }
    remove(path)
}

func overwrite(_ path: String, with bytes: [UInt8]) throws {
    guard let file = fopen(path, "w") else { throw SystemFailure() }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemFailure() }
}

/// Pictures without content, in the simplest form there is: GIF with codes that are never packed.
enum GIFSample {
    static func header(width: Int, height: Int) -> [UInt8] {
        let size = [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)]
        return Array("GIF89a".utf8) + size + [0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    }

    static func picture(width: Int, height: Int) -> [UInt8] {
        let size = [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)]
        var bytes = self.header(width: width, height: height) + [0x2C, 0, 0, 0, 0] + size + [0, 7]
        // Codes of eight bits: 128 clears the table, which is done before it would grow beyond eight bits; 129 ends.
        var codes: [UInt8] = []
        for pixel in 0..<(width * height) {
            if pixel % 100 == 0 { codes.append(128) }
            codes.append(UInt8(pixel & 1))
        }
        codes.append(129)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            bytes += [UInt8(block.count)] + block
        }
        return bytes + [0, 0x3B]
    }
}
