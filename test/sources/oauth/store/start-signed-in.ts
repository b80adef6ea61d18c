import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import type { IssuedTokens } from '../../../../src/sources/oauth/oidc/provider.ts'
import { createFileStore } from '../../../../src/sources/oauth/store/file-store.ts'
import { locateStore, readSignInHeader } from '../../../../src/sources/oauth/store/locate-store.ts'
import { prepareRun } from '../../../setup/prepare-run.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { testHost } from '../../../setup/test-host.ts'
import { createPerson } from '../../../stand-ins/provider/person/create-person.ts'
import type { ProviderSettings } from '../../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../../stand-ins/provider/start-provider.ts'
import { deadline } from './made-up-sign-in.ts'
import { settings as madeUp } from './plain-sign-in.ts'

/** Starts a provider, and the machine of a person who has signed in there an hour ago; the tokens have ended since. */
export async function startSignedIn(given: ProviderSettings = {}, home?: string) {
  const provider = await startProvider({ lifeSec: { accessToken: 7_200 }, ...given })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const directory = home ?? (await temporaryDirectory())
  const settings: OidcSettings = {
    ...madeUp,
    issuer: provider.issuer,
    clientId: provider.clientId,
    bearerTokenType: 'access_token',
    scopes: 'openid',
  }
  const host = await testHost({ home: directory, platform: process.platform })
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const store = createFileStore(settings, { host, refreshTokens: 'kept', warn })
  /** @param restSec How long the tokens that are left live. */
  const signIn = async (restSec = -1) => {
    const tokens = {
      ...(await fetchTokens(provider, given.clientSecret?.value)),
      expiresAt: new Date(Date.now() + restSec * 1000),
    }
    const since = Date.now() - 3_600_000
    await store.change(deadline, { make: async () => ({ id: randomUUID(), since, renewedAt: since, tokens }) })
  }
  await signIn()
  const program = await bundleProgram('signed-in-helper')
  const env = { HOME: directory, GATEPASS_TEST_SETTINGS: JSON.stringify(settings), PATH: '/usr/bin:/bin' }
  return {
    provider,
    store,
    readId: async () => (await readSignInHeader(settings, host))?.id,
    signIn,
    warnings,
    files: locateStore(settings, host),
    home: directory,
    prepare: (argv: readonly string[] = [], more = {}) => prepareRun(program, argv, { ...env, ...more }),
    argv: toArguments(settings),
    /** Prepares the same sign-in as the product uses it. */
    prepareOidcToken: (argv: readonly string[] = [], more = {}) =>
      prepareRun(toBundlePath('oidc-token'), [...toArguments(settings), ...argv], { ...env, ...more }),
    /** Prepares the same with its key in the keychain of a session; `command` is what stands first, such as `sign-out`. */
    prepareWithKeychain: (
      session: Record<string, string>,
      command: readonly string[] = [],
      more: readonly string[] = [],
    ) =>
      prepareRun(toBundlePath('oidc-token'), [...command, ...toArguments(settings, 'keychain'), ...more], {
        ...session,
        ...env,
      }),
  }
}

function toArguments(
  { clientId, issuer = '', bearerTokenType, scopes = '' }: OidcSettings,
  keyLocation: 'file' | 'keychain' = 'file',
): string[] {
  const provider = ['--client-id', clientId, '--issuer', issuer, '--refresh-token-store', keyLocation]
  return [...provider, '--bearer-token-type', bearerTokenType, '--scopes', scopes]
}

/** Returns a program as one file, because to load it from its sources takes ten times as long as its work. */
export async function bundleProgram(name: 'signed-in-helper' | 'endless-writer'): Promise<string> {
  const outfile = join(await temporaryDirectory(), `${name}.mjs`)
  const entry = join(import.meta.dirname, `${name}.ts`)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // As in the builds: a CommonJS module could not load a module of the runtime from an ES module.
    mainFields: ['module', 'main'],
  })
  return outfile
}

/** Signs a person in as a program does that keeps nothing. */
async function fetchTokens({ urls, clientId }: StandInProvider, secret: string | undefined): Promise<IssuedTokens> {
  const server = createServer((_, response) => response.end('<title>back</title>')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/callback`
  const verifier = randomBytes(32).toString('base64url')
  const request = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = await createPerson().open(`${urls.authorization}?${request}`)
  server.close()
  const code = new URL(page.address).searchParams.get('code') ?? ''
  const body = new URLSearchParams({
    client_id: clientId,
    ...(secret !== undefined && { client_secret: secret }),
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const answer = (await (await fetch(urls.token, { method: 'POST', body })).json()) as Record<string, string> // texts, where they are used
  return {
    accessToken: new Secret(answer.access_token ?? ''),
    idToken: new Secret(answer.id_token ?? ''),
    refreshToken: new Secret(answer.refresh_token ?? ''),
  }
}
