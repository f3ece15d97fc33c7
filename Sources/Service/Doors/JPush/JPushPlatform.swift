internal import Keeping

/// What programs call the kinds of devices that there are.
enum JPushPlatform: String, CaseIterable {
    case android, ios

    /// Those that no vendor's phone wakes are told apart by nobody.
    init(_ device: PushDevice) { self = PushKind(device) == .apns ? .ios : .android }
}
