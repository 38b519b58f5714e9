/// All limits on the work that input may make cairn do.
///
/// Each is far above what real files reach; the comment names the largest that was seen where one
/// was measured.
public struct Limits: Sendable {
    /// Bytes of one name (function, file, symbol). Longer names are cut. C++ template names of 60
    /// KB exist; a thousand functions with a name of a megabyte each are a gigabyte.
    package var nameLength = 1 << 18
    /// Bytes of one mangled name handed to a demangler; longer names stay mangled. Demangled Swift
    /// names can be thirty times the input.
    package var mangledNameLength = 1 << 16
    /// Depth of nested parts of a mangled name; deeper names stay mangled. 580,000 names of
    /// compilers, debuggers and a Java machine needed at most 96.
    package var demanglingDepth = 256
    /// Depth of inlined calls in one result. Above it the address has no inlined calls and no line, because part of the calls would be
    /// another result: it has the symbol table's name and a note, or is unresolved as corrupt; of Go's own table the name alone. No index is made of such a file.
    /// Variables of deeper calls are left out; of what a log prints itself, further calls are frames of their own.
    package var inlineDepth = 512
    /// Depth of nested debugging information entries, and of chains of `DW_AT_abstract_origin` and
    /// `DW_AT_specification`.
    package var entryDepth = 1024
    /// Links followed from one entry to the next by origin and specification.
    package var originChain = 32
    /// Type units of one file that references by signature are looked up among. A type of a further
    /// one has no name, as if the unit were in another file.
    package var typeUnits = 1 << 20
    /// Bytes of debug information up to which all functions are looked through for an address that
    /// no unit covers.
    package var unclaimedInformation = 4 << 20
    /// Functions that no unit covers whose rows are looked for in line tables, for an index.
    package var unclaimedSymbols = 1 << 16
    /// Symbols that are read to find which code of an image at address zero is live, and which was removed.
    package var symbolsAtZero = 1 << 18
    /// Bytes that one compressed section may inflate to. libjvm's largest is 258 MB.
    package var inflatedSection = 4 << 30
    /// Bytes that the compressed sections of one object may take inflated, all at one time, and how
    /// many times the file's size if that is more. What is read in order (units, line programs)
    /// does not count: it is inflated piece by piece. libjvm's other sections have 140 MB, in a
    /// file of 98 MB.
    package var inflatedAtOnce = 512 << 20
    package var inflatedPerByte = 16
    /// How many times larger than its compressed bytes a section may inflate to. Deflate cannot
    /// exceed 1,032.
    package var inflationRatio = 1_100
    /// The same for Zstandard, whose shortest block repeats one byte to 128 KB in four bytes.
    package var zstandardRatio = 1 << 15
    /// Bytes that `.gnu_debugdata` may unpack to. Fedora's largest have some megabytes.
    package var miniDebugInformation = 256 << 20
    /// Bytes that the XZ decoder may take to unpack it: `xz -9` needs 65 MB.
    package var unpackingMemory = 128 << 20
    /// Bytes that a compressed log may expand to, and how many times its compressed bytes, if that
    /// is more. Real logs shrink to between a fifth and a fiftieth. A log of nothing but stacks
    /// takes a second for some 5 to 20 MB. What another program decompresses into a pipe is not
    /// limited.
    package var expandedLog = 32 << 20
    package var logExpansion = 50
    /// Bytes that a compressed core file may expand to. It is unpacked into a temporary file, in
    /// which unused memory is a hole.
    package var unpackedMemory = 64 << 30
    /// Members of one archive. An APK has some thousands.
    package var archiveMembers = 1 << 20
    /// Bytes of one member's name, or of the extended header that contains it. Paths have at most
    /// 4,096 on Linux.
    package var memberName = 1 << 16
    /// Bytes of all names of one tar archive's members.
    package var archiveNames = 256 << 20
    /// Bytes that one member of a ZIP file may inflate to. The largest dSYM members of browsers
    /// have about 4 GB.
    package var archiveMember = 8 << 30
    /// Maximum bytes of such a member in memory: a larger one is unpacked to a file without a name,
    /// so that neither a browser's dSYM nor a hostile upload uses up the memory. Smaller ones stay
    /// in memory: a log with a member of 368 MB took 0.9 s, and 0.8 to 1.5 s through the disk.
    package var memberInMemory = 512 << 20
    /// Bytes that a compressed tar archive may unpack to, all members together.
    package var unpackedArchive = 64 << 30
    /// How many times larger than it is a compressed tar archive may become, if more than 256 MB:
    /// xz makes 100 of 1 of debug information that repeats, deflate 1,032 of zeros.
    package var archiveRatio = 200
    /// Bytes of unpacked members that are kept for the next request, beside the last of them.
    package var keptMembers = 64 << 20
    /// Frames of one thread in one report.
    package var framesPerThread = 200_000
    /// Frames of one stack that is unwound: of a longer one, which is a recursion without end, the middle is left out.
    package var unwoundFrames = 64_000
    /// Frames of one report, of all its threads; and lines of the traces that are held at one time,
    /// each of which may be a frame. A frame needs more than a kilobyte while it is symbolicated.
    /// Among 490 real logs the largest report has 981 frames, and the longest 10,827 lines.
    package var framesPerReport = 300_000
    /// Signals that interrupted one another in one stack: across each, the stack may be any other.
    package var signalFrames = 64
    /// Words of a stack that are looked at for a return address, after a frame that is sure, and
    /// after one that is not: as many as Breakpad's processor looks at.
    package var scannedWords = 160
    package var scannedWordsAgain = 40
    /// Bytes of a stack that are scanned if its nearest part has no return address: only calls in functions count then.
    package var scannedFarBytes = 16 << 10
    /// Words of one stack, for all its frames: each may cost a look at the code that it leads to.
    package var scannedWordsPerStack = 1 << 14
    /// Threads of one report.
    package var threads = 65_536
    /// Images of one report.
    package var images = 65_536
    /// Bytes of a log that were never written, and read as zeros: a file of nothing can have any
    /// size.
    package var fileHoles = 1 << 30
    /// Bytes of one line of a log; the rest of a longer line passes through unread.
    package var lineLength = 1 << 20
    /// Depth of nested arrays and objects in a JSON log. MetricKit nests its frames, two levels for
    /// each, and Apple's reporters walk at most 512 frames of a stack.
    package var jsonDepth = 1100
    /// Values of a JSON log, keys among them, of which each takes 24 bytes, and three may be a
    /// frame. A stackshot of 15 MB would have some 4 millions.
    package var jsonValues = 5_000_000
    /// Bytes that a recognised trace may hold back before it is symbolicated without waiting for
    /// its images. Its names are in memory twice during symbolication.
    package var heldTrace = 128 << 20
    /// Bytes of traces that are read once more because they look damaged, beside as many as the log
    /// has before them. A trace may show three kinds of damage, and each is tried.
    package var rereadTraceBytes = 64 << 20
    /// Bytes of other writers' lines after a trace's last line before it counts as ended.
    package var foreignText = 1 << 20
    /// Traces that are open at one time, each of another writer: further ones end that which has
    /// not gone on for the longest time. Each line is compared with all of them.
    package var openTraces = 256
    /// Lines one after another that mean nothing to a trace's format before the trace counts as
    /// ended. Reports have had some dozen in free text.
    package var unknownLines = 512
    /// Bytes of a JSON document, from its first, that must contain the key that identifies it as a
    /// crash. Sentry's events have had 200 KB of breadcrumbs before it.
    package var documentHead = 1 << 20
    /// Documents of one log for which the reason is given why they could not be read. Further ones
    /// are only counted.
    package var reportedProblems = 100
    /// Sections of one object file, and its program headers.
    package var sections = 1 << 20
    /// Bytes of one ELF note section or segment that is searched for a build ID. libjvm's
    /// `.note.stapsdt`, which holds none, has 53 KB.
    package var notes = 1 << 20
    /// Load commands of one Mach-O file.
    package var loadCommands = 1 << 16
    /// Bytes of all names that one Mach-O image exports. The tree that holds them shares common
    /// prefixes, so that a small one may hold many long names.
    package var exportNames = 1 << 28
    /// Relocations that the dynamic linker applies to one ELF file; further ones are not read.
    /// Chromium's have a million.
    package var dynamicRelocations = 1 << 22
    /// Stubs of one ELF file; further ones have no name. Libraries of browsers have some thousands.
    package var stubs = 1 << 20
    /// Steps of one program of a Go line table. An address after them has its function, and neither
    /// inlined calls nor a line.
    package var goTableRows = 1 << 20
    /// Functions of one file of code that a process compiled while it ran; further ones have no name. A Java server has some
    /// ten thousand.
    package var generatedFunctions = 1 << 22
    /// Slices of one universal file.
    package var slices = 256
    /// Entries of one kernel cache (`MH_FILESET`). Apple's have some hundreds: the kernel and its
    /// extensions.
    package var filesetEntries = 4096
    /// Images of one shared cache of Apple's systems (dyld), and as many addresses of local symbols. macOS 15 has some 4,000.
    package var sharedCacheImages = 1 << 16
    /// Files of one shared cache. iOS 18 has some 80.
    package var sharedCacheFiles = 1024
    /// Mappings of one file of a shared cache. They have at most ten.
    package var sharedCacheMappings = 1024
    /// Entries of Objective-C's tables in one image of a shared cache. UIKitCore has some 100,000 methods.
    package var objcMethods = 1 << 20
    /// Bytes of a Breakpad symbol file, from its first, that must contain the records that identify
    /// it.
    package var breakpadHead = 1 << 16
    /// How many times the bytes of a section of ranges or locations are read when debug information
    /// is dumped, for all entries that refer to its lists. Of 340 sections of programs of gcc,
    /// clang, rustc and swiftc, whose entries share lists too, 2.0 times the bytes were read at
    /// most.
    package var listReading = 64
    /// Registers that have rules in one row of an unwind table, and states that its instructions
    /// keep: in a hostile file each would be a copy of all rules. In 493 programs and libraries a
    /// row has at most 19 rules, and one state is kept.
    package var frameRules = 1 << 10
    package var frameStates = 64
    /// Entries of a variable's location list. A variable whose location is in a further one is named
    /// without a location.
    package var locationListEntries = 1 << 16
    /// Entries of a line program's directory or file table.
    package var lineTableEntries = 1 << 20
    /// Abbreviations of one table.
    package var abbreviations = 1 << 20
    /// Ranges of all calls that were inlined into one function, each counted in all those that it
    /// is nested in; further ones are left out of lookup indexes.
    package var inlinedRanges = 1 << 22

