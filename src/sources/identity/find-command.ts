import { HelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import type { RunOutcome } from '../../runtime/run-process.ts'
import { Secret } from '../../runtime/secret.ts'
import { digestEnvironment, passedOn } from '../child-environment.ts'
import type { FindIdentity } from './identity-source.ts'
import { parseIdentityAnswer } from './parse-identity-answer.ts'
import { demandOption } from './required.ts'

/** A program that prints the token. It is run without a shell, and ends with everything that it started. */
export const findCommand: FindIdentity = ({ env, home, run }, options) => {
  const [first = '', ...args] = demandOption(options, 'identity-command', 'name the program')
  const program = expandHome(first, home)
  const { path, 'identity-field': field } = options
  const renewal = `see what it prints when you run ${program} in a terminal`
  return {
    token: `the identity token that ${program} printed`,
    step: `the identity token that ${program} prints`,
    inputs: { program, args, path, environment: digestEnvironment(env) },
    audience: options.audience,
    renewal,
    audienceWay: `have ${program} ask for that audience, or correct audience`,
    obtain: async ({ deadline }) => {
      const request = { command: { program, args }, env: { ...passedOn(env), ...(path && { PATH: path }) } }
      const outcome = await deadline.during(program, ({ signal }) => run({ ...request, signal }))
      const text = new TextDecoder().decode(readOutput(program, outcome, renewal))
      return new Secret(parseIdentityAnswer(text, { who: program, field, way: renewal }))
    },
  }
}

/** What it says on stderr may be a secret, as may its arguments. */
function readOutput(program: string, outcome: RunOutcome, renewal: string): Uint8Array {
  if (outcome.ended === 'started-not')
    throw new HelperError(
      'not-configured',
      `${program} cannot be started (${outcome.code})`,
      outcome.code === 'EACCES'
        ? `run: chmod u+x '${program}'`
        : 'write the absolute path of the program, or set path to the directories to look in',
    )
  if (outcome.ended === 'killed') throw new HelperError('refused', `${program} was ended by ${outcome.by}`, renewal)
  if (outcome.status === 0) return outcome.stdout
  throw new HelperError('refused', `${program} failed with exit status ${outcome.status}`, renewal)
}
