internal import BinaryPrimitives
internal import Reporting
internal import TestReports

/// Signatures put together by how similar their own code is: the fuzzy level.
///
/// The same signatures give the same groups, in any order and with any number of repeats. Only
/// distinct stacks are compared, each with the leaders of groups that share two of its innermost
/// functions, so that the work grows with the number of distinct stacks.
///
/// A frame without a name that counts by its module offset gets the name that another report's
/// result has for the same offset of the same build.
package struct CrashGroups: Sendable {
    package struct Group: Sendable {
        /// The hash of the leader's functions: of the stack with the most information.
        package var hash: String
        /// The leader's title.
        package var title: String
        /// Indices into the signatures that were given, ascending; the leader is one of them.
        package var members: [Int]
        package var leader: Int
    }

    /// Largest first, then by hash.
    package let groups: [Group]
    /// For each signature the index of its group.
    package let groupIndices: [Int]

    package init(_ signatures: [CrashSignature], limits: SignatureLimits = .standard) {
        var clustering = Clustering(signatures, limits: limits)
        let leaders = clustering.run()
        var byLeader: [String: [Int]] = [:]
        for (index, leader) in leaders.enumerated() { byLeader[leader, default: []].append(index) }
        var groups: [Group] = []
        for (key, members) in byLeader {
            guard let leader = members.first(where: { clustering.key(of: signatures[$0]) == key }) ?? members.first else { continue }
            groups.append(
                Group(hash: StableHash.text(key), title: signatures[leader].title, members: members, leader: leader))
        }
        groups.sort { ($1.members.count, $0.hash) < ($0.members.count, $1.hash) }
        var indices = [Int](repeating: 0, count: signatures.count)
        for (number, group) in groups.enumerated() { for member in group.members { indices[member] = number } }
        self.groups = groups
        groupIndices = indices
    }
}

/// One clustering of distinct stacks.
private struct Clustering {
    /// An offset in an image of one build.
    private struct BuildOffset: Hashable {
        var module: String
        var build: ImageID
        var offset: ImageOffset
    }

    /// A stack that was met, once.
    private struct Distinct {
        var key: String
        var family: String
        var stack: ComparedStack
        /// The kind's name, if it distinguishes crashes.
        var kindLabel: String
        /// The difference between two crashes in one function.
        var distinction: Distinction
        /// Other offsets of the same build have the same names, so it is similar only to stacks
        /// with more information.
        var isAmbiguous: Bool
    }

    /// Error and overload of the crash's function, each empty if it is not known. A group has those of
    /// the first of its members with one.
    private struct Distinction {
        var error: String
        /// The innermost function, whose overload the parameters are of: members of a group may end in others.
        var function: String
        var parameters: String

        init(_ signature: CrashSignature) {
            error = signature.kind.detail
            function = signature.frames.first?.name ?? ""
            parameters = signature.frames.first?.parameters ?? ""
        }

        func contradicts(_ other: Distinction) -> Bool {
            !error.isEmpty && !other.error.isEmpty && error != other.error
                || function == other.function && ParameterList.differ(parameters, other.parameters)
        }

        mutating func learn(_ other: Distinction) {
            if error.isEmpty { error = other.error }
            if parameters.isEmpty { (function, parameters) = (other.function, other.parameters) }
        }
    }

    private let signatures: [CrashSignature]
    private let limits: SignatureLimits
    private let similarity: StackSimilarity
    private var numbers: [String: Int] = [:]
    private var names: [BuildOffset: [String]] = [:]
    /// Texts that belong to several offsets of one build.
    private var several: Set<String> = []

    init(_ signatures: [CrashSignature], limits: SignatureLimits) {
        self.signatures = signatures
        self.limits = limits
        similarity = StackSimilarity(limits: limits)
    }

    /// Key that makes a stack distinct: the compared functions and whether its result could show
    /// inlined calls. If it could not, and several offsets have the same names, the offset is part
    /// of the key.
    func key(of signature: CrashSignature) -> String {
        let text = text(signature)
        guard signature.frames.first?.showsInlinedCalls != true else { return text }
        return text + "\n(symbols only)" + (several.contains(text) ? "\n" + signature.offsets.build + " " + signature.offsets.inner : "")
    }

