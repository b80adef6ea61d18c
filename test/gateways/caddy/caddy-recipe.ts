import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecipeTerms } from '../../../src/verify/policy/recipe-terms.ts'
import { findFreePort, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'
import { replaceShown } from '../page.ts'
import { readRecipe } from '../recipe.ts'

interface CaddySettings {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  /** How long Caddy waits for the verifier. */
  readonly patienceSec?: number
  /** The terms of the policy, as far as they are not those of the stage. */
  readonly terms?: Partial<RecipeTerms>
}

/** Starts Caddy as the page has it, without TLS, because the clients of the tests speak http. */
export async function startCaddy(settings: CaddySettings): Promise<GatewayProcess> {
  const { directory, verifierSocket, modelPort, patienceSec = 20, terms } = settings
  const port = await findFreePort()
  const shown = replaceShown(readRecipe('caddy', '/etc/caddy/Caddyfile', terms), {
    'gateway.example {': `http://:${port} {`,
    'tls /etc/caddy/gateway.pem /etc/caddy/gateway.key': 'bind 127.0.0.1',
    'unix//run/gatepass/verifier.sock': `"unix/${verifierSocket}"`,
    'response_header_timeout 20s': `response_header_timeout ${patienceSec}s`,
    'model.internal:8080': `127.0.0.1:${modelPort}`,
  })
  const file = join(directory, 'Caddyfile')
  // Its own port for administration would be the same for each Caddy of the machine.
  await writeFile(file, shown.replace('{\n', '{\n\tadmin off\n'))
  const argv = ['run', '--config', file, '--adapter', 'caddyfile']
  return startGatewayProcess({ command: '/usr/bin/caddy', argv, port, readErrors: () => readFile(file, 'utf8') })
}
