import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle, writeProgram } from '../../pkg-scripts/bundle/bundle.ts'
import { createHelperProgram } from '../../pkg-scripts/bundle/programs.ts'
import { renderFile } from '../../pkg-scripts/bundle/render-file.ts'
import { bundleDirectory } from '../../pkg-scripts/tree.ts'
import { copyTree } from '../executables/made-up-tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { startCountableSource } from './countable-source.ts'

const helper = 'workload-token'

/** Writes the helper of a later version, whose entries and memos have later formats; gives its path. */
async function writeLaterVersion(): Promise<string> {
  const tree = await copyTree('later-version', {})
  for (const [file, constant] of [
    ['src/helper/cache/entry.ts', 'entryFormat'],
    ['src/helper/memo/call-memo.ts', 'memoFormat'],
  ] as const) {
    const text = await readFile(join(tree, file), 'utf8')
    const later = text.replace(new RegExp(`(const ${constant} = )(\\d+)`), (_, begin, number) => begin + (+number + 1))
    expect(later).not.toBe(text)
    await writeFile(join(tree, file), later)
  }
  const { packed } = await bundle(createHelperProgram(helper), { tree })
  const path = join(tree, `${helper}.cjs`)
  writeProgram(path, await renderFile(packed, true))
  return path
}

test('each version serves its own token after an upgrade and a downgrade', async () => {
  const source = await startCountableSource(helper)
  const versions = { now: join(bundleDirectory, `${helper}.cjs`), later: await writeLaterVersion() }
  const outcomes = []
  for (const version of ['now', 'now', 'later', 'later', 'now', 'now', 'later', 'later'] as const)
    outcomes.push(
      await runExecutable(process.execPath, { argv: [versions[version], ...source.argv()], env: source.env }),
    )
  const [now, later] = [outcomes[0], outcomes[2]].map((outcome) => ({ status: 0, stdout: outcome?.stdout, stderr: '' }))
  expect({ outcomes, mints: source.mints() }).toEqual({
    outcomes: [now, now, later, later, now, now, later, later],
    mints: 2,
  })
})
