import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

/// Javacores: native and Java stacks of each thread.
struct JavacoreTests {
    private static let log = SampleLog(fixture: "jvm-javacore/JavaNative/javacore.txt")

    @Test func `a javacore says what happened, and to whom`() throws {
        let report = try Self.log.report()
        #expect(report.cause?.kind == .signal && report.cause?.type == "gpf" && report.cause?.signal == "11")
        #expect(report.cause?.address == RuntimeAddress(0))
        #expect(report.process.pid == 12345 && report.platform == "Linux 5.15.0-generic" && report.architecture == .x86_64)
        #expect(report.threads.map(\.name) == ["main", "JIT Compilation Thread-000"])
        #expect(report.threads.map(\.crashed) == [true, false])
        #expect(report.threads[0].registers?.values.map(\.name) == ["RAX", "RIP"])
        #expect(report.additionalBacktraces.map(\.name) == ["Java callstack of main"])
        let java = report.additionalBacktraces[0].frames
        #expect(java.map { $0.printed?.name } == ["Tank.drain", "Tank.empty", "Tank.main"])
        #expect(java[1].printed?.location == SourceLocation(file: "Tank.java", line: 4) && java[0].printed?.location == nil)
        #expect(java.allSatisfy { $0.address == nil })
    }

    @Test func `a row tells the address and where its file lies`() throws {
        let report = try Self.log.report()
        let frames = report.threads[0].frames
        #expect(frames[3].hex == "0x7f8b7c0b3106" && frames[3].imageName == "libtank.so" && frames[3].imageOffset?.value == 0x1106)
        #expect(frames[4].printed == PrintedSymbol(name: "Java_Tank_drain", offset: 11))
        // 0x7f8b7c0b3106 − 0x1106, 0x7f8b7c0b314b − 0x114b
        #expect(report.images.first { $0.name == "libtank.so" }?.base?.value == 0x7f8b_7c0b_2000)
        #expect(frames[3].image == frames[4].image)
        // The program counter of the register section is exact; the rest, which the walk begins
        // with, are return addresses.
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress, .programCounter, .returnAddress, .returnAddress])
    }

    @Test func `rows of Windows have the place`() throws {
        let row = "4XENATIVESTACK               j9shsem_wait+0x94 (j9shsem.c:233, 0x7460C394 [J9PRT26+0xc394])"
        let frame = try #require(try SampleLog(row + "\n").report().threads[0].frames.first)
        #expect(frame.printed == PrintedSymbol(name: "j9shsem_wait", offset: 0x94, location: SourceLocation(file: "j9shsem.c", line: 233)))
        #expect(frame.hex == "0x7460c394" && frame.imageName == "J9PRT26")
    }

    @Test func `an answer is written as there`() {
        func result(_ frame: Frame) -> FrameResult? {
            frame.imageOffset?.value == 0x1106
                ? .function("fill(int)", offset: 6, "/src/tank.c", 13).inlining("pour", "/src/tank.c", 7) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let tag = "4XENATIVESTACK               "
        let tail = "0x00007F8B7C0B3106 [libtank.so+0x1106])"
        #expect(
            symbolicated.text
                == Self.log.text.replacing(
                    tag + "(" + tail, with: tag + "pour [inlined] (tank.c:7, " + tail + "\n" + tag + "fill(int)+0x6 (tank.c:13, " + tail)
        )
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }
}
