import TestSupport
import Testing

@testable import ServeCommand

struct ConfigFileTests {
    private func expanded(_ text: String, _ more: [String] = [], isJoined: Bool = false) throws -> [String] {
        try withTemporaryFolder { folder in
            let path = folder + "/serve.json"
            try writeFile(path, Array(text.utf8))
            return try ConfigFile.expanded((isJoined ? ["--config=\(path)"] : ["--config", path]) + more)
        }
    }

    @Test(arguments: [false, true])
    func `options of the file are in front, so that those of the command line count`(isJoined: Bool) throws {
        let text = #"{"symbols":["/a b","unified+s3://c"],"listen":"0.0.0.0:1","memory":512,"private":true,"hide-reasons":false}"#
        let expected = ["--symbols=/a b", "--symbols=unified+s3://c", "--listen=0.0.0.0:1", "--memory=512", "--private"]
        #expect(try expanded(text, ["--listen", "127.0.0.1:2"], isJoined: isJoined) == expected + ["--listen", "127.0.0.1:2"])
    }

    @Test func `without a file arguments are as they were`() throws {
        #expect(try ConfigFile.expanded(["--symbols", "/a"]) == ["--symbols", "/a"])
    }

    @Test(arguments: [
        ("[1]", "expected an object of JSON"), ("{", "expected an object of JSON"), ("", "expected an object of JSON"),
        (#"{"symbls":"/a"}"#, "symbls: no such option of cairn serve. Did you mean symbols?"),
        (#"{"config":"/a"}"#, "config: no such option of cairn serve"), (#"{"memory":1.5}"#, "memory: expected a string, a whole number"),
        (#"{"listen":null}"#, "listen: expected a string"), (#"{"symbols":[["/a"]]}"#, "symbols: expected a string"),
    ])
    func `what is wrong is said with the file`(text: String, expected: String) {
        #expect(performing: { try expanded(text) }, throws: { "\($0)".contains("/serve.json: ") && "\($0)".contains(expected) })
    }

    @Test func `a file that is not there is told so`() {
        #expect(
            performing: { try ConfigFile.expanded(["--config", "/no/such.json"]) },
            throws: { "\($0)" == "/no/such.json: no such file or directory" })
        #expect(performing: { try ConfigFile.expanded(["--config"]) }, throws: { "\($0)" == "--config: expected a file" })
    }
}
