internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the object files that a debug map names, if they are unchanged since they were linked.
struct DebugMapObjects {
    /// The linked program.
    let program: ObjectFile

    /// Why an object file is not used: one sentence.
    struct Refusal: Error, Hashable {
        var reason: String
    }

    private typealias Found = (object: ObjectFile, modificationTime: UInt64?)

    /// - Throws: `Refusal` if it is not found, was changed since, or is for another machine.
    func open(_ recorded: DebugMap.Object) throws(Refusal) -> ObjectFile {
        let paths = candidates(recorded.path)
        // Looked at first, because opening a pipe would wait for its other end.
        guard let path = paths.first(where: { PathKind(path: $0) == .file }) else {
            throw Refusal(reason: "\(recorded.recorded) is missing, also as \(paths.joined(separator: ", "))")
        }
        let name = path + (recorded.member.map { "(\($0))" } ?? "")
        let all = try objects(path, recorded.member)
        guard !all.isEmpty else { throw Refusal(reason: "\(name) is not in the archive") }
        let fitting = all.filter { $0.object.architecture == program.architecture && $0.object.description.kind == .relocatable }
        guard !fitting.isEmpty else {
            let architectures = Set(all.map { "\($0.object.architecture) \($0.object.description.kind.rawValue)" }).sorted()
            throw Refusal(reason: "\(name) is \(architectures.joined(separator: ", ")): expected \(program.architecture) relocatable")
        }
        let unchanged = fitting.filter { isUnchanged($0.modificationTime, recorded) }
        guard let first = unchanged.first else {
            let time = fitting[0].modificationTime.map { "\($0)" } ?? "unknown"
            throw Refusal(
                reason:
                    "\(name) was changed since it was linked: its time is \(time), expected \(recorded.modificationTime) (seconds since 1970)"
            )
        }
        guard unchanged.count == 1 else { throw Refusal(reason: "\(name) is there \(unchanged.count) times: expected once") }
        return first.object
    }

    /// As the linker recorded it, then below the program's own folder by ever fewer of its last
    /// components, so that a build folder that was moved or copied is found: `/src/build/main.o` of
    /// the program `/copy/App` is looked for as `/copy/src/build/main.o`, `/copy/build/main.o`,
    /// `/copy/main.o`.
    private func candidates(_ recorded: String) -> [String] {
        let folder = Path.directory(of: program.path)
        let components = recorded.split(separator: "/")
        // A path that `-oso_prefix` made relative is unrelated to the working directory of a debugger.
        return (recorded.hasPrefix("/") ? [recorded] : [])
            + components.indices.map { Path.join(folder, components[$0...].joined(separator: "/")) }
    }

    private func objects(_ path: String, _ member: String?) throws(Refusal) -> [Found] {
        do throws(ObjectFileError) {
            if let member { return try ObjectFiles.open(member: member, ofArchive: path).map { ($0.object, $0.modificationTime) } }
            return try ObjectFiles.openAll(path: path).map { ($0, $0.file.modificationTime.map { UInt64(bitPattern: $0) }) }
        } catch {
            throw Refusal(reason: error.description)
        }
    }

    /// Whether an object file has the recorded modification time: the only link between a program and an object
    /// file, which has no UUID. A linker that was set to give the same output every time records no time.
    private func isUnchanged(_ time: UInt64?, _ recorded: DebugMap.Object) -> Bool {
        guard recorded.modificationTime != 0, let time else { return recorded.modificationTime == 0 }
        // `n_value` of a program for 32 bits holds as many.
        let mask: UInt64 = program.description.addressSize == 4 ? 0xffff_ffff : .max
        return time & mask == recorded.modificationTime & mask
    }
}
