-- Sends the tokens of a file, one after another.
local requests = {}
local at = 0

function init(args)
  for token in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", "/v1/messages", { ["authorization"] = "Bearer " .. token })
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
