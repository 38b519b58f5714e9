internal import BinaryPrimitives
internal import CrashLogModel

extension PythonCodeRow {
    func frame(index: Int, at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), place: place)
        frame.imageName = path.map(Path.foreignName)
        frame.isInlined = isInlined
        if name != nil || location != nil {
            frame.printed = PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
        }
        if path == nil { return frame }
        if let name, let offset {
            frame.imagePlace = .symbol(SymbolPlace(name: name, offset: offset))
        } else if name == nil {
            // Without an offset it is where it was linked.
            frame.imagePlace = .linkAddress(LinkAddress(offset ?? address))
        }
        return frame
    }

    /// The rows are `backtrace(3)`'s: return addresses all. Where a signal was what killed the
    /// interpreter, the stack begins in the handler, whose functions are the interpreter's own; the
    /// first row of the C library is the trampoline that the handler returns to, and below it is
    /// what was interrupted, at its own instruction.
    static func decideKinds(_ frames: inout [Frame], isSignal: Bool) {
        guard isSignal, let trampoline = frames.firstIndex(where: { isCLibrary($0.imageName) && !$0.isInlined }), trampoline > 0 else {
            return
        }
        for index in frames.indices where index > trampoline {
            guard frames[index].kind == .returnAddress else { return }
            frames[index].kind = .programCounter
            if !frames[index].isInlined { return }
        }
    }

    private static func isCLibrary(_ name: String?) -> Bool {
        guard let name else { return false }
        return name.hasPrefix("libc.") || name.hasPrefix("libc-") || name.hasPrefix("libpthread") || name.hasPrefix("ld-musl")
            || name == "libsystem_platform.dylib"
    }

    /// Each file is an image without a base; each row gives the place in it.
    static func addStack(_ frames: [Frame], to report: inout CrashReport) {
        var frames = frames
        var table = ImageTable()
        let isDarwin = frames.contains { $0.imageName?.hasSuffix(".dylib") == true }
        for index in frames.indices {
            guard let name = frames[index].imageName else { continue }
            frames[index].image = table.index(ofImageNamed: name, id: nil)
            if isDarwin, case .linkAddress(let offset)? = frames[index].imagePlace {
                frames[index].imagePlace = .offset(ImageOffset(offset.value))
            }
        }
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: "Current thread's C stack trace", crashed: true, frames: frames))
        report.images = table.images
    }
}
