#if Inspection
    /// Reads the entries of `.debug_frame` or `.eh_frame` one after the other.
    struct FrameReader {
        enum Entry {
            /// The zero that ends `.eh_frame`.
            case terminator
            case common(FrameCommonEntry)
            case function(Function)
        }

        struct Function {
            /// As it stands: in `.eh_frame` how far before it is, else its offset.
            var commonPointer: UInt64
            /// `nil` where it leads to none.
            var common: FrameCommonEntry?
            var start: UInt64 = 0
            var size: UInt64 = 0
            var languageData: UInt64?
            var instructions: [FrameInstruction] = []
        }

        let section: SectionBytes
        let isExceptions: Bool
        /// Where `.eh_frame` is linked, from which pointers count.
        let address: UInt64
        let addressSize: Int
        let printed: (UInt64) -> UInt64

        /// Gives each entry to `body`, with its offset, its length and the bytes of its length field's format (4 or 8).
        /// - Returns: what is damaged; then entries behind it are not read.
        func forEach(_ body: (Int, UInt64, Int, Entry) -> Void) -> String? {
            var commons: [Int: FrameCommonEntry] = [:]
            var offset = 0
            while offset < section.count {
                var cursor = section.cursor(at: offset)
                let (length, size) = cursor.initialLength()
                let start = cursor.position
                if length == 0, !cursor.isPastEnd {
                    body(offset, 0, size, .terminator)
                    return nil
                }
                guard !cursor.isPastEnd, length <= UInt64(section.count - start) else {
                    return "the frame entry at \(hexadecimal(offset)) is cut short"
                }
                let end = start + Int(length)
                let entry = section.cut(at: end)
                cursor = entry.cursor(at: start)
                let idSize = size == 8 && !isExceptions ? 8 : 4
                let id = cursor.number(idSize)
                let isCommon = isExceptions ? id == 0 : id == (idSize == 8 ? UInt64.max : 0xffff_ffff)
                if isCommon {
                    var common = FrameCommonEntry(offset: offset)
                    guard read(&common, &cursor) else { return "the common frame entry at \(hexadecimal(offset)) is damaged" }
                    commons[offset] = common
                    body(offset, length, size, .common(common))
                } else {
                    let place = isExceptions ? start - Int(clamping: id) : Int(clamping: id)
                    var function = Function(commonPointer: id, common: commons[place])
                    guard read(&function, &cursor) else { return "the frame entry at \(hexadecimal(offset)) is damaged" }
                    body(offset, length, size, .function(function))
                }
                offset = end
            }
            return nil
        }

        private func read(_ common: inout FrameCommonEntry, _ cursor: inout SectionCursor) -> Bool {
            common.version = cursor.u8()
            common.augmentation = section.bytes(in: cursor.string())
            common.addressSize = common.version >= 4 ? Int(cursor.u8()) : addressSize
            if common.version >= 4 { common.segmentSize = cursor.u8() }
            common.codeAlignment = cursor.uleb()
            common.dataAlignment = cursor.sleb()
            common.returnRegister = common.version == 1 ? UInt64(cursor.u8()) : cursor.uleb()
            if isExceptions {
                var data: Range<Int>?
                for letter in common.augmentation {
                    switch letter {
                    case UInt8(ascii: "z"):
                        let length = cursor.uleb()
                        var rest = cursor
                        data = rest.block(length)
                        if rest.isPastEnd { return false }
                    case UInt8(ascii: "L"): common.languageDataEncoding = cursor.u8()
                    case UInt8(ascii: "R"): common.pointerEncoding = cursor.u8()
                    case UInt8(ascii: "P"):
                        let encoding = cursor.u8()
                        common.personality = pointer(encoding, &cursor, isRelative: address != 0)
                    case UInt8(ascii: "S"), UInt8(ascii: "B"), UInt8(ascii: "G"): break
                    default: return false
                    }
                }
                if let data {
                    guard cursor.position == data.upperBound else { return false }
                    common.augmentationData = data
                }
            }
            return readInstructions(&common.instructions, &cursor, common.addressSize)
        }

        private func read(_ function: inout Function, _ cursor: inout SectionCursor) -> Bool {
            if !isExceptions {
                let size = function.common?.addressSize ?? addressSize
                function.start = printed(cursor.number(size))
                function.size = cursor.number(size)
                return readInstructions(&function.instructions, &cursor, size)
            }
            guard let common = function.common else { return false }
            function.start = pointer(common.pointerEncoding, &cursor, isRelative: true) ?? 0
            function.size = pointer(common.pointerEncoding & 0x0f, &cursor, isRelative: false) ?? 0
            if !common.augmentation.isEmpty {
                let length = cursor.uleb()
                let end = cursor.position + Int(clamping: min(length, UInt64(section.count)))
                if common.languageDataEncoding != 0xff {
                    function.languageData = pointer(common.languageDataEncoding, &cursor, isRelative: address != 0)
                }
                guard cursor.position == end else { return false }
            }
            return readInstructions(&function.instructions, &cursor, common.addressSize)
        }

        private func readInstructions(_ list: inout [FrameInstruction], _ cursor: inout SectionCursor, _ size: Int) -> Bool {
            while cursor.position < cursor.bytes.count {
                guard let instruction = FrameInstruction(&cursor, addressSize: size) else { return false }
                list.append(instruction)
            }
            return !cursor.isPastEnd
        }

        /// A pointer as the LSB encodes it (section 10.5); `nil` for encodings that only a running program can follow.
        private func pointer(_ encoding: UInt8, _ cursor: inout SectionCursor, isRelative: Bool) -> UInt64? {
            guard encoding != 0xff else { return nil }
            let place = UInt64(cursor.position)
            let value: UInt64
            switch encoding & 0x0f {
            case 0x00: value = cursor.number(addressSize)
            case 0x01: value = cursor.uleb()
            case 0x09: value = UInt64(bitPattern: cursor.sleb())
            case 0x02: value = UInt64(cursor.u16())
            case 0x03: value = UInt64(cursor.u32())
            case 0x04, 0x0c: value = cursor.u64()
            case 0x0a: value = UInt64(bitPattern: Int64(Int16(bitPattern: cursor.u16())))
            case 0x0b: value = UInt64(bitPattern: Int64(Int32(bitPattern: cursor.u32())))
            default: return nil
            }
            switch encoding & 0x70 {
            case 0x00: return value
            case 0x10: return isRelative ? value &+ address &+ place : value
            default: return nil
            }
        }
    }
#endif
