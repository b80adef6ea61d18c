import {
  chmod,
  chown,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import type { OptionRow } from '../../../src/helper/options/option-table.ts'
import { toVariable } from '../../../src/helper/options/option-value.ts'
import { credentialProcessVariable } from '../../../src/runtime/program/credential-process-cycle.ts'
import { vendor } from '../../../src/vendor.ts'
import type { TestHostParts } from '../../setup/test-host.ts'
import { isRoot } from '../../setup/unprivileged.ts'
import { type MemoDesk, reader, startMemoDesk, tokenLifeMs } from './memo-desk.ts'

const env = { AWS_PROFILE: 'dev', OTHER_SETTING: '' }

/** When the file that is read was written, in seconds since the epoch: it can be set to the nanosecond. */
const past = 1_000_000

/** Files that the call reads, in a home whose directories are this user's alone. */
async function prepare(home: string): Promise<void> {
  for (const name of ['.config/gatepass', 'machine', 'more', 'notes', 'state', 'tools'])
    await mkdir(join(home, name), { recursive: true, mode: 0o700 })
  await write(join(home, 'notes/text'), 'one')
  await utimes(join(home, 'notes/text'), past, past)
  await write(join(home, 'state/id'), 'person-1')
  await writeFile(join(home, program), '#!/bin/sh\n', { mode: 0o755 })
  await write(join(home, '.config/gatepass/reader.json'), '{"header":["X-Account: {account}"]}')
}

const write = (path: string, text: string) => writeFile(path, text, { mode: 0o600 })
const program = 'more/note-list'
const userFile = '.config/gatepass/reader.json'
const machineFile = 'machine/reader.json'

/** Returns the headers that a call is answered with from the memo. */
const headersOf = async (desk: MemoDesk) => JSON.parse((await desk.remembered()) ?? '{}').headers

/** Prepares a desk whose next call would be answered from a memo. */
async function startDesk(): Promise<MemoDesk> {
  const desk = await startMemoDesk({ env }, prepare)
  expect(await headersOf(desk)).toEqual({ 'X-From-Source': 'yes', 'X-Account': 'home' })
  return desk
}

/** Something that happens between two calls, in the home, or what is another way in the second call. */
type Change = (desk: MemoDesk) => unknown
const changes: Record<string, Change> = {
  'the file that is read gets another text of the same length, and its old time': async ({ home }) => {
    await write(join(home, 'notes/text'), 'two')
    await utimes(join(home, 'notes/text'), past, past)
  },
  'it is replaced by another file with its times': async ({ home }) => {
    await write(join(home, 'notes/new'), 'two')
    await utimes(join(home, 'notes/new'), past, past)
    await rename(join(home, 'notes/new'), join(home, 'notes/text'))
  },
  'it is removed': ({ home }) => rm(join(home, 'notes/text')),
  'its directory is removed': ({ home }) => rm(join(home, 'notes'), { recursive: true }),
  'a directory takes its place': async ({ home }) => {
    await rm(join(home, 'notes/text'))
    await mkdir(join(home, 'notes/text'))
  },
  'a link to another file takes its place': async ({ home }) => {
    await write(join(home, 'notes/new'), 'two')
    await rm(join(home, 'notes/text'))
    await symlink(join(home, 'notes/new'), join(home, 'notes/text'))
  },
  'nobody may read it': ({ home }) => chmod(join(home, 'notes/text'), 0),
  'somebody else signs in': ({ home }) => write(join(home, 'state/id'), 'person-2'),
  'the sign-in can be changed by others': ({ home }) => chmod(join(home, 'state/id'), 0o666),
  'others can write where it is': ({ home }) => chmod(join(home, 'state'), 0o777),
  'a link to itself takes its place': async ({ home }) => {
    await rename(join(home, 'state/id'), join(home, 'state/real'))
    await symlink(join(home, 'state/real'), join(home, 'state/id'))
  },
  'another program of the name comes before it on PATH': ({ home }) =>
    writeFile(join(home, 'tools/note-list'), '#!/bin/sh\n', { mode: 0o755 }),
  'what comes before it cannot be executed': ({ home }) => write(join(home, 'tools/note-list'), ''),
  'the program is removed': ({ home }) => rm(join(home, program)),
  'nobody may execute it': ({ home }) => chmod(join(home, program), 0o644),
  'another text is in it': ({ home }) => writeFile(join(home, program), '#!/bin/bash\n'),
  'its directory is a file': async ({ home }) => {
    await rm(join(home, 'more'), { recursive: true })
    await write(join(home, 'more'), '')
  },
  "the user's file is removed": ({ home }) => rm(join(home, userFile)),
  'it can be written by others': ({ home }) => chmod(join(home, userFile), 0o666),
  'its directory can be': ({ home }) => chmod(dirname(join(home, userFile)), 0o777),
  'it has another header of the same length': ({ home }) =>
    write(join(home, userFile), '{"header":["Y-Account: {account}"]}'),
  'it is not JSON any more': ({ home }) => write(join(home, userFile), '{"header":["X-Account: {account}"]]'),
  "the machine's file appears and locks another account": ({ home }) =>
    writeFile(join(home, machineFile), '{"account":"work","locked":["account"]}', { mode: 0o644 }),
  "the machine's file appears and voids what is cached": ({ home, now }) =>
    writeFile(join(home, machineFile), JSON.stringify({ 'not-before': new Date(now).toISOString() })),
  "the machine's directory can be written by others, without a file": ({ home }) => chmod(join(home, 'machine'), 0o777),
  "the machine's directory is given away, without a file": ({ home }) =>
    isRoot ? chown(join(home, 'machine'), 1, 1) : undefined,
  'the entry is removed': ({ cache }) => removeEnding(cache, '.json'),
  'the entry has a second name': async ({ cache }) => {
    const name = await findEnding(cache, '.json')
    await link(join(cache, name), join(cache, 'other'))
  },
  'the token is one that cannot be printed': async ({ cache }) => {
    const path = join(cache, await findEnding(cache, '.json'))
    await write(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), token: 'two words' }))
  },
  'the source gave another header': async ({ cache }) => {
    const path = join(cache, await findEnding(cache, '.json'))
    await write(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), headers: { 'X-Other': '1' } }))
  },
  'others can write the entry': async ({ cache }) => chmod(join(cache, await findEnding(cache, '.json')), 0o666),
  'the entry is no entry': async ({ cache }) => write(join(cache, await findEnding(cache, '.json')), '{"format":1}'),
  'a copy of the entry of another account takes its place': (desk) => copyOther(desk, '.json'),
  'a copy of the memo of another account takes its place': (desk) => copyOther(desk, '.memo'),
  'others can write the cache': ({ cache }) => chmod(cache, 0o777),
  'the memo is empty': async ({ cache }) => write(join(cache, await findEnding(cache, '.memo')), ''),
  'it is null': async ({ cache }) => write(join(cache, await findEnding(cache, '.memo')), 'null'),
  'it has no content': async ({ cache }) => write(join(cache, await findEnding(cache, '.memo')), '{"format":1}'),
  'it is of another format': async ({ cache }) =>
    write(join(cache, await findEnding(cache, '.memo')), '{"format":99,"memo":{}}'),
  'others can write it': async ({ cache }) => chmod(join(cache, await findEnding(cache, '.memo')), 0o666),
  'it is a directory': async ({ cache }) => {
    const path = join(cache, await findEnding(cache, '.memo'))
    await rm(path)
    await mkdir(path)
  },
}

