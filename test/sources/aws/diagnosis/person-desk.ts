import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toContextVariables } from '../../../../src/contract/detect-context.ts'
import { parseNote } from '../../../../src/sources/oauth/progress/note.ts'
import { startWorkbench, user, type Workbench } from '../../../helpers/aws-bedrock-token/workbench.ts'
import type { Outcome } from '../../../setup/run-program.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { createAuthority } from '../../../stand-ins/tls/certificate.ts'

const portal = 'https://d-1234567890.awsapps.com/start'
const account = '111122223333'

/** A person's machine where a browser opens, and AWS behind it. Nobody is signed in. */
interface PersonDesk {
  readonly bench: Workbench
  /** Starts the built helper as a client does that may ask the person. */
  start(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
  /** The address that the helper gave to the browser; waits until there have been so many, and every run has told the person of it. */
  untilOpened(count?: number): Promise<string>
  /** How often a browser was opened. */
  countOpened(): Promise<number>
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
  const opened = join(bench.home, 'opened')
  const browser = join(bench.home, 'browser')
  await writeFile(opened, '')
  await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/opened"\n`)
  await chmod(browser, 0o755)
  onTestFinished(() => endSignIns(join(bench.home, '.cache', 'gatepass')))
  const waiting = new Set<{ said: string }>()
  const list = async () => (await readFile(opened, 'utf8')).split('\n').filter(Boolean)
  const env = { ...toContextVariables('interactive'), BROWSER: browser, PATH: '/usr/bin:/bin' }
  return {
    bench,
    start: async (argv = [], more = {}) => {
      const run = { said: '' }
      waiting.add(run)
      const outcome = bench.run({
        argv: ['--ca', join(bench.home, 'ca.pem'), '--client-ttl', '600', ...argv],
        env: { ...env, ...more },
        hear: (text) => (run.said += text),
      })
      return outcome.finally(() => waiting.delete(run))
    },
    untilOpened: async (count = 1) => {
      await waitUntil(`browser ${count} is opened`, async () => (await list()).length >= count)
      const address = (await list()).at(-1) ?? ''
      await waitUntil('every run says the address', async () =>
        [...waiting].every(({ said }) => said.includes(address)),
      )
      return address
    },
    countOpened: async () => (await list()).length,
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

/** Ends the processes that sign in, which would show their last page for a minute. */
async function endSignIns(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter((file) => file.endsWith('.signin'))) {
    const pid = parseNote(await readFile(join(directory, name), 'utf8'))?.pid
    try {
      if (pid) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
