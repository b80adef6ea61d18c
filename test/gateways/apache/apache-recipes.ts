import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecipeTerms } from '../../../src/verify/policy/recipe-terms.ts'
import { findFreePort, type GatewayProcess } from '../gateway-process.ts'
import { readListing, readModules, replaceShown } from '../page.ts'
import { readRecipe } from '../recipe.ts'
import { startApache } from './start-apache.ts'

interface VerifierSettings {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  /** How long the script waits for the verifier. */
  readonly patienceSec?: number
  /** The terms of the policy, as far as they are not those of the stage. */
  readonly terms?: Partial<RecipeTerms>
}

const page = 'apache'
const sitePath = '/etc/apache2/sites-available/gateway.conf'
const scriptPath = '/etc/apache2/gatepass.lua'

/** Starts Apache with the script that asks the verifier. */
export async function startApacheWithVerifier(settings: VerifierSettings): Promise<GatewayProcess> {
  const { directory, verifierSocket, modelPort, patienceSec = 20, terms } = settings
  const heading = 'With the verifier'
  const port = await findFreePort()
  const script = join(directory, 'gatepass.lua')
  const shown = readRecipe('apache', scriptPath, terms)
  const places = {
    '/run/gatepass/verifier.sock': verifierSocket,
    'local seconds = 20': `local seconds = ${patienceSec}`,
  }
  await writeFile(script, replaceShown(shown, places))
  const site = replaceShown(readRecipe('apache', sitePath, terms), {
    ...toPlaces(port, modelPort),
    [scriptPath]: script,
  })
  return startApache({ directory, port, site: dropTls(site), modules: listModules(heading) })
}

interface OpenidcSettings {
  readonly directory: string
  readonly modelPort: number
  readonly issuer: string
  /** Over TLS: the module takes no other. */
  readonly jwksUrl: string
  /** A file with the certificate of the authority behind it. */
  readonly ca: string
  /** Makes the mistake that the page warns of. */
  readonly change?: (site: string) => string
}

/** Starts Apache with mod_auth_openidc and nothing else. */
export async function startApacheWithOpenidc(settings: OpenidcSettings): Promise<GatewayProcess> {
  const { directory, modelPort, issuer, jwksUrl, ca, change = (site) => site } = settings
  const heading = 'With mod_auth_openidc alone'
  const port = await findFreePort()
  const shown = readListing({ page, heading, path: sitePath })
  const places = {
    ...toPlaces(port, modelPort),
    'https://login.example.com/keys': jwksUrl,
    'https://login.example.com': issuer,
  }
  const site = change(dropTls(replaceShown(shown, places)))
  return startApache({ directory, port, site, modules: listModules(heading), more: `OIDCCABundlePath ${ca}` })
}

function toPlaces(port: number, modelPort: number) {
  return { '*:443': `127.0.0.1:${port}`, 'model.internal:8080': `127.0.0.1:${modelPort}` }
}

function listModules(heading: string): string[] {
  return readModules({ page, heading }).filter((name) => name !== 'ssl')
}

/** The clients of the tests speak http. */
function dropTls(site: string): string {
  return site.replaceAll(/^ *SSL.*\n/gm, '')
}
