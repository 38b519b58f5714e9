internal import BinaryPrimitives

/// The names of fields that identify a user or a machine, as crash reporters, services and systems
/// write them. All are compared in small letters, but for variables.
enum FieldName {
    /// No field's name is longer (bytes).
    static let longest = 40

    /// A JSON object whose members are a user's or a device's.
    enum Object { case user, device }

    static func isLetter(_ byte: UInt8) -> Bool { isWordByte(byte) && byte < 0x80 && byte != UInt8(ascii: "-") }

    /// The key of a JSON member, whose closing quotation mark is at `end`; empty if no key begins
    /// in the line.
    static func json(in log: Span<UInt8>, before end: Int, from lineStart: Int) -> Range<Int> {
        let least = max(lineStart, end - longest)
        guard let start = log.lastIndex(of: UInt8(ascii: "\""), before: end, from: least) else { return end..<end }
        return start + 1..<end
    }

    static func object(_ key: Span<UInt8>) -> Object? {
        // Sentry's events and contexts; Bugsnag's.
        key.equals("user") ? .user : key.equals("device") ? .device : nil
    }

    private static func isOne(of names: [String], _ key: Span<UInt8>) -> Bool {
        guard !key.isEmpty, key.count <= longest else { return false }
        return names.contains { equalsIgnoringCase(key, $0) }
    }

    /// `name` is written in small letters.
    static func equalsIgnoringCase(_ text: Span<UInt8>, _ name: String) -> Bool {
        guard text.count == name.utf8.count else { return false }
        var index = 0
        for byte in name.utf8 {
            let other = text[index]
            guard other == byte || (other >= UInt8(ascii: "A") && other <= UInt8(ascii: "Z") && other | 0x20 == byte) else { return false }
            index += 1
        }
        return true
    }

    private static let users = ["user", "username", "user_name", "login", "logname", "owner_name", "full_name", "fullname"]
    private static let hosts = [
        "server_name", "hostname", "host_name", "_hostname", "computer_name", "computername", "device_name", "devicename", "machine_name",
        "machinename", "nodename",
    ]
    private static let keys = [
        // Apple's reports, KSCrash, PLCrashReporter and MetricKit.
        "crashreporterkey", "deviceidentifierforvendor", "sleepwakeuuid", "bootsessionuuid", "device_app_hash", "anonymousuuid", "personid",
        "clouduserid",
        // Sentry, Bugsnag and others.
        "device_id", "deviceid", "device_uuid", "deviceuuid", "device_unique_identifier", "installation_id", "installationid",
        "installationuuid", "install_id",
        "anonymous_id", "user_id", "userid", "distinct_id", "ip_address", "ipaddress", "client_ip", "clientip", "remote_addr", "idfa",
        "idfv", "advertising_id",
        // Android and systemd.
        "android_id", "androidid", "serial", "serialno", "serial_number", "serialnumber", "machine_id", "machineid", "boot_id", "bootid",
        "_machine_id", "_boot_id",
    ]

    /// Kind of a JSON member's text, in the object that contains it.
    static func member(_ key: Span<UInt8>, of object: Object?) -> PersonalText.Kind? {
        if isOne(of: users, key) { return .user }
        if isOne(of: hosts, key) { return .host }
        if isOne(of: keys, key) { return .key }
        switch object {
        case .user:
            return isOne(of: ["name"], key)
                ? .user : isOne(of: ["id", "city", "country", "country_code", "region", "postal_code"], key) ? .key : nil
        case .device: return isOne(of: ["name"], key) ? .host : isOne(of: ["id"], key) ? .key : nil
        case nil: return nil
        }
    }

    /// Kind of the text after the colon of a line that begins with this name.
    static func line(_ name: Span<UInt8>) -> PersonalText.Kind? {
        let name = name.trimmed()
        guard let first = name.at(0), first != UInt8(ascii: "0") else { return nil }
        if isOne(
            of: [
                "crashreporter key", "anonymous uuid", "sleep/wake uuid", "boot session uuid", "machine id", "boot id", "device identifier",
                "device id", "serial number",
                "serial", "android id", "[ro.serialno]", "[ro.boot.serialno]",
            ], name)
        {
            return .key
        }
        if isOne(of: ["hostname", "host name", "computer name", "nodename"], name) { return .host }
        return isOne(of: ["user name", "username", "logname"], name) ? .user : nil
    }

    /// Kind of the text after `NAME=`.
    static func variable(_ name: Span<UInt8>) -> PersonalText.Kind? {
        guard name.count >= 4 else { return nil }
        if ["USER", "LOGNAME", "USERNAME", "SUDO_USER", "user.name", "acct"].contains(where: { name.equals($0) }) { return .user }
        if ["HOST", "HOSTNAME", "COMPUTERNAME", "USERDOMAIN", "_HOSTNAME"].contains(where: { name.equals($0) }) { return .host }
        return ["androidboot.serialno", "ro.serialno", "ANDROID_SERIAL", "_MACHINE_ID", "_BOOT_ID", "UUID"].contains { name.equals($0) }
            ? .key : nil
    }
}
