/// A text as it is compared: without the case of its letters and without what is not seen.
struct FoldedText {
    private(set) var scalars: [UInt32] = []
    /// To which scalar of the text each belongs.
    private var places: [Int] = []

    init(_ text: String) {
        self.scalars.reserveCapacity(text.utf8.count)
        self.places.reserveCapacity(text.utf8.count)
        for (place, scalar) in text.unicodeScalars.enumerated() {
            if scalar.isASCII {
                let isCapital = (65...90).contains(scalar.value)
                self.append(scalar.value | (isCapital ? 0x20 : 0), place)
                continue
            }
            let properties = scalar.properties
            guard !properties.isDefaultIgnorableCodePoint else { continue }
            // There and back, so that what is one letter in one case and two in the other is the same.
            for upper in properties.uppercaseMapping.unicodeScalars {
                for lower in upper.properties.lowercaseMapping.unicodeScalars { self.append(lower.value, place) }
            }
        }
    }

    /// The text in its compared form.
    var text: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: self.scalars.compactMap { Unicode.Scalar($0) })
        return String(view)
    }

    private mutating func append(_ scalar: UInt32, _ place: Int) {
        self.scalars.append(scalar)
        self.places.append(place)
    }

    func original(_ range: Range<Int>) -> Range<Int> {
        self.places[range.lowerBound]..<(self.places[range.upperBound - 1] + 1)
    }

    /// Whether no letter and no digit is beside it.
    func standsAlone(_ range: Range<Int>) -> Bool {
        !self.isWordPart(range.lowerBound - 1) && !self.isWordPart(range.upperBound)
    }

    private func isWordPart(_ index: Int) -> Bool {
        guard self.scalars.indices.contains(index), let scalar = Unicode.Scalar(self.scalars[index]) else {
            return false
        }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
