import { chmod, mkdir, readdir, readFile, rename, rmdir, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openServedSerial } from '../../../src/bootstrap/serve/served-serial.ts'
import type { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

async function createPlace() {
  const path = join(await temporaryDirectory(), 'state', 'served.json')
  await mkdir(dirname(path), { mode: 0o700 })
  return path
}

async function open(path: string, troubles: string[] = []) {
  const served = await openServedSerial(path, (cause) => troubles.push(cause.replaceAll(dirname(path), 'DIR')))
  onTestFinished(() => served.close().catch(() => {}))
  return served
}

/** Returns the kind, the message and the hint with which a file is refused. */
async function attemptOpen(path: string) {
  const outcome = await open(path).catch(({ kind, message, hint }: HelperError) => ({ kind, message, hint }))
  const text = JSON.stringify(outcome).replaceAll(dirname(path), 'DIR')
  return JSON.parse(text.replaceAll(dirname(dirname(path)), 'ABOVE'))
}

const contentOf = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

describe('the highest serial that was served', () => {
  test('begins at 0', async () => {
    const path = await createPlace()
    const served = await open(path)
    expect([served.highest(), await contentOf(path)]).toEqual([0, { format: 1, serial: 0 }])
  })

  test('outlives the process, and never falls', async () => {
    const path = await createPlace()
    const first = await open(path)
    await first.keep(7)
    await first.keep(3)
    await first.close()
    const second = await open(path)
    expect([second.highest(), second.isWritten(), await contentOf(path)]).toEqual([7, true, { format: 1, serial: 7 }])
  })

  test('is for its owner alone', async () => {
    const path = await createPlace()
    await open(path)
    expect([(await stat(path)).mode & 0o777, await readdir(dirname(path))]).toEqual([
      0o600,
      ['served.json', 'served.json.lock'],
    ])
  })

  test('is kept in memory until the file can be written again', async () => {
    const path = await createPlace()
    const troubles: string[] = []
    const served = await open(path, troubles)
    const directory = dirname(path)
    await rename(directory, `${directory}-away`)
    await served.keep(4)
    await served.keep(5)
    expect([served.highest(), served.isWritten(), troubles]).toEqual([
      5,
      false,
      ['DIR/served.json cannot be written (ENOENT)'],
    ])
    await rename(`${directory}-away`, directory)
    await served.keep(5)
    expect([served.isWritten(), await contentOf(path)]).toEqual([true, { format: 1, serial: 5 }])
  })
})

test('a missing directory is created for its owner alone', async () => {
  const path = await createPlace()
  await rmdir(dirname(path))
  const served = await open(path)
  expect([(await stat(dirname(path))).mode & 0o777, served.highest()]).toEqual([0o700, 0])
})

describe('a file that cannot be used ends the start', () => {
  const safely = {
    kind: 'not-configured',
    hint: 'name a file with --state in a directory that belongs to the user who runs this, and that nobody else can write',
  }
  test.each<[string, (path: string) => Promise<unknown>, object]>([
    [
      'a directory that others can write',
      (path) => chmod(dirname(path), 0o777),
      {
        ...safely,
        message: "the state cannot be kept safely: DIR can be written by other users (run: chmod go-w 'DIR')",
      },
    ],
    [
      'a missing directory below one that others can write',
      async (path) => {
        await rmdir(dirname(path))
        await chmod(dirname(dirname(path)), 0o777)
      },
      {
        ...safely,
        message: 'the state cannot be kept safely: other users can write ABOVE, and could replace DIR',
      },
    ],
    [
      'a file that others can write',
      async (path) => {
        await writeFile(path, '{"format":1,"serial":1}')
        await chmod(path, 0o666)
      },
      {
        ...safely,
        message:
          "the state cannot be kept safely: DIR/served.json can be written by other users (run: chmod go-w 'DIR/served.json')",
      },
    ],
    [
      'a link',
      async (path) => {
        await writeFile(`${path}.other`, '{"format":1,"serial":1}')
        await symlink(`${path}.other`, path)
      },
      { ...safely, message: "the state cannot be kept safely: DIR/served.json is a link (run: rm 'DIR/served.json')" },
    ],
    [
      'a directory that is missing, with the one above it',
      async (path) => {
        await rmdir(dirname(path))
        await rmdir(dirname(dirname(path)))
      },
      {
        kind: 'not-configured',
        message: 'cannot write DIR/served.json (ENOENT)',
        hint: 'create the directory ABOVE, in which the server creates its own',
      },
    ],
    ...['', '{', '{"format":2,"serial":1}', '{"format":1,"serial":-1}', '{"format":1,"serial":"9"}'].map(
      (text): [string, (path: string) => Promise<unknown>, object] => [
        `the content "${text}"`,
        (path) => writeFile(path, text, { mode: 0o600 }),
        {
          kind: 'not-configured',
          message: 'DIR/served.json is not a file that this server has written',
          hint: "correct --state; or, to accept any release that is signed, remove it: rm 'DIR/served.json'",
        },
      ],
    ),
    [
      'another server that uses it',
      (path) => open(path),
      {
        kind: 'refused',
        message: 'another server uses DIR/served.json',
        hint: 'give each server a file of its own with --state',
      },
    ],
  ])('refuses %s', async (_, make, expected) => {
    const path = await createPlace()
    await make(path)
    expect(await attemptOpen(path)).toEqual(expected)
  })
})
