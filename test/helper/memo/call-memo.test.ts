import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CachedToken, clearCachedTokens, listCachedTokens } from '../../../src/helper/cache/inventory.ts'
import { sweepCache } from '../../../src/helper/cache/sweep.ts'
import { isPublicVariable, toSeenFile } from '../../../src/helper/memo/seen-file.ts'
import { type Look, readIfPresent } from '../../../src/runtime/disk.ts'
import { setNameSource } from '../../../src/vendor/setting.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import type { TestHostParts } from '../../setup/test-host.ts'
import { reader, startMemoDesk } from './memo-desk.ts'

const env = { AWS_PROFILE: 'dev' }
const header = ['--header', 'X-Key: hidden-{account}', '--header=Y: 2']

/** Gives an entry another part of the time; the last moment at which it is served for an hour's ttl and 90 %. */
async function setEarlyFraction({ path }: CachedToken, earlyFraction: number): Promise<number> {
  const entry = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...entry, earlyFraction }))
  const servableUntil = entry.expiresAt - 3_600_000 - 60_000
  return Math.floor(servableUntil - (servableUntil - entry.minted) * 0.9 * earlyFraction)
}

/** The same helper, with a source that gives no headers. */
const bareReader: typeof reader = {
  ...reader,
  mint: async (...given) => ({ ...(await reader.mint(...given)), headers: undefined }),
}

