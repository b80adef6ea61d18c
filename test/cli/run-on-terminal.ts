import { execa } from 'execa'
import { toBundlePath } from '../../pkg-scripts/tree.ts'

/** Types an answer once a question has been asked; all that the terminal shows comes back. */
const script = `
import os, pty, sys, select
question, answer, command = sys.argv[1], sys.argv[2], sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown, typed = b'', False
while True:
    ready, _, _ = select.select([terminal], [], [], 20)
    if not ready:
        break
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if not typed and question.encode() in shown:
        typed = True
        os.write(terminal, answer.encode())
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
`

/** Runs the built `gatepass` command on a pseudo-terminal, where a person answers one question. */
export async function answerGatepass(question: string, answer: string, argv: readonly string[]) {
  const command = [process.execPath, toBundlePath('gatepass'), ...argv]
  const { exitCode, stdout } = await execa('python3', ['-c', script, question, answer, ...command], {
    env: { PATH: process.env.PATH, NO_COLOR: '1', TERM: 'dumb' },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  })
  return { status: exitCode, shown: stdout.replaceAll('\r\n', '\n') }
}
