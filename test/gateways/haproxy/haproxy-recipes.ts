import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecipeTerms } from '../../../src/verify/policy/recipe-terms.ts'
import { findFreePort, findFreePorts, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'
import { readListing, replaceShown } from '../page.ts'
import { readRecipe } from '../recipe.ts'

interface VerifierSettings {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  /** How long HAProxy waits for the verifier. */
  readonly patienceSec?: number
  /** The terms of the policy, as far as they are not those of the stage. */
  readonly terms?: Partial<RecipeTerms>
  /** Makes a mistake in the script. */
  readonly changeScript?: (script: string) => string
}

const page = 'haproxy'
const path = '/etc/haproxy/haproxy.cfg'
const scriptPath = '/etc/haproxy/gatepass.lua'

/** Starts HAProxy with the script that asks the verifier. */
export async function startHaproxyWithVerifier(settings: VerifierSettings): Promise<GatewayProcess> {
  const { directory, verifierSocket, modelPort, patienceSec = 20, terms, changeScript = (shown) => shown } = settings
  const [port = 0, innerPort = 0] = await findFreePorts(2)
  const script = join(directory, 'gatepass.lua')
  const inner = { '127.0.0.1:8792': `127.0.0.1:${innerPort}` }
  await writeFile(script, changeScript(replaceShown(readRecipe('haproxy', scriptPath, terms), inner)))
  const places = {
    ...toPlaces(port, modelPort),
    ...inner,
    [scriptPath]: script,
    '127.0.0.1:8790': `unix@${verifierSocket}`,
    'server 20s': `server ${patienceSec}s`,
  }
  return startHaproxy(directory, port, replaceShown(readRecipe('haproxy', path, terms), places))
}

interface JwtSettings {
  readonly directory: string
  readonly modelPort: number
  readonly issuer: string
  /** A file with the issuer's key. */
  readonly key: string
  /** Makes the mistake that the page warns of. */
  readonly change?: (configuration: string) => string
}

/** Starts HAProxy with jwt_verify and nothing else. */
export async function startHaproxyWithJwt(settings: JwtSettings): Promise<GatewayProcess> {
  const { directory, modelPort, issuer, key, change = (configuration) => configuration } = settings
  const port = await findFreePort()
  const shown = readListing({ page, heading: 'With jwt_verify alone', path })
  const places = {
    ...toPlaces(port, modelPort),
    'https://login.example.com': issuer,
    '/etc/haproxy/keys/key-1.pem': key,
  }
  return startHaproxy(directory, port, change(replaceShown(shown, places)))
}

function toPlaces(port: number, modelPort: number) {
  // The clients of the tests speak http.
  return {
    ':443 ssl crt /etc/haproxy/gateway.pem': `127.0.0.1:${port}`,
    'model.internal:8080': `127.0.0.1:${modelPort}`,
  }
}

/** Starts a master with a worker, as Debian's service does, so that it can be reloaded. */
async function startHaproxy(directory: string, port: number, configuration: string): Promise<GatewayProcess> {
  const file = join(directory, 'haproxy.cfg')
  await writeFile(file, configuration)
  const argv = ['-W', '-db', '-f', file]
  return startGatewayProcess({ command: '/usr/sbin/haproxy', argv, port, readErrors: () => readFile(file, 'utf8') })
}
