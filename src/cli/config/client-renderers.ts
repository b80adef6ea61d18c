// Holds the table of renderers for the configuration of each client.

import { stringify } from 'yaml'
import type { ClientName } from '../../contract/clients.ts'
import { execCredentialVersion } from '../../contract/exec-credential.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'
import {
  renderAwsCredentialExport,
  renderCodexMcp,
  renderCopilot,
  renderCrush,
  renderDesktopBootstrap,
  renderDesktopMcp,
  renderDesktopOtlp,
  renderGoose,
  renderHeadersHelper,
  renderHermes,
  renderLine,
  renderOtelHeadersHelper,
  renderPi,
  renderProxyAuthHelper,
} from './agent-renderers.ts'
import { mergeStep, quoteCommand, quotePosixCommand, type RenderClient, renderBazel } from './client-setup.ts'

/** Renders the settings of a coding agent with `apiKeyHelper`, as JSON. */
const renderApiKeyHelper: RenderClient = (setup) => {
  const settings = {
    apiKeyHelper: renderLine(setup),
    env: { [vendor.baseUrlVariable]: setup.baseUrl, [vendor.keyHelperTtlVariable]: String(setup.intervalSec * 1000) },
  }
  return {
    text: renderJson(settings),
    next: [mergeStep, `unset ${vendor.apiKeyVariable}, which would be used instead`],
  }
}

/** Renders a profile of the AWS configuration file whose credentials a helper prints. */
const renderAws: RenderClient = (setup) => {
  const { name } = setup
  const section = name === 'default' ? 'default' : `profile ${name}`
  return {
    text: `[${section}]\ncredential_process = ${quoteCommand(setup)}\n`,
    next: [
      'append this to the AWS configuration file (~/.aws/config, or the one that AWS_CONFIG_FILE names)',
      `try it: aws sts get-caller-identity --profile ${name}`,
    ],
  }
}

/** Renders the provider of OpenAI Codex whose token a helper prints, as TOML. A JSON string is a TOML basic string. */
const renderCodex: RenderClient = ({ command, args, name, baseUrl, timeoutSec, intervalSec }) => ({
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
})

/**
 * Renders a section of the Git configuration, for this address alone. The empty helper comes first: it removes the helpers of other files,
 * which Git would otherwise ask to store the token.
 */
const renderGit: RenderClient = (setup) => {
  const address = setup.baseUrl.replace(/\/+$/, '')
  const line = `!${quotePosixCommand(setup)}` // Git for Windows includes such a shell
  return {
    text: `[credential ${quoteForGit(address)}]\n\thelper =\n\thelper = ${quoteForGit(line)}\n`,
    next: [
      'append this to ~/.gitconfig, or to the file that: git config --global --show-origin --list names',
      `try it: printf 'url=${address}\\n\\n' | git credential fill, which shows the token`,
    ],
  }
}

/** Renders a kubeconfig whose user is the helper's, as YAML. */
const renderKubernetes: RenderClient = ({ command, args, name, baseUrl }) => {
  const exec = {
    apiVersion: execCredentialVersion,
    command,
    args,
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `${command} is missing: install Gatepass`,
  }
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: baseUrl } }],
    users: [{ name, user: { exec } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  return {
    text: stringify(document, { lineWidth: 0 }),
    next: [
      'save this and name the file in KUBECONFIG, beside others with the path separator between them',
      "add certificate-authority to the cluster if the server's certificate is signed by an authority of its own",
    ],
  }
}

/** A client other than the one of the configuration document. */
export type OtherClient = Exclude<ClientName, 'desktop'>

/** The renderer of each client's configuration. */
export const renderers: Readonly<Record<OtherClient, RenderClient>> = {
  'desktop-mcp': renderDesktopMcp,
  'desktop-otlp': renderDesktopOtlp,
  'desktop-bootstrap': renderDesktopBootstrap,
  codex: renderCodex,
  'codex-mcp': renderCodexMcp,
  copilot: renderCopilot,
  goose: renderGoose,
  hermes: renderHermes,
  crush: renderCrush,
  pi: renderPi,
  'api-key-helper': renderApiKeyHelper,
  'headers-helper': renderHeadersHelper,
  'otel-headers-helper': renderOtelHeadersHelper,
  'proxy-auth-helper': renderProxyAuthHelper,
  'aws-credential-export': renderAwsCredentialExport,
  kubernetes: renderKubernetes,
  aws: renderAws,
  bazel: renderBazel,
  git: renderGit,
}

/** In a Git configuration file a backslash escapes itself and the quote (git-config(1), "Syntax"). */
function quoteForGit(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