    /// Bytes of all names that a GSYM file is written with, and how many times the size of the file
    /// that it is made of, if that is more. libjvm's have 33 MB of 368.
    package var writtenNames = 256 << 20
    package var writtenNamesPerByte = 16

    /// Bytes of code that are decoded for one address, to see where instructions begin. Where its
    /// function begins further away, and the bytes before it do not show it, it is not known
    /// whether there is a call. The largest function of libjvm has 155 KB.
    package var sweptCode = 1 << 20

    /// Segments that one symbol index maps: each address is compared with all. Programs have some
    /// dozen.
    package var mappedSegments = 4096

    /// Bytes of one file that a debuginfod server sends. A kernel's debug file has 633 MB, libjvm's
    /// 368.
    package var downloadedFile = 4 << 30

    /// Symbol files that are open at one time, and the sum of their sizes in bytes. Beyond it the
    /// least recently used files are closed. Each
    /// file takes a descriptor.
    package var openModules = 2000
    package var openModuleBytes = 1 << 40
    /// Files whose identities are cached, open or closed. Beyond it the least recently used identities are read again.
    package var knownFiles = 262_144
    /// Cached lists of candidate images, for logs that list no images. Beyond it the least recently used lists are made again.
    package var imageLists = 64
    /// Bytes of a log that is sent, as it is sent; reports and frames in it; and bytes of the
    /// response, which is no memory. Core files are the largest.
    package var sentLog = 1 << 30
    package var sentReports = 10_000
    package var sentFrames = 1_000_000
    package var sentOutput = 1 << 30
    /// Bytes of a result that are shown in a page: browsers take seconds for more.
    package var shownResult = 4 << 20
    /// Results that are shared at one time.
    package var sharedResults = 10_000
    /// Bytes of a symbol file that is sent, and images of an archive of them. A kernel's debug file
    /// has 633 MB.
    package var uploadedFile = 4 << 30
    package var uploadedImages = 1000

