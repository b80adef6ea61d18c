import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { startCountableSource } from '../../cache/countable-source.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { program } from './start-consumer.ts'

const hint = (format: string) =>
  `${program}: hint: have the client of --format ${format} write its request to stdin, and close it\n`
const refused = (status: number, message: string, format: string) => ({
  status,
  stdout: '',
  stderr: `${program}: ${message}\n${hint(format)}`,
})
const gitRequest = 'protocol=https\nhost=git.example\n'

/** Makes a run of a real process, and what its client writes to it, in pieces; `open` leaves stdin open. */
async function runWith(format: 'git' | 'bazel', pieces: readonly (string | Uint8Array)[], end: 'closed' | 'open') {
  const source = await startCountableSource(program)
  const options = ['--no-headers', '--client-timeout', '4', '--format', format, '--for-host', 'git.example', 'get']
  const argv = [toBundlePath(program), ...source.argv(), ...options]
  const child = execa(process.execPath, argv, {
    env: source.env,
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: 20_000,
    cwd: '/',
  })
  child.stdin.on('error', () => undefined) // the helper may end before it has read everything
  for (const piece of pieces) {
    child.stdin.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  if (end === 'closed') child.stdin.end()
  const { exitCode, stdout, stderr } = await child
  return { status: exitCode, stdout, stderr }
}

test.each([
  [
    'git',
    [gitRequest.slice(0, 11), gitRequest.slice(11), '\n'],
    'username=oauth2\npassword=made-up-access-token-1\npassword_expiry_utc=N\n',
  ],
  [
    'bazel',
    ['{"uri":', '"https://git.example', '/x"}\n'],
    '{"headers":{"Authorization":["Bearer made-up-access-token-1"]},"expires":"DATE"}\n',
  ],
] as const)(
  'a whole request of %s is answered, in pieces and without an end of stdin',
  async (format, pieces, answer) => {
    const { stdout, ...rest } = await runWith(format, pieces, 'open')
    expect({ ...rest, stdout: toStableText(stdout).replace(/(?<=_utc=)\d+/, 'N') }).toEqual(prints(answer))
  },
)

test('a request that does not end is given up before the client would kill the run', async () => {
  expect(await runWith('git', [gitRequest], 'open')).toEqual(
    refused(7, 'no whole request has come on stdin in time', 'git'),
  )
})

test.each(['git', 'bazel'] as const)('no more of a huge request of %s is read than is allowed', async (format) => {
  expect(await runWith(format, [Buffer.alloc(8 * 1024 * 1024, 'x')], 'closed')).toEqual(
    refused(2, 'the request on stdin is longer than 256 KiB', format),
  )
})

test('NUL and bytes that are not text are refused', async () => {
  expect(await runWith('git', [`${gitRequest}path=\0\n\n`], 'closed')).toEqual({
    status: 2,
    stdout: '',
    stderr: `workload-token: the request on stdin has no "protocol" and "host", or has a line that is not an attribute of Git
workload-token: hint: let Git run this helper, with the configuration from: gatepass config init --client git --helper HELPER --base-url URL
`,
  })
  expect(await runWith('bazel', [Uint8Array.of(0xfe, 0xff, 0)], 'closed')).toEqual(
    refused(2, 'the request on stdin is not UTF-8 text', 'bazel'),
  )
})
