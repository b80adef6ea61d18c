import { chmod, chown, lchown, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HelperError } from '../../src/runtime/failure.ts'
import { refuseDanglingLink, refuseUnsafeFile } from '../../src/runtime/unsafe-links.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { isRoot, nobody } from '../setup/unprivileged.ts'

/** Returns a file of the machine as a link to another link, which leads to a file in a folder of its own. */
async function linkedFile() {
  const directory = await temporaryDirectory()
  const [machine, shared, target] = ['machine', 'shared', 'deep/target'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [machine, shared, target]) await mkdir(folder, { recursive: true, mode: 0o755 })
  const [path, second, file] = [join(machine, 'a.json'), join(shared, 'b.json'), join(target, 'c.json')]
  await writeFile(file, '{}', { mode: 0o644 })
  await symlink('../shared/./b.json', path)
  await symlink(file, second)
  return { path, shared, second, deep: dirname(target) }
}

describe.runIf(isRoot)('a file of the machine that is a link', () => {
  test('is taken where only root can replace anything on the way, as below /tmp', async () => {
    const { path, deep } = await linkedFile()
    await refuseUnsafeFile(path, 'root')
    await chmod(deep, 0o1777)
    await refuseUnsafeFile(path, 'root')
  })

  test.each<[what: string, plant: (linked: Awaited<ReturnType<typeof linkedFile>>) => Promise<string>, why: string]>([
    [
      'a folder that others can write',
      ({ deep }) => chmod(deep, 0o775).then(() => deep),
      'can be written by other users',
    ],
    [
      'the folder of a second link',
      ({ shared }) => chmod(shared, 0o757).then(() => shared),
      'can be written by other users',
    ],
    ['a folder of another user', ({ deep }) => chown(deep, nobody, nobody).then(() => deep), 'does not belong to root'],
    [
      'a link of another user',
      ({ second }) => lchown(second, nobody, nobody).then(() => second),
      'does not belong to root',
    ],
  ])('is refused where it leads through %s', async (_, plant, why) => {
    const linked = await linkedFile()
    const culprit = await plant(linked)
    await expect(refuseUnsafeFile(linked.path, 'root')).rejects.toEqual(
      new HelperError(
        'not-configured',
        `${linked.path} leads through ${culprit}, which ${why}`,
        `replace the link ${linked.path} by what it leads to`,
      ),
    )
  })

  test('names the link to put away where it is a directory', async () => {
    const { path, deep } = await linkedFile()
    const link = join(await temporaryDirectory(), 'machine')
    await symlink(dirname(path), link)
    await chmod(deep, 0o777)
    await expect(refuseUnsafeFile(join(link, 'a.json'), 'root')).rejects.toEqual(
      new HelperError(
        'not-configured',
        `${link}/a.json leads through ${deep}, which can be written by other users`,
        `replace the link ${link} by what it leads to`,
      ),
    )
  })
})

describe('a missing file of the machine', () => {
  test.each<[what: string, plant: (machine: string) => Promise<void>]>([
    ['in a directory', async (machine) => void (await mkdir(machine))],
    ['nor its directory', async () => {}],
    [
      'in a directory that a link leads to',
      async (machine) => {
        await mkdir(`${machine}-share`)
        await symlink(`${machine}-share`, machine)
      },
    ],
  ])('is reported as missing: %s', async (_, plant) => {
    const machine = join(await temporaryDirectory(), 'machine')
    await plant(machine)
    await expect(refuseDanglingLink(join(machine, 'a.json'))).resolves.toBeUndefined()
  })

  const refusal = (message: string, target: string, link: string) =>
    new HelperError('not-configured', message, `restore ${target}, or remove the link ${link}`)

  test('may be a link that leads nowhere', async () => {
    const directory = await temporaryDirectory()
    const [path, target] = [join(directory, 'a.json'), join(directory, 'share', 'b.json')]
    await symlink('between', path)
    await symlink('./share/b.json', join(directory, 'between'))
    await expect(refuseDanglingLink(path)).rejects.toEqual(
      refusal(`${path} is a link to ${target}, which does not exist`, target, path),
    )
  })

  test.each(['machine', '.'])('may be behind such a link in place of a directory: %s', async (place) => {
    const directory = await temporaryDirectory()
    const [link, target] = [join(directory, 'link'), join(directory, 'share')]
    await symlink('share', link)
    const path = join(link, place, 'a.json')
    await expect(refuseDanglingLink(path)).rejects.toEqual(
      refusal(`${path} is behind the link ${link}, to ${target}, which does not exist`, target, link),
    )
  })

  test('cannot be looked for where its directory is a file', async () => {
    const file = join(await temporaryDirectory(), 'machine')
    await writeFile(file, '')
    await expect(refuseDanglingLink(join(file, 'a.json'))).rejects.toThrow(
      `ENOTDIR: not a directory, lstat '${join(file, 'a.json')}'`,
    )
  })
})
