import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { checkWriters } from '../../../src/verify/policy/check-writers.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isRoot, nobody } from '../../setup/unprivileged.ts'

/** Root and nobody are two people: only the one who is not root needs sudo. */
describe.runIf(isRoot)('the command that corrects who may write a policy', () => {
  const createPolicy = async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o755)
    const path = join(directory, 'policy.json')
    await writeFile(path, '{}')
    return path
  }

  const hintForRoot = async (path: string) => (await checkWriters(path, await stat(path)))?.hint

  const hintForNobody = async (path: string) => {
    const script = `import { stat } from 'node:fs/promises'
import { checkWriters } from ${JSON.stringify(join(root, 'src/verify/policy/check-writers.ts'))}
const [path] = process.argv.slice(1)
console.log((await checkWriters(path, await stat(path)))?.hint)`
    const argv = ['--input-type=module-typescript', '-e', script, path]
    return (await execa(process.execPath, argv, { uid: nobody, gid: nobody, cwd: '/' })).stdout
  }

  test('is chmod, after sudo for everybody but root', async () => {
    const path = await createPolicy()
    await chmod(path, 0o666)
    expect([await hintForRoot(path), await hintForNobody(path)]).toEqual([
      `run: chmod go-w '${path}'`,
      `run: sudo chmod go-w '${path}'`,
    ])
  })

  test('is chown for a file of somebody else', async () => {
    const path = await createPolicy()
    await makeForeign(path)
    expect(await hintForRoot(path)).toBe(`run: chown root '${path}'`)
  })
})
