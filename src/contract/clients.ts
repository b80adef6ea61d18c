import type { HelperClient } from './client.ts'
import {
  apiKeyHelper,
  awsCredentialExport,
  headersHelper,
  otelHeadersHelper,
  proxyAuthHelper,
} from './clients/agent-settings.ts'
import { codex, codexMcp, copilot, crush, goose, hermes, pi } from './clients/agents.ts'
import { desktop, desktopBootstrap, desktopMcp, desktopOtlp } from './clients/desktop.ts'
import { aws, bazel, git, kubernetes } from './clients/tools.ts'

/** Every client that runs helpers, by the name that `--client` takes. */
export const clients = {
  desktop,
  'desktop-mcp': desktopMcp,
  'desktop-otlp': desktopOtlp,
  'desktop-bootstrap': desktopBootstrap,
  codex,
  'codex-mcp': codexMcp,
  copilot,
  goose,
  hermes,
  crush,
  pi,
  'api-key-helper': apiKeyHelper,
  'headers-helper': headersHelper,
  'otel-headers-helper': otelHeadersHelper,
  'proxy-auth-helper': proxyAuthHelper,
  'aws-credential-export': awsCredentialExport,
  kubernetes,
  aws,
  bazel,
  git,
} as const satisfies Record<string, HelperClient>

/** The name of a client of helpers in `--client`. */
export type ClientName = keyof typeof clients

/** The names in the order of questions. */
export const clientNames = Object.keys(clients) as ClientName[] // the keys of a constant
