import { chmod, link, lstat, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readLastFailure } from '../../../src/outcomes/last-failure.ts'
import { parseLostCount } from '../../../src/outcomes/lost-count.ts'
import { parseOutcome } from '../../../src/outcomes/parse-outcome.ts'
import { longestSpool } from '../../../src/outcomes/spool.ts'
import { exitStatus, type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { testNow } from '../../setup/test-host.ts'
import { badge, badgeThat, canary, startOutcomeDesk } from './desk.ts'

const printed = { status: 0, stdout: `{"token":"${canary}-token"}\n`, stderr: '' }
const outcome = {
  time: testNow,
  helper: 'badge',
  version,
  context: 'unknown',
  format: 'json',
  ms: 0,
  source: 'command',
}
const success = { ...outcome, outcome: 'success', status: 0 }

describe('the spool', () => {
  test('a call that mints and one that is served from the cache leave a line each, for this user alone', async () => {
    const desk = await startOutcomeDesk()
    const runs = [await desk.run(), await desk.run({ env: { [vendor.contextVariable]: 'scheduled-task' } })]
    expect({
      runs,
      spooled: (await desk.readSpool()).map(parseOutcome),
      mode: (await stat(desk.spool)).mode & 0o777,
    }).toEqual({
      runs: [printed, printed],
      spooled: [
        { ...success, origin: 'mint', mintMs: 0 },
        { ...success, context: 'scheduled-task', origin: 'cache' },
      ],
      mode: 0o600,
    })
  })

  test('without a setting nothing is written beside the token', async () => {
    const desk = await startOutcomeDesk()
    const off = { env: { GATEPASS_OTLP_ENDPOINT: '', GATEPASS_OUTCOME_LOG: 'none' } }
    expect({
      outcome: await desk.run(off),
      files: (await readdir(desk.cache)).filter((name) => name.startsWith('outcomes')),
    }).toEqual({ outcome: printed, files: [] })
  })

  test('a help text, an explanation and a command of a person leave no line', async () => {
    const desk = await startOutcomeDesk()
    const statuses = ['--help', '--version', '--explain', 'polish'].map(
      async (word) => (await desk.run({ argv: [word] })).status,
    )
    expect({ outcome: await Promise.all(statuses), spool: await desk.readSpool() }).toEqual({
      outcome: [0, 0, 0, 0],
      spool: [],
    })
  })
})

const kinds = (Object.keys(exitStatus) as FailureKind[]).filter((kind) => kind !== 'bug')

describe('no text from outside', () => {
  test.each([
    ...kinds.map((kind) => [kind, new HelperError(kind, `${canary} message`, `${canary} hint`)] as const),
    ['bug', new TypeError(`${canary} of a bug`)] as const,
  ])('a call that fails as %s records that alone', async (kind, error) => {
    const desk = await startOutcomeDesk()
    const argv = ['--account', canary, '--header', `X-Key: ${canary}`, '--proxy', `http://u:${canary}@127.0.0.1:1`]
    const { status, stdout } = await desk.run(
      { argv },
      badgeThat(() => Promise.reject(error)),
    )
    const recorded = (await desk.readSpool()).map(parseOutcome)
    expect({ status, stdout, recorded }).toEqual({
      status: exitStatus[kind],
      stdout: '',
      recorded: [{ ...outcome, outcome: kind, status: exitStatus[kind], mintMs: 0 }],
    })
  })

  test('a call with unknown arguments is recorded where files or variables name a destination', async () => {
    const desk = await startOutcomeDesk()
    expect(await desk.run({ argv: [`--${canary}`, canary] })).toEqual({
      stdout: '',
      stderr: 'badge: unknown option --canary\nbadge: hint: see: badge --help\n',
      status: exitStatus.usage,
    })
    const { source: _, ...unplanned } = outcome
    expect((await desk.readSpool()).map(parseOutcome)).toEqual([{ ...unplanned, outcome: 'usage', status: 2 }])
  })

  test('a late call records only the kind of the stage that it waited for', async () => {
    const desk = await startOutcomeDesk()
    const clock = { now: () => testNow, startedAt: testNow, elapsedMs: () => 55_000 }
    const waiting = badgeThat((_, __, { deadline }) =>
      deadline.during('program', `${canary} of /home/${canary}`, () => new Promise(() => {})),
    )
    expect({ outcome: await desk.run({ clock }, waiting), spool: (await desk.readSpool()).map(parseOutcome) }).toEqual({
      outcome: {
        status: exitStatus.late,
        stdout: '',
        stderr: [
          'badge: canary of /home/canary took longer than the 58 s of this call',
          "badge: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
          '',
        ].join('\n'),
      },
      spool: [{ ...outcome, ms: 55_000, outcome: 'late', status: exitStatus.late, mintMs: 0, late: 'program' }],
    })
  })

  test('a line holds only numbers and closed words, whatever stands in options and messages', async () => {
    const desk = await startOutcomeDesk()
    const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
    const property = fc.asyncProperty(text, text, async (account, message) => {
      const before = (await desk.readSpool()).length
      await desk.run(
        { argv: [`--account=${account}`] },
        badgeThat(() => Promise.reject(new HelperError('refused', message, account))),
      )
      const lines = (await desk.readSpool()).slice(before)
      expect(lines.map(parseOutcome)).toEqual([{ ...outcome, outcome: 'refused', status: 5, mintMs: 0 }])
    })
    await fc.assert(property, { numRuns: 15 })
  })
})

describe('settings that cannot be used', () => {
  const none = 'no collector is told of this call'
  const inFull = 'write it in full, such as https://otel.example:4318'
  test.each([
    [
      'http://otel.example:4318',
      'otel.example would be asked over plain http, which anybody on the network can read; write https:// into otlp-endpoint',
    ],
    ['otel.example', `expected an address that begins with https://; ${inFull}`],
    ['ftp://otel.example', `expected an address that begins with https://; ${inFull}`],
    ['https://otel.example/v1/metrics', 'it ends with /v1/metrics, which is added to it; remove that ending'],
    [`https://u:${canary}@otel.example`, 'a user or a password in it would be in every log; use otlp-headers-file'],
    [`https://otel.example/?key=${canary}`, 'expected an address without ? and #; use otlp-headers-file for a key'],
  ])('the endpoint %s costs a warning and not the token', async (endpoint, problem) => {
    const desk = await startOutcomeDesk()
    const stderr = `badge: warning: otlp-endpoint: ${problem}; ${none}\n`
    expect({
      outcome: await desk.run({ env: { GATEPASS_OTLP_ENDPOINT: endpoint } }),
      spool: await desk.readSpool(),
    }).toEqual({ outcome: { ...printed, stderr }, spool: [] })
  })

  test('attributes without a name are left out', async () => {
    const desk = await startOutcomeDesk()
    const argv = ['--otlp-resource', 'site=Oslo', '--otlp-resource', canary]
    const stderr =
      'badge: warning: otlp-resource: 1 of 2 are not of the form name=value, such as deployment.environment.name=office, and are left out\n'
    expect({ outcome: await desk.run({ argv }), spool: (await desk.readSpool()).map(parseOutcome) }).toEqual({
      outcome: { ...printed, stderr },
      spool: [{ ...success, origin: 'mint', mintMs: 0 }],
    })
  })

  test('only the first of endless attributes are sent', async () => {
    const notes = join(await temporaryDirectory(), 'notes')
    const desk = await startOutcomeDesk(['/bin/sh', '-c', `env > '${notes}.draft'; mv '${notes}.draft' '${notes}'`])
    const texts = Array.from({ length: 1000 }, (_, index) => `site.n${index}=${'é'.repeat(250)}`)
    const stderr = 'badge: warning: otlp-resource: 984 of 1000 are beyond the 8 KiB that are sent, and are left out\n'
    expect(await desk.run({ argv: texts.map((text) => `--otlp-resource=${text}`) })).toEqual({ ...printed, stderr })
    await vi.waitFor(async () => expect(findResource(await readFile(notes, 'utf8'))).toEqual(texts.slice(0, 16)), 5000)
  })

  test('attributes that look like a credential are not sent and not repeated', async () => {
    const notes = join(await temporaryDirectory(), 'notes')
    const desk = await startOutcomeDesk(['/bin/sh', '-c', `env > '${notes}.draft'; mv '${notes}.draft' '${notes}'`])
    const texts = ['site=Oslo', `api.key=${vendor.keyPrefix}${canary}`, `Bearer ${canary}`]
    const stderr =
      'badge: warning: otlp-resource: 2 of 3 are like a credential, which belongs into otlp-headers-file, and are left out\n'
    expect(await desk.run({ argv: texts.map((text) => `--otlp-resource=${text}`) })).toEqual({ ...printed, stderr })
    await vi.waitFor(async () => expect(findResource(await readFile(notes, 'utf8'))).toEqual(['site=Oslo']), 5000)
  })
})

/** Finds the attributes in the environment of the process that sends; `undefined` before it has started. */
function findResource(environment: string): string[] | undefined {
  const [text] = /(?<="resource":)\[.*?\](?=[,}])/.exec(environment) ?? []
  return text === undefined ? undefined : JSON.parse(text)
}

