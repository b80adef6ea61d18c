-- Sends the tokens of a file, one after another; behind a space, a line may have the entity tag that the client holds.
local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local token, etag = line:match("^(%S+) ?(.*)$")
    local headers = { ["authorization"] = "Bearer " .. token }
    if etag ~= "" then headers["if-none-match"] = etag end
    requests[#requests + 1] = wrk.format("GET", wrk.path, headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
