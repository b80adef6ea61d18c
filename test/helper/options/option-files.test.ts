import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { locateOptionFiles, parseOptionFile, readOptionFile } from '../../../src/helper/options/option-files.ts'
import type { OptionTable } from '../../../src/helper/options/option-table.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isRoot, nobody } from '../../setup/unprivileged.ts'

const table: OptionTable = { ...commonOptions, profile: { value: 'text', summary: '' } }

/** Returns a file with `text`, in a directory and with a mode that only its owner writes. */
async function fileWith(text: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'tool.json')
  await writeFile(path, text)
  await chmod(path, 0o644)
  return path
}

const read = (path: string, kind: 'user' | 'machine' = 'user') =>
  readOptionFile({ path, kind, platform: 'linux' }, table)

const failure = (message: string, hint: string) => new HelperError('not-configured', message, hint)

test('a missing file sets nothing', async () => {
  const path = join(await temporaryDirectory(), 'tool.json')
  expect(await read(path)).toEqual({ path, values: new Map(), locked: new Set() })
})

test('a missing directory sets nothing', async () => {
  const path = join(await temporaryDirectory(), 'gatepass', 'tool.json')
  expect(await read(path)).toEqual({ path, values: new Map(), locked: new Set() })
})

test('a link that leads nowhere is a missing file of the user, but not of the machine', async () => {
  const directory = await temporaryDirectory()
  const [path, target] = [join(directory, 'tool.json'), join(directory, 'share', 'tool.json')]
  await symlink(target, path)
  expect(await read(path)).toEqual({ path, values: new Map(), locked: new Set() })
  await expect(read(path, 'machine')).rejects.toEqual(
    failure(`${path} is a link to ${target}, which does not exist`, `restore ${target}, or remove the link ${path}`),
  )
})

test('a path that begins with ./ is beside the file that names it, whatever the working directory', async () => {
  const path = await fileWith('{"ca": "./authority.pem"}')
  expect(await read(path)).toEqual({
    path,
    values: new Map([['ca', join(dirname(path), 'authority.pem')]]),
    locked: new Set(),
  })
})

test('a file sets its values, in their own types', async () => {
  const path = await fileWith('\uFEFF{"profile": "dev", "client-ttl": 1800, "header": ["A: 1"], "cache": "none"}')
  expect(await read(path)).toEqual({
    path,
    values: new Map<string, unknown>([
      ['profile', 'dev'],
      ['client-ttl', 1800],
      ['header', ['A: 1']],
      ['cache', 'none'],
    ]),
    locked: new Set(),
  })
})

test.runIf(isRoot)("the machine's file locks what it sets", async () => {
  const path = await fileWith('{"profile": "dev", "client-ttl": 60, "locked": ["profile"]}')
  expect(await read(path, 'machine')).toEqual({
    path,
    values: new Map<string, unknown>([
      ['profile', 'dev'],
      ['client-ttl', 60],
    ]),
    locked: new Set(['profile']),
  })
})

test.each<[what: string, text: string, what: string]>([
  ['an empty file', '', 'is not JSON'],
  ['UTF-16, as Windows PowerShell writes it', Buffer.from('\ufeff{}', 'utf16le').toString(), 'is not JSON'],
  ['half an object', '{"profile": "sk-1"', 'is not JSON'],
  ['JSON with a comment', '{} // sk-1', 'is not JSON'],
  ['a list', '["sk-1"]', 'is JSON but not an object'],
  ['a text', '"sk-1"', 'is JSON but not an object'],
  ['null', 'null', 'is JSON but not an object'],
])('%s is refused with the shape to write', async (_, text, what) => {
  const path = await fileWith(text)
  await expect(read(path)).rejects.toEqual(
    failure(`${path} ${what}`, `make ${path} one JSON object in UTF-8, such as {"client-ttl": 3600}`),
  )
})

