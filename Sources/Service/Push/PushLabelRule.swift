internal import Keeping
internal import Operations

/// The rules for aliases and tags, with the numbers that clients from elsewhere know them by.
enum PushLabelRule: Int, Error {
    case nothingSaid = 6001
    case aliasLetters = 6003
    case aliasTooLong = 6004
    case tagLetters = 6005
    case tagTooLong = 6006
    case tooManyTags = 6007
    case tagsTooLong = 6008
    case unknownTrouble = 6009
    case tooOften = 6011
    case unknownDevice = 6016
    case notAllowed = 6017
    case aliasFull = 6027

    init(_ fault: PushLabel.Fault, isTag: Bool) {
        switch fault {
        case .empty: self = .nothingSaid
        case .wrongLetters: self = isTag ? .tagLetters : .aliasLetters
        case .tooLong: self = isTag ? .tagTooLong : .aliasTooLong
        }
    }

    init(_ refusal: ChangePushBinding.Refusal) {
        switch refusal {
        case .unknown: self = .unknownDevice
        case .tooManyTags: self = .tooManyTags
        case .tagsTooLong: self = .tagsTooLong
        case .aliasFull: self = .aliasFull
        }
    }

    private static let letters = "letters, digits, _, ideographs and @!#$&*+=.|"

    var words: String {
        switch self {
        case .nothingSaid: "neither 'alias' nor 'tags' says anything"
        case .aliasLetters: "an alias has \(Self.letters)"
        case .tagLetters: "a tag has \(Self.letters)"
        case .aliasTooLong: "an alias has at most \(PushLabel.maximumBytes) bytes"
        case .tagTooLong: "a tag has at most \(PushLabel.maximumBytes) bytes"
        case .tooManyTags: "a device has at most \(ChangePushBinding.maximumTags) tags"
        case .tagsTooLong: "the tags of a device have at most \(ChangePushBinding.maximumTagBytes) bytes together"
        case .unknownTrouble: "try again later"
        case .tooOften: "at most 10 changes in 10 seconds"
        case .unknownDevice: "no such device is registered"
        case .notAllowed: "this alias may be another user's"
        case .aliasFull: "\(ChangePushBinding.maximumDevicesOfAlias) devices have this alias already"
        }
    }

    var code: RequestError.Code {
        switch self {
        case .unknownTrouble: .unavailable
        case .tooOften: .rateLimited
        case .unknownDevice: .notFound
        case .notAllowed: .forbidden
        case .aliasFull, .tooManyTags, .tagsTooLong: .conflict
        case .nothingSaid, .aliasLetters, .aliasTooLong, .tagLetters, .tagTooLong: .badRequest
        }
    }
}
