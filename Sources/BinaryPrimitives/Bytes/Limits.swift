/// Every cap on what input may make cairn do, in one place.
///
/// Each stands far above what real files reach; the comment names the largest that was seen where one was measured.
public struct Limits: Sendable {
    /// Bytes of one name (function, file, symbol). Longer names are cut. C++ template names of 60 KB exist; a thousand functions with a name of a megabyte each are a gigabyte.
    public var nameLength = 1 << 18
    /// Bytes of one mangled name handed to a demangler; longer names stay mangled. Demangled Swift names can be thirty times the input.
    public var mangledNameLength = 1 << 16
    /// Depth of nested parts of a mangled name; deeper names stay mangled. 580,000 names of compilers, debuggers and a Java machine needed at most 96.
    public var demanglingDepth = 256
    /// Depth of inlined calls in one answer. Deeper ones are told as a problem, and the function and line are not known then: part of the calls would be another answer. Variables of
    /// deeper ones are left out; of what a log prints itself, further calls stand as frames of their own.
    public var inlineDepth = 512
    /// Depth of nested debugging information entries, and of chains of `DW_AT_abstract_origin` and `DW_AT_specification`.
    public var entryDepth = 1024
    /// Links followed from one entry to the next by origin and specification.
    public var originChain = 32
    /// Type units of one file that references by signature are looked up among. A type of a further one has no name, as if the unit were in another file.
    public var typeUnits = 1 << 20
    /// Bytes of debug information up to which all functions are looked through for an address that no unit covers.
    public var unclaimedInformation = 4 << 20
    /// Bytes that one compressed section may inflate to. libjvm's largest is 258 MB.
    public var inflatedSection = 4 << 30
    /// Bytes that the compressed sections of one object may take inflated, all at one time, and how many times the file's size if that is more. What is read in order (units, line programs) does not
    /// count: it is inflated piece by piece. libjvm's other sections have 140 MB, in a file of 98 MB.
    public var inflatedAtOnce = 512 << 20
    public var inflatedPerByte = 16
    /// How many times larger than its compressed bytes a section may inflate to. Deflate cannot exceed 1,032.
    public var inflationRatio = 1_100
    /// The same for Zstandard, whose shortest block says in four bytes that one byte stands 128 KB long.
    public var zstandardRatio = 1 << 15
    /// Bytes that `.gnu_debugdata` may unpack to. Fedora's largest have some megabytes.
    public var miniDebugInformation = 256 << 20
    /// Bytes that the XZ decoder may take to unpack it: `xz -9` asks for 65 MB.
    public var unpackingMemory = 128 << 20
    /// Bytes that a compressed log may expand to, and how many times its compressed bytes, if that is more. Real logs shrink to between a fifth and a fiftieth.
    /// A log of nothing but stacks takes a second for some 5 to 20 MB. What another program decompresses into a pipe is not limited.
    public var expandedLog = 32 << 20
    public var logExpansion = 50
    /// Members of one archive. An APK has some thousands.
    public var archiveMembers = 1 << 20
    /// Bytes of one member's name, or of the extended header that tells it. Paths have at most 4,096 on Linux.
    public var memberName = 1 << 16
    /// Bytes of all names of one tar archive's members.
    public var archiveNames = 256 << 20
    /// Bytes that one member of a ZIP file may inflate to. The largest dSYM members of browsers have about 4 GB.
    public var archiveMember = 8 << 30
    /// Bytes that a compressed tar archive may unpack to, all members together.
    public var unpackedArchive = 64 << 30
    /// How many times larger than it is a compressed tar archive may become, if more than 256 MB: xz makes 100 of 1 of debug information that repeats, deflate 1,032 of zeros.
    public var archiveRatio = 200
    /// Bytes of unpacked members that are kept for whoever asks for them next, beside the last of them.
    public var keptMembers = 64 << 20
    /// Frames of one thread in one report.
    public var framesPerThread = 200_000
    /// Frames of one report, of all its threads; and lines of the traces that are held at one time, of which each may be a frame. A frame takes more than a kilobyte
    /// while it is answered. Of 490 real logs the largest report has 981 frames, and the longest 10,827 lines.
    public var framesPerReport = 300_000
    /// Threads of one report.
    public var threads = 65_536
    /// Images of one report.
    public var images = 65_536
    /// Bytes of a log that were never written, and read as zeros: a file of nothing can have any size.
    public var fileHoles = 1 << 30
    /// Bytes of one line of a log; the rest of a longer line passes through unread.
    public var lineLength = 1 << 20
    /// Depth of nested arrays and objects in a JSON log. MetricKit nests its frames, two levels for each, and Apple's reporters walk at most 512 frames of a stack.
    public var jsonDepth = 1100
    /// Values of a JSON log, keys among them, of which each takes 24 bytes, and three may be a frame. A stackshot of 15 MB would have some 4 millions.
    public var jsonValues = 5_000_000
    /// Bytes that a recognised trace may hold back before it is answered without waiting for its images. Its names are in memory twice while it is answered.
    public var heldTrace = 128 << 20
    /// Bytes of traces that are read once more because they look damaged, beside as many as the log has before them. A trace may show three kinds of damage, and each is tried.
    public var readAgain = 64 << 20
    /// Bytes of other writers' lines behind a trace's last line before it counts as ended.
    public var foreignText = 1 << 20
    /// Traces that are open at one time, each of another writer: further ones end that which has not gone on for the longest time. Each line is compared with all of them.
    public var openTraces = 256
    /// Lines one after another that mean nothing to a trace's format before the trace counts as ended. Reports have had some dozen in free text.
    public var unknownLines = 512
    /// Bytes of a JSON document, from its first, in which the key must stand that tells it as a crash. Sentry's events have had 200 KB of breadcrumbs before it.
    public var documentHead = 1 << 20
    /// Documents of one log of which it is told why they could not be read; of further ones their number is.
    public var complaints = 100
    /// Sections of one object file, and its program headers.
    public var sections = 1 << 20
    /// Bytes of one ELF note section or segment that is searched for a build ID. libjvm's `.note.stapsdt`, which holds none, has 53 KB.
    public var notes = 1 << 20
    /// Load commands of one Mach-O file.
    public var loadCommands = 1 << 16
    /// Bytes of all names that one Mach-O image exports. The tree that holds them shares what they begin with, so that a small one may hold many long names.
    public var exportNames = 1 << 28
    /// Relocations that the dynamic linker applies to one ELF file; further ones are not read. Chromium's have a million.
    public var dynamicRelocations = 1 << 22
    /// Stubs of one ELF file; further ones have no name. Libraries of browsers have some thousands.
    public var stubs = 1 << 20
    /// Steps of one program of a Go line table. An address behind them has its function, and neither inlined calls nor a line.
    public var goTableRows = 1 << 20
    /// Slices of one universal file.
    public var slices = 256
    /// Entries of one kernel cache (`MH_FILESET`). Apple's have some hundreds: the kernel and its
    /// extensions.
    public var filesetEntries = 4096
    /// Bytes of a Breakpad symbol file, from its first, in which the records stand that tell what it is.
    public var breakpadHead = 1 << 16
    /// How many times the bytes of a section of ranges or locations are read when debug information is dumped, for all entries that refer to its lists. Of 340 sections
    /// of programs of gcc, clang, rustc and swiftc, whose entries share lists too, 2.0 times the bytes were read at most.
    public var listReading = 64
    /// Registers that have rules in one row of an unwind table, and states that its instructions keep: in a hostile file each would be a copy of all rules. In 493 programs
    /// and libraries a row has at most 19 rules, and one state is kept.
    public var frameRules = 1 << 10
    public var frameStates = 64
    /// Entries of a variable's location list. A variable whose place is in a further one is named without a place.
    public var locationListEntries = 1 << 16
    /// Entries of a line program's directory or file table.
    public var lineTableEntries = 1 << 20
    /// Abbreviations of one table.
    public var abbreviations = 1 << 20
    /// Ranges of all calls that were inlined into one function, where each counts in all those that it is nested in; further ones are left out of what is written for lookups.
    public var inlinedRanges = 1 << 22

    /// Bytes of all names that a GSYM file is written with, and how many times the size of the file that it is made of, if that is more. libjvm's have 33 MB of 368.
    public var writtenNames = 256 << 20
    public var writtenNamesPerByte = 16

    /// Bytes of code that are decoded for one address, to see where instructions begin. Where its function begins further away, and the bytes before it do not show it, it is not known whether
    /// there is a call. The largest function of libjvm has 155 KB.
    public var sweptCode = 1 << 20

    /// Segments that one symbol index maps: each address is compared with all. Programs have some dozen.
    public var mappedSegments = 4096

    /// Bytes of one file that a debuginfod server sends. A kernel's debug file has 633 MB, libjvm's 368.
    public var downloadedFile = 4 << 30

    public init() {}

    /// Bytes of all names that are written out of a file of that size (bytes).
    public func namesToWrite(fromFileOf size: Int) -> Int {
        let (scaled, overflow) = size.multipliedReportingOverflow(by: writtenNamesPerByte)
        return overflow ? .max : max(writtenNames, scaled)
    }

    /// The caps that are used where none are given.
    public static let standard = Limits()
}