    /// Everything that `compared` makes of a signature follows from this text: two signatures with
    /// one text are interchangeable.
    private func text(_ signature: CrashSignature) -> String {
        let frames = signature.frames
        let labels = FrameLabels(frames)
        let showsInlinedCalls = frames.first?.showsInlinedCalls == true
        // Two signals in one function whose lines are not known are different crashes.
        let parameters = frames.first?.parameters ?? ""
        var lines = [
            signature.kind.familyKey + (signature.kind.detail.isEmpty ? "" : "\t" + signature.kind.detail),
            showsInlinedCalls ? "" : signature.kind.label, frames.first?.module ?? "",
        ]
        for frame in frames {
            let marks = (frame.language == .cPlusPlus ? "c" : "") + (frame.isPrefix ? "p" : "")
            lines.append("\(labels.label(frame))\t\(marks)\t\(frame.closure)")
        }
        if !parameters.isEmpty { lines.append("(\(parameters))") }
        return lines.joined(separator: "\n")
    }

    /// Finds stacks that have the same names from a symbol table and are different: the optimiser
    /// inlined the functions that contain two bugs, so both are in one function, at two offsets of
    /// one build.
    private mutating func learnOffsets() {
        var offsets: [String: [String: String]] = [:]
        for signature in signatures where signature.absence == nil {
            guard let first = signature.frames.first, !first.showsInlinedCalls, !first.name.isEmpty else { continue }
            let text = text(signature)
            guard !several.contains(text) else { continue }
            let (inner, build) = signature.offsets
            if let known = offsets[text, default: [:]].updateValue(inner, forKey: build), known != inner { several.insert(text) }
        }
    }

    /// - Returns: for each signature its leader's key.
    mutating func run() -> [String] {
        learnNames()
        learnOffsets()
        var distinct: [String: Distinct] = [:]
        for (index, signature) in signatures.enumerated() where signature.absence == nil {
            let key = key(of: signature)
            guard distinct[key] == nil else { continue }
            distinct[key] = Distinct(
                key: key, family: signature.kind.familyKey, stack: compared(signatures[index]), kindLabel: signature.kind.label,
                distinction: Distinction(signature),
                isAmbiguous: several.contains(text(signature)))
        }
        let order = distinct.values.sorted { left, right in
            if left.stack.showsInlinedCalls != right.stack.showsInlinedCalls { return left.stack.showsInlinedCalls }
            if left.stack.names.count != right.stack.names.count { return left.stack.names.count > right.stack.names.count }
            return left.key < right.key
        }
        let leaders = assignLeaders(order)
        // Reports without a stack are not compared. One group for each kind shows what is missing
        // better than one group for each report.
        return signatures.map { $0.absence == nil ? leaders[key(of: $0)] ?? $0.ownCode.text : $0.exact.text }
    }

    // MARK: Names

    /// Learns the names that results give to offsets. Of two results the one with more information
    /// counts: with inlined calls rather than without.
    private mutating func learnNames() {
        for signature in signatures {
            var rows: [Int: (BuildOffset, [String])] = [:]
            for frame in signature.frames where !frame.name.isEmpty {
                guard let build = frame.build, let offset = frame.offset else { continue }
                rows[frame.row, default: (BuildOffset(module: frame.module, build: build, offset: offset), [])].1.append(frame.name)
            }
            for (offset, found) in rows.values {
                guard let known = names[offset] else {
                    names[offset] = found
                    continue
                }
                if (known.count, found.joined(separator: "\n")) < (found.count, known.joined(separator: "\n")) { names[offset] = found }
            }
        }
    }

    private mutating func compared(_ signature: CrashSignature) -> ComparedStack {
        let labels = FrameLabels(signature.frames)
        var functions: [(name: String, isCPlusPlus: Bool, isPrefix: Bool, closure: String)] = []
        for frame in signature.frames {
            if !frame.name.isEmpty {
                functions.append((frame.name, frame.language == .cPlusPlus, frame.isPrefix, frame.closure))
            } else if labels.isCounted(frame) {
                let known = frame.build.flatMap { build in
                    frame.offset.flatMap { names[BuildOffset(module: frame.module, build: build, offset: $0)] }
                }
                functions += (known ?? [frame.offsetLabel]).map { ($0, false, false, "") }
            }
        }
        var stack = ComparedStack(
            names: [], lastParts: [], isBare: [], isCPlusPlus: [], isPrefix: [], module: signature.frames.first?.module ?? "", closures: [],
            showsInlinedCalls: signature.frames.first?.showsInlinedCalls ?? false)
        for function in functions.prefix(limits.comparedFrames) {
            let number = number(function.name)
            if stack.names.last == number { continue }
            let last = Self.lastPart(function.name)
            stack.names.append(number)
            stack.lastParts.append(self.number(last))
            stack.isBare.append(last == function.name)
            stack.isCPlusPlus.append(function.isCPlusPlus)
            stack.isPrefix.append(function.isPrefix)
            stack.closures.append(function.closure)
        }
        return stack
    }

