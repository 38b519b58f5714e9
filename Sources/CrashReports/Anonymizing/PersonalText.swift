internal import CrashLogFormats
internal import CrashLogModel

/// A range of a log that identifies a user or a machine.
struct PersonalText: Sendable {
    enum Kind: Sendable {
        case user, host
        /// A key, a serial number or an address, whose shape stays:
        /// `00000000-0000-0000-0000-000000000000`.
        case key
        /// A mail address: `xxxx@xxxxxxx.xxx`.
        case mail
        /// The number of a user: `1000`.
        case userNumber
    }

    var range: Range<Int>
    var kind: Kind
}