describe('a spool that cannot be used', () => {
  test.each<[string, (desk: Awaited<ReturnType<typeof startOutcomeDesk>>) => Promise<unknown>]>([
    ['a link to a file of the user', async ({ home, spool }) => symlink(join(home, 'own'), spool)],
    ['a second name of such a file', async ({ home, spool }) => link(join(home, 'own'), spool)],
    ['a pipe', async ({ spool }) => execa('mkfifo', ['-m', '600', spool])],
    ['a directory', async ({ spool }) => mkdir(spool)],
    ['a file that others can write', async ({ spool }) => writeFile(spool, '').then(() => chmod(spool, 0o666))],
    ['in a cache that others can write', async ({ cache }) => chmod(cache, 0o777)],
    [
      'in no directory that can be created',
      async ({ home }) => {
        await rm(join(home, '.cache'), { recursive: true })
        await writeFile(join(home, '.cache'), '')
      },
    ],
  ])('costs neither the token nor a message where it is %s', async (_, prepare) => {
    const desk = await startOutcomeDesk()
    await writeFile(join(desk.home, 'own'), 'as it was')
    await mkdir(desk.cache, { recursive: true, mode: 0o700 })
    await prepare(desk)
    const before = await lstat(desk.spool).catch(() => undefined)
    const { status, stdout } = await desk.run({ argv: ['--cache', 'none'] })
    const after = await lstat(desk.spool).catch(() => undefined)
    const own = await readFile(join(desk.home, 'own'), 'utf8')
    expect({ status, stdout, own, size: after?.size }).toEqual({
      status: 0,
      stdout: printed.stdout,
      own: 'as it was',
      size: before?.size,
    })
  })

  test('counts an outcome without taking it where it is full', async () => {
    const desk = await startOutcomeDesk()
    await mkdir(desk.cache, { recursive: true, mode: 0o700 })
    await writeFile(desk.spool, '\n'.repeat(longestSpool), { mode: 0o600 })
    await desk.run()
    await desk.run()
    expect({
      spool: await desk.readSpool(),
      files: (await readdir(desk.cache)).map(parseLostCount).filter((count) => count !== undefined),
    }).toEqual({ spool: [], files: [2] })
  })
})

