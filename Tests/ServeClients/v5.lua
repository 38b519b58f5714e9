-- wrk's script: sends the bodies that the file CAIRN_BENCH_BODIES lists, in turn, and prints figures as JSON at the end.
local bodies, at = {}, 0
function init()
   for path in io.lines(os.getenv("CAIRN_BENCH_BODIES")) do
      local file = assert(io.open(path, "rb"))
      bodies[#bodies + 1] = wrk.format("POST", "/symbolicate/v5", { ["Content-Type"] = "application/json" }, file:read("*a"))
      file:close()
   end
end
function request()
   at = at % #bodies + 1
   return bodies[at]
end
function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
