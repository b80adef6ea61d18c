import { existsSync } from 'node:fs'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { runProcess } from '../../src/runtime/run-process.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const env = { PATH: process.env.PATH }

/** Runs a JavaScript program as a real child. */
function runScript(script: string, request: Partial<Parameters<typeof runProcess>[0]> = {}) {
  const command = { program: process.execPath, args: ['-e', script] }
  return runProcess({ command, env, signal: new AbortController().signal, ...request })
}

function runShell(line: string, request: Partial<Parameters<typeof runProcess>[0]> = {}) {
  return runProcess({ command: { shell: line }, env, signal: new AbortController().signal, ...request })
}

test('output and status of a child come back whole, bytes as bytes', async () => {
  const script = 'process.stdout.write(Buffer.from([0, 255, 10])); process.stderr.write("né\\n"); process.exitCode = 3'
  expect(await runScript(script)).toEqual({
    ended: 'exited',
    status: 3,
    stdout: Uint8Array.of(0, 255, 10),
    stderr: 'né\n',
  })
})

test('a child that prints nothing has an empty output', async () => {
  expect(await runScript('')).toEqual({ ended: 'exited', status: 0, stdout: new Uint8Array(), stderr: '' })
})

test('a child that a signal ended is reported with the signal', async () => {
  expect(await runScript('process.kill(process.pid, "SIGTERM")')).toEqual({
    ended: 'killed',
    by: 'SIGTERM',
    stderr: '',
  })
})

test('a program that does not exist has not started', async () => {
  const command = { program: '/nowhere/at all', args: [] }
  expect(await runScript('', { command })).toEqual({ ended: 'not-started', code: 'ENOENT' })
})

test('a file that is not a program does not start', async () => {
  const program = join(await temporaryDirectory(), 'text')
  await writeFile(program, 'text')
  await chmod(program, 0o644)
  expect(await runScript('', { command: { program, args: [] } })).toEqual({ ended: 'not-started', code: 'EACCES' })
})

test('a line for the shell is read by the shell', async () => {
  expect(await runShell('printf %s "a  b" | cat; exit 4')).toEqual({
    ended: 'exited',
    status: 4,
    stdout: new Uint8Array(Buffer.from('a  b')),
    stderr: '',
  })
})

test('a line that names no program has the status of the shell', async () => {
  // The words on standard error are the shell's.
  expect(await runShell('no-such-program-anywhere')).toEqual({
    ended: 'exited',
    status: 127,
    stdout: new Uint8Array(),
    stderr: expect.any(String),
  })
})

test('a program gets its arguments as they are, past every shell', async () => {
  const args = ['-p', 'process.argv.slice(1).join("|")', 'a b', '$HOME', '"', '*']
  expect(await runProcess({ ...request(args), env })).toEqual({
    stdout: new Uint8Array(Buffer.from('a b|$HOME|"|*\n')),
    ended: 'exited',
    status: 0,
    stderr: '',
  })
})

function request(args: readonly string[]) {
  return { command: { program: process.execPath, args }, signal: new AbortController().signal }
}

test('a child has only the environment that it is given', async () => {
  process.env.GATEPASS_TEST_OURS = 'ours'
  const outcome = await runScript(
    'process.stdout.write(JSON.stringify([process.env.GIVEN, process.env.GATEPASS_TEST_OURS ?? null]))',
    {
      env: { GIVEN: 'given' },
    },
  )
  delete process.env.GATEPASS_TEST_OURS
  expect(outcome).toEqual({
    stdout: new Uint8Array(Buffer.from('["given",null]')),
    ended: 'exited',
    status: 0,
    stderr: '',
  })
})

test('a child reads an empty stdin', async () => {
  const script = 'process.stdin.on("data", () => {}).on("end", () => process.stdout.write("end"))'
  expect(await runScript(script)).toEqual({
    status: 0,
    stdout: new Uint8Array(Buffer.from('end')),
    ended: 'exited',
    stderr: '',
  })
})

test('the last 64 KiB of a long stderr are kept', async () => {
  const outcome = await runScript('process.stderr.write("a".repeat(100_000) + "z")')
  expect(outcome).toEqual({
    ended: 'exited',
    status: 0,
    stdout: new Uint8Array(),
    stderr: `${'a'.repeat(64 * 1024 - 1)}z`,
  })
})

test('a child that prints endlessly is ended', async () => {
  const outcome = await runScript('for (;;) require("fs").writeSync(1, "a".repeat(65536))')
  expect(outcome).toEqual({ ended: 'flooded' })
})

test('an aborted run ends the whole tree, though child and grandchild ignore SIGTERM', async () => {
  const directory = await temporaryDirectory()
  const beats = ['child', 'grandchild'].map((name) => join(directory, name))
  const [child = '', grandchild = ''] = beats.map(
    (path) =>
      `process.on("SIGTERM", () => {}); setInterval(() => require("fs").appendFileSync(${JSON.stringify(path)}, "."), 5);`,
  )
  const spawn = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" })`
  const aborter = new AbortController()
  const running = runScript(child + spawn, { signal: aborter.signal })
  await vi.waitUntil(async () => (await sizesOf(beats)).every((size) => size > 0), { timeout: 60_000 })

  aborter.abort()
  expect(await running).toEqual({ ended: 'killed', by: 'SIGKILL', stderr: '' })
  await pause(50)
  const last = await sizesOf(beats)
  await pause(100)
  expect(await sizesOf(beats)).toEqual(last)
})

test.skipIf(process.platform === 'win32')(
  'the children of a child end with it, although they hold no pipe',
  async () => {
    const beat = join(await temporaryDirectory(), 'beat')
    const left = `while :; do printf . >>'${beat}'; sleep 0.01; done`
    const line = `(${left}) >/dev/null 2>&1 & while ! test -s '${beat}'; do :; done`
    expect(await runShell(line)).toEqual({ ended: 'exited', status: 0, stdout: new Uint8Array(), stderr: '' })
    await pause(50)
    const last = await sizesOf([beat])
    await pause(100)
    expect(await sizesOf([beat])).toEqual(last)
  },
)

test('a run that is aborted before it begins leaves no child', async () => {
  const place = join(await temporaryDirectory(), 'started')
  const outcome = await runShell(`sleep 0.2; echo x > '${place}'`, { signal: AbortSignal.abort() })
  await pause(400)
  expect({ outcome, exists: existsSync(place) }).toEqual({
    outcome: { ended: 'killed', by: 'SIGKILL', stderr: '' },
    exists: false,
  })
})

/** How long each file has grown; 0 for one that is not there yet. */
async function sizesOf(paths: readonly string[]): Promise<number[]> {
  return Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
}

test('a process that a child leaves at its output is waited for no longer than the child', async () => {
  const drip = 'setsid sh -c "i=0; while [ \\$i -lt 100 ]; do i=\\$((i+1)); sleep 0.2; echo x; done" &'
  const limit = new AbortController()
  const begin = Date.now()
  const running = runShell(`${drip} echo done; exit 0`, { signal: limit.signal })
  await pause(200)
  limit.abort()
  expect(await running).toEqual({ ended: 'killed', by: 'SIGKILL', stderr: '' })
  expect(Date.now() - begin).toBeLessThan(10_000) // it drips for twenty seconds
})
