import { HelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import type { RunOutcome } from '../../runtime/run-process.ts'
import { Secret } from '../../runtime/secret.ts'
import { digestEnvironment, toChildEnvironment } from '../child-environment.ts'
import { parseJwt } from '../jwt.ts'
import type { FindIdentity } from './identity-source.ts'
import { parseIdentityAnswer } from './parse-identity-answer.ts'
import { requireOption } from './require-option.ts'

/** The token that a program prints. It runs without a shell, and at the deadline it is killed with all its children. */
export const findCommand: FindIdentity = ({ env, home }, options, call) => {
  const [first = '', ...args] = requireOption(options, 'identity-command', 'name the program', call)
  const program = expandHome(first, home)
  const { path, 'identity-field': field } = options
  const renewalHint = `see what it prints when you run ${program} in a terminal`
  return {
    token: `the identity token that ${program} printed`,
    step: `the identity token that ${program} prints`,
    inputs: { program, args, path, environment: digestEnvironment(env) },
    audience: options.audience,
    renewalHint,
    audienceHint: `have ${program} ask for that audience, or correct audience`,
    obtain: async ({ deadline }) => {
      const request = { command: { program, args }, env: { ...toChildEnvironment(env), ...(path && { PATH: path }) } }
      const parse = (stdout: Uint8Array) =>
        parseIdentityAnswer(new TextDecoder().decode(stdout), { name: program, field, hint: renewalHint })
      const isWhole = (stdout: Uint8Array) => isIdentityToken(() => parse(stdout))
      // Loaded here, because a call that is served from the cache runs no program.
      const { runProcess } = await import('../../runtime/run-process.ts')
      const outcome = await deadline.during(program, ({ signal }) => runProcess({ ...request, signal, isWhole }))
      return new Secret(parse(readOutput(program, outcome, renewalHint)))
    },
  }
}

function isIdentityToken(parse: () => string): boolean {
  try {
    return parseJwt(parse()) !== undefined
  } catch {
    return false
  }
}

/** The messages repeat neither the program's stderr nor its arguments, which may be secrets. */
function readOutput(program: string, outcome: RunOutcome, hint: string): Uint8Array {
  if (outcome.ended === 'not-started')
    throw new HelperError(
      'not-configured',
      `${program} cannot be started (${outcome.code})`,
      outcome.code === 'EACCES'
        ? `run: chmod u+x '${program}'`
        : 'write the absolute path of the program, or set path to the directories to look in',
    )
  if (outcome.ended === 'killed') throw new HelperError('refused', `${program} was killed by ${outcome.by}`, hint)
  if (outcome.status === 0) return outcome.stdout
  throw new HelperError('refused', `${program} failed with exit status ${outcome.status}`, hint)
}
