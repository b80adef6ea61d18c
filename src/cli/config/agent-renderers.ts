// Holds the renderers of the clients that are agents, for the table in `client-renderers.ts`.

import { stringify } from 'yaml'
import { otelHeadersIntervalVariable, proxyAuthIntervalVariable } from '../../contract/clients/agent-settings.ts'
import type { ClientName } from '../../contract/clients.ts'
import { quoteForPowerShell, quoteForShell } from '../../runtime/text/quote.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'
import { type ClientSetup, quoteCommand, quotePosixCommand, type RenderClient } from './client-setup.ts'

/** The renderers of agents and of the desktop client, by the client's name. */
export const agentRenderers = {
  /** Renders an MCP server of the desktop client, for its managed configuration. */
  'desktop-mcp': ({ name, baseUrl, wrapper, intervalSec }) => ({
    text: renderJson({
      managedMcpServers: [
        { name, url: baseUrl, transport: 'http', headersHelper: wrapper, headersHelperTtlSec: intervalSec },
      ],
    }),
    next: [managedStep],
  }),
  'desktop-otlp': ({ baseUrl, wrapper }) => ({
    text: renderJson({ otlpEndpoint: baseUrl, otlpHeadersHelper: wrapper }),
    next: [managedStep],
  }),
  /** Renders the server of the desktop client's configuration. */
  'desktop-bootstrap': ({ baseUrl, wrapper }) => ({
    text: renderJson({ bootstrapUrl: baseUrl, bootstrapHeadersHelper: wrapper }),
    next: [managedStep],
  }),
  /** Renders the provider of OpenAI Codex whose token a helper prints, as TOML. A JSON string is a TOML basic string. */
  codex: ({ command, args, name, baseUrl, timeoutSec, intervalSec }) => ({
    text: `model_provider = ${JSON.stringify(name)}

[model_providers.${name}]
name = ${JSON.stringify(name)}
base_url = ${JSON.stringify(baseUrl)}
wire_api = "responses"

[model_providers.${name}.auth]
command = ${JSON.stringify(command)}
args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]
timeout_ms = ${timeoutSec * 1000}
refresh_interval_ms = ${intervalSec * 1000}
`,
    next: [
      'put this into ~/.codex/config.toml, model_provider before its first table, and name a model of the gateway there',
    ],
  }),
  /** Renders an MCP server of OpenAI Codex, as TOML. A JSON string is a TOML basic string. */
  'codex-mcp': (setup) => ({
    text: `[mcp_servers.${setup.name}]
url = ${JSON.stringify(setup.baseUrl)}
http_headers_helper = ${JSON.stringify(quoteCommand(setup))}
`,
    next: ['append this to ~/.codex/config.toml'],
  }),
  /** Renders the variables of the Copilot CLI, as lines for the person's shell. */
  copilot: (setup) => {
    const variables = {
      COPILOT_PROVIDER_BASE_URL: setup.baseUrl,
      COPILOT_PROVIDER_API_KEY_COMMAND: renderLine(setup),
    }
    const isWindows = setup.system === 'windows'
    const lines = Object.entries(variables).map(([name, value]) =>
      isWindows ? `$env:${name} = ${quoteForPowerShell(value)}\n` : `export ${name}=${quoteForShell([value])}\n`,
    )
    return {
      text: lines.join(''),
      next: [
        `put these lines into the profile of ${isWindows ? 'PowerShell' : 'your shell'}, and name a model of the gateway in COPILOT_MODEL`,
        'unset COPILOT_PROVIDER_API_KEY and COPILOT_PROVIDER_BEARER_TOKEN, which may be used instead',
      ],
    }
  },
  /** Renders a custom provider of Goose, as JSON. */
  goose: ({ name, baseUrl, command, args, timeoutSec, intervalSec }) => ({
    text: renderJson({
      name,
      engine: 'openai',
      display_name: name,
      base_url: baseUrl,
      models: [],
      requires_auth: true,
      auth: { command, args, refresh_interval: intervalSec, timeout_seconds: timeoutSec },
    }),
    next: [
      `save this as ${name}.json in the folder of Goose's custom providers, and name the models of the gateway in "models"`,
      'end base_url with the path to which Goose sends chats, such as /v1/chat/completions',
    ],
  }),
  /** Renders a provider of Hermes, as YAML. */
  hermes: (setup) => ({
    text: stringify(
      {
        providers: {
          [setup.name]: { base_url: setup.baseUrl, api_mode: 'chat_completions', key_cmd: renderLine(setup) },
        },
      },
      { lineWidth: 0 },
    ),
    next: [
      'merge this into the config.yaml of Hermes, and name a model of the gateway there',
      'name every variable with a credential that the helper reads in key_cmd_env, because Hermes takes others out of its environment',
    ],
  }),
  /** Renders a provider of Crush, as JSON. The line is for a POSIX shell, also on Windows. */
  crush: (setup) => ({
    text: renderJson({
      providers: {
        [setup.name]: { type: 'openai-compat', base_url: setup.baseUrl, api_key: `$(${quotePosixCommand(setup)})` },
      },
    }),
    next: ['merge this into crush.json'],
  }),
  /** Renders a provider of pi, which runs the program after `!` to get its key. */
  pi: (setup) => ({
    text: renderJson({
      providers: {
        [setup.name]: {
          baseUrl: setup.baseUrl,
          api: 'openai-completions',
          apiKey: `!${renderLine(setup)}`,
          models: [],
        },
      },
    }),
    next: [
      'merge this into ~/.pi/agent/models.json, and name the models of the gateway in "models", such as {"id": "NAME"}',
      'start pi anew when a token has ended: it keeps one until it ends',
    ],
  }),
  /** Renders the settings of a coding agent with `apiKeyHelper`, as JSON. */
  'api-key-helper': (setup) => {
    const settings = {
      apiKeyHelper: renderLine(setup),
      env: { [vendor.baseUrlVariable]: setup.baseUrl, [vendor.keyHelperTtlVariable]: String(setup.intervalSec * 1000) },
    }
    return {
      text: renderJson(settings),
      next: [mergeStep, `unset ${vendor.apiKeyVariable}, which would be used instead`],
    }
  },
  /** Renders an MCP server in the settings of a coding agent, as JSON. */
  'headers-helper': (setup) => ({
    text: renderJson({
      mcpServers: { [setup.name]: { type: 'http', url: setup.baseUrl, headersHelper: renderLine(setup) } },
    }),
    next: ['merge this into the .mcp.json of the project, or into the settings of the agent'],
  }),
  /** Renders the settings of a coding agent for the headers of its telemetry. */
  'otel-headers-helper': ({ wrapper, baseUrl, intervalSec }) =>
    renderSettings(
      { otelHeadersHelper: wrapper },
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        [otelHeadersIntervalVariable]: String(intervalSec * 1000),
      },
    ),
  /** Renders the settings of a coding agent behind a proxy that requires a token; the address is the proxy's. */
  'proxy-auth-helper': (setup) =>
    renderSettings(
      { proxyAuthHelper: renderLine(setup) },
      {
        HTTPS_PROXY: setup.baseUrl,
        [`${vendor.agentPrefix}_ENABLE_PROXY_AUTH_HELPER`]: '1',
        [proxyAuthIntervalVariable]: String(setup.intervalSec * 1000),
      },
    ),
  /** Renders the settings of a coding agent that signs its requests with AWS credentials. */
  'aws-credential-export': (setup) => renderSettings({ awsCredentialExport: renderLine(setup) }),
} as const satisfies Partial<Record<ClientName, RenderClient>>

const mergeStep = 'merge this into the settings of the agent, which its documentation says where to find'
const managedStep = 'add this to the managed configuration of the client, in which arrays and objects are texts of JSON'

function renderSettings(settings: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>) {
  return {
    text: renderJson({ ...settings, env }),
    next: [mergeStep],
  }
}

/**
 * Renders the command as one line for the system's shell. If the helper needs the client's process id, `exec` replaces the shell: bash does so by
 * itself for a single command, dash does not (observed).
 */
function renderLine(setup: Pick<ClientSetup, 'command' | 'args' | 'system'>): string {
  const isProcessNeeded = setup.system === 'posix' && setup.args.some((arg) => arg.startsWith('--suspect-'))
  return `${isProcessNeeded ? 'exec ' : ''}${quoteCommand(setup)}`
}
