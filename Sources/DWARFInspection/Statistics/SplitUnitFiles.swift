internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// Finds the split units of a linked file where llvm-dwarfdump looks for them: in a package beside
/// the file (`FILE.dwp`), else at the path in the skeleton, with the directory where it was
/// compiled.
final class SplitUnitFiles {
    private let linked: DumpContext
    private var opened = RecentValues<String, DumpContext?>(count: 16)
    private var packageUnits: [UInt64: DumpUnit]?
    private lazy var package: DumpContext? = open(linked.sections.file.path + ".dwp")

    init(_ linked: DumpContext) { self.linked = linked }

    /// The split unit of a skeleton; `nil` if the unit is none, or its file is not there or is
    /// another build's.
    func find(for skeleton: DumpUnit) -> (unit: DumpUnit, context: DumpContext)? {
        guard let root = linked.entry(at: skeleton.root, in: skeleton) else { return nil }
        _ = linked.bases(of: skeleton)
        let attribute = skeleton.version >= 5 ? Attribute.dwoName : Attribute.gnuDwoName
        guard let name = linked.value(attribute, of: root).flatMap({ linked.string($0) })?.bytes, skeleton.dwoID != 0 else {
            return nil
        }
        guard let context = package ?? file(name, skeleton) else { return nil }
        guard let unit = unit(of: skeleton.dwoID, in: context) else { return nil }
        unit.skeleton = skeleton
        // Bases that were read before it had its skeleton may count from elsewhere.
        unit.bases = nil
        return (unit, context)
    }

    private func unit(of signature: UInt64, in context: DumpContext) -> DumpUnit? {
        if context === package, let units = packageUnits { return units[signature] }
        let units = context.infoUnits.filter { !$0.isTypeUnit }
        // GNU's split units have their signature in their root.
        for unit in units { _ = context.bases(of: unit) }
        if context === package {
            packageUnits = Dictionary(units.map { ($0.dwoID, $0) }) { first, _ in first }
            return packageUnits?[signature]
        }
        return units.first { $0.dwoID == signature }
    }

    private func file(_ name: [UInt8], _ skeleton: DumpUnit) -> DumpContext? {
        let name = String(decoding: name, as: UTF8.self)
        let directory = linked.bases(of: skeleton).compilationDirectory.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let path =
            name.hasPrefix("/") || directory.isEmpty ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
        if let known = opened.value(for: path) { return known }
        let context = open(path)
        opened.insert(context, for: path)
        return context
    }

    private func open(_ path: String) -> DumpContext? {
        guard let object = try? ObjectFiles.open(path: path),
            let context = try? DumpContext(DumpedSections(object), isSplit: true, report: linked.report)
        else { return nil }
        context.linked = linked
        return context
    }
}
