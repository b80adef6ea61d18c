import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { quoteForShell } from '../../../../src/runtime/text/quote.ts'
import { fails } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { runHere } from '../../run-here.ts'

const init = ['config', 'init', '--helper', 'workload-token', '--arg=--workspace=a b', '--client']
const ofAws = ['--helper', 'aws-bedrock-token', '--arg=--service=aws-external-vendor']
const gateway = ['--base-url', 'https://gateway.example/v1']
const path = ['--command', '/opt/gate pass/token']
const windows = ['--command-windows', 'C:\\Program Files\\Gatepass\\token.exe']

/** Warnings about what the helper is not given, and the last steps, are the same for every client. */
async function initFor(client: string, ...more: string[]) {
  const { status, stdout, stderr } = await runHere([...init, client, ...more])
  const told = stderr.split('\n').filter((line) => line.includes('check it:'))
  return { status, stdout, told }
}

test('Codex gets a provider in TOML, with its own names for the times', async () => {
  expect(await initFor('codex', ...gateway, ...path, '--name', 'acme', '--ttl', '600')).toEqual({
    status: 0,
    stdout: `model_provider = "acme"

[model_providers.acme]
name = "acme"
base_url = "https://gateway.example/v1"
wire_api = "responses"

[model_providers.acme.auth]
command = "/opt/gate pass/token"
args = ["--workspace=a b", "--format", "token", "--client-ttl", "600"]
timeout_ms = 60000
refresh_interval_ms = 600000
`,
    told: [
      `gatepass: check it: gatepass check-helper --client codex '/opt/gate pass/token' '--workspace=a b' --format token --client-ttl 600`,
    ],
  })
})

test.each([
  [path, `'/opt/gate pass/token' '--workspace=a b' --format token --client-ttl 300`],
  [windows, `"C:\\Program Files\\Gatepass\\token.exe" "--workspace=a b" --format token --client-ttl 300`],
  [
    [...path, '--arg=--suspect-after=2'],
    `exec '/opt/gate pass/token' '--workspace=a b' --suspect-after=2 --format token --client-ttl 300`,
  ],
])('a coding agent gets settings in JSON whose line its shell splits: %j', async (place, apiKeyHelper) => {
  const { status, stdout } = await initFor('api-key-helper', ...gateway, ...place)
  const env = { VENDOR_BASE_URL: 'https://gateway.example/v1', VENDOR_CODE_API_KEY_HELPER_TTL_MS: '300000' }
  expect({ status, settings: JSON.parse(stdout) }).toEqual({ status: 0, settings: { apiKeyHelper, env } })
})

test.each([
  [path, `'/opt/gate pass/token' '--workspace=a b' --service=aws-external-vendor --format credential-process`],
  [
    windows,
    `"C:\\Program Files\\Gatepass\\token.exe" "--workspace=a b" "--service=aws-external-vendor" --format credential-process`,
  ],
])('AWS tools get a profile: %j', async (place, line) => {
  const { status, stdout } = await initFor('aws', ...ofAws, ...place)
  expect({ status, stdout }).toEqual({ status: 0, stdout: `[profile gatepass]\ncredential_process = ${line}\n` })
})

test.each([
  [path, `"!'/opt/gate pass/token' '--workspace=a b' --format git --for-host gateway.example"`],
  [windows, `"!'C:/Program Files/Gatepass/token.exe' '--workspace=a b' --format git --for-host gateway.example"`],
])('Git gets the helper for one address, and no other helper beside it: %j', async (place, line) => {
  const { status, stdout } = await initFor('git', ...gateway, ...place)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `[credential "https://gateway.example/v1"]\n\thelper =\n\thelper = ${line}\n`,
  })
})

test('Bazel gets a line for one host, and a script that passes the arguments on', async () => {
  const wrapper = join(await temporaryDirectory(), 'for bazel')
  const outcome = await initFor('bazel', ...gateway, ...path, '--wrapper', wrapper)
  const script = { text: await readFile(wrapper, 'utf8'), mode: (await stat(wrapper)).mode & 0o777 }
  expect({ ...outcome, script }).toEqual({
    status: 0,
    stdout: `common "--credential_helper=gateway.example=${wrapper}"
common --credential_helper_timeout=60s
common --credential_helper_cache_duration=1800s
`,
    told: [
      `gatepass: check it: gatepass check-helper --client bazel --base-url https://gateway.example/v1 '${wrapper}'`,
    ],
    script: {
      text: `#!/bin/sh\nexec '/opt/gate pass/token' '--workspace=a b' --format bazel --for-host gateway.example "$@"\n`,
      mode: 0o755,
    },
  })
})

