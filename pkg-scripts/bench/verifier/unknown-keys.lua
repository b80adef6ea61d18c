-- Sends a token with another key id each time: a header, then the claims of the argument, and no signature that holds.
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
local claims
local count = 0

local function encode(text)
  return (text:gsub("...", function(three)
    local a, b, c = three:byte(1, 3)
    local bits = a * 65536 + b * 256 + c
    local out = ""
    for shift = 3, 0, -1 do
      local six = math.floor(bits / 64 ^ shift) % 64
      out = out .. alphabet:sub(six + 1, six + 1)
    end
    return out
  end))
end

function init(args)
  claims = args[1]
end

function request()
  count = count + 1
  -- As long as a multiple of three, so that nothing is left over.
  local header = string.format('{"alg":"ES256","kid":"k%09d"}', count)
  header = header .. string.rep(" ", (3 - #header % 3) % 3)
  local token = encode(header) .. "." .. claims .. "." .. string.rep("A", 86)
  return wrk.format("GET", wrk.path, { ["authorization"] = "Bearer " .. token })
end
