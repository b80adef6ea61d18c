import type { HelperClient } from '../../../contract/clients/client.ts'
import { resolveClientLaunch } from '../../launch/client-launch.ts'
import { recursionLimit } from '../runs/processes/watch-run.ts'
import { describeRun, type Run, renderMs } from '../runs/run.ts'
import { chooseWaitHint } from './choose-wait-hint.ts'
import { defineRules, type FileKind, fail, pass, skip, warn } from './rule.ts'

/** Whether it starts, and ends by itself. */
export const launchRules = defineRules({
  'command-line': {
    proves: 'a client can start this path with these arguments',
    needs: [],
    scenarios: [],
    validate: (_, { command, args, platform, file, client }) => {
      const system = isWindowsPath(command) ? 'win32' : platform
      const launch = resolveClientLaunch(client, { command, args }, system)
      if ('problem' in launch) return fail(launch.problem, chooseStartHint(command, args, file, client))
      const how = launch.command.file === command ? 'directly' : `through ${launch.command.file}`
      return pass(`started ${how}, with ${args.length} argument${args.length === 1 ? '' : 's'}`)
    },
  },
  starts: {
    proves: 'it starts without a shell, in `/`, without stdin and without a terminal',
    needs: ['command-line'],
    scenarios: ['background'],
    validate: ([run], { file }) => {
      if (run?.ended.how === 'not-started') return fail(describeRun(run), hintAtStart(run.ended.code, file))
      if (file === 'text-without-shebang')
        return warn(
          'the file is a script without a first line that names its interpreter',
          'begin it with a line such as #!/bin/sh',
        )
      return pass('it started')
    },
  },
  recursion: {
    proves: 'it does not run itself again',
    needs: ['starts'],
    scenarios: ['background'],
    validate: ([run], { platform }) => {
      if (platform !== 'linux') return skip('nested starts are detected on Linux only')
      if (!run || run.nesting < recursionLimit) return pass('it did not start itself')
      return fail(
        `it was started again by its own children, ${run.nesting} levels deep`,
        'give it an AWS profile whose credential_process is another program, or refuse to run below itself',
      )
    },
  },
  ends: {
    proves: 'it ends by itself before the timeout, with nobody to answer',
    needs: ['recursion', 'no-browser'],
    scenarios: ['background'],
    validate: ([run]) =>
      !run || run.ended.how === 'timeout'
        ? fail(describeRun(run), chooseWaitHint(run, describeWait(run)))
        : pass(`it ended after ${renderMs(run.durationMs)}`),
  },
  'exit-status': {
    proves: 'it ends with exit status 0 when it has a token',
    needs: ['ends'],
    scenarios: ['background'],
    validate: ([run]) => {
      if (!run || run.ended.how === 'signal' || (run.ended.how === 'exited' && run.ended.status !== 0))
        return fail(
          describeRun(run),
          'read its message above; if a person has to sign in first, do that once and check again',
        )
      return pass('exit status 0')
    },
  },
})

function chooseStartHint(command: string, args: readonly string[], file: FileKind, { start }: HelperClient): string {
  if (isNameHere(command, file)) return `for the file in this folder write ./${command}`
  if (start === 'path' && args.length > 0)
    return 'put the arguments into a script, which "$@" ends, and name that; gatepass config init --client writes one'
  return 'name an absolute path, and put every argument into the list of arguments'
}

/** Whether a bare name is that of a file in the working directory, where no shell looks for it. */
function isNameHere(command: string, file: FileKind): boolean {
  return file !== 'unreadable' && file !== 'directory' && /^[^\\/~]+$/.test(command)
}

function hintAtStart(code: string, file: FileKind): string {
  return file === 'directory' ? 'it is a directory: name the file in it' : (startHints[code] ?? startHint)
}

const startHints: Readonly<Record<string, string>> = {
  ENOENT: 'the file, or the interpreter that its first line names, is not there: correct the path',
  EACCES: 'make it executable: chmod +x',
  ENOEXEC: 'it is neither a program of this system nor a script with a #! line',
}

const startHint = 'try to start it by its full path'

function describeWait(run: Run | undefined): string {
  return run && /https?:\/\//.test(run.stderr)
    ? 'do not show an address and wait for a person in a silent context: fail with a message'
    : 'find what it waits for; bound every wait, and fail with a message before the client kills it'
}

/** Whether a path has a drive letter or names a network share; then the rules of Windows apply to it. */
export function isWindowsPath(command: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(command) || command.startsWith('\\\\')
}
