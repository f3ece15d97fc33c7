import Web

/// Whatever stands in a form, it is taken apart the same however it is cut: parts that begin and end in turn, and an end.
enum MultipartFuzz {
    private enum Said: Equatable {
        case events([MultipartReader.Event])
        case failure(MultipartReader.Failure)
    }

    private static let type = "multipart/form-data; boundary=\"a b\""

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = self.said(input.pieces(of: 0))
        let cut = self.said(input.pieces(of: Int(input.control & 63) + 1))
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
        if case .events(let events) = whole { self.check(events) }
    }

    private static func said(_ pieces: [[UInt8]]) -> Said {
        do {
            var reader = try MultipartReader(contentType: self.type)
            var events: [MultipartReader.Event] = []
            for piece in pieces { self.join(try reader.read(piece.span), to: &events) }
            try reader.finish()
            return .events(events)
        } catch {
            return .failure(error)
        }
    }

    private static func join(_ more: [MultipartReader.Event], to events: inout [MultipartReader.Event]) {
        for event in more {
            if case .content(let bytes) = event, case .content(let before) = events.last {
                events[events.count - 1] = .content(before + bytes)
            } else {
                events.append(event)
            }
        }
    }

    private static func check(_ events: [MultipartReader.Event]) {
        demand(events.last == .ended, "no end")
        var isInside = false
        for event in events {
            switch event {
            case .part(let disposition):
                demand(!isInside, "a part within a part")
                isInside = true
                self.look(at: disposition)
            case .content(let bytes):
                demand(isInside && !bytes.isEmpty, "content of nothing")
                demand(!bytes.containsBoundary, "a boundary within a part")
            case .partEnded, .ended:
                demand(isInside == (event == .partEnded), "an end without a beginning")
                isInside = false
            }
        }
    }

    /// The name it gives must do no harm in an answer of ours.
    private static func look(at disposition: String) {
        guard let name = ContentDisposition.parameter("filename", of: disposition) else { return }
        let value = ContentDisposition.value(inline: true, name: name)
        demand(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a field that ends its line: \(value)")
    }
}

extension [UInt8] {
    fileprivate var containsBoundary: Bool {
        let boundary = Array("\r\n--a b".utf8)
        return self.indices.contains { self[$0...].starts(with: boundary) }
    }
}
