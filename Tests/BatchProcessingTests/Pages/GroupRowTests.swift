import Testing

@testable import BatchProcessing

struct GroupRowTests {
    private static let day: Int64 = 86_400_000_000_000

    private func row(first: Int64? = nil, recent: Int = 0, earlier: Int = 0) -> GroupRow {
        let summary = GroupSummary(
            id: "a", title: "SIGSEGV in f", family: "crash", kindLabel: "SIGSEGV", lacksSymbols: false, reports: 100, logs: 100,
            first: first, last: first, versions: [], versionCount: 0, example: 1)
        return GroupRow(summary: summary, breakdown: Breakdown(), firstVersion: nil, recent: recent, earlier: earlier, reports: "r")
    }

    @Test func `a group is new for seven days`() {
        let now = 1000 * Self.day
        #expect(row(first: now - 7 * Self.day + 1).isNew(now) && !row(first: now - 7 * Self.day).isNew(now) && !row().isNew(now))
    }

    /// The difference of two Poisson counts has the standard error of the square root of their sum.
    /// 20 and 8: 12 is more than 2 * 5.29; 20 and 10: 10 is less than 2 * 5.48.
    @Test func `a group rises by more than chance`() {
        let counts: [(recent: Int, earlier: Int, isRising: Bool)] = [
            (20, 8, true), (20, 10, false), (4, 0, false), (5, 0, true), (0, 50, false), (100, 100, false),
        ]
        for count in counts { #expect(row(recent: count.recent, earlier: count.earlier).isRising == count.isRising, "\(count)") }
    }

    @Test func `a title is a kind, a function and its callers`() {
        let title = GroupTitle("SIGSEGV in Mold::pour | Smelter::smelt | run", kindLabel: "SIGSEGV")
        #expect(title.function == "Mold::pour" && title.callers == ["Smelter::smelt", "run"])
        let other = GroupTitle("SIGSEGV", kindLabel: "SIGSEGV")
        #expect(other.function == "SIGSEGV" && other.callers.isEmpty)
        #expect(GroupTitle("", kindLabel: "").function.isEmpty)
    }

    @Test func `what is unknown is last`() {
        let tallies = [Tally(value: nil, count: 9), Tally(value: "shop\u{1}2", count: 4), Tally(value: "app\u{1}2", count: 1)]
        let values = TallyRows(kind: .version, tallies: tallies, total: 20).values([:], otherwise: nil, root: "", caption: "")
        let rows = values["rows"] as? [[String: Any]] ?? []
        // Versions of two programs have their program's name.
        #expect(rows.map { $0["value"] as? String } == ["shop 2", "app 2", "all others", "Version unknown"])
        #expect(rows.map { $0["count"] as? String } == ["4", "1", "6", "9"])
    }

    @Test func `files that help, and those of the system`() {
        func image(_ name: String, _ path: String?, _ identity: String?) -> UnresolvedImage {
            UnresolvedImage(
                image: MissingImage(name: name, identity: identity, architecture: nil, path: path, reason: nil, reports: 0), frames: 1)
        }
        let missing = MissingSymbols([
            image("Shop", "/var/containers/Shop.app/Shop", "1A2B-3C"), image("UIKitCore", "/System/Library/UIKitCore", "1A-2B"),
            image("libdispatch.dylib", "/usr/lib/system/libdispatch.dylib", "1A-2B"), image("libc.so.6", "/usr/lib/libc.so.6", "aabb"),
            image("libart.so", "/apex/com.android.art/lib64/libart.so", "cc"), image("[stack]", nil, nil),
            image("UIKit", "/Applications/Xcode.app/Contents/iPhoneSimulator.sdk/System/Library/Frameworks/UIKit.framework/UIKit", "AA-BB"),
            image("libsystem_kernel.dylib", nil, nil),
            image("<anonymous:7b0a5d2000>", nil, nil), image("base.odex", "/data/app/base.odex", nil),
        ])
        #expect(missing.helpful.map(\.image.name) == ["Shop", "libc.so.6"])
        #expect(missing.ofSystem.map(\.image.name) == ["UIKitCore", "libdispatch.dylib", "libart.so", "UIKit", "libsystem_kernel.dylib"])
    }

    @Test func `pages are called after the programs`() {
        func title(_ names: String?..., of count: Int = 0) -> String {
            CrashPages.title(names.map { Tally(value: $0, count: 1) }, of: count, "s.sqlite")
        }
        #expect(title() == "Crashes of s.sqlite" && title(nil, "") == "Crashes of s.sqlite" && title("a", nil) == "Crashes of a")
        #expect(title("a", "b") == "Crashes of a and b" && title("a", "b", "c") == "Crashes of a, b and c")
        #expect(title("a", "b", "c", "d") == "Crashes of a, b and 2 other programs")
        // The first ten of 140 programs are read.
        #expect(title("a", "b", "c", of: 140) == "Crashes of a, b and 138 other programs")
    }
}
