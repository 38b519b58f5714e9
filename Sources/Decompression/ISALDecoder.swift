internal import BinaryPrimitives
internal import CISAL
internal import LibC

/// Intel's ISA-L, which inflates about twice as fast as zlib. Distributions ship it as a shared
/// library alone, so it is opened when it is first needed, and zlib serves where it is not there.
@safe package struct ISALLibrary: Sendable {
    fileprivate let initialize: cairn_isal_init_function
    fileprivate let inflate: cairn_isal_inflate_function
    let adler32: cairn_isal_adler32_function

    /// The library, if it is there and does what its header says.
    package static let shared = ISALLibrary()

    private init?() {
        // Opened for as long as the process lives. `.2`: the version of its interface, 2.16 (2016)
        // and later.
        guard cairn_isal_state_size() > 0, let library = unsafe Self.open(),
            let initialize = unsafe dlsym(library, "isal_inflate_init"), let inflate = unsafe dlsym(library, "isal_inflate"),
            let adler32 = unsafe dlsym(library, "isal_adler32")
        else { return nil }
        unsafe self.initialize = unsafeBitCast(initialize, to: cairn_isal_init_function.self)
        unsafe self.inflate = unsafeBitCast(inflate, to: cairn_isal_inflate_function.self)
        unsafe self.adler32 = unsafeBitCast(adler32, to: cairn_isal_adler32_function.self)
        guard keepsItsWord() else { return nil }
    }

    /// Opens the system's library, else the one in cairn's own archive (`bin/cairn`, `libexec/cairn/libisal.so.2`).
    private static func open() -> UnsafeMutableRawPointer? {
        if let library = unsafe dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL) { return unsafe library }
        guard let folder = Program.ownPath.map(Path.directory) else { return nil }
        for path in [folder, folder + "/../libexec/cairn"] {
            if let library = unsafe dlopen(path + "/libisal.so.2", RTLD_NOW | RTLD_LOCAL) { return unsafe library }
        }
        return nil
    }

    /// Another version than the header's could have moved the fields of the state. What is read and
    /// written there is tried on a stream that is known, before the library gets one that is not:
    /// it must decode it, say that it is at its end, and refuse it with a wrong checksum.
    private func keepsItsWord() -> Bool {
        let stream = Self.knownStream
        let expected = [UInt8](repeatElement(Array("abc".utf8), count: 11).joined())
        var damaged = stream
        damaged[stream.count - 1] ^= 1
        return unpack(stream) == expected && unpack(damaged) == nil
    }

    /// zlib's header; one block with fixed codes: "abc", then a match of 30 bytes, 3 back; the
    /// checksum of "abc" eleven times.
    static let knownStream: [UInt8] = [0x78, 0xda, 0x4b, 0x4c, 0x4a, 0x4e, 0xc4, 0x8b, 0x00, 0xd6, 0xcd, 0x0c, 0xa3]

    private func unpack(_ stream: [UInt8]) -> [UInt8]? {
        let decoder = ISALDecoder(self)
        var output = [UInt8](repeating: 0, count: 64)
        let step = unsafe stream.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBytes { unsafe try? decoder.decode(input, into: $0) }
        }
        guard let step, step.isAtEnd, step.consumed == stream.count else { return nil }
        return Array(output.prefix(step.produced))
    }
}

/// ISA-L's inflater: one zlib stream (RFC 1950), or the deflate blocks of one without header and
/// checksum (RFC 1951).
@safe package final class ISALDecoder: Decoder {
    package let library: ISALLibrary
    let state: UnsafeMutableRawBufferPointer

    package init(_ library: ISALLibrary, isRaw: Bool = false) {
        self.library = library
        // Twice the size: a later version may have appended fields.
        unsafe state = .allocate(byteCount: cairn_isal_state_size() * 2, alignment: 64)
        unsafe state.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe library.initialize(state.baseAddress)
        if isRaw { unsafe cairn_isal_expect_deflate(state.baseAddress) } else { unsafe cairn_isal_expect_zlib(state.baseAddress) }
    }

    /// The inflater's state holds everything, including the bytes that it may refer back to. So a
    /// copy of the state continues from the same position.
    private init(copying other: ISALDecoder) {
        library = other.library
        unsafe state = .allocate(byteCount: other.state.count, alignment: 64)
        unsafe state.copyMemory(from: UnsafeRawBufferPointer(other.state))
    }

    deinit { unsafe state.deallocate() }

    package func copy() -> (any Decoder)? { ISALDecoder(copying: self) }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        // It counts in 32 bits.
        let available = min(input.count, 1 << 30)
        let room = min(output.count, 1 << 30)
        unsafe cairn_isal_set(state.baseAddress, input.baseAddress, UInt32(available), output.baseAddress, UInt32(room))
        let code = unsafe library.inflate(state.baseAddress)
        let consumed = unsafe available - Int(cairn_isal_input_left(state.baseAddress))
        let produced = unsafe room - Int(cairn_isal_output_left(state.baseAddress))
        // ISAL_DECOMP_OK, ISAL_END_INPUT, ISAL_OUT_OVERFLOW.
        guard (0...2).contains(code) else { throw .damaged(Self.message(code)) }
        guard (0...available).contains(consumed), (0...room).contains(produced) else { throw .damaged("they cannot be followed") }
        return DecodingStep(consumed: consumed, produced: produced, isAtEnd: unsafe cairn_isal_is_finished(state.baseAddress) != 0)
    }

    /// In zlib's words, where it has them.
    private static func message(_ code: Int32) -> String {
        switch code {
        case 6: "they need a dictionary, which is missing"
        case -1: "invalid block"
        case -2: "invalid code"
        case -3: "invalid distance too far back"
        case -4, -5: "incorrect header check"
        case -6: "incorrect data check"
        default: "ISA-L's error \(code)"
        }
    }
}
