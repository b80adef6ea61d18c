import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startWorkbench, user, type Workbench } from '../../../helpers/aws-bedrock-token/workbench.ts'
import type { Outcome } from '../../../setup/run-program.ts'
import { type BrowserDesk, startBrowserDesk } from '../../../setup/sign-in/start-browser-desk.ts'
import { createAuthority } from '../../../stand-ins/tls/certificate.ts'

const portal = 'https://d-1234567890.awsapps.com/start'
const account = '111122223333'

/** A person's machine where a browser opens, and AWS behind it. Nobody is signed in. */
interface PersonDesk extends BrowserDesk {
  readonly bench: Workbench
  /** Starts the built helper as a client does that may ask the person. */
  start(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
}

/** Prepares the profiles `sso`, `vanity` (whose start URL is the organization's own) and `login`. */
export async function startPersonDesk(): Promise<PersonDesk> {
  const bench = await startWorkbench()
  onTestFinished(() => bench[Symbol.asyncDispose]())
  const vanity = await startVanityAddress(bench.home)
  bench.aws.sso.addPortal(portal, { assignments: [{ accountId: account, roleName: 'Builder' }] })
  const role = { sso_account_id: account, sso_role_name: 'Builder', region: 'eu-central-1' }
  await bench.write({
    config: {
      'profile sso': { sso_session: 'corp', ...role },
      'sso-session corp': { sso_start_url: portal, sso_region: 'eu-central-1' },
      'profile vanity': { sso_session: 'vanity', ...role },
      'sso-session vanity': { sso_start_url: vanity, sso_region: 'eu-central-1' },
      'profile login': { login_session: user, region: 'eu-central-1' },
    },
  })
  const { desk, env, follow } = await startBrowserDesk(bench.home)
  const own = ['--ca', join(bench.home, 'ca.pem'), '--client-ttl', '600']
  return {
    ...desk,
    bench,
    start: (argv = [], more = {}) =>
      follow((hear) => bench.run({ argv: [...own, ...argv], env: { ...env, ...more }, hear })),
  }
}

/** Prepares an address of the organization's own that leads to the portal; gives it, and writes its authority to `ca.pem`. */
async function startVanityAddress(home: string): Promise<string> {
  const authority = createAuthority('Example Corp')
  await writeFile(join(home, 'ca.pem'), authority.cert)
  const server = createServer(authority.issue({ names: ['localhost'] }), (_, response) =>
    response.writeHead(302, { location: portal }).end(),
  )
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening))
  onTestFinished(() => void server.close())
  return `https://localhost:${(server.address() as AddressInfo).port}/`
}
