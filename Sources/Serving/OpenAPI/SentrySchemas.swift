/// The bodies of Symbolicator's protocol, in JSON Schema.
enum SentrySchemas {
    static let all: [(name: String, text: String)] = [
        (
            "Number",
            """
            {"description":"Of 64 bits: as a number, or as a string in hexadecimal or decimal digits.",
             "anyOf":[{"type":"integer","minimum":0,"maximum":18446744073709551615},
                      {"type":"string","pattern":"^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19})$"}]}
            """
        ),
        (
            "SentryRequest",
            """
            {"type":"object",
             "properties":{"signal":{"type":["integer","null"],"minimum":0},
                           "sources":{"description":"Symbols come from the operator’s places alone.","type":"array","maxItems":0},
                           "stacktraces":{"type":"array","items":{"$ref":"#/components/schemas/SentryStack"}},
                           "modules":{"type":"array","maxItems":4096,"items":{"$ref":"#/components/schemas/SentryModule"}},
                           "options":{"$ref":"#/components/schemas/SentryOptions"}}}
            """
        ),
        (
            "SentryOptions",
            """
            {"type":"object","properties":{"dif_candidates":{"type":"boolean"},"frame_order":{"enum":["callee_first","caller_first"]}}}
            """
        ),
        (
            "SentryStack",
            """
            {"type":"object","required":["frames"],
             "properties":{"thread_id":{"type":["integer","null"],"minimum":0},"thread_name":{"type":["string","null"]},
                           "is_requesting":{"type":["boolean","null"]},
                           "registers":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Number"}},
                           "frames":{"type":"array","items":{"$ref":"#/components/schemas/SentryFrame"}}}}
            """
        ),
        (
            "SentryFrame",
            """
            {"type":"object","required":["instruction_addr"],
             "properties":{"instruction_addr":{"$ref":"#/components/schemas/Number"},
                           "addr_mode":{"type":"string","pattern":"^(abs|rel:[0-9]{1,9})$"},
                           "adjust_instruction_addr":{"type":["boolean","null"]},"trust":{"type":["string","null"]},
                           "package":{"type":["string","null"]},"function":{"type":["string","null"]},"symbol":{"type":["string","null"]},
                           "lineno":{"type":["integer","null"],"minimum":0}}}
            """
        ),
        (
            "SentryModule",
            """
            {"type":"object","required":["type"],
             "properties":{"type":{"type":"string"},"code_id":{"type":["string","null"]},"code_file":{"type":["string","null"]},
                           "debug_id":{"type":["string","null"]},"debug_file":{"type":["string","null"]},
                           "image_addr":{"$ref":"#/components/schemas/Number"},"image_size":{"type":["integer","null"],"minimum":0}}}
            """
        ),
        form("MinidumpForm", file: "upload_file_minidump"),
        form("AppleReportForm", file: "apple_crash_report"),
        (
            "SentryResponse",
            """
            {"oneOf":[{"$ref":"#/components/schemas/SentryResult"},
                      {"type":"object","required":["status","message"],
                       "properties":{"status":{"const":"failed"},"message":{"type":"string"}}}]}
            """
        ),
        (
            "SentryResult",
            """
            {"type":"object","required":["status","stacktraces","modules"],
             "properties":{"status":{"const":"completed"},"signal":{"type":"integer"},"timestamp":{"type":"integer"},
                           "system_info":{"type":"object","required":["os_name","os_version","os_build","cpu_arch","device_model"],
                                          "additionalProperties":{"type":"string"}},
                           "crashed":{"type":"boolean"},"crash_reason":{"type":"string"},"crash_details":{"type":"string"},
                           "assertion":{"type":"string"},
                           "stacktraces":{"type":"array","items":{"$ref":"#/components/schemas/SentryResultStack"}},
                           "modules":{"type":"array","items":{"$ref":"#/components/schemas/SentryResultModule"}}}}
            """
        ),
        (
            "SentryResultStack",
            """
            {"type":"object","required":["frames"],
             "properties":{"thread_id":{"type":"integer","minimum":0},"thread_name":{"type":"string"},"is_requesting":{"type":"boolean"},
                           "registers":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Hexadecimal"}},
                           "frames":{"type":"array","items":{"type":"object","required":["status","original_index","instruction_addr"],
                             "properties":{"status":{"enum":["symbolicated","missing_symbol","unknown_image","missing","malformed"]},
                                           "original_index":{"type":"integer","minimum":0},
                                           "instruction_addr":{"$ref":"#/components/schemas/Hexadecimal"},
                                           "lineno":{"type":"integer","minimum":0}}}}}}
            """
        ),
        (
            "SentryResultModule",
            """
            {"type":"object","required":["debug_status","features","arch","type","image_addr"],
             "properties":{"debug_status":{"enum":["found","unused","missing","malformed"]},
                           "unwind_status":{"enum":["found","unused","missing","malformed"]},
                           "features":{"type":"object","required":["has_debug_info","has_unwind_info","has_symbols","has_sources"],
                                       "additionalProperties":{"type":"boolean"}},
                           "arch":{"type":"string"},"type":{"type":"string"},"image_addr":{"$ref":"#/components/schemas/Hexadecimal"},
                           "image_size":{"type":"integer","minimum":0},"candidates":{"type":"array","items":{"type":"object"}}}}
            """
        ),
    ]

    private static func form(_ name: String, file: String) -> (String, String) {
        let text = """
            {"type":"object","required":["\(file)"],
             "properties":{"\(file)":{"type":"string","contentMediaType":"application/octet-stream"},
                           "sources":{"type":"array","maxItems":0},"options":{"$ref":"#/components/schemas/SentryOptions"},
                           "platform":{"type":"string"}}}
            """
        return (name, text)
    }
}
