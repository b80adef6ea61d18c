import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { type CountableSource, startCountableSource } from '../cache/countable-source.ts'
import { type RunParts, startRun } from '../cache/start-run.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startFullServer, startMuteServer } from '../stand-ins/deaf-servers.ts'
import { startFront } from '../stand-ins/front/front.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { host } from './site.ts'

/** A server that does as it is told, in place of a source. */
async function startHangingFront(behaviour: 'silence' | 'drip') {
  const front = await startFront('http://127.0.0.1:1')
  onTestFinished(() => front[Symbol.asyncDispose]())
  front.behave(behaviour)
  return front
}

/** Makes a file that glibc reads before it looks up a host name without dots: a pipe to which nobody ever writes. */
async function makeStuckLookup(): Promise<Record<string, string>> {
  const path = join(await temporaryDirectory(), 'host-aliases')
  execFileSync('mkfifo', [path])
  return { HOSTALIASES: path }
}

interface Hanging {
  /** The address of the source. */
  readonly url: string
  /** The step at which a run waits for ever. */
  readonly stage: string
  readonly env?: Readonly<Record<string, string>>
}

const stages: Record<string, () => Promise<Hanging>> = {
  'the lookup of its name': async () => ({
    url: 'https://gatepass-nowhere',
    stage: 'looking up gatepass-nowhere',
    env: await makeStuckLookup(),
  }),
  'the connection': async () => {
    const name = `127.0.0.1:${await startFullServer()}`
    return { url: `https://${name}`, stage: `connecting to ${name}` }
  },
  'the TLS handshake': async () => {
    const name = `127.0.0.1:${await startMuteServer()}`
    return { url: `https://${name}`, stage: `in the TLS handshake with ${name}` }
  },
  'the beginning of its answer': async () => {
    const { url, port } = await startHangingFront('silence')
    return { url, stage: `waiting for 127.0.0.1(:${port})? to answer` }
  },
  'the rest of its answer': async () => {
    const { url, port } = await startHangingFront('drip')
    return { url, stage: `reading the answer of 127.0.0.1(:${port})?` }
  },
  'the proxy before it': async () => {
    const proxy = `http://127.0.0.1:${await startMuteServer()}`
    const stage = `waiting for the proxy ${proxy} to open a tunnel to ${host}`
    return { url: `https://${host}`, stage, env: { HTTPS_PROXY: proxy } }
  },
  'the TLS handshake behind a proxy': async () => {
    const proxy = await startForwardProxy({ routes: { [`${host}:443`]: await startMuteServer() } })
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const url = `http://127.0.0.1:${proxy.port}`
    const stage = `in the TLS handshake with ${host} through the proxy ${url}`
    return { url: `https://${host}`, stage, env: { HTTPS_PROXY: url } }
  },
}

describe.each(listLongTestedHelpers())('%s', (helper) => {
  // A process has to start before it can tell what it waits for, and two before the one that renews a sign-in can.
  const callSec = helper === 'oidc-token' ? 8 : 4

  /** A helper that gave up by itself, in time, and named what it waited for. */
  const expectLate = async (source: CountableSource, { url, stage, env }: Hanging, parts: RunParts = {}) => {
    const { argv = [], env: way = {} } = await source.leadTo(url)
    const run = startRun(helper, source, {
      ...parts,
      argv: [...argv, '--client-timeout', `${callSec + 2}`],
      env: { ...way, ...env },
    })
    const { ms, ...outcome } = await run.outcome
    expect({ ...outcome, isInTime: ms < (callSec + 2) * 1_000 }).toEqual({
      status: 7,
      stdout: '',
      stderr: expect.stringMatching(
        `^${helper}: .* \\(${stage}\\) took longer than the ${callSec} s of this call\n.*hint: .*\n$`,
      ),
      isInTime: true,
    })
  }

  test.each(Object.keys(stages))('%s hangs', async (name) => {
    await expectLate(await startCountableSource(helper), await stages[name]!()) // a key of that table
  })

  test.each(helperContexts)('in %s a source that says nothing is given up in time', async (context) => {
    const hanging = await stages['the beginning of its answer']!() // a key of that table
    await expectLate(await startCountableSource(helper), hanging, { context })
  })

  test('in mid-session-refresh it is given up within the twenty seconds of a client that may wait longer', async () => {
    const source = await startCountableSource(helper)
    source.delay(60_000)
    const context = 'mid-session-refresh'
    const { ms, status, stdout } = await startRun(helper, source, { context, argv: ['--client-timeout', '600'] })
      .outcome
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' })
    expect(ms).toBeLessThan(20_000)
  })
})
