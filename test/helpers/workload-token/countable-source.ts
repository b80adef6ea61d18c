import type { CountableSource } from '../../cache/countable-source.ts'
import { startTokenServer } from '../../cache/token-server.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Starts a platform that exchanges any identity token for an access token of an hour. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const { url, ...behaviour } = await startTokenServer((number) => {
    return { access_token: `made-up-access-token-${number}`, token_type: 'Bearer', expires_in: 3600 }
  })
  const target = ['--base-url', url, '--organization', 'org-1', '--federation-rule', 'rule-1']
  const identity = ['--identity', 'variable', '--identity-variable', 'IDENTITY_TOKEN']
  return {
    ...behaviour,
    home,
    env: { HOME: home, IDENTITY_TOKEN: identityToken() },
    argv: (key = 0) => [...target, ...identity, '--header', `X-Key: ${key}`],
    leadTo: (elsewhere) => ({ argv: ['--base-url', elsewhere] }),
  }
}

/** Nobody here looks at its signature. */
function identityToken(): string {
  const claims = { iss: 'https://issuer.example', sub: 'runner', aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, 'signature'].join('.')
}
