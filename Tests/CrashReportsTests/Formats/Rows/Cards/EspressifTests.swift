import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct EspressifTests {
    @Test func `pairs are addresses that were moved back`() throws {
        let log = SampleLog(
            """
            Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled.
            Core  0 register dump:
            PC      : 0x4008b565  PS      : 0x00060f30  A0      : 0x800dc822  A1      : 0x3ffc3440  

            Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450 0x400d3962:0x3ffc3600 |<-CONTINUES

            ELF file SHA256: 0123456789abcdef

            """)
        let report = try log.report()
        #expect(report.format == "esp-idf" && report.cause?.type == "LoadProhibited")
        #expect(report.allFrames.allSatisfy { $0.kind == .exact })
        #expect(report.allFrames.map(\.imageLocation) == [0x4008b562, 0x400dc81f, 0x400d3962].map { .linkAddress(LinkAddress($0)) })
        #expect(log.text(of: report.allFrames[1]) == "0x400dc81f:0x3ffc3450")
        let symbolicated = log.symbolicated { $0.index == 1 ? FrameResult.function("moor", offset: 4, "/src/a.c", 9, image: "fw") : nil }
        #expect(symbolicated.text.contains(":0x3ffc3450 ==> moor at /src/a.c:9 0x400d3962:"))
        #expect(symbolicated.text.split(separator: "\n").count == log.text.split(separator: "\n").count)
        let again = try symbolicated.report()
        #expect(again.allFrames.map(\.imageLocation) == report.allFrames.map(\.imageLocation))
        #expect(again.allFrames[1].printed == PrintedSymbol(name: "moor", location: SourceLocation(file: "/src/a.c", line: 9)))
    }

    @Test func `a chip with RISC-V has two registers, and a backtrace if it was chosen`() throws {
        let head =
            "Guru Meditation Error: Core  0 panic'ed (Load access fault). Exception was unhandled.\nCore  0 register dump:\nMEPC    : 0x42005322  RA      : 0x42005316  SP      : 0x3fcac2e0  GP      : 0x3fc8da00  \n"
        let registers = try SampleLog(head + "\nStack memory:\n3fcac2e0: 0x42005316 0x00000000\n").report()
        #expect(registers.allFrames.map(\.imageLocation) == [0x42005322, 0x42005316].map { .linkAddress(LinkAddress($0)) })
        #expect(registers.allFrames.map(\.kind) == [.programCounter, .returnAddress])
        let walked = try SampleLog(head + "Backtrace: 0x42005322:0x3fcac2e0 0x42005310:0x3fcac2f0\n").report()
        #expect(
            walked.allFrames.map(\.imageLocation) == [0x42005322, 0x42005310].map { .linkAddress(LinkAddress($0)) }
                && walked.threads.count == 1)
        // The walker of these chips moves nothing back: `ra` of `esp_eh_frame_print_backtrace`.
        #expect(walked.allFrames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `ESP8266: the instruction, and words of the stack that may be return addresses`() throws {
        let report = try SampleLog(
            """
            Exception (28):
            epc1=0x4020a5d4 epc2=0x00000000 epc3=0x00000000 excvaddr=0x000001bb depc=0x00000000

            >>>stack>>>

            ctx: cont
            sp: 3ffefe70 end: 3ffeffc0 offset: 0190
            3ffefe70:  e51988ff 3ffeff14 3ffefee0 4020190c  
            3ffefe80:  40100d19 00000000 3ffeff14 40300000 <
            <<<stack<<<

            """
        ).report()
        #expect(report.format == "esp8266" && report.cause?.type == "LoadProhibited")
        #expect(report.allFrames.map(\.imageLocation) == [0x4020a5d4, 0x4020190c, 0x40100d19].map { .linkAddress(LinkAddress($0)) })
        #expect(report.allFrames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.allFrames.map(\.isUnreliable) == [false, true, true])
    }
}
