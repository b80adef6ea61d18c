import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { commandOf, failure, printed, program, startDesk } from './desk.ts'

const look = (name: string) => `see what it says when you run ${name} in a terminal`

describe('a program', () => {
  test('is run without a shell, by its name, with its arguments as they are, in the root directory', async () => {
    const desk = await startDesk()
    await desk.write('print token', 'printf "%s|%s|%s" "$1" "$#" "$(pwd)"')
    expect(await desk.run({ argv: commandOf('print token', '$HOME;x|`id`', '--flag') })).toEqual(
      printed({ token: '$HOME;x|`id`|2|/' }),
    )
  })

  test('in a path with spaces, below the home directory, is run', async () => {
    const desk = await startDesk()
    await desk.write('a b/get token', 'echo made-up')
    expect(await desk.run({ argv: commandOf('~/bin/a b/get token') })).toEqual(printed({ token: 'made-up' }))
  })

  test('gets an empty stdin, the context, and no variable of a helper', async () => {
    const desk = await startDesk()
    const script = '[ -z "$GATEPASS_PROXY" ] && cat && echo "$VENDOR_HELPER_CONTEXT-$DISPLAY-$AZURE_CONFIG_DIR"'
    const argv = commandOf(await desk.write('show', script))
    const env = { GATEPASS_PROXY: 'http://p.example', DISPLAY: ':0', AZURE_CONFIG_DIR: '/a' }
    expect(await desk.run({ argv, env: { ...env, VENDOR_HELPER_CONTEXT: 'background' } })).toEqual(
      printed({ token: 'background--/a' }),
    )
    expect(await desk.run({ argv, env: { ...env, VENDOR_HELPER_CONTEXT: 'interactive' } })).toEqual(
      printed({ token: 'interactive-:0-/a' }),
    )
  })

  test('that leaves a child with its pipes gives its token, and the child ends', async () => {
    const desk = await startDesk()
    const path = await desk.write('fork', `sleep 60 & echo $! >"$HOME/child"; echo made-up`)
    const begin = Date.now()
    expect(await desk.run({ argv: commandOf(path) })).toEqual(printed({ token: 'made-up' }))
    expect(Date.now() - begin).toBeLessThan(5_000)
    await expectEnded(desk.home)
  })

  test.each<[what: string, script: string, status: number, message: string]>([
    ['fails', 'echo "no such key" >&2; exit 3', 5, 'failed with exit status 3 and said: no such key'],
    [
      'says secrets',
      'echo canary; echo "bad token: canary" >&2; exit 1',
      5,
      'failed with exit status 1 and said: bad token: [secret]',
    ],
    [
      'steers a terminal',
      'printf "\\033[2Ja\\007b\\n" >&2; exit 1',
      5,
      'failed with exit status 1 and said: a\\u0007b',
    ],
    ['prints nothing', 'true', 5, 'printed nothing'],
    ['prints blanks, and says why', 'echo; echo "no key here" >&2', 5, 'printed nothing and said: no key here'],
    ['is killed', 'echo canary; echo going >&2; kill -SEGV $$', 5, 'was killed by SIGSEGV and said: going'],
    ['prints bytes', 'printf "a\\377"', 5, 'printed bytes that are neither UTF-8 nor UTF-16 text'],
    [
      'has no network',
      'echo "dial tcp: lookup a.example: no such host" >&2; exit 1',
      6,
      'failed with exit status 1 and said: dial tcp: lookup a.example: no such host',
    ],
    ['says that it will pass', 'exit 75', 6, 'failed with exit status 75'],
  ])('that %s is reported without its output', async (_, script, status, message) => {
    const desk = await startDesk()
    await desk.write('get-token', script)
    const hint = status === 6 ? `try again in a moment; ${look('get-token')}` : look('get-token')
    expect(await desk.run({ argv: commandOf('get-token', 'canary') })).toEqual(
      failure(status, `get-token ${message}`, hint),
    )
  })

  test('that is not signed in ends with status 4, with the command that signs in', async () => {
    const desk = await startDesk()
    await desk.write('corp', 'echo "Error: not logged in" >&2; exit 1')
    const argv = [...commandOf('corp', 'token'), '--sign-in-command', 'corp login']
    expect(await desk.run({ argv })).toEqual(
      failure(4, 'corp failed with exit status 1 and said: Error: not logged in', 'run in a terminal: corp login'),
    )
  })

  test('that prints UTF-16 with a mark gives its token', async () => {
    const desk = await startDesk()
    await desk.write('get-token', String.raw`printf '\377\376a\0b\0c\0\r\0\n\0'`)
    expect(await desk.run({ argv: commandOf('get-token') })).toEqual(printed({ token: 'abc' }))
  })
})

