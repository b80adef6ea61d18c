import { isTold } from '../../../contract/clients/client-traits.ts'
import { describeRun, isHealthy, type Run } from '../runs/run.ts'
import { chooseWaitHint } from './choose-wait-hint.ts'
import { defineRules, fail, pass, warn } from './rule.ts'

/** Whether it works with the stdin, the PATH, the arguments and the terminal that a client gives it. */
export const environmentRules = defineRules({
  'closed-stdin': {
    isFor: ({ request }) => request === 'none',
    proves: 'it works with stdin closed',
    needs: ['headers'],
    scenarios: ['closed-stdin'],
    validate: (runs) => validateStart(runs, 'do not use stdin: there may be none'),
  },
  'open-stdin': {
    isFor: (client) => isTold(client) || client.stdin === 'inherited',
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
  'without-arguments': {
    isFor: isTold,
    proves: 'it works without arguments, which older clients do not pass',
    needs: ['headers'],
    scenarios: ['without-arguments'],
    validate: (runs, { args }) => {
      const broken = runs.find((run) => !isHealthy(run))
      if (args.length === 0) return pass('it was given none')
      if (!broken) return pass('a token without arguments, too')
      return warn(describeRun(broken), 'take the same settings from a file or the environment')
    },
  },
  'terminal-prompt': {
    isFor: isTold,
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

function validateStart(runs: readonly Run[], hint: string) {
  const broken = runs.find((run) => !isHealthy(run))
  return broken ? fail(describeRun(broken), chooseWaitHint(broken, hint)) : pass(describeRun(runs[0]))
}