describe('a memo', () => {
  test('answers a call like the one that left it, with the headers of its arguments', async () => {
    const desk = await startMemoDesk({ env, argv: header })
    const { withMemo, without } = await desk.compare()
    expect({ answer: JSON.parse(desk.answer), remembered: await desk.remembered(), withMemo }).toEqual({
      answer: { token: expect.any(String), headers: { 'X-From-Source': 'yes', 'X-Key': 'hidden-home', Y: '2' } },
      remembered: desk.answer,
      withMemo: without,
    })
  })

  test('states what is left of the life of the token, not what was left before', async () => {
    const desk = await startMemoDesk({ env, argv: ['--format', 'access-token-json'] }, undefined, bareReader)
    const left = async (passedMs: number) => {
      const parts = { clock: { now: () => desk.now + passedMs, startedAt: desk.now + passedMs, elapsedMs: () => 0 } }
      return Number(JSON.parse((await desk.remembered(parts)) ?? '{}').expires_in)
    }
    const first = await left(0)
    expect(first).toBeGreaterThan(3 * 86_400)
    expect(await left(90_500)).toBe(first - 91)
  })

  test.each([
    ['headers-json', '{"Authorization":"Bearer TOKEN","X-From-Source":"yes"}\n'],
    ['headers-json --no-headers', '{"Authorization":"Bearer TOKEN"}\n'],
    ['token --no-headers', 'TOKEN\n'],
    ['proxy-authorization', 'Bearer TOKEN\n'],
  ])('answers a call with --format %s like the one that left it', async (format, answer) => {
    const helper = format === 'proxy-authorization' ? bareReader : reader
    const desk = await startMemoDesk({ env, argv: ['--format', ...format.split(' ')] }, undefined, helper)
    const { withMemo, without } = await desk.compare()
    const shown = desk.answer.replace(/t-[\w-]+/, 'TOKEN')
    expect({ shown, remembered: await desk.remembered(), withMemo }).toEqual({
      shown: answer,
      remembered: desk.answer,
      withMemo: without,
    })
  })

  test('answers no process that asks too often', async () => {
    const desk = await startMemoDesk({ env, argv: ['--suspect-after', '4'] })
    const ask = async (seconds: number) => {
      const now = desk.now + seconds * 1000
      const clock = { now: () => now, startedAt: now, elapsedMs: () => 0, bootedAt: desk.now - 86_400_000 }
      const isAnswered = (await desk.remembered({ clock })) !== undefined
      await desk.settle()
      return isAnswered
    }
    const answered = [await ask(100), await ask(101), await ask(102), await ask(103), await ask(120)]
    expect(answered).toEqual([true, true, true, false, true])
  })

  test('has no text of the token, of a header or of a variable', async () => {
    const desk = await startMemoDesk({ env: { AWS_PROFILE: 'hidden-profile' }, argv: header })
    const memo = await desk.readMemo()
    expect(memo?.match(/AWS_PROFILE|hidden|t-/g)).toEqual(['AWS_PROFILE'])
  })

  test.each<[what: string, parts: TestHostParts]>([
    ['another argument', { argv: ['--account', 'work'] }],
    ['another value of a variable', { env: { AWS_PROFILE: 'prod' } }],
    ['a variable more', { env: { ...env, AWS_NEW: '' } }],
    ['another context, a refresh', { env: { ...env, VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } }],
  ])('answers no call with %s', async (_, parts) => {
    const desk = await startMemoDesk({ env })
    const [same, other] = [await desk.remembered(), await desk.remembered(parts)]
    expect({ same, other }).toEqual({ same: desk.answer, other: undefined })
  })

  /** Prepares a home with a program in one directory on PATH, and none in the one before it. */
  const startWithProgram = () =>
    startMemoDesk({ env }, async (home) => {
      for (const name of ['tools', 'more', 'machine']) await mkdir(join(home, name))
      await writeFile(join(home, 'more/note-list'), '', { mode: 0o755 })
    })

  test.each([
    ['answers', 'HOME/agent-1:relative:HOME/more', 'the same program'],
    ['does not answer', 'HOME/tools', 'none'],
  ])('%s where another PATH, %s, leads to %s', async (outcome, path) => {
    const desk = await startWithProgram()
    const answer = await desk.remembered({ env: { ...env, PATH: path.replaceAll('HOME', desk.home) } })
    expect(answer).toBe(outcome === 'answers' ? desk.answer : undefined)
  })

  test('does not answer while PATH leads to another program, or to one that has changed', async () => {
    const desk = await startWithProgram()
    const other = join(desk.home, 'tools/note-list')
    await writeFile(other, '', { mode: 0o755 })
    const withOther = await desk.remembered()
    await rm(other)
    const withoutOther = await desk.remembered()
    await writeFile(join(desk.home, 'more/note-list'), '#')
    expect({ withOther, withoutOther, withChanged: await desk.remembered() }).toEqual({
      withOther: undefined,
      withoutOther: desk.answer,
      withChanged: undefined,
    })
  })

  test('holds no PATH of a call that it has answered', async () => {
    const desk = await startWithProgram()
    await desk.remembered({ env: { ...env, PATH: `${desk.home}/agent-1:${desk.home}/more` } })
    expect((await desk.readMemo())?.includes('agent-1')).toBe(false)
  })

  test('names every variable that the plan asks for, however it asks', async () => {
    const asking: typeof reader = {
      ...reader,
      plan: async (host, options, call) => {
        const { env } = host
        const { AWS_B } = env
        const seen = [AWS_B, env.AWS_A, 'AWS_C' in env, Object.hasOwn(env, 'AWS_D')]
        return { ...(await reader.plan(host, options, call)), inputs: seen.map(String) }
      },
    }
    const memo = await (await startMemoDesk({ env }, undefined, asking)).readMemo()
    expect(memo?.match(/"AWS_[A-D]"/g)).toEqual(['"AWS_B"', '"AWS_A"', '"AWS_C"', '"AWS_D"'])
  })

  test('ends after a day, and is not from the future', async () => {
    const desk = await startMemoDesk({ env, argv: ['--client-ttl', '1'] })
    const at = (now: number) => desk.remembered({ clock: { now: () => now, startedAt: now, elapsedMs: () => 0 } })
    const { now, answer } = desk
    const day = 86_400_000
    const [first, last] = [await at(now), await at(now + day - 1)]
    const answers = [await at(now - 1), first, last, await at(now + day)]
    const { expiresAt, made } = JSON.parse((await desk.readMemo())!).memo
    expect({ answers, lifeMs: expiresAt - made }).toEqual({
      answers: [undefined, answer, answer, undefined],
      lifeMs: day,
    })
  })

  test('serves until the moment at which its machine renews early', async () => {
    const desk = await startMemoDesk({ env, argv: ['--renew-early', '90'] })
    const [entry] = await listCachedTokens(desk.cache)
    const renewedFrom = await setEarlyFraction(entry!, 0.9)
    const at = (now: number) => ({ clock: { now: () => now, startedAt: now, elapsedMs: () => 0 } })
    const [inTime, late] = [at(renewedFrom), at(renewedFrom + 1)]
    const remembered = [await desk.remembered(inTime), await desk.remembered(late)]
    const before = await desk.compare(inTime)
    const whenOff = await desk.call({ ...late, env: { ...env, GATEPASS_RENEW_EARLY: '0' }, argv: [] })
    const after = await desk.compare(late)
    const isRenewed = after.withMemo.stdout !== before.withMemo.stdout
    expect({ remembered, before: before.withMemo, whenOff, after: after.withMemo, isRenewed }).toEqual({
      remembered: [desk.answer, undefined],
      before: before.without,
      whenOff: before.without,
      after: after.without,
      isRenewed: true,
    })
  })

  test('of an existing file notices a change of its time alone', async () => {
    const desk = await startMemoDesk({ env }, async (home) => {
      await mkdir(join(home, 'notes'))
      await writeFile(join(home, 'notes/text'), 'one')
    })
    const before = await desk.remembered()
    await utimes(join(desk.home, 'notes/text'), 1, 1)
    expect([before, await desk.remembered()]).toEqual([desk.answer, undefined])
  })
})