test('a script that is there already is not replaced', async () => {
  const wrapper = join(await temporaryDirectory(), 'for bazel')
  await writeFile(wrapper, '')
  const { stderr, ...refused } = await runHere([...init, 'bazel', ...gateway, ...path, '--wrapper', wrapper])
  expect({ ...refused, stderr: stderr.split('\n').slice(-3) }).toEqual({
    status: 5,
    stdout: '',
    stderr: [
      `gatepass: ${wrapper} exists already`,
      'gatepass: hint: name another file with --wrapper, or pass --force to replace it',
      '',
    ],
  })
})

const own = "'/opt/gate pass/token' '--workspace=a b'"
const ownWindows = '"C:\\Program Files\\Gatepass\\token.exe" "--workspace=a b"'

test.each<[client: string, more: readonly string[], configuration: object]>([
  [
    'goose',
    ['--name', 'acme'],
    {
      name: 'acme',
      engine: 'openai',
      display_name: 'acme',
      base_url: 'https://gateway.example/v1',
      models: [],
      requires_auth: true,
      auth: {
        command: '/opt/gate pass/token',
        args: ['--workspace=a b', '--format', 'token', '--client-ttl', '3600'],
        refresh_interval: 3600,
        timeout_seconds: 60,
      },
    },
  ],
  [
    'crush',
    [],
    {
      providers: {
        gatepass: {
          type: 'openai-compat',
          base_url: 'https://gateway.example/v1',
          api_key: `$(${own} --format token)`,
        },
      },
    },
  ],
  [
    'pi',
    [],
    {
      providers: {
        gatepass: {
          baseUrl: 'https://gateway.example/v1',
          api: 'openai-completions',
          apiKey: `!${own} --format token --client-timeout 10`,
          models: [],
        },
      },
    },
  ],
  [
    'headers-helper',
    ['--name', 'tools', '--arg=--header=X-Team: a'],
    {
      mcpServers: {
        tools: {
          type: 'http',
          url: 'https://gateway.example/v1',
          headersHelper: `${own} '--header=X-Team: a' --format headers-json --client-timeout 10`,
        },
      },
    },
  ],
  [
    'proxy-auth-helper',
    [],
    {
      proxyAuthHelper: `${own} --format proxy-authorization --client-ttl 300`,
      env: {
        HTTPS_PROXY: 'https://gateway.example/v1',
        VENDOR_CODE_ENABLE_PROXY_AUTH_HELPER: '1',
        VENDOR_CODE_PROXY_AUTH_HELPER_TTL_MS: '300000',
      },
    },
  ],
])('%s gets its settings in JSON', async (client, more, configuration) => {
  const { status, stdout } = await initFor(client, ...gateway, ...path, ...more)
  expect({ status, configuration: JSON.parse(stdout) }).toEqual({ status: 0, configuration })
})

test('Codex gets the option for clients that ask again only after a refusal', async () => {
  const { stdout } = await initFor('codex', ...gateway, ...path, '--ttl', '0')
  expect(stdout).toBe(
    [
      'model_provider = "gatepass"',
      '',
      '[model_providers.gatepass]',
      'name = "gatepass"',
      'base_url = "https://gateway.example/v1"',
      'wire_api = "responses"',
      '',
      '[model_providers.gatepass.auth]',
      'command = "/opt/gate pass/token"',
      'args = ["--workspace=a b", "--format", "token", "--client-ttl", "300", "--suspect-repetition"]',
      'timeout_ms = 60000',
      'refresh_interval_ms = 0',
      '',
    ].join('\n'),
  )
})

test('Goose gets the option for clients that ask again only after a refusal', async () => {
  const { auth } = JSON.parse((await initFor('goose', ...gateway, ...path, '--ttl', '0')).stdout)
  expect(auth).toEqual({
    command: '/opt/gate pass/token',
    timeout_seconds: 60,
    args: ['--workspace=a b', '--format', 'token', '--client-ttl', '300', '--suspect-repetition'],
    refresh_interval: 0,
  })
})

