// Folder: `gatepass gateway verifier`, and the configurations of gateways that it makes from a policy.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Argument, type Command } from 'commander'
import { HelperError } from '../../../runtime/failure.ts'
import { readPolicyFile, requirePolicy } from '../../../verify/policy/read-policy-file.ts'
import type { Cli } from '../../cli.ts'
import { createVerifierOptions, type VerifierFlags } from './flags.ts'
import { renderHaproxy } from './haproxy-recipe.ts'
import { renderNginx, renderNginxNjs } from './nginx-recipe.ts'
import { renderAzure, renderEnvoy, renderKong, renderTraefik } from './other-recipes.ts'
import { quoteAll, type RecipeFile, type RecipeHeaders, requireRecipeHeaders } from './recipe.ts'

/** `gatepass gateway verifier`: serves until it is interrupted. */
export function addGatewayVerifier(gateway: Command, cli: Cli): void {
  const command = gateway
    .command('verifier')
    .description('verify tokens for a gateway: nginx auth_request, Envoy ext_authz, Traefik forwardAuth, introspection')
  for (const option of createVerifierOptions()) command.addOption(option)
  command
    .addHelpText(
      'after',
      `
It answers 200 with the headers of the policy, 401, 403 or 503; every path of --listen alike. The policy is read again when it changes, and on SIGHUP; SIGTERM ends it when requests in flight are answered. All of it: docs/gateways/verifier.md`,
    )
    .action(async (flags: VerifierFlags) => {
      const { runVerifier } = await import('./run-verifier.ts') // other commands need no server
      await runVerifier(cli, flags)
    })
  addVerifierRecipe(command, cli)
}

/** Apache with a script of `mod_lua`. */
function renderApache({ names }: RecipeHeaders): RecipeFile[] {
  return [
    { path: '/etc/apache2/gatepass.lua', text: renderScript(quoteAll(names, "'")) },
    { path: '/etc/apache2/sites-available/gateway.conf', text: site },
  ]
}

const renderScript = (
  identity: string,
) => String.raw`-- Asks the verifier whether a request passes, and takes the headers that name the caller from its answer.
local unix = require 'socket.unix'

local verifier = '/run/gatepass/verifier.sock'
local seconds = 20

-- Every header that a rule of the policy sets, and those in which a caller may send a credential.
local identity = { ${identity} }
local credentials = { 'authorization', 'proxy-authorization', 'x-api-key' }

-- Headers of the answer to a refused request.
local explanations = { 'www-authenticate', 'gatepass-refusal', 'gatepass-refusal-detail' }

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
local function listCredentials(r)
  local lines = {}
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

local function refuse(r, status, body)
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
  r.err_headers_out['gatepass-refusal'] = reason
  return refuse(r, status, form:format(kind, message, reason, toRequestId(r)))
end

local function isComplete(headers)
  for _, name in ipairs(identity) do
    if not headers[name] then return false end
  end
  return true
end

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

function gatepass(r)
  if isAboutToRemove(r) then
    return refuseByItself(r, 400, 'invalid_request_error', 'malformed', 'Connection names a header of the gateway')
  end
  local answer = parse(ask(toRequestId(r), listCredentials(r)))
  if answer.status >= 400 and answer.headers['gatepass-refusal'] then
    for _, name in ipairs(explanations) do r.err_headers_out[name] = answer.headers[name] end
    return refuse(r, answer.status, answer.body)
  end
  if answer.status ~= 200 or not isComplete(answer.headers) then
    return refuseByItself(r, 503, 'api_error', 'verifier-unavailable', 'the verifier cannot be asked')
  end
  removeFromRequest(r, identity)
  removeFromRequest(r, credentials)
  removeFromRequest(r, { 'x-request-id' })
  for _, name in ipairs(identity) do r.headers_in[name] = answer.headers[name] end
  r.headers_in['x-request-id'] = toRequestId(r)
  return apache2.OK
end
`

const site = `<VirtualHost *:443>
  ServerName gateway.example
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
    RequestHeader unset Cookie
    RequestHeader unset X-Forwarded-For
    RequestHeader unset Forwarded
  </Location>
</VirtualHost>
`

/** Every gateway for which there is a recipe that asks the verifier and passes headers on. */
export const recipes = {
  nginx: renderNginx,
  'nginx-njs': renderNginxNjs,
  apache: renderApache,
  haproxy: renderHaproxy,
  envoy: renderEnvoy,
  traefik: renderTraefik,
  kong: renderKong,
  'azure-api-management': renderAzure,
} as const satisfies Readonly<Record<string, (headers: RecipeHeaders) => RecipeFile[]>>

/** `gatepass gateway verifier recipe GATEWAY`: its configuration, made from the policy. */
function addVerifierRecipe(verifier: Command, cli: Cli): void {
  verifier
    .command('recipe')
    .description('print the configuration of a gateway that clears and sets every header of the policy (--policy)')
    .addArgument(new Argument('<gateway>', 'the gateway').choices(Object.keys(recipes)))
    .option('--into <directory>', 'write the files below this directory; what is there is kept, and refused')
    .addHelpText(
      'after',
      '\nMake it again whenever a rule sets a header that it did not set before. Adapt the addresses: docs/gateways/',
    )
    .action(async (gateway: keyof typeof recipes, _flags, command: Command) => {
      const { policy: path, into } = command.optsWithGlobals<{ policy: string; into?: string }>()
      const policy = requirePolicy(path, await readPolicyFile(path, 'anybody'))
      const files = recipes[gateway](requireRecipeHeaders(path, policy))
      if (into === undefined) cli.terminal.print(files.map(renderFile).join('\n'))
      else await writeFiles(into, files)
    })
}

function renderFile({ path, text }: RecipeFile): string {
  return `==> ${path} <==\n${text}`
}

/** @throws {HelperError} `refused` for a file that is there, which may have been adapted. */
async function writeFiles(directory: string, files: readonly RecipeFile[]): Promise<void> {
  for (const { path, text } of files) {
    const place = join(directory, path)
    try {
      await mkdir(dirname(place), { recursive: true })
      await writeFile(place, text, { flag: 'wx' })
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException // of the file system alone
      throw new HelperError('refused', `${place} cannot be written (${code})`, 'name an empty directory with --into', {
        cause,
      })
    }
  }
}