/** Makes two calls with another account, and copies their file over that of the first account. */
async function copyOther({ cache, call }: MemoDesk, ending: string): Promise<void> {
  const own = await findEnding(cache, ending)
  for (const _ of ['mints', 'leaves a memo']) await call({ argv: ['--account', 'work'] })
  const other = (await readdir(cache)).find((name) => name.endsWith(ending) && name !== own)!
  await copyFile(join(cache, other), join(cache, own))
}

const findEnding = async (directory: string, ending: string) =>
  (await readdir(directory)).find((name) => name.endsWith(ending))!
const removeEnding = async (directory: string, ending: string) =>
  rm(join(directory, await findEnding(directory, ending)))

describe('a call with a memo and one without end alike when', () => {
  test.each(Object.entries(changes))('%s', async (_, change) => {
    const desk = await startDesk()
    await change(desk)
    const { withMemo, without } = await desk.compare()
    expect(withMemo).toEqual(without)
  })
})

test.runIf(isRoot)("the machine's file is given to another user", async () => {
  const desk = await startMemoDesk({ env }, async (home) => {
    await prepare(home)
    await writeFile(join(home, machineFile), '{"account":"work"}', { mode: 0o644 })
  })
  expect(await headersOf(desk)).toEqual({ 'X-From-Source': 'yes', 'X-Account': 'work' })
  await chown(join(desk.home, machineFile), 1, 1)
  const { withMemo, without } = await desk.compare()
  expect(withMemo).toEqual(without)
})

