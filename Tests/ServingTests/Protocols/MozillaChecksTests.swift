import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// Refused requests, with the messages of Mozilla's server (`eliot/symbolicate_resource.py`).
struct MozillaChecksTests {
    private static let module = #"["a","20AD60B0B4C68177552708AA192E77390"]"#

    static let refused: [(body: String, title: String)] =
        [
            ("", "Payload is not valid JSON"),
            ("{", "Payload is not valid JSON"),
            ("{} {}", "Payload is not valid JSON"),
            ("nonsense", "Payload is not valid JSON"),
            ("[]", "job 0 is invalid"),
            ("1", "job 0 is invalid"),
            (#""jobs""#, "job 0 is invalid"),
            (#"{"jobs":1}"#, "job 0 is invalid"),
            (#"{"jobs":[1]}"#, "job 0 is invalid"),
            (#"{"jobs":[\#(job("[[]]")),null]}"#, "job 1 is invalid"),
            (
                #"{"jobs":[\#(Array(repeating: "1", count: 11).joined(separator: ","))]}"#,
                "please limit number of jobs in a single request to <= 10"
            ),
            ("{}", "job 0 is invalid: no stacks specified"),
            (#"{"memoryMap":[]}"#, "job 0 is invalid: no stacks specified"),
            (#"{"stacks":[]}"#, "job 0 is invalid: no memoryMap specified"),
        ]
        + [
            ("{}", "modules must be a list"),
            ("[1]", "module index 0 does not have a debug_filename and debug_id"),
            (#"[\#(module),["a"]]"#, "module index 1 does not have a debug_filename and debug_id"),
            (#"[["a","0","0"]]"#, "module index 0 does not have a debug_filename and debug_id"),
            (#"[[1,"0"]]"#, "module index 0 has an invalid debug_filename"),
            (#"[["../a","0"]]"#, "module index 0 has an invalid debug_filename"),
            (#"[["a:b","0"]]"#, "module index 0 has an invalid debug_filename"),
            (#"[["a\u0000","0"]]"#, "module index 0 has an invalid debug_filename"),
            (#"[["ä","0"]]"#, "module index 0 has an invalid debug_filename"),
            (#"[["a",0]]"#, "module index 0 has an invalid debug_id"),
            (#"[["a","0x1"]]"#, "module index 0 has an invalid debug_id"),
            (#"[["a","../0"]]"#, "module index 0 has an invalid debug_id"),
        ].map { (#"{"memoryMap":\#($0),"stacks":[[]]}"#, "job 0 has invalid modules: " + $1) }
        + [
            ("{}", "stacks must be a list of lists"),
            ("[]", "no stacks specified"),
            ("[[],1]", "stack 1 is not a list"),
            ("[[1]]", "stack 0 frame 0 is not a list of two items"),
            ("[[[0]]]", "stack 0 frame 0 is not a list of two items"),
            ("[[[0,1],[0,1,2]]]", "stack 0 frame 1 is not a list of two items"),
            (#"[[["0",1]]]"#, "stack 0 frame 0 has an invalid module_index"),
            ("[[[0.5,1]]]", "stack 0 frame 0 has an invalid module_index"),
            ("[[[false,1]]]", "stack 0 frame 0 has an invalid module_index"),
            ("[[[null,1]]]", "stack 0 frame 0 has an invalid module_index"),
            ("[[[1,1]]]", "stack 0 frame 0 has a module_index that isn't in modules"),
            ("[[[-2,1]]]", "stack 0 frame 0 has a module_index that isn't in modules"),
            ("[[[18446744073709551615,1]]]", "stack 0 frame 0 has a module_index that isn't in modules"),
            ("[[[0,1],[0,-2]]]", "stack 0 frame 1 has an invalid module_offset"),
            ("[[],[[0,true]]]", "stack 1 frame 0 has an invalid module_offset"),
            ("[[[0,1.5]]]", "stack 0 frame 0 has an invalid module_offset"),
            (#"[[[0,"0x1"]]]"#, "stack 0 frame 0 has an invalid module_offset"),
            ("[[[0,null]]]", "stack 0 frame 0 has an invalid module_offset"),
        ].map { (job($0), "job 0 has invalid stacks: " + $1) }

    private static func job(_ stacks: String) -> String { #"{"memoryMap":[\#(module)],"stacks":\#(stacks)}"# }

    @Test(arguments: refused)
    func `what a request lacks is its title`(body: String, title: String) {
        let response = Service.over([]).post("/symbolicate/v5", body)
        #expect(response.status == 400)
        #expect(response.title == title)
        #expect(response.json?["error"]?.string == title)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Access-Control-Allow-Origin") == "*")
    }

    @Test func `version 4 makes the same checks of its one job`() {
        let service = Service.over([])
        #expect(service.post("/symbolicate/v4", #"{"memoryMap":[],"stacks":[]}"#).title == "job 0 has invalid stacks: no stacks specified")
        // A list of jobs is version 5's.
        #expect(service.post("/symbolicate/v4", #"{"jobs":[]}"#).title == "job 0 is invalid: no stacks specified")
    }

    /// Beside Eliot's checks, which cap jobs alone.
    @Test func `a request has no more frames, modules, stacks and bytes than the limits allow`() {
        var limits = Limits()
        limits.requestedFrames = 3
        limits.requestedModules = 1
        limits.threads = 2
        limits.responseBytes = 100
        let service = Service.over([], limits: limits) { $0.maxBodyBytes = 300 }
        func title(_ body: String) -> String? { service.post("/symbolicate/v5", body).title }
        #expect(
            title(Self.job("[[[0,1],[0,1]],[[0,1],[0,1]]]"))?.hasSuffix("please limit number of frames in a single request to <= 3") == true
        )
        // All jobs share them.
        let jobs = #"{"jobs":[\#(Self.job("[[[0,1],[0,1]]]")),\#(Self.job("[[[0,1],[0,1]]]"))]}"#
        #expect(title(jobs)?.hasPrefix("job 1 has invalid stacks: please limit") == true)
        #expect(title(#"{"memoryMap":[\#(Self.module),\#(Self.module)],"stacks":[[]]}"#)?.hasSuffix("modules to <= 1") == true)
        #expect(title(Self.job("[[],[],[]]"))?.hasSuffix("stacks to <= 2") == true)
        #expect(service.post("/symbolicate/v5", Self.job("[[[0,1],[0,1],[0,1]]]")).status == 413)
        #expect(service.post("/symbolicate/v5", Self.job("[[]]")).status == 200)
        #expect(service.post("/symbolicate/v5", Self.job("[[]]") + String(repeating: " ", count: 300)).status == 413)
    }

    @Test func `as many jobs as the cap have results, and one more is refused`() {
        let maxJobs = Limits.standard.requestedJobs
        let service = Service.over([])
        func body(_ count: Int) -> String { #"{"jobs":["# + Array(repeating: Self.job("[[]]"), count: count).joined(separator: ",") + "]}" }
        #expect(service.post("/symbolicate/v5", body(maxJobs)).json?["results"]?.elements.count == maxJobs)
        let refused = service.post("/symbolicate/v5", body(maxJobs + 1))
        #expect(refused.title == "please limit number of jobs in a single request to <= \(maxJobs)")
    }
}
