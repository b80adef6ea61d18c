import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { startCountableSource } from '../cache/countable-source.ts'
import { type RunParts, startRun } from '../cache/start-run.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startFullServer, startMuteServer } from '../stand-ins/deaf-servers.ts'
import { startFront } from '../stand-ins/front/front.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { host } from './site.ts'

/** Starts a server that does as it is told, in place of a source. */
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
  // A process has to start beside others before it can tell what it waits for, and two before the one that renews a sign-in can. Two
  // attempts at a connection, of five seconds each, would end before a longer call.
  const callSec = helper === 'oidc-token' ? 10 : 8

  /** Runs the helper once for each of these sources at once, all of which have started before. */
  const runAll = async (sources: readonly { hanging: Hanging; parts?: RunParts }[]) => {
    const desks = await Promise.all(
      sources.map(async ({ hanging: { url, ...hanging }, parts = {} }) => {
        const source = await startCountableSource(helper)
        return { source, ...hanging, parts, redirection: await source.leadTo(url) }
      }),
    )
    const runs = desks.map(async ({ source, stage, env, parts, redirection: { argv = [], env: way = {} } }) => {
      const impatient = [...argv, '--client-timeout', `${callSec + 2}`]
      const run = startRun(helper, source, { ...parts, argv: impatient, env: { ...way, ...env } })
      const { ms, stderr, ...outcome } = await run.outcome
      const says = `${helper}: .* \\(${stage}\\) took longer than the ${callSec} s of this call\n.*hint: .*\n`
      const isNamed = new RegExp(`^${says}$`).test(stderr)
      return { ...outcome, stderr: isNamed ? 'names the stage' : stderr, isInTime: ms < (callSec + 2) * 1_000 }
    })
    return Promise.all(runs)
  }
  /** It gave up by itself, in time, and named what it waited for. */
  const late = { status: 7, stdout: '', stderr: 'names the stage', isInTime: true }

  test('any stage of a request that hangs is given up in time and named', async () => {
    const all = await Promise.all(Object.values(stages).map(async (start) => ({ hanging: await start() })))
    const outcomes = await runAll(all)
    const names = Object.keys(stages)
    expect(names.map((name, index) => [name, outcomes[index]])).toEqual(names.map((name) => [name, late]))
  })

  test('in every context a source that says nothing is given up in time', async () => {
    const hanging = await stages['the beginning of its answer']!() // a key of that table
    const outcomes = await runAll(helperContexts.map((context) => ({ hanging, parts: { context } })))
    const expected = helperContexts.map((context) => [context, late])
    expect(helperContexts.map((context, index) => [context, outcomes[index]])).toEqual(expected)
  })

  test('a silent source in mid-session-refresh is given up within the twenty seconds of a client that may wait longer', async () => {
    const source = await startCountableSource(helper)
    source.delay(60_000)
    const context = 'mid-session-refresh'
    const { ms, status, stdout } = await startRun(helper, source, { context, argv: ['--client-timeout', '600'] })
      .outcome
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' })
    expect(ms).toBeLessThan(20_000)
  })
})