/** Another second call, where the first was at `now`. */
const others: Record<string, (now: number) => TestHostParts> = {
  'another profile': () => ({ env: { ...env, AWS_PROFILE: 'prod' } }),
  'a PATH without the program': () => ({ env: { ...env, PATH: '/nowhere' } }),
  'no PATH': () => ({ env: { ...env, PATH: undefined } }),
  'no profile': () => ({ env: { OTHER_SETTING: '' } }),
  'one more variable of AWS': () => ({ env: { ...env, AWS_NEW: '1' } }),
  'another setting': () => ({ env: { ...env, OTHER_SETTING: 'secret' } }),
  'another account by argument': () => ({ argv: ['--account', 'work'] }),
  'a word that is no option': () => ({ argv: ['work'] }),
  'another home': () => ({ env: { ...env, XDG_CONFIG_HOME: '/nowhere' } }),
  'another cache': () => ({ env: { ...env, XDG_CACHE_HOME: '/proc/nowhere' } }),
  'inside a credential_process': () => ({ env: { ...env, [credentialProcessVariable]: 'dev' } }),
  'a refused token': () => ({ env: { ...env, [vendor.contextVariable]: 'mid-session-refresh' } }),
  'somebody at the screen': () => ({ env: { ...env, [vendor.contextVariable]: 'interactive' } }),
  'a made-up context': () => ({ env: { ...env, [vendor.contextVariable]: 'made-up' } }),
  'a terminal': () => ({ streams: { attached: () => 'terminal' } }),
  'another version of Node': () => ({ runtimeVersion: '27.0.0' }),
  'the clock set back': (now) => ({ clock: clockAt(now - 86_400_000) }),
  'a little before the token expires': (now) => ({ clock: clockAt(now + tokenLifeMs - 100_000) }),
  'a second': (now) => ({ clock: clockAt(now + 1000) }),
  'the token has expired': (now) => ({ clock: clockAt(now + tokenLifeMs + 1000) }),
  'two days': (now) => ({ clock: clockAt(now + 2 * 86_400_000) }),
  'a machine that started later by its clock': (now) => ({ clock: { ...clockAt(now), bootedAt: now } }),
}

const clockAt = (now: number) => ({ now: () => now, startedAt: now, elapsedMs: () => 0 })

describe('a call with a memo and one without end alike with', () => {
  test.each(Object.entries(others))('%s', async (_, toParts) => {
    const desk = await startDesk()
    const { withMemo, without } = await desk.compare(toParts(desk.now))
    expect(withMemo).toEqual(without)
  })
})

/** Returns a value of each option that is not its default. */
function valuesOf({ value, min = 0 }: OptionRow): readonly (string | number | boolean)[] {
  if (typeof value !== 'string') return value
  const values = { text: 'new', path: '/dev/null/new', instant: '2099-01-01', list: 'X-New: 1' } as const
  if (value === 'seconds' || value === 'number') return [min, 7150, tokenLifeMs / 1000]
  return value === 'flag' || value === 'boolean' ? [true] : [values[value]]
}

type Way = (name: string, row: OptionRow, value: string | number | boolean) => { parts?: TestHostParts; file?: unknown }
const toNative = ({ value: kind }: OptionRow, value: unknown) => (kind === 'list' ? [value] : value)
const ways: Record<string, Way> = {
  'as an argument': (name, { value: kind }, value) => ({
    parts: { argv: kind === 'flag' ? [`--${name}`] : [`--${name}=${value}`] },
  }),
  'by its variable': (name, _, value) => ({ parts: { env: { ...env, [toVariable(name)]: String(value) } } }),
  "in the user's file": (name, row, value) => ({ file: { [userFile]: { [name]: toNative(row, value) } } }),
  "in the machine's file": (name, row, value) => ({ file: { [machineFile]: { [name]: toNative(row, value) } } }),
  'locked there': (name, row, value) => ({
    file: { [machineFile]: { [name]: toNative(row, value), locked: [name] } },
  }),
}

describe.each(Object.entries(ways))('a new option %s', (_, way) => {
  const rows = Object.entries<OptionRow>({ ...commonOptions, ...reader.options })
  const cases = rows.flatMap(([name, row]) => valuesOf(row).map((value) => ({ name, row, value })))
  test.each(cases)('changes a call with a memo: $name $value', async ({ name, row, value }) => {
    const desk = await startDesk()
    const { parts = {}, file = {} } = way(name, row, value)
    for (const [path, content] of Object.entries(file as object))
      await writeFile(join(desk.home, path), JSON.stringify(content), { mode: 0o600 })
    const { withMemo, without } = await desk.compare(parts)
    expect(withMemo).toEqual(without)
  })
})
