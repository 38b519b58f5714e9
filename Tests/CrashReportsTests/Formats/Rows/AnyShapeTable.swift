/// Functions of this repository's fixtures: a return address (or another address in the function), its distance from
/// the function's first byte, the line, the name.
///
/// C++: `objdump -d Fixtures/binaries/CXX/out/cxx-gcc-dwarf4-O0` gives the return addresses, `nm -S` the functions'
/// starts, and `llvm-symbolizer --no-inlines` of LLVM 21 the names and lines at the byte before. Swift and Go:
/// `SwiftCrash.expected.tsv` and `tank-go1.27.expected.tsv` beside the fixtures. Rust: `nm -S` and
/// `llvm-symbolizer --no-inlines` at the middle of functions of `RustCrash/out/tank.debug`.
enum AnyShapeTable {
    struct Function: Sendable {
        var address: UInt64
        var offset: UInt64
        var file: String
        var line: Int
        var name: String

        init?(_ text: Substring) {
            let fields = text.split(separator: "\t").map(String.init)
            guard fields.count == 4, let address = UInt64(fields[0], radix: 16), let offset = UInt64(fields[1], radix: 16),
                let colon = fields[2].lastIndex(of: ":"), let line = Int(fields[2][fields[2].index(after: colon)...])
            else { return nil }
            (self.address, self.offset, self.file, self.line, name) = (address, offset, String(fields[2][..<colon]), line, fields[3])
        }
    }

    /// The functions of each file.
    static let files: [(name: String, functions: [Function])] = [("cxx-gcc", cxx), ("SwiftCrash", swift), ("tank-go", go), ("tank", rust)]
        .map {
            ($0.0, $0.1.split(separator: "\n").compactMap { Function($0) })
        }

    private static let cxx = """
        11a5\t1b\t/src/main.cpp:33\trisky(int)
        11e9\t23\t/src/main.cpp:56\tmain::'lambda'(int)::operator()(int) const::'lambda'(int)::operator()(int) const
        1234\t2c\t/src/main.cpp:58\tmain::'lambda'(int)::operator()(int) const
        1292\t2d\t/src/main.cpp:47\tmain
        147f\t40\t/src/main.cpp:7\tint repeat<main::'lambda'(int)>(int, main::'lambda'(int))
        14bf\t2c\t/src/main.cpp:44\t__static_initialization_and_destruction_0(int, int)
        14d5\t13\t/src/main.cpp:69\t_GLOBAL__sub_I_main
        1500\t16\t/src/main.cpp:42\tStarter::Starter()
        1521\t18\t/src/main.cpp:16\tStairs<4>::climb(int)
        155f\t39\t/src/shapes.h:20\tBox<int>::Box(int, int)
        15ad\t4b\t/src/shapes.h:20\tBox<double>::Box(double, double)
        1662\t18\t/src/main.cpp:16\tStairs<3>::climb(int)
        16e3\t18\t/src/main.cpp:16\tStairs<2>::climb(int)
        1700\t18\t/src/main.cpp:16\tStairs<1>::climb(int)
        188c\t18\t/src/shapes.cpp:44\tNamed::~Named()
        18f2\t18\t/src/shapes.cpp:52\tMeasured::~Measured()
        1931\t1b\t/src/shapes.cpp:58\tShape::Shape(int)
        19c4\t4c\t/src/shapes.cpp:62\tShape::~Shape()
        """

    private static let swift = """
        1f37\t77\t/src/Warehouse.swift:29\tWarehouse.init(shelves:)
        21e9\t89\t/src/Warehouse.swift:11\tShelf.label(of:in:)
        228c\tc\t/src/Warehouse.swift:17\tdoubled(_:)
        230d\t6d\t/src/Warehouse.swift:23\tcheckedHalf(_:)
        26c0\t50\t/src/Warehouse.swift:46\tWarehouse.describe(box:)
        29cb\t9b\t/src/main.swift:26\tcrash(_:)
        2b83\td3\t/src/main.swift:12\tmeasured<A>(_:_:)
        2dcb\t2b\t/src/main.swift:29\tclosure #3 in crash(_:)
        """

    private static let go = """
        40106f\t6f\tinternal/abi/bounds.go:90\tinternal/abi.BoundsDecode
        4039b7\t77\tinternal/runtime/maps/runtime_fast64.go:173\tinternal/runtime/maps.(*table).uncheckedPutSlotForAssignFast64
        4056f7\t2d7\tinternal/runtime/maps/group.go:301\truntime.mapassign
        40c7e2\t42\tinternal/runtime/syscall/linux/syscall_linux.go:87\tinternal/runtime/syscall/linux.Pread
        40ed43\t3\tinternal/runtime/cgroup/line_reader.go:15\tinternal/runtime/cgroup.stringError.Error
        41155d\tbd\truntime/arena.go:899\truntime.(*mspan).setUserArenaChunkToFault
        41689d\t5d\truntime/hexdump.go:259\truntime.hexdumpMarker.start
        470b23\t23\truntime/mgcscavenge.go:682\truntime.(*pageAlloc).scavenge.func1
        475105\t25\truntime/atomic_pointer.go:68\tinternal/runtime/atomic.casPointer
        47dc6e\t2e\ttank/main.go:9\tmain.(*tank).fill-fm
        """

