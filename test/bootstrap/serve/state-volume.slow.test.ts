import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isRoot } from '../../setup/unprivileged.ts'

/** The user of the image, and the group of a pod. */
const user = 65_532

/** Opens the state as the user of the image, writes a serial, and prints the one before it, or why the state is refused. */
const script = `
  const { openServedSerial } = await import(process.argv[1])
  process.setgroups([]); process.setgid(${user}); process.setuid(${user})
  try {
    const served = await openServedSerial(process.argv[2], () => {})
    const before = served.highest()
    await served.keep(before + 7)
    await served.close()
    console.log(before)
  } catch ({ message }) {
    console.log(message)
  }`

async function openAsUser(path: string): Promise<string> {
  const module = join(root, 'src/bootstrap/serve/served-serial.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, module, path])
  return stdout.trim().replaceAll(dirname(dirname(path)), 'VOLUME')
}

/** Creates a directory that is laid out as the root of a volume; the path of the state in a directory that is not there yet. */
async function createVolume(owner: number, group: number, mode: number): Promise<string> {
  const above = await temporaryDirectory()
  await chmod(above, 0o755)
  const volume = join(above, 'volume')
  await mkdir(volume)
  await chown(volume, owner, group)
  await chmod(volume, mode)
  return join(volume, 'state', 'served.json')
}

describe.skipIf(!isRoot)('the state on a volume, as the user of the image', () => {
  test('is kept where root gives the volume to the group of the pod', async () => {
    const path = await createVolume(0, user, 0o2775)
    const first = await openAsUser(path)
    // The start of the next pod does this to all that is in a volume with fsGroup (Kubernetes, SetVolumeOwnership).
    await chmod(dirname(path), 0o2770)
    for (const file of [path, `${path}.lock`]) await chmod(file, 0o660)
    const second = await openAsUser(path)
    const { uid, mode } = await stat(dirname(path))
    expect([first, second, uid, mode & 0o777, (await stat(path)).mode & 0o777]).toEqual(['0', '7', user, 0o700, 0o600])
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ format: 1, serial: 14 })
  })

  const unsafe = 'the state cannot be kept safely: '
  test.each<[what: string, layout: [owner: number, group: number, mode: number], outcome: string]>([
    ['where others may write, but not rename', [0, 0, 0o1777], '0'],
    ['in a directory of its own', [user, user, 0o755], '0'],
    [
      'in an emptyDir, which everybody can write',
      [0, user, 0o2777],
      `${unsafe}other users can write VOLUME, and could replace VOLUME/state`,
    ],
    [
      'where another group can write',
      [0, 100, 0o2775],
      `${unsafe}other users can write VOLUME, and could replace VOLUME/state`,
    ],
    [
      "in another user's directory",
      [1234, user, 0o2775],
      `${unsafe}VOLUME belongs to another user, who could replace VOLUME/state`,
    ],
    ['where it may not write', [0, 0, 0o755], 'cannot write VOLUME/state/served.json (EACCES)'],
  ])('opens or refuses the state %s', async (_, layout, outcome) => {
    expect(await openAsUser(await createVolume(...layout))).toBe(outcome)
  })

  test('that another user has put there before is refused', async () => {
    const path = await createVolume(0, 0, 0o1777)
    await mkdir(dirname(path))
    await chown(dirname(path), 1234, user)
    expect(await openAsUser(path)).toBe(`${unsafe}VOLUME/state belongs to another user (see: ls -ld 'VOLUME/state')`)
  })
})
