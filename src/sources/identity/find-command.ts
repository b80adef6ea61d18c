import { Secret } from '../../runtime/secret.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { digestEnvironment } from '../child-environment.ts'
import { refuseProgramCycle } from '../program/cycle.ts'
import { parseProgram } from '../program/program.ts'
import type { FindIdentity } from './identity-source.ts'
import { parseIdentityAnswer } from './parse-identity-answer.ts'
import { requireOption } from './require-option.ts'

/** The token that a program prints. It runs without a shell, and at the deadline it is killed with all its children. */
export const findCommand: FindIdentity = (host, options, call) => {
  const command = requireOption(options, 'identity-command', 'name the program', call)
  const { path, 'identity-field': field } = options
  const program = parseProgram(command, host, { option: 'identity-command', path })
  refuseProgramCycle(host.env, program)
  const { name, args } = program
  const hint = `see what it prints when you run ${name} in a terminal`
  const parse = (text: string) => parseIdentityAnswer(text, { name, field, hint })
  return {
    token: `the identity token that ${name} printed`,
    step: `the identity token that ${name} prints`,
    inputs: { program: name, args, path, environment: digestEnvironment(host.env) },
    audience: options.audience,
    renewalHint: hint,
    audienceHint: `have ${name} ask for that audience, or correct audience`,
    obtain: async (mint) => {
      // Loaded here, because a call that is served from the cache runs no program.
      const [{ runProgram }, { readOutput }] = await Promise.all([
        import('../program/run-program.ts'),
        import('../program/read-output.ts'),
      ])
      const run = await runProgram(host, mint, program, { isWhole: (text) => isIdentityToken(() => parse(text)) })
      return new Secret(parse(await readOutput(run, { hint })))
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
