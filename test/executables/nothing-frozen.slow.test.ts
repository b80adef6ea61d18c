import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildSuite } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { copyTree, readPrinted } from './made-up-tree.ts'

/** A helper that prints its environment. It reads a part of it when the module is loaded, as libraries do. */
const printsEnvironment = {
  source: `import { homedir, tmpdir } from 'node:os'
import { getCACertificates } from 'node:tls'
const { env } = process
const early = { path: process.env.SEEN, home: homedir(), cwd: process.cwd(), now: Date.now() }`,
  prints: `{
      early, seen: [env.SEEN, process.env.SEEN, host.env.SEEN], proxy: host.env.HTTPS_PROXY ?? null,
      home: [homedir(), host.home], tmp: tmpdir(), cwd: process.cwd(), argv: host.argv.length,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, hour: new Date(0).getHours(),
      locale: Intl.DateTimeFormat().resolvedOptions().locale, number: (1234.5).toLocaleString(),
      extra: getCACertificates('extra').length, bundled: getCACertificates('bundled').length > 0,
      now: [Date.now(), host.clock.now(), host.clock.startedAt, performance.timeOrigin, +new Date()],
      pid: process.pid,
    }`,
}

/** A helper that prints a value of every random source, ours and the libraries', when it is loaded and when it runs. */
const draws = {
  source: `import * as nodeCrypto from 'node:crypto'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdempotencyToken, v4 } from '@smithy/core/serde'
const atLoad = crypto.randomUUID()
const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'draw-'))
  rmdirSync(path)
  return path
}`,
  prints: `[atLoad, crypto.randomUUID(), randomUUID(), randomBytes(16).toString('hex'), String(Math.random()),
      nodeCrypto.webcrypto.getRandomValues(new Uint32Array(4)).join(), v4(), generateIdempotencyToken(), temporary()]`,
}

let directory: string
beforeAll(async () => {
  const tree = await copyTree('frozen', { 'prints-environment': printsEnvironment, draws })
  directory = (await buildSuite(hostTarget, { tree }, join(tree, 'dist'))).directory
})

describe('an executable', () => {
  test('holds no environment, home, directories, time zone, locale, certificates, proxy or clock of its build', async () => {
    const first = await look({
      SEEN: 'one',
      TZ: 'Asia/Tokyo',
      LC_ALL: 'de_DE.UTF-8',
      HTTPS_PROXY: 'http://one.example',
    })
    const certificates = await writeCertificate()
    const second = await look({ SEEN: 'two', TZ: 'UTC', LC_ALL: 'en_US.UTF-8', NODE_EXTRA_CA_CERTS: certificates })
    expect(first).toMatchObject({
      zone: 'Asia/Tokyo',
      hour: 9,
      locale: 'de-DE',
      number: '1.234,5',
      extra: 0,
      proxy: 'http://one.example',
    })
    expect(second).toMatchObject({ zone: 'UTC', hour: 0, locale: 'en-US', number: '1,234.5', extra: 1, proxy: null })
  })

  /** Runs the helper in its own home directory and checks what every run must see. */
  const look = async (more: Record<string, string>) => {
    const home = await temporaryDirectory()
    const tmp = join(home, 'tmp')
    await mkdir(tmp)
    const startedAt = Date.now()
    const outcome = await runExecutable(join(directory, 'prints-environment'), {
      env: { HOME: home, TMPDIR: tmp, ...more },
      cwd: tmp,
    })
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    const seen = readPrinted(outcome.stdout) as Record<string, unknown> & { now: number[] }
    expect(seen).toMatchObject({
      early: { path: more.SEEN, home, cwd: tmp },
      seen: [more.SEEN, more.SEEN, more.SEEN],
      home: [home, home],
      tmp,
      cwd: tmp,
      argv: 0,
      bundled: true,
    })
    // Every clock is between the times before and after the run, with a tolerance for the resolution of the system's clock.
    for (const time of seen.now) {
      expect(time).toBeGreaterThan(startedAt - 50)
      expect(time).toBeLessThan(Date.now() + 50)
    }
    return seen
  }
})

test('starts four hundred times without the same random value', async () => {
  const env = { HOME: await temporaryDirectory(), PATH: '/usr/bin:/bin' }
  const loop = `for i in $(seq 200); do "$0" || exit; echo; done`
  const run = () => runExecutable('/bin/sh', { argv: ['-c', loop, join(directory, 'draws')], env, timeoutMs: 240_000 })
  const outcomes = await Promise.all([run(), run()])
  const lines = outcomes.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean))
  const drawn = lines.flatMap((line) => readPrinted(line) as string[])
  expect(drawn).toHaveLength(3600)
  expect(new Set(drawn).size).toBe(drawn.length)
})

async function writeCertificate(): Promise<string> {
  const path = join(await temporaryDirectory(), 'ca.pem')
  const key = `${path}.key`
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    path,
    '-subj',
    '/CN=one',
    '-days',
    '2',
  ]
  await promisify(execFile)('openssl', args)
  await writeFile(key, '')
  return path
}
