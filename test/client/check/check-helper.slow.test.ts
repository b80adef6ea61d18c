import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkHelper } from '../../../src/client/check/check-helper.ts'
import type { CheckOptions } from '../../../src/client/check/check-options.ts'
import type { CheckProgress } from '../../../src/client/check/progress.ts'
import type { RuleId } from '../../../src/client/check/rules/rules.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { checkGalleryHelper, findInGallery, outcomeOf } from './gallery.ts'

test('a helper that keeps every rule passes, and what is not applicable says why', async () => {
  const { result, verdicts } = await checkGalleryHelper(findInGallery('good'))
  const other = verdicts.filter(({ verdict }) => verdict !== 'pass').map(({ rule, verdict }) => [rule, verdict])
  expect({ result, other }).toEqual({
    result: 'passed',
    other: [
      ['network-proxy', 'not-applicable'],
      ['bedrock-life', 'not-applicable'],
      ['bedrock-signature', 'not-applicable'],
      ['long-term-key', 'not-applicable'],
      ['key-gateway', 'not-applicable'],
    ],
  })
})

/** A few of the gallery by their own rule alone; with all rules they are in the slow tests. */
test.each<[name: string, rule: RuleId]>([
  ['browser-in-silent-context', 'no-browser'],
  ['asks-on-terminal', 'terminal-prompt'],
  ['token-in-arguments', 'secret-in-children'],
  ['token-in-log', 'secret-in-files'],
  ['keychain-hangs', 'refresh-in-time'],
  ['recursion', 'recursion'],
])('%s fails %s', async (name, rule) => {
  expect(outcomeOf(await checkGalleryHelper(findInGallery(name), { rules: [rule] }))).toEqual({
    fails: [rule],
    warns: [],
  })
})

/** Checks a shell script in a home of its own; `home` is what others may do there. */
async function checkScript(script: string, options: Partial<CheckOptions>, mode = 0o755) {
  const home = await temporaryDirectory()
  await chmod(home, mode)
  await mkdir(join(home, '.cache'))
  await writeFile(join(home, '.cache/token'), 'token-123456789', { mode: 0o644 })
  const command = join(home, 'helper')
  await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = { HOME: home, TMPDIR: home, PATH: '/usr/bin:/bin' }
  const report = await checkHelper({ command, env, platform: process.platform, ...options })
  return { ...report, seen: report.verdicts.map(({ verdict, seen }) => [verdict, seen.replaceAll(home, '~')]) }
}

test.each([
  [0o755, 'fail', 'the token is in ~/.cache/token'],
  [0o700, 'warn', 'the token is in ~/.cache/token, which only a closed folder above it keeps from others'],
])('a cache from before the check that everybody can read, in a home of mode %o, is a %s', async (mode, ...row) => {
  const { seen } = await checkScript('cat "$HOME/.cache/token"', { rules: ['secret-in-files'] }, mode)
  expect(seen).toEqual([row])
})

test('a check ends at its limit, judges what it has seen, and has not passed', async () => {
  const limitSec = 2
  const { result, durationMs, seen } = await checkScript(
    '[ "$VENDOR_HELPER_CONTEXT" = background ] || sleep 600\necho sk-123456',
    { limitSec, rules: ['exit-status', 'every-context', 'refresh-in-time'] },
  )
  const late = 'not tried: the check had used up its 2 s (--limit sets more)'
  expect({ result, seen }).toEqual({
    result: 'unfinished',
    seen: [
      ['pass', 'exit status 0'],
      ['not-applicable', late],
      ['not-applicable', late],
    ],
  })
  expect(durationMs).toBeLessThan(30_000)
})

test('while it waits, a check says for what', async () => {
  const told: CheckProgress[] = []
  await checkScript('sleep 1.5\necho sk-123456', { rules: ['starts'], onProgress: (progress) => told.push(progress) })
  const waitingFor = [{ title: 'in the context background', forSec: 1, atMostSec: 60 }]
  expect(told).toEqual([
    { done: 0, steps: 1, waitingFor: [] },
    { done: 0, steps: 1, waitingFor },
    { done: 1, steps: 1, waitingFor: [] },
  ])
})