test.each<[kind: 'user' | 'machine', text: string, problems: string]>([
  ['user', '{"profil": "sk-1"}', 'profil: is not a setting of this program'],
  ['user', '{"__proto__": "sk-1"}', '__proto__: is not a setting of this program'],
  ['user', '{"toString": 1}', 'toString: is not a setting of this program'],
  ['user', '{"explain": true}', 'explain: is not a setting of this program'],
  ['user', '{"profile": ["sk-1"]}', 'profile: expected a text, found a list'],
  ['user', '{"client-timeout": 601}', 'client-timeout: expected at most 600 seconds'],
  ['user', '{"profile": "a", "locked": ["profile"]}', "locked: only the machine's file can lock a setting"],
  ['user', '{"locked": []}', "locked: only the machine's file can lock a setting"],
  ['user', '{"sign-in-hint": "sk-1"}', "sign-in-hint: only the machine's file can set it"],
  ['machine', `{"sign-in-hint": "${'x'.repeat(301)}"}`, 'sign-in-hint: expected at most 300 characters'],
  ['machine', '{"sign-in-hint": " "}', 'sign-in-hint: expected a text, found an empty one'],
  ['machine', '{"sign-in-hint": ["sk-1"]}', 'sign-in-hint: expected a text, found a list'],
  ['machine', '{"locked": "profile"}', 'locked: expected a list of settings'],
  ['machine', '{"locked": null}', 'locked: expected a list of settings'],
  ['machine', '{"locked": ["profile"]}', 'locked: "profile" is not set in this file'],
  ['machine', '{"locked": [1]}', 'locked: 1 is not set in this file'],
  [
    'machine',
    '{"cach": "disk", "client-ttl": "60", "profile": 5, "locked": ["cache"]}',
    'cach: is not a setting of this program; client-ttl: expected a whole number of seconds, found a text; ' +
      'profile: expected a text, found a number; locked: "cache" is not set in this file',
  ],
])('in the %s file, %s is refused with every problem at once', async (kind, text, problems) => {
  const path = await fileWith(text)
  if (isRoot || kind === 'user')
    await expect(read(path, kind)).rejects.toEqual(failure(`${path}: ${problems}`, `correct ${path}, or move it away`))
  expect(() => parseOptionFile(path, kind, table, text)).toThrow(
    failure(`${path}: ${problems}`, `correct ${path}, or move it away`),
  )
})

test.each([0o664, 0o646, 0o666])('a file with mode %o is refused with the command that fixes it', async (mode) => {
  const path = await fileWith('{}')
  await chmod(path, mode)
  const refused = await read(path).catch((thrown: unknown) => thrown)
  await chmod(path, mode & ~0o022)
  expect({ refused, fixed: await read(path) }).toEqual({
    refused: failure(`${path} can be written by other users`, `run: chmod go-w '${path}'`),
    fixed: { path, values: new Map(), locked: new Set() },
  })
})

test.each([0o775, 0o757, 0o1777])('a file in a directory with mode %o is refused', async (mode) => {
  const path = await fileWith('{}')
  const directory = dirname(path)
  await chmod(directory, mode)
  await expect(read(path)).rejects.toEqual(
    failure(`${directory} can be written by other users`, `run: chmod go-w '${directory}'`),
  )
})

test('a link is judged by the file that it leads to', async () => {
  const target = await fileWith('{}')
  await chmod(target, 0o666)
  const path = join(await temporaryDirectory(), 'tool.json')
  await symlink(target, path)
  await expect(read(path)).rejects.toEqual(
    failure(`${path} can be written by other users`, `run: chmod go-w '${path}'`),
  )
})

test('a file of another user is refused', async () => {
  const path = await fileWith('{}')
  await makeForeign(path)
  await expect(read(path)).rejects.toEqual(
    failure(`${path} belongs to another user`, `look at it with: ls -ld '${path}'`),
  )
})