    /// Jobs of one request to symbolicate, as many as Mozilla's server takes; modules of one job,
    /// each of which is searched for where a frame is in it; and frames of all jobs. Of samply's
    /// recorded requests the largest has 770 KB, which is less than 100,000 frames.
    package var requestedJobs = 10
    package var requestedModules = 4096
    package var requestedFrames = 100_000
    /// Parts of one form (`multipart/form-data`), and bytes of one part's headers. Symbolicator's
    /// forms have at most seven parts, and curl writes some 200 bytes of headers.
    package var formParts = 64
    package var formHeaders = 1 << 14
    /// Bytes of a form's field that is not a file: the same limit as Symbolicator's.
    package var formField = 1 << 20
    /// Bytes of one response that is made in memory. Each frame of a request may bring a name of
    /// kilobytes, and those of inlined calls.
    package var responseBytes = 256 << 20
    /// Bytes of one source file that is sent. SQLite's amalgamation has 9 MB.
    package var sourceFile = 16 << 20

    package init() {}

    /// Bytes of all names that are written out of a file of that size (bytes).
    package func namesToWrite(fromFileOf size: Int) -> Int {
        let (scaled, overflow) = size.multipliedReportingOverflow(by: writtenNamesPerByte)
        return overflow ? .max : max(writtenNames, scaled)
    }

    /// The caps that are used where none are given.
    public static let standard = Limits()
}
