import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

/** The sentence of docs/architecture.md with the most files that one has to open to follow a call. */
const limits =
  /at most (\d+) if it mints, (\d+) if it finds a cached token without a memo, (\d+) if it has a memo, and (\d+) for `config check`/

/** The calls that the script walks, in the order of this sentence. */
const calls = ['an uncached call', 'a cached call without a memo', 'a cached call', 'config check']

test('a call loads no more files than the limit of its path', async () => {
  const { stdout } = await execa(process.execPath, ['pkg-scripts/walk.ts'], { cwd: root })
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^(\S.*): (\d+) files$/gm)].map(([, call = '', count]) => [call, Number(count)]),
  )
  const [, ...most] = limits.exec(readFileSync(join(root, 'docs/architecture.md'), 'utf8')) ?? []
  const beyond = calls.filter((call, index) => !(counts[call]! <= Number(most[index])))
  expect({ calls: Object.keys(counts), beyond }).toEqual({ calls, beyond: [] })
})