describe('the error names a program that', () => {
  const find = 'write the absolute path of the program, or set path to the directories to look in'

  test('is missing', async () => {
    const desk = await startDesk()
    expect(await desk.run({ argv: commandOf('/no/such/program') })).toEqual(
      failure(3, '/no/such/program does not exist', 'correct the path, or install the program there'),
    )
    expect(await desk.run({ argv: [...commandOf('no-such-program'), '--path', '/usr/bin:bin'] })).toEqual(
      failure(3, 'no-such-program is in none of the directories of the option path', find),
    )
  })

  test('is a line for a shell, which nobody splits', async () => {
    const desk = await startDesk()
    const hint =
      'correct the path; if the text holds arguments as well, give the program and each of them as a word of its own, because no shell splits it'
    expect(await desk.run({ argv: [...commandOf('get-token --fast'), '--path', '/usr/bin'] })).toEqual(
      failure(3, 'get-token --fast is in none of the directories of the option path', hint),
    )
    expect(await desk.run({ argv: commandOf('/no/such program') })).toEqual(
      failure(3, '/no/such program does not exist', hint),
    )
  })

  test('is a directory', async () => {
    const desk = await startDesk()
    expect(await desk.run({ argv: commandOf(desk.home) })).toEqual(
      failure(3, `${desk.home} cannot be started (EACCES)`, 'it is a directory: write the path of the program in it'),
    )
  })

  test('is not executable', async () => {
    const desk = await startDesk()
    const path = await desk.write('get-token', 'true')
    await chmod(path, 0o600)
    expect(await desk.run({ argv: commandOf(path) })).toEqual(
      failure(3, `${path} cannot be started (EACCES)`, `run: chmod u+x '${path}'`),
    )
  })

  test('lacks its interpreter', async () => {
    const desk = await startDesk()
    const path = await desk.write('get-token', '#!/no/such/shell\n')
    expect(await desk.run({ argv: commandOf(path) })).toEqual(
      failure(
        3,
        `${path} cannot be started (ENOENT)`,
        'its first line names a program that does not exist: install that program, or correct the line',
      ),
    )
  })

  test('misses a program that it runs', async () => {
    const desk = await startDesk()
    await desk.write('get-token', 'no-such-program')
    const { stderr, ...rest } = await desk.run({ argv: commandOf('get-token') })
    // Each shell says it in its own words.
    const inWords = stderr.replace(/(?<= said: ).*\bno-such-program\b.*/, 'SHELL: no-such-program')
    expect({ ...rest, stderr: inWords }).toEqual(
      failure(
        3,
        'get-token failed with exit status 127 and said: SHELL: no-such-program',
        'set path to the directories of the programs that it runs: it does not find one of them',
      ),
    )
  })
})

