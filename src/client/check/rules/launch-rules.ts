import { isDrivePath } from '../../../config/fields.ts'
import { type HelperClient, hasRequest, isContextTold } from '../../../contract/client.ts'
import { renderCounted } from '../../../runtime/text/counted.ts'
import { quoteForShell } from '../../../runtime/text/quote.ts'
import { renderMs } from '../../../runtime/values/duration.ts'
import { programName } from '../../../version.ts'
import { planClientLaunch } from '../../launch/run-for-client.ts'
import { isTerminalVariable } from '../desktop-environment.ts'
import { cutFirstLine, describeRun, isHealthy, type Run } from '../runs/run.ts'
import { recursionLimit } from '../runs/watch-run.ts'
import { type CheckFacts, chooseHint, defineRules, type FileKind, fail, isPassing, pass, skip, warn } from './rule.ts'

/** Rules about the start and end of a helper: it can be started, and ends by itself. */
export const launchRules = defineRules({
  'command-line': {
    proves: 'a client can start this path with these arguments',
    needs: [],
    scenarios: [],
    validate: (_, { command, args, platform, file, client }) => {
      const system = isWindowsPath(command) ? 'win32' : platform
      const launch = planClientLaunch(client, { command, args }, system)
      if ('problem' in launch) return fail(launch.problem, chooseStartHint(command, args, file, client))
      const how = launch.command.file === command ? 'directly' : `through ${launch.command.file}`
      return pass(`started ${how}, with ${renderCounted(args.length, 'argument')}`)
    },
  },
  starts: {
    proves: 'it starts without a shell, in `/`, without stdin and without a terminal',
    needs: ['command-line'],
    scenarios: ['background'],
    validate: ([run], { command, file, platform }) => {
      if (run?.ended.how === 'not-started')
        return fail(describeRun(run), chooseLaunchHint(run.ended.code, { command, file, platform }))
      // Windows does not read the first line: the file's extension determines what starts it.
      if (file === 'text-without-shebang' && platform !== 'win32')
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
        ? fail(describeRun(run), chooseHint(run, describeWait(run)))
        : pass(`it ended after ${renderMs(run.durationMs)}`),
  },
  'exit-status': {
    proves: 'it ends with exit status 0 when it has a token',
    needs: ['ends'],
    scenarios: ['background'],
    validate: ([run]) => {
      if (!run || run.ended.how === 'signal' || (run.ended.how === 'exited' && run.ended.status !== 0))
        return fail(describeRun(run), chooseHint(run, chooseFailureHint(run)))
      return pass('exit status 0')
    },
  },
})

function chooseStartHint(command: string, args: readonly string[], file: FileKind, { start }: HelperClient): string {
  if (isNameHere(command, file)) return `for the file in this folder write ./${command}`
  if (start === 'path' && args.length > 0)
    return `put the arguments into a script, which "$@" ends, and name that; ${programName} config init --client writes one`
  return 'name an absolute path, and put every argument into the list of arguments'
}

/** Returns whether a bare name is that of a file in the working directory, in which shells do not search. */
function isNameHere(command: string, file: FileKind): boolean {
  return file !== 'unreadable' && file !== 'directory' && /^[^\\/~]+$/.test(command)
}

function chooseLaunchHint(
  code: string,
  { command, file, platform }: Pick<CheckFacts, 'command' | 'file' | 'platform'>,
): string {
  if (file === 'directory') return 'it is a directory: name the file in it'
  if (code === 'EACCES' && platform !== 'win32') return `make it executable: chmod +x ${quoteForShell([command])}`
  return (platform === 'win32' ? windowsStartHints : startHints)[code] ?? startHint
}

const startHints: Readonly<Record<string, string>> = {
  ENOENT: 'the file, or the interpreter that its first line names, is not there: correct the path',
  ENOEXEC: 'it is neither a program of this system nor a script with a #! line',
}

const windowsStartHints: Readonly<Record<string, string>> = {
  ENOENT: 'the file, or the program that starts files of its kind, is not there: correct the path',
  EACCES: 'let this user execute it: see its properties, and what an application control policy says of it',
  UNKNOWN: 'it is not a Windows program: name an .exe, .cmd, .bat or .ps1 file',
}

const startHint = 'try to start it by its full path'

function describeWait(run: Run | undefined): string {
  return run && /https?:\/\//.test(run.stderr)
    ? 'do not show an address and wait for a person in a silent context: fail with a message'
    : 'find what it waits for; bound every wait, and fail with a message before the client kills it'
}

/** Returns whether a path has a drive letter or names a network share, so that the rules of Windows apply to it. */
export function isWindowsPath(command: string): boolean {
  return isDrivePath(command) || command.startsWith('\\\\')
}

/** Rules about the stdin, PATH, arguments and terminal of a helper. */
export const environmentRules = defineRules({
  'closed-stdin': {
    isFor: (client) => !hasRequest(client),
    proves: 'it works with stdin closed',
    needs: ['headers'],
    scenarios: ['closed-stdin'],
    validate: (runs) => validateStart(runs, 'do not use stdin: there may be none'),
  },
  'open-stdin': {
    isFor: (client) => isContextTold(client) || client.stdin === 'inherited',
    proves: 'it does not wait for anything on stdin',
    needs: ['headers'],
    scenarios: ['open-stdin'],
    validate: (runs) => validateStart(runs, 'do not read stdin: nobody may ever write to it or close it'),
  },
  'bare-path': {
    proves: 'it works with the PATH that a desktop gives to programs',
    needs: ['headers'],
    scenarios: ['bare-path'],
    validate: (runs) =>
      validateStart(runs, 'call other programs by their full path, or add their directory to PATH yourself'),
  },
  'desktop-environment': {
    isFor: isContextTold,
    proves: 'it works with the variables that a desktop gives to programs, without those of a login shell',
    needs: ['bare-path'],
    scenarios: ['desktop-environment'],
    validate: ([desktop, withoutTerminal], { shellVariables }) => {
      if (!desktop || isHealthy(desktop)) return pass(describeRun(desktop))
      const isCertain = withoutTerminal && !isHealthy(withoutTerminal) && !isPassing(withoutTerminal)
      if (isCertain) return fail(describeRun(withoutTerminal), chooseHint(withoutTerminal, terminalHint))
      // The check cannot tell whether the document or an administrator sets a variable for the client.
      return warn(describeRun(desktop), chooseHint(desktop, describeMissing(shellVariables)))
    },
  },
  'without-arguments': {
    isFor: isContextTold,
    proves: 'it works without arguments, which older clients do not pass',
    needs: ['headers'],
    scenarios: ['without-arguments'],
    validate: (runs, { args }) => {
      const broken = runs.find((run) => !isHealthy(run))
      if (args.length === 0) return pass('it was given none')
      if (!broken) return pass('a token without arguments, too')
      return warn(describeRun(broken), chooseHint(broken, 'take the same settings from a file or the environment'))
    },
  },
  'terminal-prompt': {
    isFor: isContextTold,
    proves: 'it asks nothing on a terminal in a silent context',
    needs: ['headers'],
    scenarios: ['terminal'],
    validate: (runs) => {
      const asking = runs.find(({ terminal }) => terminal !== '')
      if (asking)
        return fail(
          `it wrote to the terminal ${asking.title}: ${asking.terminal.slice(0, 80)}`,
          'ask only in the context interactive; elsewhere fail with a message that says what to do',
        )
      return validateStart(runs, 'do not wait for a terminal in a silent context')
    },
  },
})

const terminalHint = 'do without these variables: only a terminal sets them, and a client has none'

/** The most names in a hint; the reader can find the others in the environment. */
const shownVariables = 12

function describeMissing(shellVariables: readonly string[]): string {
  const names = shellVariables.filter((name) => !isTerminalVariable(name))
  const more = names.length > shownVariables ? ` and ${names.length - shownVariables} more` : ''
  const shown = names.length === 0 ? 'the variables of a shell' : `${names.slice(0, shownVariables).join(', ')}${more}`
  return `put what it reads from ${shown} into a file of its own or into its arguments; if the document's awsEnv or an administrator sets it for every program, name it with --keep-env`
}

function validateStart(runs: readonly Run[], hint: string) {
  const broken = runs.find((run) => !isHealthy(run))
  return broken ? fail(describeRun(broken), chooseHint(broken, hint)) : pass(describeRun(runs[0]))
}

function chooseFailureHint(run: Run | undefined): string {
  const signIn = 'if a person has to sign in first, do that once and check again'
  return run && cutFirstLine(run.stderr) !== ''
    ? `read its message above; ${signIn}`
    : `run it in a terminal to see why, and have it say so on stderr; ${signIn}`
}
