internal import FileTypes

/// A picture of a place, drawn by ourselves: a sheet with lines of latitude and longitude and a pin, so that no one outside
/// hears where a user is.
struct MapPicture {
    private static let width = 400
    private static let height = 200

    private enum Ink: UInt8 {
        case land, line, pin, hole
    }

    private static let colours: [(UInt8, UInt8, UInt8)] = [
        (0xEE, 0xF1, 0xE6), (0xC3, 0xCD, 0xD8), (0xD9, 0x3A, 0x30), (0xFF, 0xFF, 0xFF),
    ]

    private var pixels = [UInt8](repeating: Ink.land.rawValue, count: Self.width * Self.height)

    /// - Parameters: in degrees; what is no place on Earth is shown as the nearest one that is.
    init(latitude: Double, longitude: Double) {
        let (latitude, longitude) = (Self.clipped(latitude, to: 90), Self.clipped(longitude, to: 180))
        // A line each thousandth of a degree, about a hundred metres, forty pixels apart.
        let (left, top) = (Self.phase(longitude), 39 - Self.phase(latitude))
        for x in 0..<Self.width where (x + left) % 40 == 0 { for y in 0..<Self.height { self[x, y] = .line } }
        for y in 0..<Self.height where (y + top) % 40 == 0 { for x in 0..<Self.width { self[x, y] = .line } }
        self.drawPin(x: Self.width / 2, y: Self.height / 2)
    }

    private static func clipped(_ degrees: Double, to limit: Double) -> Double {
        degrees.isFinite ? min(max(degrees, -limit), limit) : 0
    }

    /// How far the place is from the line before it, in pixels.
    private static func phase(_ degrees: Double) -> Int {
        let thousandths = degrees * 1000
        return min(39, Int((thousandths - thousandths.rounded(.down)) * 40))
    }

    private subscript(x: Int, y: Int) -> Ink {
        get { Ink(rawValue: self.pixels[y * Self.width + x]) ?? .land }
        set { self.pixels[y * Self.width + x] = newValue.rawValue }
    }

    /// A drop whose tip is at the place.
    private mutating func drawPin(x: Int, y: Int) {
        for down in -36...0 {
            for across in -12...12 {
                let up = down + 24
                let square = across * across + up * up
                let isTip = up > 0 && abs(across) * 24 <= -down * 11
                guard square <= 144 || isTip else { continue }
                self[x + across, y + down] = square <= 20 ? .hole : .pin
            }
        }
    }

    var png: [UInt8] {
        PNGFile.encode(width: Self.width, height: Self.height, colours: Self.colours, pixels: self.pixels)
    }
}