test.each<[argv: string[], status: number, message: string, hint: string]>([
  [[], 3, 'command must be set', 'set it by argument, variable or file; see: command-token --help'],
  [
    commandOf('./get-token'),
    2,
    'command begins with a path that is not absolute',
    'write the absolute path of the program, one that begins with ~/, or its name alone',
  ],
  [
    [...commandOf('get-token'), '--token-pointer', 'data.token'],
    2,
    'token-pointer is not a JSON pointer',
    'write the names of the members from the outside in, each behind a slash, such as /data/token or /0/svid',
  ],
  [
    [...commandOf('get-token'), '--output', 'token', '--expiry-pointer', '/a'],
    2,
    'output is token, and expiry-pointer is set',
    'remove the option output: a pointer leads into JSON',
  ],
])('options that cannot be used are refused: %j', async (argv, status, message, hint) => {
  const desk = await startDesk()
  expect(await desk.run({ argv })).toEqual(failure(status, message, hint))
})

test('a program that hangs ends at the deadline with everything it started', async () => {
  const desk = await startDesk()
  await desk.write('hang', 'sleep 600 & echo $! >"$HOME/child"; wait')
  const { status, stdout, stderr } = await runBundle(program, {
    argv: [...commandOf('hang'), '--client-timeout', '5'],
    env: { HOME: desk.home, PATH: `${desk.home}/bin:/usr/bin:/bin` },
  })
  const hint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
  expect({ status, stdout, stderr }).toEqual(failure(7, 'hang took longer than the 3 s of this call', hint))
  await expectEnded(desk.home)
})

test.each(['1', '2'])('a program that prints endlessly on its descriptor %s is ended', async (stream) => {
  const desk = await startDesk()
  await desk.write('flood', `exec cat /dev/zero >&${stream}`)
  expect(await desk.run({ argv: commandOf('flood') })).toEqual(
    failure(5, 'flood printed more than 8 MiB, and was ended', look('flood')),
  )
})

test.each<[what: string, script: string]>([
  ['itself', 'exec NODE SELF'],
  ['a script around it, with other arguments', 'NODE SELF --header "X-A: b" || exit 9'],
])('a program that is %s is reported as a cycle without waiting for a lock', async (_, script) => {
  const desk = await startDesk()
  const self = script.replace('NODE', `'${process.execPath}'`).replace('SELF', `'${toBundlePath(program)}'`)
  const path = await desk.write('again', self)
  await mkdir(join(desk.home, '.config/gatepass'), { recursive: true })
  await writeFile(join(desk.home, '.config/gatepass', `${program}.json`), JSON.stringify({ command: [path] }))
  const { status, stdout, stderr } = await runBundle(program, { env: { HOME: desk.home, PATH: '/usr/bin:/bin' } })
  expect({ status, stdout, stderr }).toEqual(
    failure(
      3,
      `${path} runs a credential helper that would run it again`,
      'name a program that gets a token from somewhere else, and not by this helper',
    ),
  )
})

test.each(['bash', 'zsh', 'fish', 'dash'].filter((shell) => existsSync(`/usr/bin/${shell}`)))(
  'a program in a folder that only the startup files of %s know is found',
  async (shell) => {
    const desk = await startDesk()
    await desk.write('get-token', 'echo made-up')
    const line = `echo hello; export PATH="${desk.home}/bin:$PATH"\n`
    await Promise.all(['.bash_profile', '.zshrc', '.profile'].map((file) => writeFile(join(desk.home, file), line)))
    await mkdir(join(desk.home, '.config/fish'), { recursive: true })
    await writeFile(join(desk.home, '.config/fish/config.fish'), `echo hello; set -x PATH '${desk.home}/bin' $PATH\n`)
    const env = { PATH: '/usr/bin:/bin', SHELL: `/usr/bin/${shell}` }
    expect(await desk.run({ argv: commandOf('get-token'), env })).toEqual(printed({ token: 'made-up' }))
  },
)

/** Waits until the process whose id is in the file `child` has ended: a killed one ends when it is next scheduled. */
async function expectEnded(home: string): Promise<void> {
  const child = (await readFile(`${home}/child`, 'utf8')).trim()
  await vi.waitFor(async () => {
    expect(await readFile(`/proc/${child}/stat`, 'utf8').catch(() => ') Z')).toMatch(/\) [ZX]/)
  })
}
