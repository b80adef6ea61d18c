import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHostParts, testHost } from '../../setup/test-host.ts'

/** A part of every text that comes from outside, so that one search finds them all. */
export const canary = 'canary'

/** A made-up helper, in whose token, account and plan the canary stands. */
export const badge = defineHelper({
  summary: 'print a badge',
  options: { account: { value: 'text', default: 'home', summary: 'whose badge' } },
  facts: ['account'],
  plan: async (_, { account }) => ({
    inputs: account,
    steps: [`${canary} of ${account}`],
    sourceKind: 'command' as const,
  }),
  mint: async ({ clock }, { account }) => ({
    token: new Secret(`${canary}-token`),
    expiresAt: new Date(clock.now() + 7_200_000),
    facts: { account },
  }),
  commands: { polish: { summary: 'polishes it', longestSec: 5, run: async () => {} } },
})

type Badge = typeof badge

/** Returns a helper with another way to get a token. */
export const badgeThat = (mint: Badge['mint']): Badge => ({ ...badge, mint })

/** An endpoint to which nothing is sent, because nothing is started. */
const endpoint = { GATEPASS_OTLP_ENDPOINT: 'http://127.0.0.1:9' }

/** Prepares a home in which calls are told to a collector, and in place of whose sender another program is started. */
export async function startOutcomeDesk(sender: readonly [program: string, ...args: string[]] = ['/bin/true']) {
  const home = await temporaryDirectory()
  const cache = join(home, '.cache', 'gatepass')
  const [program, ...args] = sender
  const createHost = ({ env, ...parts }: TestHostParts = {}) =>
    testHost({ home, ownCommand: { program, args, argv0: program }, ...parts, env: { ...endpoint, ...env } })
  return {
    home,
    cache,
    createHost,
    spool: join(cache, 'outcomes.spool'),
    run: async (parts: TestHostParts = {}, helper: Badge = badge) => {
      const host = await createHost(parts)
      const { status } = await runHelper('badge', helper, host)
      return { status, ...host.written }
    },
    /** Reads the spooled lines. */
    readSpool: async () => {
      const text = await readFile(join(cache, 'outcomes.spool'), 'utf8').catch(() => '')
      return text.split('\n').filter((line) => line !== '')
    },
  }
}