describe('the process that sends', () => {
  /** Notes its environment and then its arguments, so that a test that sees these finds the whole environment. */
  const noting = (path: string) => ['/bin/sh', '-c', `env >> '${path}.env'; echo "$0" >> '${path}'`] as const

  test('is started by one of many calls that mint at once, with only the environment that it needs', async () => {
    const notes = join(await temporaryDirectory(), 'notes')
    const desk = await startOutcomeDesk(noting(notes))
    const env = { VENDOR_API_KEY: canary, AWS_SESSION_TOKEN: canary, GATEPASS_HEADER: canary, HOME: desk.home }
    const argv = (index: number) => ['--account', `${canary}-${index}`]
    await Promise.all(Array.from({ length: 20 }, (_, index) => desk.run({ argv: argv(index), env })))
    await vi.waitFor(async () => expect(await readFile(notes, 'utf8')).toBe('send-outcomes\n'), 5000)
    expect((await readFile(`${notes}.env`, 'utf8')).match(/^\w+(?==)/gm)?.toSorted()).toEqual([
      'GATEPASS_OUTCOME_ORDER',
      'HOME',
      'PWD',
    ])
  })

  test('is not started where its settings are too long for a process', async () => {
    const desk = await startOutcomeDesk()
    const env = {
      GATEPASS_OTLP_ENDPOINT: `https://otel.example/${'a'.repeat(140_000)}`,
      GATEPASS_OUTCOME_LOG: 'system',
    }
    const outcome = await desk.run({ env })
    const failure = {
      time: testNow,
      message: 'what the sending process has to know is longer than 30000 bytes',
      hint: 'shorten otlp-endpoint, otlp-headers-file, proxy, no-proxy or ca',
    }
    const failures = [await readLastFailure(desk.cache, 'otlp'), await readLastFailure(desk.cache, 'log')]
    expect({ outcome, failures, spooled: (await desk.readSpool()).map(parseOutcome) }).toEqual({
      outcome: printed,
      failures: [failure, failure],
      spooled: [{ ...success, origin: 'mint', mintMs: 0 }],
    })
  })

  test('works in the directory of its program, and keeps no client busy', async () => {
    const notes = join(await temporaryDirectory(), 'notes')
    const desk = await startOutcomeDesk(['/bin/sh', '-c', `pwd > '${notes}'`])
    await desk.run()
    await vi.waitFor(async () => expect(await readFile(notes, 'utf8')).toBe(`${await realpath('/bin')}\n`), 5000)
  })

  test('is started by no call that is served from the cache', async () => {
    const notes = join(await temporaryDirectory(), 'notes')
    const desk = await startOutcomeDesk(noting(notes))
    await desk.run({ env: { GATEPASS_OTLP_ENDPOINT: '' } })
    await desk.run()
    expect((await readdir(desk.cache)).filter((name) => name.startsWith('outcomes.'))).toEqual(['outcomes.spool'])
  })

  test('costs nothing where it cannot be started', async () => {
    const desk = await startOutcomeDesk(['/nonexistent/program'])
    expect(await desk.run({}, badge)).toEqual(printed)
  })
})
