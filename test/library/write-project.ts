import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/**
 * Writes the example of a page of the documentation in a project of its own, which has installed this one from its checkout.
 * @param entry What of the library it imports, such as `client`; it leads there without a build.
 */
export async function writeProject(page: string, entry: string): Promise<string> {
  const project = await temporaryDirectory()
  const installed = join(project, 'gatepass')
  await mkdir(installed)
  await mkdir(join(project, 'node_modules'))
  await symlink(installed, join(project, 'node_modules/gatepass'))
  for (const name of ['src', 'node_modules']) await symlink(join(root, name), join(installed, name))
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const exports = { [`./${entry}`]: `./src/library/${entry}.ts` }
  await writeFile(join(installed, 'package.json'), JSON.stringify({ ...manifest, exports }))
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await writeFile(join(project, 'example.ts'), await readExample(page))
  const typeRoots = [join(root, 'node_modules/@types')]
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions: { typeRoots }, include: ['example.ts'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings))
  return project
}

/** Reads the program that a page of the documentation shows. */
export async function readExample(page: string): Promise<string> {
  return /^```ts\n(.*?)^```$/ms.exec(await readFile(join(root, 'docs', page), 'utf8'))?.[1] ?? ''
}
