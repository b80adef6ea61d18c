import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { appendToLog, describeLogProblem, rotateLog } from '../../../src/runtime/files/log-file.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const longestLogBytes = 1024 * 1024

const problemOf = async (path: string) => {
  try {
    await appendToLog(path, 'line')
    return undefined
  } catch (error) {
    return describeLogProblem(error)
  }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('the first line creates the file and its directory for its user alone', async () => {
  const directory = join(await temporaryDirectory(), 'a', 'b')
  const path = join(directory, 'calls.log')
  await appendToLog(path, 'one')
  await appendToLog(path, 'two')
  expect({
    content: await readFile(path, 'utf8'),
    modes: [await modeOf(path), await modeOf(directory)],
  }).toEqual({ content: 'one\ntwo\n', modes: ['600', '700'] })
})

test('a file that others could read is closed to them', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  await writeFile(path, '', { mode: 0o644 })
  await appendToLog(path, 'one')
  expect(await modeOf(path)).toBe('600')
})

test('a link is never followed', async () => {
  const directory = await temporaryDirectory()
  const [target, path] = [join(directory, 'target'), join(directory, 'calls.log')]
  await writeFile(target, '')
  await symlink(target, path)
  expect({ problem: await problemOf(path), content: await readFile(target, 'utf8') }).toEqual({
    problem: `${path} is a link: name the file itself`,
    content: '',
  })
})

test('a second name of another file is refused', async () => {
  const directory = await temporaryDirectory()
  const [target, path] = [join(directory, 'target'), join(directory, 'calls.log')]
  await writeFile(target, '')
  await link(target, path)
  expect(await problemOf(path)).toBe(`${path} has a second name: name another file`)
})

test('a FIFO without a reader is refused without waiting', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  execFileSync('mkfifo', [path])
  expect(await problemOf(path)).toBe(`${path} is not a file`)
})

test('a log that has a reader is not written to either', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  expect(await problemOf(path)).toBe(`${path} is not a file`)
  expect(() => readSync(reader, Buffer.alloc(1))).toThrow('EAGAIN: resource temporarily unavailable, read')
})

test('a directory is refused', async () => {
  const directory = await temporaryDirectory()
  expect(await problemOf(directory)).toBe(`EISDIR at ${directory}`)
})

test('a file that others can write is refused, with the command that fixes it', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  await writeFile(path, '')
  await chmod(path, 0o620)
  expect({ problem: await problemOf(path), content: await readFile(path, 'utf8') }).toEqual({
    problem: `${path} can be written by other users (run: chmod 600 '${path}')`,
    content: '',
  })
})

test('a file of another user is refused', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  await writeFile(path, '', { mode: 0o600 })
  await makeForeign(path)
  expect(await problemOf(path)).toBe(`${path} belongs to another user`)
})

test('a directory that others can write is refused, unless it is sticky', async () => {
  const directory = join(await temporaryDirectory(), 'open')
  await mkdir(directory)
  await chmod(directory, 0o777)
  const path = join(directory, 'calls.log')
  const shared = await problemOf(path)
  await chmod(directory, 0o1777)
  expect({ shared, sticky: await problemOf(path) }).toEqual({
    shared: `${directory} can be written by other users (run: chmod go-w '${directory}')`,
    sticky: undefined,
  })
})

test.runIf(process.platform === 'linux')('a directory under /proc is refused at once', async () => {
  expect(await problemOf('/proc/self/logs/calls.log')).toBe('ENOENT at /proc/self/logs')
})

test('a log that has grown is kept once under another name, and a new one begins', async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'calls.log')
  const line = 'x'.repeat(longestLogBytes / 4 - 1)
  for (let count = 0; count < 9; count += 1) await appendToLog(path, line)
  expect({
    names: (await readdir(directory)).sort(),
    sizes: [(await lstat(path)).size, (await lstat(`${path}.1`)).size],
    mode: await modeOf(`${path}.1`),
  }).toEqual({
    names: ['calls.log', 'calls.log.1'],
    sizes: [longestLogBytes / 4, longestLogBytes],
    mode: '600',
  })
})

test('a log that another process has just removed causes no error', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  await appendToLog(path, 'long')
  const written = await stat(path)
  await rm(path)
  expect(() => rotateLog(path, written)).not.toThrow()
})

test('a log that another process has just renamed stays as it is', async () => {
  const path = join(await temporaryDirectory(), 'calls.log')
  await appendToLog(path, 'long')
  const written = await stat(path)
  await rename(path, `${path}.1`)
  rotateLog(path, written)
  await appendToLog(path, 'new')
  rotateLog(path, written)
  expect([await readFile(path, 'utf8'), await readFile(`${path}.1`, 'utf8')]).toEqual(['new\n', 'long\n'])
})

test('processes at the same time never tear each other’s lines, also while the file is being renamed', async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'calls.log')
  const script = `import { appendToLog } from ${JSON.stringify(join(root, 'src/runtime/files/log-file.ts'))}
for (let count = 0; count < 200; count += 1) await appendToLog(process.argv[1], JSON.stringify({ text: process.argv[2].repeat(2000) }))`
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((letter) =>
      execa(process.execPath, ['--input-type=module-typescript', '-e', script, path, letter]),
    ),
  )
  const texts = await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name), 'utf8')))
  const lines = texts.flatMap((text) => text.trimEnd().split('\n')).filter((line) => line !== '')
  // If two renames happen at one moment, the second takes away what the first has kept: seen once, with half of the lines.
  expect(lines.length).toBeGreaterThan(200)
  expect(lines.filter((line) => !/^\{"text":"([a-d])\1{1999}"\}$/.test(line))).toEqual([])
})
