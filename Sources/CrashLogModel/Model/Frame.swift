public import BinaryPrimitives

/// One frame of a stack as the log printed it.
public struct Frame: Sendable {
    /// Meaning of the frame's address, which decides the address that is looked up. The kind of a
    /// frame is decided per format, in one function of the format's file.
    public enum Kind: Sendable, Hashable {
        /// The instruction that was executing. Looked up as it is.
        case programCounter
        /// The instruction that control returns to: one past the call. The call is looked up, at
        /// the address minus one.
        case returnAddress
        /// The log's address is already the one to look up: its writer has subtracted.
        case exact
        /// Address at which a suspended async function resumes. Looked up as it is.
        case asyncResumePoint
        /// The log left `count` frames out here.
        case omitted(count: Int)
        /// The log says that the stack continues but does not show the rest.
        case truncated
    }

    /// The frame's number in the log. Inlined calls that the log lists as rows of their own have
    /// numbers of their own.
    public var index: Int
    /// Meaning of the address, which decides where it is looked up.
    public var kind: Kind
    /// The address that the log prints, or that follows from what it prints (image base plus
    /// offset, symbol start plus offset). Never adjusted. `nil` for `omitted` and `truncated`, and
    /// where the log gives only the location in the image (`imageLocation`).
    public var address: RuntimeAddress?
    /// The frame's image as an index into `CrashReport.images`; `nil` if the log names none, or one
    /// that it does not list.
    public var image: Int?
    /// Location of the frame in its image, if the log states it. Otherwise it follows from the
    /// address and the image's base.
    public var imageLocation: ImageLocation?
    /// The image's name as the frame's row prints it: possibly shortened, possibly `???`.
    public var imageName: String?
    /// The image's identity, if the frame's row gives it.
    public var imageID: ImageID?
    /// Symbol and source location that the log already prints for the frame.
    public var printed: PrintedSymbol?
    /// An inlined call that the log itself lists: it shares its address with the next frame that is
    /// not inlined.
    public var isInlined: Bool
    /// The log marks the row as possibly left over from an earlier call (the kernel's `?`).
    public var isUnreliable = false
    /// WebAssembly: the function's number among all of its module, imported ones first. It proves which
    /// build of a module the log is of. `nil` where the log does not give it.
    package var functionNumber: Int?
    /// Method by which the frame was found in a process's memory, for core files and minidumps;
    /// `nil` if the log's writer had found the frame.
    public var trust: FrameTrust?
    /// In a call tree, how many frames lie above this one: its caller is the nearest row before it
    /// that is one less deep. `nil` in stacks.
    public var depth: Int?
    /// In a call tree, in how many samples the frame was met.
    public var samples: Int?
    /// The bytes of the log, from the log's first byte, that are this frame (its row without the
    /// line ending, or its JSON object).
    public var range: Range<Int>

    /// - Parameters:
    ///   - index: the frame's number in its stack.
    ///   - kind: the meaning of the address.
    ///   - address: the address in the process; `nil` if the log has none.
    ///   - range: the range of the log that shows the frame.
    public init(index: Int, kind: Kind, address: RuntimeAddress?, range: Range<Int>) {
        self.index = index
        self.kind = kind
        self.address = address
        self.range = range
        isInlined = false
    }

    /// The offset into the image, if the log gives it.
    public var imageOffset: ImageOffset? {
        get {
            guard case .offset(let offset)? = imageLocation else { return nil }
            return offset
        }
        set { imageLocation = newValue.map { .offset($0) } }
    }
}

/// The result that a log already has for a frame.
public struct PrintedSymbol: Sendable, Hashable {
    /// The function as the log spells it; `nil` if the log marks it as unknown (`<unknown>`,
    /// `<redacted>`, `0x1000 + 20`).
    public var name: String?
    /// `+ offset`, in bytes from the function's start.
    public var offset: UInt64?
    /// The file and line that the log prints.
    public var location: SourceLocation?

    /// Creates the description of a frame that a log prints beside the address.
    public init(name: String? = nil, offset: UInt64? = nil, location: SourceLocation? = nil) {
        self.name = name
        self.offset = offset
        self.location = location
    }
}
