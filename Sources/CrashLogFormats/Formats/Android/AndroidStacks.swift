internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of an Android log while it is read: a thread's, or one that shows where memory was
/// allocated or released.
struct AndroidStacks {
    private(set) var threads: [ThreadTrace] = []
    private(set) var additional: [ThreadTrace] = []
    private var rows: [Entry] = []
    private var isAdditional = false
    private var sources: [(line: AndroidSourceLine, range: Range<Int>)] = []
    private var lastEntry: Int?
    /// Number of frames in all threads.
    private var frameCount = 0

    /// A row in an ELF file or elsewhere. Its image and location are known only at the end of the
    /// log: the build IDs and the memory map follow the stacks.
    private struct Entry {
        var isAdditional: Bool
        var stack: Int
        var frame: Int
        var row: AndroidRow
        var isLinkAddress: Bool
    }

    var isEmpty: Bool { frameCount == 0 && additional.isEmpty }
    var hasThread: Bool { !threads.isEmpty }

    mutating func openThread(index: Int, name: String?, crashed: Bool) {
        closeSources()
        isAdditional = false
        guard threads.count < Limits.standard.threads else { return }
        threads.append(ThreadTrace(index: index, name: name, crashed: crashed))
    }

    /// The stack of the code that a thread runs in translation, ARM's on an x86 emulator; the
    /// thread's own shows the translator. `Guest thread information for tid: 7`
    mutating func openGuest(thread: Int) { openThread(index: thread, name: "guest", crashed: false) }

    /// `deallocated by thread 7:`
    mutating func openAdditional(_ heading: String) {
        closeSources()
        isAdditional = true
        guard additional.count < Limits.standard.threads else { return }
        additional.append(ThreadTrace(index: additional.count, name: heading))
    }

    /// The frames that follow are the thread's again.
    mutating func resumeThread() {
        closeSources()
        isAdditional = false
    }

    mutating func setRegisters(_ values: [(name: String, value: UInt64)]) {
        guard !values.isEmpty, let last = threads.indices.last, threads[last].registers == nil else { return }
        threads[last].registers = RegisterState(values: values)
    }

    private var count: Int { (isAdditional ? additional.last : threads.last)?.frames.count ?? 0 }

    /// - Returns: whether there was room for it.
    mutating func add(_ frame: Frame) -> Bool {
        closeSources()
        if !isAdditional, threads.isEmpty { openThread(index: 0, name: nil, crashed: true) }
        guard count < Limits.standard.framesPerThread else { return false }
        if isAdditional {
            additional[additional.count - 1].frames.append(frame)
        } else {
            threads[threads.count - 1].frames.append(frame)
            frameCount += 1
        }
        return true
    }

    /// - Parameter isLinkAddress: the row's `pc` is a link address even if the unwinder prints
    ///   something else otherwise; sanitizers' rows are.
    mutating func add(_ row: AndroidRow, isLinkAddress: Bool = false, at range: Range<Int>) -> Bool {
        let frame = Frame(
            index: row.index, kind: .exact, address: nil, range: range, imageName: row.imageName,
            printed: row.printed)
        markInlined(before: row)
        guard add(frame) else { return false }
        let stack = (isAdditional ? additional.count : threads.count) - 1
        rows.append(Entry(isAdditional: isAdditional, stack: stack, frame: count - 1, row: row, isLinkAddress: isLinkAddress))
        lastEntry = rows.count - 1
        return true
    }

    /// Marks the last row as inlined if `row` has the same number and address.
    private mutating func markInlined(before row: AndroidRow) {
        guard let last = lastEntry.map({ rows[$0] }), last.row.index == row.index, last.row.pc == row.pc, last.row.mapping == row.mapping
        else { return }
        if last.isAdditional {
            additional[last.stack].frames[last.frame].isInlined = true
        } else {
            threads[last.stack].frames[last.frame].isInlined = true
        }
    }

    mutating func add(_ row: AndroidJavaRow, at range: Range<Int>) -> Bool {
        let index = (isAdditional ? additional.last : threads.last)?.frames.last.map { $0.index &+ 1 } ?? 0
        return add(row.frame(index: index, at: range))
    }

