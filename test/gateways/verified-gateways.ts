import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecipeTerms } from '../../src/verify/policy/recipe-terms.ts'
import { startApacheWithVerifier } from './apache/apache-recipes.ts'
import { startCaddy } from './caddy/caddy-recipe.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { startHaproxyWithVerifier } from './haproxy/haproxy-recipes.ts'
import { startNginx } from './nginx/start-nginx.ts'
import { runInDirectory } from './run-with-gateway.ts'
import { startVerifier } from './stage/start-verifier.ts'

interface GatewayPlaces {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  readonly terms: Partial<RecipeTerms>
}

/** Every gateway whose recipe is run, with the headers of any policy. */
export const gateways: Readonly<Record<string, (places: GatewayPlaces) => Promise<GatewayProcess>>> = {
  nginx: (places) => startNginx('With auth_request', places),
  'nginx with njs': (places) => startNginx('With njs', places),
  Apache: startApacheWithVerifier,
  HAProxy: startHaproxyWithVerifier,
  Caddy: startCaddy,
}

/** Runs the built verifier by a policy. @param argv More of its options. */
export async function withVerifier<T>(
  policy: string,
  use: (socket: string) => Promise<T>,
  argv: readonly string[] = [],
): Promise<T> {
  return await runInDirectory(async (directory) => {
    await chmod(directory, 0o711) // for Apache's own user
    const file = join(directory, 'policy.json')
    await writeFile(file, policy, { mode: 0o644 })
    const socket = join(directory, 'verifier.sock')
    const verifier = await startVerifier({ policy: file, socket, env: { HOME: directory }, argv })
    return await use(socket).finally(verifier.stop)
  })
}