/** The machine's file binds its user, who may therefore not be the one who writes it. */
describe.runIf(isRoot)('for an unprivileged user', () => {
  const readUnprivileged = async (path: string, kind: 'user' | 'machine') => {
    const script = `import { readOptionFile } from ${JSON.stringify(join(root, 'src/helper/options/option-files.ts'))}
const [path, kind] = process.argv.slice(1)
const words = ({ kind, message, hint }) => [kind, message, hint].join('; ')
console.log(await readOptionFile({ path, kind, platform: 'linux' }, {}).then(() => 'read', words))`
    const options = ['--input-type=module-typescript', '-e', script, path, kind]
    return (await execa(process.execPath, options, { uid: nobody, gid: nobody, cwd: '/' })).stdout
  }

  const fileFor = async (...own: readonly string[]) => {
    const path = await fileWith('{}')
    await chmod(dirname(path), 0o755)
    for (const name of own) await chown(join(dirname(path), name), nobody, nobody)
    return path
  }

  test.each(['tool.json', '.'])('a machine’s file is refused where the user owns %s', async (own) => {
    const path = await fileFor(own)
    const place = own === '.' ? dirname(path) : path
    expect(await readUnprivileged(path, 'machine')).toBe(
      `not-configured; ${place} does not belong to root; run: sudo chown root '${place}'`,
    )
  })

  test('a machine’s file that the user can write is refused with the command that root needs', async () => {
    const path = await fileFor()
    await chmod(path, 0o666)
    expect(await readUnprivileged(path, 'machine')).toBe(
      `not-configured; ${path} can be written by other users; run: sudo chmod go-w '${path}'`,
    )
  })

  test('a machine’s file of root is read, and so is a file of the user', async () => {
    expect(await readUnprivileged(await fileFor(), 'machine')).toBe('read')
    expect(await readUnprivileged(await fileFor('tool.json', '.'), 'user')).toBe('read')
  })
})

test('a file is read on Windows, where modes say nothing', async () => {
  const path = await fileWith('{"profile": "dev"}')
  await chmod(path, 0o666)
  const { values } = await readOptionFile({ path, kind: 'user', platform: 'win32' }, table)
  expect(values).toEqual(new Map([['profile', 'dev']]))
})

test('a directory is not taken for a missing file', async () => {
  const path = join(await temporaryDirectory(), 'tool.json')
  await mkdir(path)
  await expect(read(path)).rejects.toEqual(failure(`cannot read ${path} (EISDIR)`, 'it is a directory: name a file'))
})

test('a path below a file is not taken for a missing file', async () => {
  const below = join(await fileWith('{}'), 'tool.json')
  await expect(read(below)).rejects.toEqual(
    failure(
      `cannot read ${below} (ENOTDIR): a part of the path is a file, not a directory`,
      'name a path in a directory',
    ),
  )
})

test('a link to itself is not taken for a missing file', async () => {
  const loop = join(await temporaryDirectory(), 'loop')
  await symlink(loop, loop)
  await expect(read(loop)).rejects.toEqual(failure(`cannot read ${loop} (ELOOP)`, `look at it with: ls -ld '${loop}'`))
})

test('reading changes nothing', async () => {
  const path = await fileWith('{"profile": "dev"}')
  await read(path)
  expect(await readFile(path, 'utf8')).toBe('{"profile": "dev"}')
})

const home = '/home/u'
test.each<[platform: NodeJS.Platform, env: Record<string, string>, user: string]>([
  ['linux', {}, '/home/u/.config/gatepass/tool.json'],
  ['linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/gatepass/tool.json'],
  ['linux', { XDG_CONFIG_HOME: '' }, '/home/u/.config/gatepass/tool.json'],
  ['linux', { XDG_CONFIG_HOME: 'xdg' }, '/home/u/.config/gatepass/tool.json'],
  ['darwin', { XDG_CONFIG_HOME: '/xdg' }, '/home/u/Library/Application Support/Gatepass/tool.json'],
  ['win32', { APPDATA: '/appdata' }, '/appdata/Gatepass/tool.json'],
  ['win32', {}, '/home/u/AppData/Roaming/Gatepass/tool.json'],
  ['freebsd', {}, '/home/u/.config/gatepass/tool.json'],
])("on %s with %j the user's file is %s", (platform, env, user) => {
  expect(locateOptionFiles({ env, home, platform, machineDirectory: '/machine' }, 'tool')).toEqual({
    user,
    machine: '/machine/tool.json',
  })
})
