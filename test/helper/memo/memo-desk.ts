import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHelper } from '../../../src/helper/define-helper.ts'
import { answerFromMemo, locateMemo } from '../../../src/helper/memo/answer-from-memo.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { expandHome, readIfPresent } from '../../../src/runtime/disk.ts'
import { readCacheFile, refuseSharedDirectory } from '../../../src/runtime/files/private-files.ts'
import { findProgramFile } from '../../../src/runtime/program/find-program-file.ts'
import { listNames } from '../../../src/runtime/program/identity-variables.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHostParts, testHost } from '../../setup/test-host.ts'

/** Longer than a memo is used. */
export const tokenLifeMs = 4 * 86_400_000

/** A made-up helper whose token says when it was minted, and what its plan has read, in every way in which a plan may read. */
export const reader = defineHelper({
  summary: 'print what is read',
  options: {
    account: { value: 'text', default: 'home', summary: 'whose' },
    file: { value: 'path', default: '~/notes/text', summary: 'what to read', variables: ['NOTES_FILE'] },
  },
  facts: ['account'],
  async plan({ env, home, platform }, { account, file }) {
    const text = await readIfPresent(expandHome(file, home))
    const names = listNames(env, 'AWS_')
    const variables = [...names.map((name) => env[name]), env.AWS_PROFILE, env.OTHER_SETTING]
    const found = await findProgramFile({ name: 'note-list' }, { env, platform })
    return { inputs: [account, text, names, variables, found?.file, await readId(join(home, 'state'))], steps: [] }
  },
  async mint(host, { account }, _, plan) {
    const made = [host.clock.now(), plan.inputs]
    const token = `t-${Buffer.from(JSON.stringify(made)).toString('base64url')}`
    return {
      token: new Secret(token),
      expiresAt: new Date(host.clock.now() + tokenLifeMs),
      facts: { account },
      headers: { 'X-From-Source': 'yes' },
    }
  },
})

async function readId(directory: string): Promise<string> {
  try {
    const [text] = await Promise.all([readCacheFile(join(directory, 'id')), refuseSharedDirectory(directory)])
    return text
  } catch {
    return 'nobody'
  }
}

interface CallOutcome {
  readonly status: number
  readonly work: string
  readonly stdout: string
  readonly stderr: string
}

/** A person's home, and calls of the same helper in it. */
export interface MemoDesk {
  readonly home: string
  readonly cache: string
  /** Later than every file, so that none is too new to be remembered. */
  readonly now: number
  /** The stdout of the call that left the memo. */
  readonly answer: string
  /** The whole outcome of a call that finds out everything itself, and leaves a memo where it may. */
  call(parts?: TestHostParts): Promise<CallOutcome>
  /** Answers a call from the memo alone; `undefined` if the memo cannot answer it. */
  remembered(parts?: TestHostParts): Promise<string | undefined>
  /** Waits until the last answer of {@link remembered} is noted. */
  settle(): Promise<unknown>
  /** The whole outcomes of a call with the memo that is there, and of one without it, from the same state of the cache. */
  compare(parts?: TestHostParts): Promise<{ withMemo: CallOutcome; without: CallOutcome }>
  /** The text of the only memo; `undefined` without one. */
  readMemo(): Promise<string | undefined>
}

/** Prepares a home in which the reader has been called twice with these parts, so that a memo is there. */
export async function startMemoDesk(
  first: TestHostParts = {},
  prepare: (home: string) => Promise<unknown> = async () => {},
  helper = reader,
): Promise<MemoDesk> {
  const home = first.home ?? (await temporaryDirectory())
  await prepare(home)
  const cache = join(home, '.cache', 'gatepass')
  const now = Date.now() + 3_600_000
  const hostOf = (parts: TestHostParts) =>
    testHost({
      home,
      clock: { now: () => now, startedAt: now, elapsedMs: () => 0, bootedAt: now - 86_400_000 },
      ...first,
      ...parts,
      env: { PATH: `${home}/tools:${home}/more`, ...(parts.env ?? first.env) },
    })
  const run = async (parts: TestHostParts, isRemembered: boolean): Promise<CallOutcome> => {
    const host = await hostOf(parts)
    const memo = locateMemo(host, { program: 'reader', build: 'b' })
    const answer = isRemembered ? await answerFromMemo(host, memo) : undefined
    if (answer) return { status: 0, work: 'finished', stdout: answer.text, stderr: '' }
    return { ...(await runHelper('reader', helper, host, { beginning: { memo } })), ...host.written }
  }
  let recorded: Promise<void> | undefined
  await run({}, false)
  const { stdout: answer } = await run({}, false)
  return {
    home,
    cache,
    now,
    answer,
    call: (parts = {}) => run(parts, false),
    remembered: async (parts = {}) => {
      const host = await hostOf(parts)
      const answer = await answerFromMemo(host, locateMemo(host, { program: 'reader', build: 'b' }))
      recorded = answer?.recorded
      return answer?.text
    },
    settle: async () => recorded,
    compare: async (parts = {}) => {
      const copy = await temporaryDirectory()
      await cp(cache, join(copy, 'cache'), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      const withMemo = await run(parts, true)
      await rm(cache, { recursive: true, force: true })
      await cp(join(copy, 'cache'), cache, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      return { withMemo, without: await run(parts, false) }
    },
    readMemo: async () => {
      const name = (await readdir(cache).catch(() => [])).find((each) => each.endsWith('.memo'))
      return name && readFile(join(cache, name), 'utf8')
    },
  }
}