    private static let rust = """
        211585\t75\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place$LT$std..env..Args$GT$::he4fcb076cd43c073
        2116f9\t19\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place$LT$std..ffi..os_str..OsString$GT$::hd947dd86797f1d74
        211891\t21\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place$LT$core..option..Option$LT$alloc..string..String$GT$$GT$::hb0e162bbe38c3f7f
        2198ef\t8f\t/rustc/5980761/library/alloc/src/boxed.rs:248\t<std::io::error::Error>::new::<&str>
        21abcb\t1fb\t/rustc/5980761/library/core/src/slice/iter/macros.rs:180\taddr2line::function::name_entry::<gimli::read::endian_slice::EndianSlice<gimli::endianity::LittleEndian>>
        21b31c\t7c\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place::<core::result::Result<addr2line::line::Lines, gimli::read::Error>>
        21bad6\t46\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place::<alloc::vec::Vec<alloc::string::String>>
        21bbf6\t46\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place::<alloc::vec::Vec<std::ffi::os_str::OsString>>
        21be31\t41\t/rustc/5980761/library/alloc/src/raw_vec/mod.rs:632\tcore::ptr::drop_in_place::<alloc::boxed::Box<[alloc::string::String]>>
        21c04c\t3c\t/rustc/5980761/library/alloc/src/alloc.rs:115\tcore::ptr::drop_in_place::<std::io::buffered::linewriter::LineWriter<std::io::stdio::StdoutRaw>>
        21c0c2\t32\t/rustc/5980761/library/std/src/sys/pal/unix/futex.rs:107\tcore::ptr::drop_in_place::<std::sync::poison::mutex::MutexGuard<alloc::vec::Vec<u8>>>
        21c286\t66\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place::<std::backtrace::BacktraceFrame>
        21c48e\t9e\t/rustc/5980761/library/alloc/src/collections/btree/map.rs:1887\tcore::ptr::drop_in_place::<gimli::read::abbrev::Abbreviations>
        21c734\t24\t/rustc/5980761/library/alloc/src/raw_vec/mod.rs:632\tcore::ptr::drop_in_place::<std::backtrace_rs::symbolize::gimli::Library>
        21c7ee\t6e\t/rustc/5980761/library/alloc/src/alloc.rs:115\tcore::ptr::drop_in_place::<std::backtrace_rs::symbolize::gimli::stash::Stash>
        21c888\t28\t/rustc/5980761/library/core/src/ptr/mut_ptr.rs:961\tcore::ptr::drop_in_place::<<std::io::buffered::bufwriter::BufWriter<_>>::flush_buf::BufGuard>
        21c953\t83\t/rustc/5980761/library/core/src/ptr/mod.rs:805\tcore::ptr::drop_in_place::<(usize, std::backtrace_rs::symbolize::gimli::Mapping)>
        21c9f1\t1a\t/rustc/5980761/library/core/src/panicking.rs:384\tcore::panicking::assert_failed::<i32, i32>
        21cd08\t18\t/rustc/5980761/library/std/src/rt.rs:44\tstd::rt::handle_rt_panic::<isize>
        21d4db\t4cb\t/rustc/5980761/library/core/src/ptr/mod.rs:547\tgimli::read::line::parse_attribute::<gimli::read::endian_slice::EndianSlice<gimli::endianity::LittleEndian>>
        21fd4a\t5a\t/rustc/5980761/library/alloc/src/alloc.rs:115\tstd::sys::helpers::small_c_string::run_with_cstr_allocating::<std::sys::fs::unix::File>
        2267d1\t41\t/rustc/5980761/library/alloc/src/raw_vec/mod.rs:527\t<alloc::raw_vec::RawVecInner<_>>::reserve::do_reserve_and_handle::<alloc::alloc::Global>
        2269ae\t3e\t/rustc/5980761/library/core/src/ptr/mod.rs:547\t<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec::<alloc::alloc::Global>
        226df1\t131\t/rustc/5980761/library/alloc/src/raw_vec/mod.rs:632\t<std::sync::once::Once>::call_once::<std::rt::cleanup::{closure#0}>::{closure#0}
        227208\t18\t/rustc/5980761/library/std/src/rt.rs:44\tstd::rt::lang_start_internal::{closure#0}::{closure#0}::{closure#1}
        227350\t130\t/rustc/5980761/library/std/src/sys/backtrace.rs:91\tstd::sys::backtrace::_print_fmt::{closure#1}::{closure#0}
        """
}
