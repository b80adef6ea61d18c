import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { runBundle } from '../setup/run-bundle.ts'
import type { Outcome } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../stand-ins/aws/aws-directory.ts'
import { tokenOf } from './start-run.ts'
import { startTokenServer } from './token-server.ts'

/** A helper whose token, or the identity behind it, a program prints. */
interface Desk {
  readonly home: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Prepares a home with a program that notes each of its runs, and does what else a script says. */
async function startHome(script: string): Promise<string> {
  const home = await temporaryDirectory()
  await mkdir(join(home, 'bin'))
  await writeFile(join(home, 'bin/get-it'), `#!/bin/sh\nprintf x >>"$HOME/runs"; sleep 0.2\n${script}\n`, {
    mode: 0o755,
  })
  return home
}

const toJwt = (claims: object) =>
  [{ alg: 'RS256' }, claims, 's'].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

const helpers: Record<string, () => Promise<Desk>> = {
  'command-token': async () => {
    const home = await startHome(`echo '{"access_token": "made-up-'$$'", "expires_in": 7200}'`)
    return { home, argv: ['--command', 'get-it', '--command=--now'] }
  },
  'workload-token': async () => {
    const home = await startHome(`echo '${toJwt({ iss: 'https://id.example', sub: 'dana', exp: 4_000_000_000 })}'`)
    const { url } = await startTokenServer((n) => ({
      access_token: `made-up-${n}`,
      token_type: 'Bearer',
      expires_in: 7200,
    }))
    const target = ['--base-url', url, '--organization', 'org-1', '--federation-rule', 'rule-1']
    return { home, argv: [...target, '--identity', 'command', '--identity-command', 'get-it'] }
  },
  'aws-bedrock-token': async () => {
    const end = new Date(Date.now() + 86_400_000).toISOString()
    const keys = {
      Version: 1,
      AccessKeyId: 'AKIAMADEUP',
      SecretAccessKey: 'made-up',
      SessionToken: 'made-up',
      Expiration: end,
    }
    const home = await startHome(`echo '${JSON.stringify(keys)}'`)
    const profile = { region: 'eu-central-1', credential_process: 'get-it --now' }
    const { environment } = await writeAwsDirectory(home, { config: { 'profile dev': profile } })
    return { home, argv: ['--profile', 'dev'], env: environment }
  },
}

/** The variables that each process of a client sets anew, as they were seen. */
const clients: Record<string, (home: string) => Promise<Record<string, string>>> = {
  'prepends a directory to PATH': async (home) => {
    const own = join(home, '.agent/tmp', `arg0-${randomBytes(4).toString('hex')}`)
    await mkdir(own, { recursive: true })
    await writeFile(join(own, 'apply-patch'), '#!/bin/sh\n', { mode: 0o755 })
    return { PATH: `${own}:${home}/bin:/usr/bin:/bin` }
  },
  'sets a socket and a token': async (home) => ({
    PATH: `${home}/bin:/usr/bin:/bin`,
    CODING_AGENT: '1',
    CODING_AGENT_SOCKET: `/tmp/agent-${randomUUID()}.sock`,
    CODING_AGENT_SOCKET_TOKEN: randomBytes(16).toString('hex'),
    CODING_AGENT_SESSION_ID: randomUUID(),
  }),
}

describe.each(Object.entries(helpers))('%s', (helper, start) => {
  const runIn = async ({ home, argv, env }: Desk, client: string): Promise<Outcome> => {
    const own = await clients[client]!(home)
    return runBundle(helper, {
      argv,
      env: { HOME: home, USER: 'dana', VENDOR_HELPER_CONTEXT: 'background', ...env, ...own },
    })
  }
  const countMints = async ({ home }: Desk) => (await readFile(join(home, 'runs'), 'utf8')).length
  const listFiles = async ({ home }: Desk) =>
    (await readdir(join(home, '.cache/gatepass'))).map((name) => name.replace(/.*\./, '')).sort()

  test.each(Object.keys(clients))(
    'processes of a client that %s share one mint, one entry and one memo',
    async (client) => {
      const desk = await start()
      const outcomes = [await runIn(desk, client), await runIn(desk, client), await runIn(desk, client)]
      const files = await listFiles(desk)
      expect({
        tokens: new Set(outcomes.map(({ stdout }) => tokenOf(stdout))).size,
        said: outcomes.map(({ stderr }) => stderr),
        mints: await countMints(desk),
        kept: files.filter((kind) => kind !== 'memo'),
        hasOneMemoAtMost: files.filter((kind) => kind === 'memo').length <= 1,
      }).toEqual({
        tokens: 1,
        said: ['', '', ''],
        mints: 1,
        kept: ['json', 'lock', 'served'],
        hasOneMemoAtMost: true,
      })
    },
  )

  test('sixteen processes of both clients at once share one mint and one entry', async () => {
    const desk = await start()
    const both = Object.keys(clients)
    const outcomes = await Promise.all(Array.from({ length: 16 }, (_, index) => runIn(desk, both[index % 2]!)))
    const kept = (await listFiles(desk)).filter((kind) => kind !== 'memo')
    expect({ outcomes, mints: await countMints(desk), kept }).toEqual({
      outcomes: Array(16).fill({ status: 0, stdout: outcomes[0]!.stdout, stderr: '' }),
      mints: 1,
      kept: ['json', 'lock', 'served'],
    })
  })
})

test('sixteen processes at once whose program fails share one failure', async () => {
  const home = await startHome(`echo 'access denied' >&2; exit 1`)
  const run = async (client: string) => {
    const own = await clients[client]!(home)
    return runBundle('command-token', { argv: ['--command', 'get-it'], env: { HOME: home, ...own } })
  }
  const both = Object.keys(clients)
  const outcomes = await Promise.all(Array.from({ length: 16 }, (_, index) => run(both[index % 2]!)))
  expect(outcomes).toEqual(
    Array(16).fill({
      status: 5,
      stdout: '',
      stderr: [
        'command-token: get-it failed with exit status 1 and said: access denied',
        'command-token: hint: see what it says when you run get-it in a terminal',
        '',
      ].join('\n'),
    }),
  )
  expect((await readFile(join(home, 'runs'), 'utf8')).length).toBeLessThanOrEqual(3)
})

test('a call with a memo notices another account and a changed program', async () => {
  const home = await startHome(
    `echo '{"token": "of-'$(cat "$HOME/.config/gcloud/active_config")'", "expires_in": 7200}'`,
  )
  await mkdir(join(home, '.config/gcloud'), { recursive: true })
  await rename(join(home, 'bin/get-it'), join(home, 'bin/gcloud'))
  const choose = (account: string) => writeFile(join(home, '.config/gcloud/active_config'), account)
  const run = async () => {
    const own = await clients['prepends a directory to PATH']!(home)
    const argv = ['--command', 'gcloud', '--client-ttl', '600']
    return tokenOf(
      (await runBundle('command-token', { argv, env: { HOME: home, VENDOR_HELPER_CONTEXT: 'background', ...own } }))
        .stdout,
    )
  }
  const hasMemo = async () => (await readdir(join(home, '.cache/gatepass'))).some((name) => name.endsWith('.memo'))
  await choose('dana')
  await sleep(2100) // then no file is too new to be remembered
  const first = [await run(), await run(), await hasMemo(), await run()]
  await choose('robin')
  const ofRobin = [await run(), await run()]
  await choose('dana')
  const again = await run()
  await writeFile(join(home, 'bin/gcloud'), `#!/bin/sh\necho '{"token": "of-another-program", "expires_in": 7200}'\n`)
  expect({ first, ofRobin, again, another: await run() }).toEqual({
    first: ['of-dana', 'of-dana', true, 'of-dana'],
    ofRobin: ['of-robin', 'of-robin'],
    again: 'of-dana',
    another: 'of-another-program',
  })
})
