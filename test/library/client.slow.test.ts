import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { writeProject } from './write-project.ts'

test('the package has an entry point for every file of the library', async () => {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const files = await readdir(join(root, 'src/library'))
  expect(Object.keys(exports).sort()).toEqual(files.map((file) => `./${file.replace('.ts', '')}`).sort())
})

describe.each([
  { page: 'client-library.md', entry: 'client', stdout: 'rescued: true' },
  {
    page: 'gateways/verifier.md',
    entry: 'verify',
    stdout: '200 hello dana\n401 signature',
  },
])('the example of $page', ({ page, entry, stdout: expected }) => {
  test('runs in another project', async () => {
    const { exitCode, stdout, stderr } = await execa(process.execPath, ['example.ts'], {
      cwd: await writeProject(page, entry),
      reject: false,
    })
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: expected, stderr: '' })
  })

  test('passes the type checker', async () => {
    const project = await writeProject(page, entry)
    const { exitCode, stdout } = await execa(join(root, 'node_modules/.bin/tsc'), ['-p', project], { reject: false })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
  })
})
