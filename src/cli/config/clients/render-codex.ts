import type { RenderClient } from './client-setup.ts'

/** The provider of OpenAI Codex whose token a helper prints, as TOML. A JSON string is a TOML basic string. */
export const renderCodex: RenderClient = ({ command, args, name, baseUrl, timeoutSec, intervalSec }) => ({
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
