internal import BinaryPrimitives
internal import CrashLogModel

/// A frame that is an object of a JSON document.
enum JSONFrame {
    /// How far an address is from the one that another member has; `nil` where that is zero or
    /// greater.
    static func distance(of address: UInt64?, from base: JSONValue?) -> UInt64? {
        guard let address, let base = base?.unsigned, base > 0, base <= address else { return nil }
        return address - base
    }

    /// The frame's object with the members that a result sets, one for each of its functions.
    /// - Parameters:
    ///   - functions: in the document's order.
    ///   - set: sets the members of one function.
    /// - Returns: `nil` where no object is at `place`.
    static func edit(
        at place: Range<Int>, of log: Span<UInt8>, functions: [FrameAnswer.Function],
        set: (_ function: FrameAnswer.Function, _ object: inout JSONObjectEdit) -> Void
    ) -> TextEdit? {
        guard let object = try? JSONParser().parse(log.upTo(place.upperBound), from: place.lowerBound), object.isObject else { return nil }
        var objects: [[UInt8]] = []
        for function in functions {
            var edit = JSONObjectEdit(object, in: log)
            set(function, &edit)
            objects.append(edit.text(in: log))
        }
        return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
    }
}

extension FrameAnswer.Function {
    /// Where the function begins in the process, by the frame's address.
    func start(from address: RuntimeAddress?) -> UInt64? {
        guard let address, let offset, offset <= address.value else { return nil }
        return address.value - offset
    }
}

extension RegisterState {
    /// An object whose members are the registers; `nil` where it has none.
    init?(members object: JSONValue?) {
        let values = (object?.members ?? []).prefix(256).compactMap { member in member.value.unsigned.map { (name: member.key, value: $0) }
        }
        if values.isEmpty { return nil }
        self.init(values: values)
    }
}

extension DocumentFormat {
    /// The document's first byte that is no white space.
    static func firstByte(_ document: Span<UInt8>) -> UInt8? {
        var index = 0
        while let byte = document.at(index), isBlank(byte) || byte == 0x0A || byte == 0x0D { index += 1 }
        return document.at(index)
    }
}
