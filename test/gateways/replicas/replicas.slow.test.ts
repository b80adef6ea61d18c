import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServedFolder } from '../../cli/bootstrap/served.ts'
import { startServerProcess, type VerifierProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { findFreePorts } from '../gateway-process.ts'
import { openDirectory } from '../run-with-gateway.ts'
import { bearer } from '../stage/scenario.ts'
import { sendRequest } from '../stage/send.ts'
import { type ReplicaPorts, startHaproxyBeforeReplicas, startNginxBeforeReplicas } from './recipes.ts'

const ratePerSec = 200

describe.each([
  ['nginx', startNginxBeforeReplicas],
  ['HAProxy', startHaproxyBeforeReplicas],
])('two replicas behind %s', (_, startProxy) => {
  test('lose no request while one after the other is killed under load', async () => {
    const given = await createServedFolder([{ v: 1, filler: 'x'.repeat(5_000) }])
    const ports = await findFreePorts(4)
    const [one, two] = [toPorts(ports.slice(0, 2)), toPorts(ports.slice(2))] as const
    const start = ({ listen, admin }: ReplicaPorts) =>
      startServerProcess(
        ...['bootstrap', 'serve', ...given.argv],
        ...['--listen', `127.0.0.1:${listen}`, '--admin-listen', `127.0.0.1:${admin}`],
      )
    const running = [await start(one), await start(two)] as const
    const directory = await openDirectory()
    const proxy = await startProxy({ directory, replicas: [one, two] })
    onTestFinished(proxy.close)
    const load = startLoad(`${proxy.url}/bootstrap`, given.token)
    await expect.poll(() => countAnswers(one)).toBeGreaterThan(100)
    await expect.poll(() => countAnswers(two)).toBeGreaterThan(100)
    await kill(running[0])
    await sleep(1_500) // in which the load goes on, as after the other kill
    await start(one)
    await expect.poll(() => countAnswers(one)).toBeGreaterThan(20)
    await kill(running[1])
    await sleep(1_500)
    const { sent, outcomes } = await load.stop()
    expect(Object.fromEntries(outcomes)).toEqual({ '200 whole': sent })
    // At least as long as both waits.
    expect(sent).toBeGreaterThan(3 * ratePerSec)
  }, 120_000)

  test('lose no answer to a replica without a release', async () => {
    const given = await createServedFolder([{ v: 1 }])
    const empty = await createServedFolder([])
    const ports = await findFreePorts(4)
    const [one, two] = [toPorts(ports.slice(0, 2)), toPorts(ports.slice(2))] as const
    const listenAt = ({ listen, admin }: ReplicaPorts) => [
      ...['--listen', `127.0.0.1:${listen}`, '--admin-listen', `127.0.0.1:${admin}`],
    ]
    const argv = given.argv.with(given.argv.indexOf('--release') + 1, empty.folder.path)
    await startServerProcess('bootstrap', 'serve', ...argv, ...listenAt(one))
    await startServerProcess('bootstrap', 'serve', ...given.argv, ...listenAt(two))
    const proxy = await startProxy({ directory: await openDirectory(), replicas: [one, two] })
    onTestFinished(proxy.close)
    const send = async (path: string, token?: string) => {
      const headers = token === undefined ? [] : [bearer(token)]
      return (await sendRequest(proxy.url, { method: 'GET', path, headers })).status
    }
    const statuses = []
    for (let count = 0; count < 20; count += 1) statuses.push(await send('/bootstrap', given.token))
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
    expect([await send('/bootstrap'), await send('/other', given.token)]).toEqual([401, 404])
  }, 60_000)
})

function toPorts([listen = 0, admin = 0]: readonly number[]): ReplicaPorts {
  return { listen, admin }
}

async function kill(server: VerifierProcess): Promise<void> {
  server.signal('SIGKILL')
  await server.ended
}

/** Counts the documents that a replica has given, by its metrics; 0 where it does not answer. */
async function countAnswers({ admin }: ReplicaPorts): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${admin}/metrics`).catch(() => undefined)
  const text = (await answer?.text()) ?? ''
  return Number(/^gatepass_bootstrap_answers_total\{status="200".*\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Sends at a constant rate, whether or not earlier requests were answered, each over a connection of its own. */
function startLoad(url: string, token: string) {
  const outcomes = new Map<string, number>()
  const open: Promise<void>[] = []
  const startedAt = performance.now()
  const send = async () => {
    const { status, body } = await sendRequest(url, {
      method: 'GET',
      path: '/bootstrap',
      headers: [bearer(token)],
    }).catch((error: NodeJS.ErrnoException) => ({ status: error.code ?? 'failed', body: '' }))
    const word = `${status} ${body.endsWith('"}') && body.length > 5_000 ? 'whole' : 'in part'}`
    outcomes.set(word, (outcomes.get(word) ?? 0) + 1)
  }
  const timer = setInterval(() => {
    while ((open.length * 1_000) / ratePerSec < performance.now() - startedAt) open.push(send())
  }, 5)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      return { sent: open.length, outcomes }
    },
  }
}