test('a coding agent gets the line for the keys of an AWS identity', async () => {
  const { status, stdout } = await initFor('aws-credential-export', ...ofAws, ...path)
  expect({ status, settings: JSON.parse(stdout) }).toEqual({
    status: 0,
    settings: {
      awsCredentialExport: `${own} --service=aws-external-vendor --format sts-credentials`,
    },
  })
})

test.each([
  [
    path,
    `export COPILOT_PROVIDER_BASE_URL=https://gateway.example/v1\nexport COPILOT_PROVIDER_API_KEY_COMMAND=${quoteForShell([`${own} --format token --client-ttl 1`])}\n`,
    own,
  ],
  [
    windows,
    `$env:COPILOT_PROVIDER_BASE_URL = 'https://gateway.example/v1'\n$env:COPILOT_PROVIDER_API_KEY_COMMAND = '${ownWindows} --format token --client-ttl 1'\n`,
    ownWindows,
  ],
  [
    [...path, '--arg=--suspect-after=2'],
    `export COPILOT_PROVIDER_BASE_URL=https://gateway.example/v1\nexport COPILOT_PROVIDER_API_KEY_COMMAND=${quoteForShell([`exec ${own} --suspect-after=2 --format token --client-ttl 1`])}\n`,
    `${own} --suspect-after=2`,
  ],
])('the Copilot CLI gets variables for the shell: %j', async (place, stdout, checked) => {
  expect(await initFor('copilot', ...gateway, ...place)).toEqual({
    status: 0,
    stdout,
    told: [`gatepass: check it: gatepass check-helper --client copilot ${checked} --format token --client-ttl 1`],
  })
})

const line = (more: string) => `${own} --format ${more}`

test('Codex gets an MCP server in TOML', async () => {
  expect((await initFor('codex-mcp', ...gateway, ...path, '--name', 'tools')).stdout).toBe(
    `[mcp_servers.tools]\nurl = "https://gateway.example/v1"\nhttp_headers_helper = "${line('headers-json --client-timeout 10')}"\n`,
  )
})

test('Hermes gets a provider in YAML', async () => {
  expect(parse((await initFor('hermes', ...gateway, ...path)).stdout)).toEqual({
    providers: {
      gatepass: {
        base_url: 'https://gateway.example/v1',
        api_mode: 'chat_completions',
        key_cmd: line('access-token-json --client-timeout 15'),
      },
    },
  })
})

test.each<
  [client: string, more: readonly string[], use: string, configuration: (wrapper: string) => object, args: string]
>([
  [
    'desktop-mcp',
    ['--name', 'tools'],
    'desktop-mcp-tools',
    (headersHelper) => ({
      managedMcpServers: [
        {
          name: 'tools',
          url: 'https://gateway.example/v1',
          transport: 'http',
          headersHelper,
          headersHelperTtlSec: 300,
        },
      ],
    }),
    '--client-ttl 300',
  ],
  [
    'desktop-otlp',
    [],
    'desktop-otlp',
    (otlpHeadersHelper) => ({ otlpEndpoint: 'https://gateway.example/v1', otlpHeadersHelper }),
    '--client-ttl 300',
  ],
  [
    'desktop-bootstrap',
    [],
    'desktop-bootstrap',
    (bootstrapHeadersHelper) => ({ bootstrapUrl: 'https://gateway.example/v1', bootstrapHeadersHelper }),
    '',
  ],
  [
    'otel-headers-helper',
    [],
    'otel-headers-helper',
    (otelHeadersHelper) => ({
      otelHeadersHelper,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://gateway.example/v1',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        VENDOR_CODE_OTEL_HEADERS_HELPER_DEBOUNCE_MS: '1740000',
      },
    }),
    '--client-ttl 1740 --client-timeout 30',
  ],
])('%s, which passes no arguments, gets a script beside the helper', async (client, more, use, configuration, args) => {
  const directory = await temporaryDirectory()
  const wrapper = join(directory, `workload-token-${use}`)
  const { status, stdout, told } = await initFor(client, ...gateway, '--command', join(directory, 'token'), ...more)
  const words = [quoteForShell([join(directory, 'token')]), "'--workspace=a b'", '--format headers-json', args].filter(
    Boolean,
  )
  expect({ status, configuration: JSON.parse(stdout), told, script: await readFile(wrapper, 'utf8') }).toEqual({
    status: 0,
    configuration: configuration(wrapper),
    told: [`gatepass: check it: gatepass check-helper --client ${client} ${quoteForShell([wrapper])}`],
    script: `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`,
  })
})

