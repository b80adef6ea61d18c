import { writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fails } from '../../../setup/run-program.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startVerifierProcess, type VerifierProcess } from './verifier-process.ts'

const status = async (address: string, token: string) => {
  const answer = await ask(address, token)
  return 'status' in answer ? answer.status : answer.code
}

const events = (verifier: VerifierProcess) => verifier.log().map(({ event }) => event)

describe('the policy', () => {
  test('is read again when its file changes, unless the file is broken', async () => {
    const { directory, policy, writePolicy, token } = await startIssuerWithPolicy()
    const verifier = await startVerifierProcess('--policy', policy, '--listen', join(directory, 'a socket'))
    const { listen } = verifier.addresses
    const first = await ask(listen, token)
    await writePolicy(['blue'])
    await waitUntil('the new policy is followed', async () => (await status(listen, token)) === 403)
    await writeFile(policy, '{"issuers": [')
    verifier.signal('SIGHUP')
    await waitUntil('the broken policy is refused', () => events(verifier).includes('policy-refused'))
    const afterBroken = await status(listen, token)
    await writePolicy(['blue', 'red'])
    await waitUntil('the good policy is followed', async () => (await status(listen, token)) === 200)
    verifier.signal('SIGINT')
    const { status: ended, stdout } = await verifier.ended
    const single = ['refused', 'omitted'] // how many there are is a matter of time
    expect({
      first: 'headers' in first && [first.status, first.headers['x-user']],
      afterBroken,
      ended,
      stdout,
      events: events(verifier).filter((event) => !single.includes(String(event))),
    }).toEqual({
      first: [200, 'dana'],
      afterBroken: 403,
      ended: 0,
      stdout: `${JSON.stringify(verifier.addresses)}\n`,
      events: ['policy', 'listening', 'keys', 'policy', 'policy-refused', 'policy', 'ending', 'ended'],
    })
  })
})

test('SIGTERM in the middle of requests loses none of them', async () => {
  const { policy, token } = await startIssuerWithPolicy()
  const verifier = await startVerifierProcess(
    '--policy',
    policy,
    '--listen',
    '127.0.0.1:0',
    '--admin-listen',
    '[::1]:0',
  )
  const { listen, admin = '' } = verifier.addresses
  await waitUntil('the verifier is ready', async () => (await fetch(`${admin}/readyz`)).status === 200)
  const seen = new Map<string, number>()
  const isOver = (answer: Awaited<ReturnType<typeof ask>>) => 'code' in answer && answer.code === 'ECONNREFUSED'
  const askOnAndOn = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (;;) {
      const answer = await ask(listen, token, agent)
      const word = 'status' in answer ? `${answer.status}` : answer.code
      seen.set(word, (seen.get(word) ?? 0) + 1)
      if (isOver(answer)) return
    }
  }
  const askers = Array.from({ length: 8 }, askOnAndOn)
  await sleep(300) // so that it ends in the middle of their requests
  verifier.signal('SIGTERM')
  await Promise.all(askers)
  const { status: ended } = await verifier.ended
  expect({ ended, seen: [...seen.keys()].sort() }).toEqual({ ended: 0, seen: ['200', 'ECONNREFUSED'] })
  expect(seen.get('200')).toBeGreaterThan(100)
})

/** Removes the lines of the log, so that the text for a person remains. */
function withoutLog(stderr: string): string {
  return stderr.replaceAll(/^\{.*\n/gm, '')
}

describe('an address', () => {
  test('that is taken is refused, in each form', async () => {
    const { directory, policy } = await startIssuerWithPolicy()
    const socket = join(directory, 's')
    for (const address of ['127.0.0.1:0', socket]) {
      const { addresses } = await startVerifierProcess('--policy', policy, '--listen', address)
      const again = addresses.listen.replace(/^http:\/\//, '')
      const { stderr, ...rest } = await runGatepass('gateway', 'verifier', '--policy', policy, '--listen', again)
      expect({ ...rest, stderr: withoutLog(stderr) }).toEqual({
        status: 5,
        stdout: '',
        stderr: `gatepass: ${addresses.listen} cannot be used (EADDRINUSE)\ngatepass: hint: end what listens there, or name another address with --listen\n`,
      })
      expect(await status(addresses.listen, 'a')).toBe(401)
    }
  })

  test('that a killed verifier left behind is used again', async () => {
    const { directory, policy, token } = await startIssuerWithPolicy()
    const flags = ['--policy', policy, '--listen', join(directory, 's'), '--socket-mode', '600'] as const
    const first = await startVerifierProcess(...flags)
    first.signal('SIGKILL')
    await first.ended
    const { addresses } = await startVerifierProcess(...flags)
    expect(await status(addresses.listen, token)).toBe(200)
  })
})

const seeHelp = 'see: gatepass gateway verifier --help'

test.each<[what: string, argv: string[], status: number, message: string, hint: string]>([
  ['no policy', [], 2, 'nothing says who may pass', 'name a policy with --policy, or several with --tenants'],
  [
    'a missing policy',
    ['--policy', '/nowhere'],
    3,
    'the policy /nowhere cannot be used: there is no /nowhere',
    'check the path, and put the file there',
  ],
  [
    'an unknown mode',
    ['--policy', 'p', '--socket-mode', '888'],
    2,
    "option '--socket-mode <octal>' argument '888' is invalid. expected three octal digits such as 660.",
    seeHelp,
  ],
  [
    'a malformed header',
    ['--policy', 'p', '--token-header', 'a b'],
    2,
    "option '--token-header <name...>' argument 'a b' is invalid. expected the name of a header.",
    seeHelp,
  ],
  [
    'a malformed count',
    ['--policy', 'p', '--cache-sec', '-1'],
    2,
    "option '--cache-sec <number>' argument '-1' is invalid. expected a whole number.",
    seeHelp,
  ],
  [
    'a Redis with a password',
    ['--policy', 'POLICY', '--redis', 'redis://:x@localhost'],
    2,
    'the address of Redis holds a password, which every user of this machine could read among the arguments',
    'take it out, write it into a file that only the verifier reads and name that with --redis-password-file; or set GATEPASS_REDIS_PASSWORD',
  ],
  [
    'a missing secret',
    ['--policy', 'POLICY', '--introspection-secret-file', '/nowhere'],
    3,
    'the file /nowhere, which should hold the secret of introspection, does not exist or is empty',
    'put the secret there, or correct --introspection-secret-file',
  ],
])('does not start with %s', async (_, argv, expected, message, hint) => {
  const { policy } = await startIssuerWithPolicy()
  const given = argv.map((word) => (word === 'POLICY' ? policy : word))
  const { stderr, ...rest } = await runGatepass('gateway', 'verifier', ...given)
  expect({ ...rest, stderr: withoutLog(stderr) }).toEqual(fails('gatepass', expected, message, hint))
})
