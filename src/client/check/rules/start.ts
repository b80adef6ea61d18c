import { resolveLaunch } from '../../launch/launch-command.ts'
import { describeRun, isHealthy, type Run, renderMs } from '../runs/run.ts'
import { endlessNesting } from '../runs/watch-run.ts'
import { defineRules, fail, type Matter, notApplicable, pass, warn } from './rule.ts'

/** Whether it starts at all, wherever a client may start it. */
export const startRules = defineRules({
  'command-line': {
    proves: 'a client can start this path with these arguments',
    needs: [],
    sees: [],
    judge: (_, { command, args, platform }) => {
      const system = isWindowsPath(command) ? 'win32' : platform
      const launch = resolveLaunch({ command, args }, system)
      if ('problem' in launch)
        return fail(launch.problem, 'name an absolute path, and put every argument into the list of arguments')
      const how = launch.command.file === command ? 'directly' : `through ${launch.command.file}`
      return pass(`started ${how}, with ${args.length} argument${args.length === 1 ? '' : 's'}`)
    },
  },
  starts: {
    proves: 'it starts without a shell, in `/`, without stdin and without a terminal',
    needs: ['command-line'],
    sees: ['background'],
    judge: ([run], { file }) => {
      if (run?.ended.how === 'not-started') return fail(describeRun(run), startHints[run.ended.code] ?? startHint)
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
    sees: ['background'],
    judge: ([run], { platform }) => {
      if (platform !== 'linux') return notApplicable('who started whom is looked at on Linux')
      if (!run || run.nesting < endlessNesting) return pass('nothing below it was itself')
      return fail(
        `it was started again by its own children, ${run.nesting} levels deep`,
        'give it an AWS profile whose credential_process is another program, or refuse to run below itself',
      )
    },
  },
  ends: {
    proves: 'it ends by itself before the timeout, with nobody to answer',
    needs: ['recursion', 'no-browser'],
    sees: ['background'],
    judge: ([run]) =>
      !run || run.ended.how === 'timeout'
        ? fail(run ? describeRun(run) : 'no run was made', waitHint(run))
        : pass(`it ended after ${renderMs(run.durationMs)}`),
  },
  'exit-status': {
    proves: 'it ends with exit status 0 when it has a token',
    needs: ['ends'],
    sees: ['background'],
    judge: ([run]) => {
      if (!run || run.ended.how === 'signal' || (run.ended.how === 'exited' && run.ended.status !== 0))
        return fail(
          run ? describeRun(run) : 'no run was made',
          'read its message above; if a person has to sign in first, do that once and check again',
        )
      return pass('exit status 0')
    },
  },
  'closed-stdin': {
    proves: 'it works with stdin closed',
    needs: ['headers'],
    sees: ['closed-stdin'],
    judge: (runs) => validateStart(runs, 'do not touch stdin: there may be none'),
  },
  'open-stdin': {
    proves: 'it does not wait for anything on stdin',
    needs: ['headers'],
    sees: ['open-stdin'],
    judge: (runs) => validateStart(runs, 'do not read stdin: nobody may ever write to it or close it'),
  },
  'bare-path': {
    proves: 'it works with the PATH that a desktop gives to programs',
    needs: ['headers'],
    sees: ['bare-path'],
    judge: (runs) =>
      validateStart(runs, 'call other programs by their full path, or add their directory to PATH yourself'),
  },
  'without-arguments': {
    proves: 'it works without arguments, which older clients do not pass',
    needs: ['headers'],
    sees: ['without-arguments'],
    judge: (runs, { args }) => {
      const broken = runs.find((run) => !isHealthy(run))
      if (args.length === 0) return pass('it was given none')
      if (!broken) return pass('a token without arguments, too')
      return warn(describeRun(broken), 'let a file or the environment say what its arguments say')
    },
  },
  'terminal-prompt': {
    proves: 'it asks nothing on a terminal in a silent context',
    needs: ['headers'],
    sees: ['terminal'],
    judge: (runs) => {
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

function validateStart(runs: readonly Run[], hint: string) {
  const broken = runs.find((run) => !isHealthy(run))
  return broken ? fail(describeRun(broken), hint) : pass(runs[0] ? describeRun(runs[0]) : 'no run was made')
}

const startHints: Readonly<Record<string, string>> = {
  ENOENT: 'the file, or the interpreter that its first line names, is not there: correct the path',
  EACCES: 'make it executable: chmod +x',
  ENOEXEC: 'it is neither a program of this system nor a script with a #! line',
}

const startHint = 'try to start it by its full path'

function waitHint(run: Run | undefined): string {
  return run && /https?:\/\//.test(run.stderr)
    ? 'do not show an address and wait for a person in a silent context: fail with a message'
    : 'find what it waits for; bound every wait, and fail with a message before the client kills it'
}

/** A path of another system is judged by that system's rules. */
export function isWindowsPath(command: Matter['command']): boolean {
  return /^[A-Za-z]:[\\/]/.test(command) || command.startsWith('\\\\')
}