    /// Adds a line below a row that gives the row's source location. Returns whether there is a row
    /// above it.
    mutating func add(_ line: AndroidSourceLine, at range: Range<Int>) -> Bool {
        guard lastEntry != nil, sources.count < Limits.standard.inlineDepth else { return false }
        sources.append((line, range))
        return true
    }

    /// Gives the last row the functions and locations of the lines below it: the last of them is
    /// the function that holds the code, those before it are calls inlined into it.
    private mutating func closeSources() {
        defer {
            sources = []
            lastEntry = nil
        }
        guard let entry = lastEntry, let last = sources.last else { return }
        let (stack, index) = (rows[entry].stack, rows[entry].frame)
        // Changed in range: a copy of all frames for each line would be quadratic.
        if rows[entry].isAdditional {
            AndroidStacks.addInlinedCalls(sources.dropLast(), last, to: index, of: &additional[stack].frames)
        } else {
            AndroidStacks.addInlinedCalls(sources.dropLast(), last, to: index, of: &threads[stack].frames)
        }
        rows[entry].frame = index + sources.count - 1
    }

    private static func addInlinedCalls(
        _ calls: ArraySlice<(line: AndroidSourceLine, range: Range<Int>)>, _ last: (line: AndroidSourceLine, range: Range<Int>),
        to index: Int,
        of frames: inout [Frame]
    ) {
        guard frames.indices.contains(index) else { return }
        var symbol = frames[index].printed ?? PrintedSymbol(name: last.line.name)
        symbol.location = last.line.location
        frames[index].printed = symbol
        let inlined = calls.map { source in
            var frame = frames[index]
            frame.isInlined = true
            frame.range = source.range
            frame.printed = PrintedSymbol(name: source.line.name, location: source.line.location)
            return frame
        }
        frames.insert(contentsOf: inlined, at: index)
    }

    /// Sets the image of each row and its location in the image.
    mutating func resolve(images: inout AndroidImages, unwinder: inout AndroidUnwinder) {
        closeSources()
        // Android 11 gave ART a module of its own, and apps folders with two random names.
        if unwinder.release == nil,
            rows.contains(where: { $0.row.mapping.hasPrefix("/apex/com.android.art/") || $0.row.mapping.hasPrefix("/data/app/~~") })
        {
            unwinder.release = 11
        }
        for entry in rows {
            let mapping = AndroidMapping(entry.row)
            let image = images.index(of: entry.row, mapping: mapping)
            let location: ImageLocation?
            switch mapping {
            case .library where entry.row.isAbsolute, .identifiedLibrary where entry.row.isAbsolute, .memory where entry.row.isAbsolute:
                location = nil
            case .library where entry.isLinkAddress: location = .linkAddress(LinkAddress(entry.row.pc))
            case .library, .unnamedLibrary, .identifiedLibrary: location = unwinder.location(of: entry.row, in: mapping)
            // From the mapping's start.
            case .java, .memory: location = .offset(ImageOffset(entry.row.pc))
            }
            let address = location == nil ? RuntimeAddress(entry.row.pc) : nil
            if entry.isAdditional {
                AndroidStacks.set(&additional[entry.stack].frames, entry.frame, image, location, address)
            } else {
                AndroidStacks.set(&threads[entry.stack].frames, entry.frame, image, location, address)
            }
        }
    }

    /// Given after a row.
    var architecture: Architecture? { rows.lazy.compactMap(\.row.architecture).first }

    /// Sets the image and the location of a frame and of the calls before it that were inlined into
    /// it and have no rows: rows above have their locations by then.
    private static func set(
        _ frames: inout [Frame], _ index: Int, _ image: Int?, _ location: ImageLocation?, _ address: RuntimeAddress?
    ) {
        var index = index
        repeat {
            frames[index].image = image
            frames[index].imageLocation = location
            frames[index].address = address
            index -= 1
        } while index >= 0 && frames[index].isInlined && frames[index].imageLocation == nil && frames[index].address == nil
    }
}
