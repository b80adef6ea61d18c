// Folder: `gatepass gateway verifier`: the server, its options, and the resources that it opens.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Argument, type Command } from 'commander'
import { findErrorCode, HelperError } from '../../../runtime/failure.ts'
import { readPolicyFile, requirePolicy } from '../../../verify/policy/read-policy-file.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { readTenantsFile, requireTenants } from '../../../verify/tenants/tenants-file.ts'
import type { Cli } from '../../cli.ts'
import { renderApache } from '../recipes/apache-recipe.ts'
import { renderAzure } from '../recipes/azure-recipe.ts'
import { renderCaddy } from '../recipes/caddy-recipe.ts'
import { renderEnvoy, renderEnvoyGrpc } from '../recipes/envoy-recipe.ts'
import { renderHaproxy } from '../recipes/haproxy-recipe.ts'
import { renderKong } from '../recipes/kong-recipe.ts'
import { renderNginxNjs } from '../recipes/nginx-njs-recipe.ts'
import { renderNginx } from '../recipes/nginx-recipe.ts'
import { type GatewayAddress, parseGatewayAddress, type RecipeFile, requireRecipeTerms } from '../recipes/recipe.ts'
import { renderTraefik } from '../recipes/traefik-recipe.ts'
import { createVerifierOptions, type VerifierFlags } from './verifier-flags.ts'

/** Adds `gatepass gateway verifier`: serves until it is interrupted. */
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

/** The gateways with a recipe: each asks the verifier and forwards its headers. */
export const recipes = {
  nginx: renderNginx,
  'nginx-njs': renderNginxNjs,
  apache: renderApache,
  haproxy: renderHaproxy,
  caddy: renderCaddy,
  envoy: renderEnvoy,
  'envoy-grpc': renderEnvoyGrpc,
  traefik: renderTraefik,
  kong: renderKong,
  'azure-api-management': renderAzure,
} as const satisfies Readonly<Record<string, (headers: RecipeTerms, address?: GatewayAddress) => RecipeFile[]>>

/** Adds `gatepass gateway verifier recipe GATEWAY`: the configuration of a gateway, from the policy. */
function addVerifierRecipe(verifier: Command, cli: Cli): void {
  verifier
    .command('recipe')
    .description('print the configuration of a gateway that clears and sets every header of the policy (--policy)')
    .option('--tenant <name>', 'for which tenant of --tenants')
    .addArgument(new Argument('<gateway>', 'the gateway').choices(Object.keys(recipes)))
    .option('--into <directory>', 'write the files below this directory; what is there is kept, and refused')
    .addHelpText(
      'after',
      '\nMake it again whenever a rule sets a header that it did not set before. Adapt the addresses: docs/gateways/',
    )
    .action(async (gateway: keyof typeof recipes, _flags, command: Command) => {
      const { into, ...named } = command.optsWithGlobals<RecipeFlags>()
      const { path, tenant, host } = await readRecipePolicy(named)
      const policy = requirePolicy(path, await readPolicyFile(path, 'anybody'))
      const url = policy.resource?.url ?? (host && `https://${host}`)
      const terms = { ...requireRecipeTerms(path, policy), ...(tenant && { tenant }) }
      const files = recipes[gateway](terms, url === undefined ? undefined : parseGatewayAddress(url))
      if (into === undefined) cli.terminal.print(files.map(renderFile).join('\n'))
      else await writeFiles(into, files)
    })
}

interface RecipeFlags {
  readonly policy?: string
  readonly tenants?: string
  readonly tenant?: string
  readonly into?: string
}

/** The policy of a recipe. For one of several tenants, a header or a host distinguishes its requests. */
interface RecipePolicy extends Pick<RecipeTerms, 'tenant'> {
  readonly path: string
  readonly host?: string | undefined
}

/** @throws {HelperError} `usage` unless it is clear which policy to use. */
async function readRecipePolicy({ policy, tenants: file, tenant: name }: RecipeFlags): Promise<RecipePolicy> {
  if (policy !== undefined && file === undefined && name === undefined) return { path: policy }
  if (policy !== undefined || file === undefined || name === undefined)
    throw new HelperError(
      'usage',
      'it is not clear which policy is meant',
      'name one with --policy FILE, or with --tenants FILE --tenant NAME',
    )
  const { header, tenants } = requireTenants(file, await readTenantsFile(file, 'anybody'))
  const found = tenants.find((each) => each.name === name)
  if (found)
    return { path: found.policy, host: found.hosts[0], ...(header !== undefined && { tenant: { header, name } }) }
  const names = tenants.slice(0, 10).map((each) => each.name)
  throw new HelperError(
    'usage',
    `${file} has no such tenant`,
    `name one that it has with --tenant, such as ${names.join(', ')}`,
  )
}

function renderFile({ path, text }: RecipeFile): string {
  return `==> ${path} <==\n${text}`
}

/** @throws {HelperError} `refused` for an existing file, which may have been adapted. */
async function writeFiles(directory: string, files: readonly RecipeFile[]): Promise<void> {
  for (const { path, text } of files) {
    const target = join(directory, path)
    try {
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text, { flag: 'wx' })
    } catch (cause) {
      const code = findErrorCode(cause)
      throw new HelperError('refused', `${target} cannot be written (${code})`, 'name an empty directory with --into', {
        cause,
      })
    }
  }
}
