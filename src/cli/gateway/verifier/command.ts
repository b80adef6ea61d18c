// Folder: `gatepass gateway verifier`, and the configurations of gateways that it makes from a policy.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Argument, type Command } from 'commander'
import { HelperError } from '../../../runtime/failure.ts'
import { readPolicyFile, requirePolicy } from '../../../verify/policy/read-policy-file.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import type { Cli } from '../../cli.ts'
import { renderApache } from './apache-recipe.ts'
import { renderCaddy } from './caddy-recipe.ts'
import { createVerifierOptions, type VerifierFlags } from './flags.ts'
import { renderHaproxy } from './haproxy-recipe.ts'
import { renderNginx, renderNginxNjs } from './nginx-recipe.ts'
import { renderAzure, renderEnvoy, renderEnvoyGrpc, renderKong, renderTraefik } from './other-recipes.ts'
import { type GatewayAddress, parseGatewayAddress, type RecipeFile, requireRecipeTerms } from './recipe.ts'

/** `gatepass gateway verifier`: serves until it is interrupted. */
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

/** Every gateway for which there is a recipe that asks the verifier and passes headers on. */
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

/** `gatepass gateway verifier recipe GATEWAY`: its configuration, made from the policy. */
function addVerifierRecipe(verifier: Command, cli: Cli): void {
  verifier
    .command('recipe')
    .description('print the configuration of a gateway that clears and sets every header of the policy (--policy)')
    .addArgument(new Argument('<gateway>', 'the gateway').choices(Object.keys(recipes)))
    .option('--into <directory>', 'write the files below this directory; what is there is kept, and refused')
    .addHelpText(
      'after',
      '\nMake it again whenever a rule sets a header that it did not set before. Adapt the addresses: docs/gateways/',
    )
    .action(async (gateway: keyof typeof recipes, _flags, command: Command) => {
      const { policy: path, into } = command.optsWithGlobals<{ policy: string; into?: string }>()
      const policy = requirePolicy(path, await readPolicyFile(path, 'anybody'))
      const { resource } = policy
      const files = recipes[gateway](requireRecipeTerms(path, policy), resource && parseGatewayAddress(resource.url))
      if (into === undefined) cli.terminal.print(files.map(renderFile).join('\n'))
      else await writeFiles(into, files)
    })
}

function renderFile({ path, text }: RecipeFile): string {
  return `==> ${path} <==\n${text}`
}

/** @throws {HelperError} `refused` for a file that is there, which may have been adapted. */
async function writeFiles(directory: string, files: readonly RecipeFile[]): Promise<void> {
  for (const { path, text } of files) {
    const place = join(directory, path)
    try {
      await mkdir(dirname(place), { recursive: true })
      await writeFile(place, text, { flag: 'wx' })
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException // of the file system alone
      throw new HelperError('refused', `${place} cannot be written (${code})`, 'name an empty directory with --into', {
        cause,
      })
    }
  }
}