    private mutating func number(_ name: String) -> Int {
        let number = numbers[name] ?? numbers.count
        numbers[name] = number
        return number
    }

    /// `open` of `(anonymous namespace)::Mold::open`. Of other languages than C++ compilers leave
    /// nothing out.
    private static func lastPart(_ name: String) -> String {
        let bytes = name.utf8
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bytes[..<colon].last == UInt8(ascii: ":") else { return name }
        return String(name[bytes.index(after: colon)...])
    }

    // MARK: Leaders

    /// Two functions near the crash, in the order of their numbers; of a stack with one function,
    /// that twice.
    private struct Block: Hashable {
        var family: String
        var first: Int
        var second: Int
    }

    /// Functions near the crash that blocks are made of: with them every stack is similar that
    /// shares two of the first five.
    private static let blockFrames = 5
    /// With fewer functions, helpers not counted, a stack may be the beginning of several.
    private static let distinctiveFrames = 3
    /// Leaders of one block that a stack is compared with. If more than that share two functions,
    /// the third distinguishes them, and a longer search would not.
    private static let blockLimit = 512

    private func blocks(_ item: Distinct, asLeader: Bool) -> [Block] {
        let names = Array(item.stack.lastParts.prefix(Self.blockFrames))
        var result: [Block] = []
        // A stack of one function meets the others through that.
        if names.count == 1 || asLeader { result += Set(names).sorted().map { Block(family: item.family, first: $0, second: $0) } }
        for i in names.indices {
            for j in names.indices where j > i && names[i] != names[j] {
                result.append(Block(family: item.family, first: min(names[i], names[j]), second: max(names[i], names[j])))
            }
        }
        return result
    }

    /// Each stack, the one with the most information first, joins the leader that it is most
    /// similar to, or leads.
    private func assignLeaders(_ order: [Distinct]) -> [String: String] {
        var leaders: [Distinct] = []
        var members: [Block: [Int]] = [:]
        var result: [String: String] = [:]
        /// For each leader, the closures that its members have been in, by the function's last
        /// part.
        var closures: [[Int: Set<String>]] = []
        func learn(_ item: Distinct, _ leader: Int) {
            for (name, closure) in zip(item.stack.lastParts, item.stack.closures) where !closure.isEmpty {
                closures[leader][name, default: []].insert(closure)
            }
        }
        for item in order {
            let blocks = blocks(item, asLeader: false)
            var candidates: Set<Int> = []
            for block in blocks { candidates.formUnion((members[block] ?? []).prefix(Self.blockLimit)) }
            var best: [(similarity: Double, leader: Int)] = []
            /// Leaders whose crash is deeper than this stack can show.
            var deeper: [Int] = []
            for index in candidates.sorted() {
                let leader = leaders[index]
                if leader.distinction.contradicts(item.distinction) { continue }
                if !leader.stack.showsInlinedCalls, !item.stack.showsInlinedCalls,
                    item.isAmbiguous || leader.isAmbiguous || item.kindLabel != leader.kindLabel
                {
                    continue
                }
                let value = similarity.similarity(leader.stack, item.stack)
                guard value >= StackSimilarity.threshold else { continue }
                if leader.stack.lastParts.first == item.stack.lastParts.first {
                    best.append((value, index))
                } else if zip(item.stack.lastParts, item.stack.closures).contains(where: { closures[index][$0]?.contains($1) == true }) {
                    // In the same closure, deeper. (Where no closure shows it, it would be a guess
                    // that a function called the crash's own.)
                    deeper.append(index)
                }
            }
            // If several crashes are deeper than this stack shows, or it ends before they differ,
            // it cannot be determined which of them it is.
            let isShort = item.stack.isPrefix.count { !$0 } < Self.distinctiveFrames
            if isShort, best.count > 1 { best = [] } else { best.sort { ($1.similarity, $0.leader) < ($0.similarity, $1.leader) } }
            if let found = best.first?.leader ?? (deeper.count == 1 ? deeper.first : nil) {
                result[item.key] = leaders[found].key
                leaders[found].distinction.learn(item.distinction)
                learn(item, found)
                continue
            }
            result[item.key] = item.key
            for block in self.blocks(item, asLeader: true) { members[block, default: []].append(leaders.count) }
            leaders.append(item)
            closures.append([:])
            learn(item, leaders.count - 1)
        }
        return result
    }
}
