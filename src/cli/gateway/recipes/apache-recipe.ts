import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { verifierSocket } from '../../../verify/server/listen-address.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  type GatewayAddress,
  listAskHeaders,
  luaCompleteness,
  luaExplanations,
  type RecipeFile,
  removedHeaders,
  renderLuaHeaders,
  toTitleCase,
  unavailableMessage,
  unavailableReason,
  unavailableType,
} from './recipe.ts'

/** Renders the configuration of Apache, and its script of `mod_lua` for requests to the verifier. */
export function renderApache(terms: RecipeTerms, address = exampleAddress): RecipeFile[] {
  const { names } = terms
  return [
    {
      path: '/etc/apache2/gatepass.lua',
      text: renderScript(renderLuaHeaders(names), renderMetadata(terms), listAskHeaders(terms)),
    },
    { path: '/etc/apache2/sites-available/gateway.conf', text: renderSite(address) },
  ]
}

/** Renders Lua for the metadata that clients read before they have a token (RFC 9728). */
function renderMetadata(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `
  -- What OAuth and MCP clients read before they have a token.
  if r.uri == '${metadata.path}' then
    r.err_headers_out['access-control-allow-origin'] = '*'
    return respond(r, 200, '${metadata.json}')
  end`
}

const renderScript = (
  headers: string,
  metadata: string,
  asked: ReturnType<typeof listAskHeaders>,
) => String.raw`-- Asks the verifier whether a request passes, and takes the headers that name the caller from its answer.
local unix = require 'socket.unix'

local verifier = '${verifierSocket}'
local seconds = 20

${headers}

${luaExplanations}

-- HTTP/1.0, so that the end of the answer is the end of the connection. All of it takes at most so many seconds and bytes.
local function ask(requestId, lines)
  local connection = unix()
  connection:settimeout(seconds)
  connection:settimeout(seconds, 't')
  if not connection:connect(verifier) then return nil end
  connection:send('GET / HTTP/1.0\r\nx-request-id: ' .. requestId .. '\r\n' .. table.concat(lines) .. '\r\n')
  local _, problem, answer = connection:receive(65536)
  connection:close()
  return problem == 'closed' and answer or nil
end

-- Apache joins lines of the same name by commas, which no token holds.
local function listLines(r)
  -- What rules and the audit learn of the request: --request-from x-forwarded.
  local lines = {
${asked.map(([name, value]) => String.raw`    '${name}: ${value}\r\n',`).join('\n')}
    'x-forwarded-for: ' .. r.useragent_ip .. '\r\n',
    'x-forwarded-host: ' .. (r.hostname or '') .. '\r\n',
    'x-forwarded-method: ' .. r.method .. '\r\n',
    'x-forwarded-uri: ' .. r.unparsed_uri .. '\r\n',
  }
  -- For tokens that are bound to a certificate (--client-cert-header x-client-cert); empty without SSLVerifyClient.
  local certificate = (r:ssl_var_lookup('SSL_CLIENT_CERT') or ''):gsub('%s+', ' ')
  if certificate ~= '' then lines[#lines + 1] = 'x-client-cert: ' .. certificate .. '\r\n' end
  for _, name in ipairs(credentials) do
    for value in (r.headers_in[name] or ''):gmatch('[^,]+') do lines[#lines + 1] = name .. ': ' .. value .. '\r\n' end
  end
  return lines
end

local function parse(answer)
  local head, body = (answer or ''):match('^(HTTP/1%.%d %d%d%d.-\r\n)\r\n(.*)$')
  if not head then return { status = 0, headers = {} } end
  local headers = {}
  for name, value in head:gmatch('\n([%w-]+):[ \t]*([^\r]*)') do headers[name:lower()] = value end
  return { status = tonumber(head:match(' (%d%d%d)')), headers = headers, body = body }
end

local function respond(r, status, body)
  r.status = status
  r.content_type = 'application/json'
  r:puts(body)
  return apache2.DONE
end

-- The ID that mod_unique_id makes: for the log of the verifier, refusals of this script, and the model.
local function toRequestId(r)
  return 'req_' .. r.subprocess_env['UNIQUE_ID']
end

local function refuseByItself(r, status, kind, reason, message)
  local form = '{"type":"error","error":{"type":"%s","message":"%s","reason":"%s"},"request_id":"%s"}'
  r.err_headers_out['${refusalHeader}'] = reason
  return respond(r, status, form:format(kind, message, reason, toRequestId(r)))
end

${luaCompleteness}

-- Also removes headers that a program behind may take for one of them, such as X_User or X.User.
local function removeFromRequest(r, names)
  local removed = {}
  for _, name in ipairs(names) do removed[name] = true end
  for name in pairs(r:headers_in_table()) do
    if removed[name:lower():gsub('[^a-z0-9]', '-')] then r.headers_in[name] = nil end
  end
end

-- Apache removes headers that ${'`'}Connection${'`'} names from the request that it passes on: also those that are set here.
local function isAboutToRemove(r)
  local named = (r.headers_in['connection'] or ''):lower()
  for _, name in ipairs(identity) do
    if named:find(name, 1, true) then return true end
  end
  return false
end

function gatepass(r)${metadata}
  if isAboutToRemove(r) then
    return refuseByItself(r, 400, 'invalid_request_error', 'malformed', 'Connection names a header of the gateway')
  end
  local answer = parse(ask(toRequestId(r), listLines(r)))
  if answer.status >= 400 and answer.headers['${refusalHeader}'] then
    for _, name in ipairs(explanations) do r.err_headers_out[name] = answer.headers[name] end
    return respond(r, answer.status, answer.body)
  end
  if answer.status ~= 200 or not isComplete(answer.headers) then
    return refuseByItself(r, 503, '${unavailableType}', '${unavailableReason}', '${unavailableMessage}')
  end
  removeFromRequest(r, identity)
  removeFromRequest(r, credentials)
  removeFromRequest(r, { 'x-request-id', 'x-client-cert' })
  for _, name in ipairs(identity) do r.headers_in[name] = answer.headers[name] end
  r.headers_in['x-request-id'] = toRequestId(r)
  return apache2.OK
end
`

const renderSite = ({
  host,
  port,
}: GatewayAddress) => `${port === '443' ? '' : `Listen ${port}\n`}<VirtualHost *:${port}>
  ServerName ${host}
  SSLEngine on
  SSLCertificateFile /etc/apache2/gateway.pem
  SSLCertificateKeyFile /etc/apache2/gateway.key

  # A proof of an AWS identity has up to 4 KB, and a JWT may have 16; without this line Apache takes 8.
  LimitRequestFieldSize 20480
  TraceEnable off

  ProxyPass "/" "http://model.internal:8080/" timeout=600
  LuaScope thread

  # All paths: whatever is left out, or decoded in another way by the model, would not be asked about.
  <Location "/">
    LuaHookAccessChecker /etc/apache2/gatepass.lua gatepass
${removedHeaders.map((name) => `    RequestHeader unset ${toTitleCase(name)}\n`).join('')}    RequestHeader unset X-Forwarded-For
    RequestHeader unset Forwarded
  </Location>
</VirtualHost>
`
