import { expect } from 'vitest'
import helper from '../../../helpers/oidc-token.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { startTokenServer } from '../../cache/token-server.ts'
import { fails, type Outcome, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHost, testHost } from '../../setup/test-host.ts'
import { program, type SeededTokens, seedSignIn } from './seed-sign-in.ts'

interface DeskCall {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A home directory, and the token endpoint of a provider, for runs of the helper in the test's own process. */
export interface OidcDesk {
  readonly home: string
  /** The addresses of the provider, and a client. */
  readonly site: readonly string[]
  readonly provider: Awaited<ReturnType<typeof startTokenServer>>
  /** A person has signed in, as a run with these arguments finds it. */
  signIn(tokens: SeededTokens, argv?: readonly string[]): Promise<void>
  createHost(call?: DeskCall): Promise<TestHost>
  run(call?: DeskCall): Promise<Outcome>
}

/** @param more What the answers of the token endpoint hold besides, or otherwise. */
export async function startDesk(more: (number: number) => object = () => ({})): Promise<OidcDesk> {
  const home = await temporaryDirectory()
  const provider = await startTokenServer((number) => ({
    access_token: `canary-access-${number}`,
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: `canary-refresh-${number}`,
    ...more(number),
  }))
  const { url } = provider
  const site = ['--client-id', 'gatepass', '--authorization-url', `${url}/authorize`, '--token-url', `${url}/token`]
  const createHost = ({ argv = site, env = {} }: DeskCall = {}) => {
    const startedAt = Date.now()
    return testHost({ argv, env, home, clock: { now: Date.now, startedAt, elapsedMs: () => Date.now() - startedAt } })
  }
  return {
    home,
    site,
    provider,
    createHost,
    signIn: (tokens, argv = site) => seedSignIn(home, argv, tokens),
    run: async (call) => {
      const host = await createHost(call)
      const { status } = await runHelper(program, helper as AnyHelper, host)
      expect(['canary', 'eyJ'].filter((secret) => host.written.stderr.includes(secret))).toEqual([])
      return { status, ...host.written }
    },
  }
}

/** Returns a run that prints this document, and says nothing or warns. */
export const printed = (document: object, stderr = '') =>
  prints(`${JSON.stringify(document)}\n`, stderr && `${program}: warning: ${stderr}\n`)

export const failure = (status: number, message: string, hint: string) => fails(program, status, message, hint)
