import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileAhead } from '../../../pkg-scripts/bundle/code-cache.ts'

test('code that was compiled ahead is used only by a run without flags of V8', () => {
  const uses = (runWith: readonly string[]) => {
    const directory = mkdtempSync(join(tmpdir(), 'cache-'))
    try {
      const cache = join(directory, 'cache')
      writeFileSync(cache, compileAhead(['(1)'])[0]!)
      const cachedData = `require('node:fs').readFileSync(${JSON.stringify(cache)})`
      const line = `new (require('node:vm').Script)('(1)', { cachedData: ${cachedData} }).cachedDataRejected`
      const { status, stdout, stderr } = spawnSync(process.execPath, [...runWith, '-p', line], { encoding: 'utf8' })
      return { status, isRejected: stdout, stderr }
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
  const [used, rejected] = ['false\n', 'true\n'].map((isRejected) => ({ status: 0, isRejected, stderr: '' }))
  expect([uses([]), uses(['--no-maglev'])]).toEqual([used, rejected])
})
