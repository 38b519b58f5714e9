internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of Envoy prints, also in Istio and Contour; versions before 1.8 print the second form:
    ///
    ///     [critical][backtrace] Caught Segmentation fault, suspect faulting address 0x0
    ///     [critical][backtrace] [backtrace.h:96] Address mapping: 55d0c0a1a000-55d0c0f10000 /opt/harbour
    ///     [critical][backtrace] [backtrace.h:98] #20: Harbour::moor() [0x55d0c0a965a4]
    ///     [critical][backtrace] Backtrace obj</opt/harbour> thr<6> (use tools/stack_decode.py):
    ///     [critical][backtrace] thr<6> #0 0x4b47a5
    ///
    /// `BackwardsTrace::captureFrom` (`source/server/backtrace.h`) captures the stack with
    /// `absl::GetStackTraceWithContext`: addresses as unwound. Versions since 1.30 print the first executable mapping
    /// of the process without its offset in the file (`BackwardsTrace::addrMapping`).
    static let envoy = StackCard(
        name: "envoy",
        summary: "crash handler of Envoy: “Caught Segmentation fault, suspect faulting address 0x0”",
        openings: [.anywhere(", suspect faulting address 0x"), .anywhere("Backtrace obj<"), .anywhere("tools/stack_decode.py")],
        isCertain: true,
        claimsLine: { $0.contains("[backtrace.h:") && $0.contains("] #") },
        read: { line in
            let text = line.trimmed()
            if let caught = text.firstRange(of: "Caught "), let fault = text.address(after: "suspect faulting address ") {
                let message = text.from(caught.lowerBound)
                guard let name = SignalText.name(ofDescriptionIn: message) else { return .skipped }
                var cause = SignalText.cause(signal: name, message)
                cause.address = RuntimeAddress(fault)
                return .cause(cause)
            }
            if let object = text.firstRange(of: "Backtrace obj<") {
                let rest = text.from(object.upperBound)
                guard let close = rest.firstIndex(of: UInt8(ascii: ">")), close > 0 else { return .skipped }
                return .image(BinaryImage(file: rest.upTo(close).text))
            }
            if let mapping = text.firstRange(of: "Address mapping: ") { return StackCards.addressMapping(text.from(mapping.upperBound)) }
            return text.contains("tools/stack_decode.py") || text.contains("Envoy version: ") ? .skipped : nil
        },
        readRow: { line in
            // The row comes after the file that prints it: `[backtrace.h:73] #20: Harbour::moor() [0xf965a4]`.
            guard let number = line.firstRange(of: "] #") ?? line.firstRange(of: "> #") else { return nil }
            return StackRow(line, from: number.lowerBound + 2, isLenient: true)
        },
        finish: { report in
            guard let image = report.images.first, report.images.count == 1 else { return }
            report.changeStacks { stack in
                for index in stack.frames.indices where stack.frames[index].image == nil {
                    guard let address = stack.frames[index].address else { continue }
                    if let start = image.textAddress, let size = image.size {
                        // A return address may be one past the mapping's last byte.
                        guard let offset = address.distance(from: start), offset <= size else { continue }
                        stack.frames[index].imageLocation = .mapping(MappingLocation(offset: offset, size: size))
                    } else {
                        // `obj<…>` names the file of the rows: the program, which runs at the address that it is linked
                        // at.
                        stack.frames[index].imageLocation = .linkAddress(LinkAddress(address.value))
                    }
                    stack.frames[index].image = 0
                }
            }
            // The mapping does not have the range of the image.
            if image.textAddress != nil { (report.images[0].textAddress, report.images[0].size) = (nil, nil) }
        })

    /// Reads a mapping: `55d0c0a1a000-55d0c0f10000 /opt/harbour`.
    private static func addressMapping(_ text: Span<UInt8>) -> StackLine {
        var rest = text
        guard let start = rest.readHexadecimal(), rest.consume("-"), let end = rest.readHexadecimal(), start < end, rest.consume(" "),
            rest.at(0) == UInt8(ascii: "/")
        else { return .skipped }
        var image = BinaryImage(file: rest.text)
        (image.textAddress, image.size) = (RuntimeAddress(start), end - start)
        return .image(image)
    }
}
