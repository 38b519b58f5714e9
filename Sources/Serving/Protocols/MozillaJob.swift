internal import BinaryPrimitives
internal import CrashLogModel

/// A job of a symbolication request, with the checks that Mozilla's server makes
/// (`eliot/symbolicate_resource.py`), in its words.
struct MozillaJob {
    struct Frame {
        /// The module's number in the job; `nil`: the address is in none.
        var module: Int?
        /// `nil` for −1, which means no offset.
        var offset: ImageOffset?
    }

    private(set) var modules: [ModuleKey] = []
    private(set) var stacks: [[Frame]] = []
    /// The modules as they are written.
    private let memoryMap: JSONValue

    /// - Parameters:
    ///   - number: the job's place in the request.
    ///   - previous: the job before it. Most requests are about one process, whose modules each job
    ///     has again.
    ///   - room: how many frames the request may still have.
    init(_ job: JSONValue, number: Int, after previous: MozillaJob?, room: inout Int, _ limits: Limits) throws(Refusal) {
        guard job.isObject else { throw Refusal("job \(number) is invalid") }
        guard let stacks = job["stacks"] else { throw Refusal("job \(number) is invalid: no stacks specified") }
        guard let modules = job["memoryMap"] else { throw Refusal("job \(number) is invalid: no memoryMap specified") }
        memoryMap = modules
        if let previous, modules.isWritten(like: previous.memoryMap) {
            self.modules = previous.modules
        } else {
            do throws(Problem) {
                self.modules = try Self.modules(modules, limits)
            } catch {
                throw Refusal("job \(number) has invalid modules: \(error.message)")
            }
        }
        do throws(Problem) {
            self.stacks = try Self.stacks(stacks, self.modules, &room, limits)
        } catch {
            throw Refusal("job \(number) has invalid stacks: \(error.message)")
        }
    }

    /// A problem in a part of a job.
    private struct Problem: Error {
        var message: String

        init(_ message: String) { self.message = message }
    }

    private static func modules(_ value: JSONValue, _ limits: Limits) throws(Problem) -> [ModuleKey] {
        guard case .array(let items) = value.content else { throw Problem("modules must be a list") }
        guard items.count <= limits.requestedModules else {
            throw Problem("please limit number of modules to <= \(limits.requestedModules)")
        }
        var modules: [ModuleKey] = []
        for (index, item) in items.enumerated() {
            guard let (name, id) = item.pair else { throw Problem("module index \(index) does not have a debug_filename and debug_id") }
            let module = ModuleKey(debugName: name.string ?? "", debugID: id.string ?? "")
            guard name.string != nil, module.hasValidName else { throw Problem("module index \(index) has an invalid debug_filename") }
            guard id.string != nil, module.hasValidID else { throw Problem("module index \(index) has an invalid debug_id") }
            modules.append(module)
        }
        return modules
    }

    private static func stacks(
        _ value: JSONValue, _ modules: [ModuleKey], _ room: inout Int, _ limits: Limits
    ) throws(Problem) -> [[Frame]] {
        guard case .array(let items) = value.content else { throw Problem("stacks must be a list of lists") }
        guard !items.isEmpty else { throw Problem("no stacks specified") }
        guard items.count <= limits.threads else { throw Problem("please limit number of stacks to <= \(limits.threads)") }
        var stacks: [[Frame]] = []
        for (index, item) in items.enumerated() {
            guard case .array(let rows) = item.content else { throw Problem("stack \(index) is not a list") }
            guard rows.count <= room else {
                throw Problem("please limit number of frames in a single request to <= \(limits.requestedFrames)")
            }
            room -= rows.count
            var frames: [Frame] = []
            frames.reserveCapacity(rows.count)
            for (row, value) in rows.enumerated() {
                do throws(Problem) {
                    frames.append(try frame(value, modules))
                } catch {
                    throw Problem("stack \(index) frame \(row) \(error.message)")
                }
            }
            stacks.append(frames)
        }
        return stacks
    }

    private static func frame(_ value: JSONValue, _ modules: [ModuleKey]) throws(Problem) -> Frame {
        guard let (module, offset) = value.pair else { throw Problem("is not a list of two items") }
        var frame = Frame()
        switch module.content {
        case .integer(-1): break
        case .integer(let index):
            guard let number = Int(exactly: index), modules.indices.contains(number) else {
                throw Problem("has a module_index that isn't in modules")
            }
            frame.module = number
        case .unsigned: throw Problem("has a module_index that isn't in modules")
        case .null, .bool, .other, .string, .array, .object: throw Problem("has an invalid module_index")
        }
        switch offset.content {
        case .integer(-1): break
        case .integer(let offset) where offset >= 0: frame.offset = ImageOffset(UInt64(offset))
        case .unsigned(let offset): frame.offset = ImageOffset(offset)
        case .integer, .null, .bool, .other, .string, .array, .object: throw Problem("has an invalid module_offset")
        }
        return frame
    }
}
