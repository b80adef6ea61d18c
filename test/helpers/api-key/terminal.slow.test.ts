import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { canary, program } from './desk.ts'

/** Types once the question has been asked, and tells what was shown and whether the terminal shows again what is typed. */
const script = `
import fcntl, json, os, pty, select, signal, subprocess, sys, termios, time
typed, ending, command = sys.argv[1].encode(), sys.argv[2], sys.argv[3:]
terminal, program_side = pty.openpty()
child = subprocess.Popen(
    command, stdin=program_side, stdout=program_side, stderr=program_side, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
# This side stays open, so that the terminal can be looked at when the program has ended.
echo = lambda: bool(termios.tcgetattr(program_side)[3] & termios.ECHO)
shown, during = b'', None
def read(seconds):
    global shown
    while select.select([terminal], [], [], seconds)[0]:
        shown += os.read(terminal, 4096)
end = time.monotonic() + 20
while b'not shown' not in shown or echo():
    read(0.02)
    if time.monotonic() > end or child.poll() is not None:
        break
during = echo()
if ending == 'type':
    os.write(terminal, typed)
else:
    child.send_signal(getattr(signal, ending))
while child.poll() is None and time.monotonic() < end:
    read(0.02)
read(0.1)
after = echo()
child.kill()
print(json.dumps({'shown': shown.decode(), 'status': child.wait(), 'during': during, 'after': after}))
`

async function store(typed: string, ending: 'type' | 'SIGTERM' = 'type') {
  const home = await temporaryDirectory()
  const path = join(home, 'keys', 'key')
  const command = [process.execPath, toBundlePath(program), 'store', '--key-file', path]
  const { stdout } = await execa('python3', ['-c', script, typed, ending, ...command], {
    env: { HOME: home, PATH: process.env.PATH, TERM: 'dumb' },
    extendEnv: false,
    timeout: 30_000,
  })
  const isKept = await stat(path).then(
    () => true,
    () => false,
  )
  const { shown, ...rest } = JSON.parse(stdout)
  return { ...rest, isKept, path, shown: shown.replaceAll('\r\n', '\n') }
}

const question = 'API key (what you type is not shown): \n'
const unseen = { during: false, after: true }

test('a typed key is kept without being shown', async () => {
  const { path, ...outcome } = await store(`${canary}x\x7f\r`)
  expect(outcome).toEqual({
    ...unseen,
    status: 0,
    isKept: true,
    shown: `${question}api-key: the key is kept in the file ${path}\napi-key: it is not known when it expires: set --expires-at, or ask the platform with --verify\n`,
  })
})

test.each<[what: string, typed: string, status: number, shown: string]>([
  ['Ctrl-C ends it as any program', `${canary}\x03`, -2, question],
  [
    'Ctrl-D keeps nothing',
    '\x04',
    2,
    `${question}api-key: no key was typed; nothing is stored\napi-key: hint: start again, and paste the key\n`,
  ],
  [
    'lines that are pasted at once are refused and do not reach the shell',
    `\x1b[200~${canary}\r${canary}\x1b[201~\r`,
    2,
    `${question}api-key: what was given on standard input has line breaks in it; nothing is stored\napi-key: hint: copy the key alone, and start again\n`,
  ],
])('%s, and the terminal shows again what is typed', async (_, typed, status, shown) => {
  const { path: _path, ...outcome } = await store(typed)
  expect(outcome).toEqual({ ...unseen, status, isKept: false, shown })
})

test('a run that is told to end leaves the terminal as it was', async () => {
  const { path: _, ...outcome } = await store('', 'SIGTERM')
  expect(outcome).toEqual({ ...unseen, status: -15, isKept: false, shown: question.replace('\n', '') })
})