test.each<[more: string[], message: string, hint: string]>([
  [['git', '--ttl', '60'], '--ttl does not go with Git', 'remove it'],
  [
    ['api-key-helper', ...gateway, '--ttl', '0'],
    '--ttl 0 means nothing to a coding agent with apiKeyHelper',
    'pass a whole number of seconds above 0',
  ],
  [['desktop', '--ttl', '0'], '--ttl 0 means nothing to the desktop client', 'pass a whole number of seconds above 0'],
  [['aws', ...gateway], '--base-url does not go with AWS tools', 'remove it'],
  [['codex', '--wrapper', '/x'], '--wrapper does not go with OpenAI Codex', 'remove it'],
  [['git', '--name', 'x'], '--name does not go with Git', 'remove it'],
  [['kubernetes', '--kind', 'static'], '--kind does not go with kubectl', 'remove it'],
  [
    ['codex', '--api-key-file', 'x'],
    '--api-key-file does not go with the kind helper-script',
    'remove it, or pass --kind static',
  ],
  [
    ['desktop', '--name', 'x'],
    '--name does not go with a document',
    'remove it, or pass --client; see: gatepass config init --help',
  ],
  [
    ['codex', ...gateway, ...path, ...windows],
    'a configuration of this client is for one system',
    'pass --command or --command-windows, and run the command once more for the other',
  ],
  [
    ['codex', ...gateway, '--command', 'token'],
    "the helper's path: it is not an absolute path on macOS and Linux; write the full path, such as /usr/local/bin/…",
    'pass the full path',
  ],
  [
    ['aws', ...path],
    'the format for AWS tools holds AWS credentials, and workload-token has none',
    'pass --helper with one of aws-bedrock-token, aws-caller-identity, aws-identity-token, aws-secret',
  ],
  [
    ['aws', ...ofAws, '--name', 'default'],
    'the helper would take its credentials from the profile default, which would run the helper again',
    'choose another --name, or name the profile of the person with --arg=--profile=NAME',
  ],
  [
    ['aws', ...ofAws, '--name', 'dev', '--arg=--profile=dev'],
    'the helper would take its credentials from the profile dev, which would run the helper again',
    'choose another --name, or name the profile of the person with --arg=--profile=NAME',
  ],
])('%j is refused, and nothing is written', async (more, message, hint) => {
  const { status, stdout, stderr } = await runHere([...init, ...more])
  expect({ status, stdout, stderr }).toEqual(fails('gatepass', 2, message, hint))
})

const unset = `gatepass: warning: workload-token gets no token until base-url, organization, federation-rule, identity are set
gatepass: hint: pass each, such as --arg=--identity=…, or set them in the helper's file on each machine; see: workload-token --help
`

test.each<[more: string[], message: string, hint: string]>([
  [
    ['codex', ...gateway, '--name', 'a.b'],
    '--name has another character than letters, digits, - and _',
    'choose another name',
  ],
  [
    ['codex', ...gateway, '--arg=--format=json'],
    'OpenAI Codex decides the --format of the helper',
    'remove it from --arg',
  ],
  [
    ['codex', ...gateway, '--arg=--identity-fil=x'],
    'unknown option --identity-fil (did you mean --identity?)',
    'see: workload-token --help',
  ],
  [
    ['kubernetes', ...gateway, '--arg=--header=X-Team: a'],
    'kubectl sends no headers of a helper',
    'remove --header from --arg',
  ],
  [
    ['codex', ...gateway, ...windows, '--arg=%x%'],
    'a path or an argument has a control character, a quote or a percent sign',
    "set that option in the helper's file instead",
  ],
  [['bazel', ...gateway, '--wrapper', 'x'], '--wrapper is not an absolute path', 'pass the full path of the script'],
  [
    ['desktop-mcp', ...gateway, '--arg=--header=Mcp-Session-Id: a'],
    'the desktop client for MCP servers sets the header Mcp-Session-Id itself',
    'remove it from --arg',
  ],
])('%j is refused behind a warning, and nothing is written', async (more, message, hint) => {
  const { status, stdout, stderr } = await runHere([...init, ...more])
  const refusal = fails('gatepass', 2, message, hint)
  expect({ status, stdout, stderr }).toEqual({ ...refusal, stderr: `${unset}${refusal.stderr}` })
})
