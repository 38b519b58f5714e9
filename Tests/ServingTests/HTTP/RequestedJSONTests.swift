import Serving
import Testing

/// JSON that the service accepts: RFC 8259, and no more. (Python's `json.loads`, which Eliot uses,
/// accepts `NaN` besides.)
struct RequestedJSONTests {
    private static func title(_ body: [UInt8]) -> String? {
        Service.over([]).respond(to: Request("POST", "/symbolicate/v5", body: body)).title
    }

    @Test(arguments: [
        #"{"jobs":[],}"#, #"{"jobs":[{},]}"#, #"{"jobs":[,]}"#, #"{"jobs":[],"a":01}"#, #"{"jobs":[],"a":1.}"#, #"{"jobs":[],"a":.5}"#,
        #"{"jobs":[],"a":+1}"#, #"{"jobs":[],"a":1e}"#, #"{"jobs":[],"a":1-2}"#, #"{"jobs":[],"a":-}"#, #"{"jobs":[],"a":1.2.3}"#,
        #"{"jobs":[],"a":NaN}"#, #"{"jobs":[],"a":tru}"#, #"{"jobs":[],"a":word}"#, #"{"jobs":[],"a":'b'}"#, #"{jobs:[]}"#,
        "{\"jobs\":[],\"a\":\"b\nc\"}", "{\"jobs\":[],\"a\":\"b\u{1}\"}", #"{"jobs":[],"a":"\x"}"#, #"{"jobs":[]} x"#, #"{"jobs":[]}{}"#,
        "{\"jobs\":[]\u{a0}}", "// a\n{\"jobs\":[]}", "", " ", "{",
    ])
    func `what is no JSON is refused`(text: String) { #expect(Self.title(Array(text.utf8)) == "Payload is not valid JSON") }

    @Test func `bytes that are no UTF-8 are refused`() {
        #expect(Self.title(Array("{\"jobs\":[],\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)) == "Payload is not valid JSON")
    }

    @Test(arguments: [
        #"{"jobs":[]}"#, " \t\r\n{ \"jobs\" : [ ] } \r\n", #"{"jobs":[],"a":[0,-0,-0.5e+3,1E2,10,1.25,true,false,null,"",{},[]]}"#,
        #"{"jobs":[],"a":"\"\\\/\b\f\n\r\t\u00e9 ,] é"}"#,
    ])
    func `what is JSON is taken`(text: String) { #expect(Self.title(Array(text.utf8)) == nil) }
}
