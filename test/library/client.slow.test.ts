import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Where `gatepass/client` leads without a build. */
const door = { './client': './src/library/client.ts' }

/** The example of the documentation in a project of its own, which has installed this one from its checkout. */
async function writeProject(): Promise<string> {
  const project = await temporaryDirectory()
  const installed = join(project, 'gatepass')
  await mkdir(installed)
  await mkdir(join(project, 'node_modules'))
  await symlink(installed, join(project, 'node_modules/gatepass'))
  for (const name of ['src', 'node_modules']) await symlink(join(root, name), join(installed, name))
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(join(installed, 'package.json'), JSON.stringify({ ...manifest, exports: door }))
  const page = await readFile(join(root, 'docs/client-library.md'), 'utf8')
  const example = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await writeFile(join(project, 'example.ts'), example)
  const typeRoots = [join(root, 'node_modules/@types')]
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions: { typeRoots }, include: ['example.ts'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings))
  return project
}

test('the package has a door for every file of the library', async () => {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const files = await readdir(join(root, 'src/library'))
  expect(Object.keys(exports).sort()).toEqual(files.map((file) => `./${file.replace('.ts', '')}`).sort())
})

test('the example of its page runs, in a project of somebody else', async () => {
  const { exitCode, stdout, stderr } = await execa(process.execPath, ['example.ts'], {
    cwd: await writeProject(),
    reject: false,
  })
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'rescued: true', stderr: '' })
})

test('the example of its page is typed', async () => {
  const { exitCode, stdout } = await execa(join(root, 'node_modules/.bin/tsc'), ['-p', await writeProject()], {
    reject: false,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})
