import FileTypes

/// Whatever a file holds, its type is one of ours, and a size that was once read does not change with what follows.
enum FileTypeFuzz {
    private static let longest = 300

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let bytes = input.bytes.span
        let type = FileType(sniffing: bytes, isWhole: input.control & 1 == 0)
        demand(FileType.all.contains(type) && FileType(mediaType: type.mediaType) == type, "\(type) is none of ours")
        for picture in FileType.all where picture.isPicture { self.measure(picture, bytes, cut: Int(input.control)) }
        demand(type.isPicture || PictureSize(of: type, in: bytes) == nil, "a size of \(type)")
    }

    private static func measure(_ type: FileType, _ bytes: Span<UInt8>, cut: Int) {
        let size = PictureSize(of: type, in: bytes)
        let front = PictureSize(of: type, in: bytes.extracting(0..<min(cut, bytes.count)))
        demand(front == nil || front == size, "\(type): \(String(describing: front)), then \(String(describing: size))")
        guard let size else { return }
        demand(size.width > 0 && size.height > 0 && size.pixels > 0, "no such picture: \(size)")
        let small = size.fitted(into: self.longest)
        let sides = 1...self.longest
        demand(sides.contains(small.width) && sides.contains(small.height), "\(size) became \(small)")
    }
}
