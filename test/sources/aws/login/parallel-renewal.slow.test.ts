import { readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readToken } from '../../../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToConsole } from '../../../helpers/aws-bedrock-token/sign-in.ts'
import { startWorkbench, user } from '../../../helpers/aws-bedrock-token/workbench.ts'
import { countAtOnce } from '../../../setup/count-at-once.ts'

/** Reads a file all the time until it is stopped, and gives every content and mode that it saw, once. */
function followFile(path: string) {
  const seen = new Set<string>()
  let isOver = false
  const following = (async () => {
    for (let reads = 0; ; reads += 1) {
      if (isOver) return { seen: [...seen].map((text) => JSON.parse(text) as unknown[]), reads }
      const [text, { mode }] = [await readFile(path, 'utf8'), await stat(path)]
      seen.add(JSON.stringify([JSON.parse(text).refreshToken, (mode & 0o777).toString(8)]))
      await sleep(1)
    }
  })()
  return {
    stop: () => {
      isOver = true
      return following
    },
  }
}

test('fifty runs, or as many as the machine starts, with tokens of their own renew one sign-in once, while another program reads its file', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToConsole(bench, user, inMinutes(4))
  const reader = followFile(directory.loginCachePath(user))
  // Each has a key of its own in the cache, so that the lock of one mint does not keep the others waiting.
  const run = (index: number) =>
    bench.run({ argv: ['--profile', 'dev', '--client-ttl', '600', '--lifetime', String(900 + index)] })
  const outcomes = await Promise.all(Array.from({ length: countAtOnce(50) }, (_, index) => run(index)))
  const { seen, reads } = await reader.stop()
  const keys = new Set(outcomes.map((outcome) => readToken(outcome).accessKeyId))
  // A reader that reads less often may miss a file that is half written.
  expect({ keys: [...keys], asked: bench.asked(), seen, hasReadOften: reads > 50 }).toEqual({
    keys: ['ASIASTANDIN000000002'],
    asked: ['CreateOAuth2Token'],
    seen: [
      ['login-refresh-1', '600'],
      ['login-refresh-1-refreshed', '600'],
    ],
    hasReadOften: true,
  })
})