test('a memo leads to the entry alone that was minted with the watched files as they are', async () => {
  const watching: typeof reader = {
    ...reader,
    plan: async (host, options, call) => {
      const digest = `${await readIfPresent(join(host.home, 'account'))}`
      const found = { state: digest, changedAt: 0, readContent: async () => digest }
      const watched = { paths: [], found, look: async () => found }
      return { ...(await reader.plan(host, options, call)), dependence: { variables: [], programs: [], watched } }
    },
  }
  const desk = await startMemoDesk({ env }, (home) => writeFile(join(home, 'account'), 'dana'), watching)
  const same = await desk.remembered()
  const [entry] = await listCachedTokens(desk.cache)
  const kept = JSON.parse(await readFile(entry!.path, 'utf8'))
  await writeFile(
    entry!.path,
    JSON.stringify({ ...kept, minted: kept.minted - 1, watched: { content: 'robin', isRewritten: false } }),
  )
  const ofOtherContent = await desk.remembered()
  await writeFile(entry!.path, JSON.stringify(kept))
  const restored = await desk.remembered()
  await writeFile(join(desk.home, 'account'), 'robin')
  expect({ same, ofOtherContent, restored, changed: await desk.remembered() }).toEqual({
    same: desk.answer,
    ofOtherContent: undefined,
    restored: desk.answer,
    changed: undefined,
  })
})

test('a memo ends when another file decides the names', async () => {
  const missing = Object.assign(new Error(), { code: 'ENOENT' })
  const home = await temporaryDirectory()
  const path = join(home, 'vendor.json')
  setNameSource({ from: 'build', looks: [{ path, kind: 'status', found: missing }] })
  onTestFinished(() => setNameSource({ from: 'build', looks: [] }))
  const desk = await startMemoDesk({ env, home })
  const before = await desk.remembered()
  await writeFile(path, '{}')
  expect([before, await desk.remembered()]).toEqual([desk.answer, undefined])
})

describe('no memo is left by a call', () => {
  const calls: Record<string, TestHostParts> = {
    'whose cache is none': { argv: ['--cache', 'none'] },
    'that explains itself': { argv: ['--explain'] },
    'that writes a log': { argv: ['--log-file', '/dev/null'] },
    'with a header from a variable': { env: { GATEPASS_HEADER: 'X-Key: hidden' } },
    'with a variable that may be a secret': { env: { OTHER_SETTING: 'hidden' } },
    'with a key of AWS': { env: { AWS_SECRET_ACCESS_KEY: 'hidden' } },
    'with a warning': { argv: ['--not-before', '2099-01-01'] },
    'that reads what the system makes up': { env: { NOTES_FILE: '/proc/sys/kernel/ostype' } },
  }

  test.each(Object.entries(calls))('%s', async (_, parts) => {
    expect(await (await startMemoDesk(parts)).readMemo()).toBe(undefined)
  })

  test.each(['clock', 'streams', 'everything', 'context', 'person', 'relative file', 'report'])(
    'whose plan asks for the %s',
    async (part) => {
      const asking: typeof reader = {
        ...reader,
        ...(part === 'report' && { report: async () => ['a line in place of the token'] }),
        plan: async (host, options, call) => {
          if (part === 'clock') host.clock.now()
          if (part === 'streams') host.streams.columns()
          if (part === 'everything') Object.keys(host.env)
          if (part === 'context') void call.context
          if (part === 'person') call.warn('careful')
          if (part === 'relative file') await readIfPresent('relative')
          return reader.plan(host, options, call)
        },
      }
      expect(await (await startMemoDesk({}, undefined, asking)).readMemo()).toBe(undefined)
    },
  )
})

describe('that a file is remembered', () => {
  const second = 1_000_000_000n
  const look = (ctimeNs: bigint, isFile = true, mtimeNs = ctimeNs): Look => {
    const found = { dev: 1n, ino: 2n, mode: 3n, uid: 4n, size: 5n, mtimeNs, ctimeNs, isFile: () => isFile }
    return { path: '/a', kind: 0, found: found as unknown as Look['found'] }
  }

  test.each([
    [true, 'settled', look(7n * second + 1n)],
    [true, 'changed two seconds before the call', look(8n * second - 1n)],
    [false, 'changed less than two seconds before the call', look(8n * second + 1n)],
    [false, 'changed later', look(20n * second + 1n)],
    [false, 'of a system that counts whole seconds', look(7n * second)],
    [false, 'with a content from the future', look(7n * second + 1n, true, 20n * second)],
    [false, 'no file', look(7n * second + 1n, false)],
    [true, 'missing', { path: '/a', kind: 0, found: Object.assign(new Error(), { code: 'ENOENT' }) } as Look],
    [false, 'unreadable', { path: '/a', kind: 0, found: Object.assign(new Error(), { code: 'EACCES' }) } as Look],
  ] as const)('is %s where it is %s', (isRemembered, _, each) => {
    expect(toSeenFile(each, 10_000) !== undefined).toBe(isRemembered)
  })
})

