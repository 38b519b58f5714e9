#if Inspection
    internal import BinaryPrimitives
    internal import CLibdwarf

    /// Turns what was found in a unit into names and places.
    struct ReferenceNames {
        /// The files of the unit's line table.
        let files: [Int: String]

        func location(_ file: Int, _ line: Int, _ column: Int) -> SourceLocation? {
            files[file].map { SourceLocation(file: $0, line: line, column: column) }
        }

        /// - Parameter gaps: gets another where libdwarf cannot follow the function's names to their end.
        func function(
            _ subroutine: ReferenceSubroutine, _ session: borrowing LibdwarfSession, _ gaps: inout [ReferenceAnswer.Gap]
        ) -> AddressAnswer.Function {
            var callSite: SourceLocation?
            if subroutine.isInlined, let entry = session.entry(at: subroutine.offset), let file = entry.number(DW_AT_call_file) {
                let (line, column) = (entry.number(DW_AT_call_line) ?? 0, entry.number(DW_AT_call_column) ?? 0)
                callSite = location(Int(clamping: file), Int(clamping: line), Int(clamping: column))
            }
            return AddressAnswer.Function(
                name: name(at: subroutine.offset, session, &gaps), isInlined: subroutine.isInlined,
                entry: subroutine.isInlined ? nil : subroutine.start.map { LinkAddress($0) }, callSite: callSite)
        }

        /// The linkage name, wherever in the chain of abstract origins and specifications it is; else the nearest plain name.
        private func name(at offset: UInt64, _ session: borrowing LibdwarfSession, _ gaps: inout [ReferenceAnswer.Gap]) -> String? {
            var plain: String?
            var pending = [offset]
            var seen: Set<UInt64> = []
            while !pending.isEmpty, seen.count < Limits.standard.originChain {
                let offset = pending.removeFirst()
                guard seen.insert(offset).inserted, let entry = session.entry(at: offset) else { continue }
                if let linkage = entry.string(DW_AT_linkage_name) ?? entry.string(DW_AT_MIPS_linkage_name) { return linkage }
                plain = plain ?? entry.string(DW_AT_name)
                for name in [DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name] where entry.attribute(name)?.isElsewhere ?? false {
                    gaps.append(.supplementaryFile)
                }
                for name in [DW_AT_abstract_origin, DW_AT_specification] {
                    guard let attribute = entry.attribute(name) else { continue }
                    if attribute.isElsewhere {
                        gaps.append(.supplementaryFile)
                    } else if let origin = attribute.offset {
                        pending.append(origin)
                    }
                }
            }
            return plain
        }
    }
#endif
