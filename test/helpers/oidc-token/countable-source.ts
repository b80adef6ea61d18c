import type { CountableSource } from '../../cache/countable-source.ts'
import { cacheIn } from '../../cache/start-run.ts'
import { startTokenServer } from '../../cache/token-server.ts'
import { listNoted } from '../../setup/end-sign-ins.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { seedSignIn } from './seed-sign-in.ts'

/** More than any test has keys. */
const clients = 12

/** Starts a provider that renews the sign-ins of several clients, each of them with an access token of an hour. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const toAnswer = (number: number) => ({
    access_token: `made-up-token-${number}`,
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: `made-up-refresh-${number}`,
  })
  // A code that nobody knows says nothing, and most of those that are known say that a person has to sign in.
  const { url, ...behaviour } = await startTokenServer(toAnswer, { status: 400, error: 'admin_policy_enforced' })
  const argvOf = (address: string, key = 0) => [
    ...[
      '--client-id',
      `client-${key}`,
      '--authorization-url',
      `${address}/authorize`,
      '--token-url',
      `${address}/token`,
    ],
    ...['--bearer-token-type', 'access_token', '--scopes', 'gateway', '--refresh-token-store', 'file'],
  ]
  // They have ended, so that the first run renews them.
  const ended = { accessToken: 'made-up-ended', refreshToken: 'made-up-refresh', lifeSec: -60, ageSec: 7200 }
  const seed = (address: string, key: number) => seedSignIn(home, argvOf(address, key), ended)
  for (let key = 0; key < clients; key += 1) await seed(url, key)
  return {
    ...behaviour,
    home,
    keepsLast: true,
    env: { HOME: home },
    listWorkers: () => listNoted(cacheIn({ home }), 'renewal'),
    argv: (key = 0) => argvOf(url, key),
    leadTo: async (elsewhere) => {
      await seed(elsewhere, 0)
      return { argv: argvOf(elsewhere) }
    },
  }
}