test.each([
  [true, 'AWS_PROFILE', 'dev'],
  [true, 'AWS_WEB_IDENTITY_TOKEN_FILE', '/run/token'],
  [true, 'AWS_ENDPOINT_URL_SECRETS_MANAGER', 'https://vpce.example'],
  [true, 'GATEPASS_BASE_URL', 'https://gateway.example'],
  [true, 'https_proxy', 'http://proxy.example:3128'],
  [true, 'USER', 'dana'],
  [true, 'SSH_AUTH_SOCK', '/run/user/1000/agent'],
  [true, 'CLOUDSDK_CONFIG', '/home/dana/gcloud'],
  [true, 'VAULT_ADDR', 'https://vault.example'],
  [true, 'ANYTHING', ''],
  [false, 'https_proxy', 'http://user:hidden@proxy.example:3128'],
  [false, 'https_proxy', 'user:hidden@proxy.example:3128'],
  [false, 'GATEPASS_BASE_URL', 'https://gateway.example?key=hidden'],
  [false, 'AWS_SECRET_ACCESS_KEY', 'hidden'],
  [false, 'AWS_SESSION_TOKEN', 'hidden'],
  [false, 'AWS_CONTAINER_AUTHORIZATION_TOKEN', 'hidden'],
  [false, 'AWS_VAULT_PASS', 'hidden'],
  [false, 'AWS_SSO_PWD', 'hidden'],
  [false, 'AWS_MFA_CODE', '123456'],
  [false, 'AWS_CARD_PIN', '1234'],
  [false, 'AWS_CREDS', 'hidden'],
  [false, 'AWS_BASIC_AUTH', 'hidden'],
  [false, 'VAULT_TOKEN', 'hidden'],
  [false, 'OP_SESSION_abc', 'hidden'],
  [false, 'KSM_CONFIG', 'hidden'],
  [false, 'DOCKER_AUTH_CONFIG', 'hidden'],
  [false, 'BW_SESSION', 'hidden'],
  [false, 'GOOGLE_CREDENTIALS', 'hidden'],
  [false, 'PATH', '/bin'],
  [false, 'GATEPASS_HEADER', 'X-Key: hidden'],
  [false, 'GATEPASS_API_KEY', 'hidden'],
  [false, 'IDENTITY_TOKEN', 'hidden'],
  [false, 'ANYTHING', 'hidden'],
])('it is %s that the digest of %s=%s may be written', (isPublic, name, value) => {
  expect(isPublicVariable(name, value)).toBe(isPublic)
})

test('a directory keeps a limited number of memos, and the last one', async () => {
  const desk = await startMemoDesk({ env })
  for (let number = 100; number < 300; number += 1)
    await writeFile(join(desk.cache, `reader-${number}.memo`), '', { mode: 0o600 })
  await writeFile(join(desk.cache, 'notes.txt'), '')
  const count = async () => {
    const names = await readdir(desk.cache)
    return { memos: names.filter((name) => name.endsWith('.memo')).length, notes: names.includes('notes.txt') }
  }
  const before = await count()
  const { stdout } = await desk.call({ argv: ['--client-ttl', '7'] })
  const last = await desk.remembered({ argv: ['--client-ttl', '7'] })
  expect({ before, last, after: await count() }).toEqual({
    before: { memos: 201, notes: true },
    last: stdout,
    after: { memos: 128, notes: true },
  })
})

test('memos are not counted as tokens, and are removed without a lock when they end or the cache is cleared', async () => {
  const directory = await temporaryDirectory()
  const now = Date.now()
  const write = (name: string, text: string) => writeFile(join(directory, name), text, { mode: 0o600 })
  await write('tool-a.memo', JSON.stringify({ expiresAt: now }))
  await write('tool-b.memo', JSON.stringify({ expiresAt: now + 1 }))
  await write('tool-c.memodraft', '')
  await write('tool-d.memodraft', '')
  await utimes(join(directory, 'tool-c.memodraft'), 1, 1)
  await sweepCache(directory, now)
  expect({
    swept: (await readdir(directory)).sort(),
    tokens: await listCachedTokens(directory),
    cleared: await clearCachedTokens(directory),
    left: await readdir(directory),
  }).toEqual({ swept: ['tool-b.memo', 'tool-d.memodraft'], tokens: [], cleared: 0, left: [] })
})
