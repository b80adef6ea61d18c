import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { usualPorts } from '../../../verify/server/listen-address.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  listAskHeaders,
  luaCompleteness,
  luaExplanations,
  type RecipeFile,
  removedHeaders,
  renderLuaHeaders,
  unavailableMessage,
  unavailableReason,
  unavailableType,
} from './recipe.ts'

/** Renders the configuration of HAProxy, and its Lua script for requests to the verifier. */
export function renderHaproxy(terms: RecipeTerms, { port } = exampleAddress): RecipeFile[] {
  const { names } = terms
  return [
    { path: '/etc/haproxy/gatepass.lua', text: renderScript(renderLuaHeaders(names), listAskHeaders(terms)) },
    { path: '/etc/haproxy/haproxy.cfg', text: renderConfiguration(names.join(' '), port, renderMetadata(terms)) },
  ]
}

/** The listener of HAProxy for its own script, which passes requests on to the verifier. */
const verifierListener = '127.0.0.1:8792'

const renderScript = (
  headers: string,
  asked: ReturnType<typeof listAskHeaders>,
) => `-- Asks the verifier whether a request passes, and takes the headers that name the caller from its answer.
local verifier = 'ipv4@${verifierListener}'

${headers}

${luaExplanations}

local unavailable = '{"type":"error","error":{"type":"${unavailableType}","message":"${unavailableMessage}",'
  .. '"reason":"${unavailableReason}"},"request_id":"%s"}'

-- Lists of header values are numbered from 0 where HAProxy gives them, and from 1 where it takes them.
local function ask(txn, received, requestId)
  local sent = { ['x-request-id'] = { requestId }${asked.map(([name, value]) => `, ['${name}'] = { '${value}' }`).join('')} }
  -- What rules and the audit learn of the request: --request-from x-forwarded.
  sent['x-forwarded-for'] = { txn.sf:src() }
  sent['x-forwarded-host'] = { txn.sf:req_hdr('host') }
  sent['x-forwarded-method'] = { txn.sf:method() }
  sent['x-forwarded-uri'] = { txn.sf:pathq() }
  -- For tokens that are bound to a certificate (--client-cert-header x-client-cert); empty unless the bind line asks for one.
  local certificate = txn.sc:base64(txn.sf:ssl_c_der())
  if certificate ~= '' then sent['x-client-cert'] = { certificate } end
  for _, name in ipairs(credentials) do
    if received[name] then
      sent[name] = {}
      for at, value in pairs(received[name]) do sent[name][at + 1] = value end
    end
  end
  return core.httpclient():get { url = 'http://verifier/', dst = verifier, headers = sent, timeout = 30000 }
end

local function refuse(txn, status, headers, body)
  local reply = txn:reply { status = status }
  for _, name in ipairs(explanations) do
    for _, value in pairs(headers[name] or {}) do reply:add_header(name, value) end
  end
  reply:add_header('content-type', 'application/json')
  reply:set_body(body)
  txn:done(reply)
end

${luaCompleteness}

-- Also removes headers that a program behind may take for one of them, such as X_User or X.User.
local function removeFromRequest(txn, received, names)
  local removed = {}
  for _, name in ipairs(names) do removed[name] = true end
  for name in pairs(received) do
    if removed[name:lower():gsub('[^a-z0-9]', '-')] then txn.http:req_del_header(name) end
  end
end

core.register_action('gatepass', { 'http-req' }, function(txn)
  local received = txn.http:req_get_headers()
  local requestId = txn.f:unique_id()
  local answer = ask(txn, received, requestId) or {}
  local status, headers = answer.status or 0, answer.headers or {}
  if status >= 400 and headers['${refusalHeader}'] then return refuse(txn, status, headers, answer.body) end
  if status ~= 200 or not isComplete(headers) then
    local own = { ['${refusalHeader}'] = { '${unavailableReason}' } }
    return refuse(txn, 503, own, unavailable:format(requestId))
  end
  removeFromRequest(txn, received, identity)
  removeFromRequest(txn, received, credentials)
  removeFromRequest(txn, received, { 'x-request-id', 'x-client-cert' })
  for _, name in ipairs(identity) do txn.http:req_set_header(name, headers[name][0]) end
  txn:set_var('txn.gatepass', 'accepted')
end)
`

function renderMetadata(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `
  # What OAuth and MCP clients read before they have a token.
  http-request return status 200 content-type application/json hdr access-control-allow-origin * string '${metadata.json}' if { path ${metadata.path} }`
}

const renderConfiguration = (names: string, port: string, metadata: string) => `global
  lua-load /etc/haproxy/gatepass.lua
  # A proof of an AWS identity has up to 4 KB, and a JWT may have 16; all headers of a request have to fit.
  tune.bufsize 40960

defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout http-request 10s

frontend gateway
  bind :${port} ssl crt /etc/haproxy/gateway.pem${metadata}
  http-request deny deny_status 400 if { req.hdr(connection) -i ${names} }
  # Behind a tunnel nothing would be asked, and nothing removed.
  http-request deny deny_status 405 if METH_CONNECT
  http-request del-header upgrade
  # The ID for the log of the verifier, refusals of this file and of the script, and the model.
  unique-id-format req_%[uuid()]
  http-request lua.gatepass
  # HAProxy lets a request go on where the script fails: only what it has accepted to its end may.
  http-request return status 503 content-type application/json hdr ${refusalHeader} ${unavailableReason} lf-string '{"type":"error","error":{"type":"${unavailableType}","message":"${unavailableMessage}","reason":"${unavailableReason}"},"request_id":"%[unique-id]"}' unless { var(txn.gatepass) -m str accepted }
${removedHeaders.map((name) => `  http-request del-header ${name}\n`).join('')}  http-request del-header forwarded
  http-request set-header x-forwarded-for %[src]
  http-request set-header x-request-id %[unique-id]
  default_backend model

backend model
  server model model.internal:8080

# What the script asks: it bounds how long that may take, and could share it among several verifiers.
listen verifier
  bind ${verifierListener}
  timeout connect 1s
  timeout queue 1s
  timeout server 20s
  retries 0
  http-response wait-for-body time 2s
  http-response deny deny_status 502 if { res.body_size gt 16384 }
  server verifier 127.0.0.1:${usualPorts.verifier} maxconn 200
`
