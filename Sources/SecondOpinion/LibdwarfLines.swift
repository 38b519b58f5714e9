internal import BinaryPrimitives
internal import CLibdwarf

/// The line table of one unit.
struct LibdwarfLines {
    struct Row {
        var address: UInt64
        /// An index into the table's files.
        var file: Int
        var line: Int
        var column: Int
        var endsSequence: Bool
        /// `file` is zero and nothing in its sequence has been seen to set it, so that a libdwarf before 0.5
        /// may have replaced a 1 by it.
        var isFileDoubtful = false
    }

    /// In the order of the line program.
    var rows: [Row] = []
    /// The files' paths by their index; a file without a name is missing.
    var files: [Int: String] = [:]
}

extension LibdwarfEntry {
    /// The line table of the unit whose root this is; `nil` if it has none.
    func lines() throws(InspectionError) -> LibdwarfLines? {
        guard has(DW_AT_stmt_list) else { return nil }
        var version: Dwarf_Unsigned = 0
        var tables: Dwarf_Small = 0
        var context: OpaquePointer?
        var error: OpaquePointer?
        let status = unsafe dwarf_srclines_b(die, &version, &tables, &context, &error)
        if status == DW_DLV_NO_ENTRY { return nil }
        guard status == DW_DLV_OK, let context = unsafe context else { throw unsafe lineFailure(error) }
        defer { unsafe dwarf_srclines_dealloc_b(context) }
        var lines: UnsafeMutablePointer<OpaquePointer?>?
        var count: Dwarf_Signed = 0
        guard unsafe dwarf_srclines_from_linecontext(context, &lines, &count, &error) == DW_DLV_OK else {
            throw unsafe lineFailure(error)
        }
        var result = unsafe LibdwarfLines(files: files(context, version: Int(clamping: version)))
        guard let lines = unsafe lines, count > 0 else { return result }
        result.rows.reserveCapacity(Int(count))
        let beginsDoubtful = version >= 5 && cairn_dwarf_begins_with_file_zero() != 0
        var isDoubtful = beginsDoubtful
        for index in 0..<Int(count) {
            guard let line = unsafe lines[index] else { continue }
            var (address, number, column, file): (Dwarf_Addr, Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0, 0)
            var ends: Dwarf_Bool = 0
            guard unsafe dwarf_lineaddr(line, &address, &error) == DW_DLV_OK, unsafe dwarf_lineno(line, &number, &error) == DW_DLV_OK,
                unsafe dwarf_lineoff_b(line, &column, &error) == DW_DLV_OK,
                unsafe dwarf_line_srcfileno(line, &file, &error) == DW_DLV_OK,
                unsafe dwarf_lineendsequence(line, &ends, &error) == DW_DLV_OK
            else { throw unsafe lineFailure(error) }
            var row = LibdwarfLines.Row(
                address: address, file: Int(clamping: file), line: Int(clamping: number), column: Int(clamping: column),
                endsSequence: unsafe ends != 0 && !Self.beginsEpilogue(line))
            isDoubtful = isDoubtful && row.file == 0
            row.isFileDoubtful = isDoubtful
            if row.endsSequence { isDoubtful = beginsDoubtful }
            result.rows.append(row)
        }
        return result
    }

    /// libdwarf marks every row that begins an epilogue as one that also ends its sequence (from 2006 until
    /// its issue 322 of 2026), which would leave the addresses after it without a line. A row that does end a
    /// sequence begins nothing.
    private static func beginsEpilogue(_ line: OpaquePointer) -> Bool {
        var (prologueEnds, epilogueBegins): (Dwarf_Bool, Dwarf_Bool) = (0, 0)
        var (machine, discriminator): (Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0)
        var error: OpaquePointer?
        let status = unsafe dwarf_prologue_end_etc(line, &prologueEnds, &epilogueBegins, &machine, &discriminator, &error)
        return status == DW_DLV_OK && epilogueBegins != 0
    }

    /// Returns every file's path: the compilation directory, its directory and its name joined in this order,
    /// as far as each is relative.
    private func files(_ context: OpaquePointer, version: Int) -> [Int: String] {
        var (base, count, end): (Dwarf_Signed, Dwarf_Signed, Dwarf_Signed) = (0, 0, 0)
        var error: OpaquePointer?
        guard unsafe dwarf_srclines_files_indexes(context, &base, &count, &end, &error) == DW_DLV_OK, base >= 0, base < end else {
            return [:]
        }
        let compilationDirectory = string(DW_AT_comp_dir) ?? ""
        var result: [Int: String] = [:]
        for index in base..<end {
            var name: UnsafePointer<CChar>?
            var (directory, time, length): (Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0)
            var checksum: UnsafeMutablePointer<Dwarf_Form_Data16>?
            guard
                unsafe dwarf_srclines_files_data_b(context, index, &name, &directory, &time, &length, &checksum, &error) == DW_DLV_OK,
                let text = unsafe name
            else { continue }
            let folder = unsafe self.directory(directory, context, version: version)
            let isStated = version >= 5 && directory == 0
            result[Int(index)] = unsafe DebugInfoPath.join([isStated ? "" : compilationDirectory, folder, String(cString: text)])
        }
        return result
    }

    /// Returns a directory. Directory 0 is the compilation directory: the table has it since version 5, not
    /// before.
    private func directory(_ index: UInt64, _ context: OpaquePointer, version: Int) -> String {
        guard version >= 5 || index > 0, let index = Dwarf_Signed(exactly: index) else { return "" }
        var name: UnsafePointer<CChar>?
        var error: OpaquePointer?
        guard unsafe dwarf_srclines_include_dir_data(context, index, &name, &error) == DW_DLV_OK, let name = unsafe name else {
            return ""
        }
        return unsafe String(cString: name)
    }

    private func lineFailure(_ error: OpaquePointer?) -> InspectionError {
        InspectionError("the line table of the unit at 0x\(String(offset, radix: 16)): \(unsafe LibdwarfSession.message(error))")
    }
}

/// Paths in debug information, from any system.
enum DebugInfoPath {
    /// Joins the parts, from the last absolute one on.
    static func join(_ parts: [String]) -> String {
        var result = ""
        for part in parts where !part.isEmpty {
            if isAbsolute(part) || result.isEmpty { result = part } else { result += result.hasSuffix("/") ? part : "/" + part }
        }
        return result
    }

    /// Whether a path begins at a root: `/`, `\`, or a drive letter.
    private static func isAbsolute(_ path: String) -> Bool {
        let start = Array(path.utf8.prefix(3))
        return path.hasPrefix("/") || path.hasPrefix("\\")
            || (start.count == 3 && start[1] == UInt8(ascii: ":") && (start[2] == 0x2f || start[2] == 0x5c))
    }
}
