import { Secret } from '../../runtime/secret.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { refuseProgramCycle } from '../program/cycle.ts'
import { parseProgram } from '../program/program.ts'
import { collectProgramIdentity } from '../program/program-identity.ts'
import { type PrepareIdentity, requireOption, toAudienceHint } from './identity-source.ts'
import { parseIdentityAnswer } from './parse-identity-answer.ts'

/** Prepares the token that a program prints. The program runs without a shell, and at the deadline it is killed with all its children. */
export const prepareCommand: PrepareIdentity = async (host, options, call) => {
  const command = requireOption(options, 'identity-command', 'name the program', call)
  const { path, 'identity-field': field } = options
  const program = parseProgram(command, host, { option: 'identity-command', path })
  refuseProgramCycle(host.env, program)
  const { name } = program
  const dependence = await collectProgramIdentity(host, program, options)
  const hint = `see what it prints when you run ${name} in a terminal`
  const parse = (text: string) => parseIdentityAnswer(text, { name, field, hint })
  return {
    token: `the identity token that ${name} prints`,
    inputs: dependence.inputs,
    dependence,
    audience: options.audience,
    renewalHint: hint,
    audienceHint: toAudienceHint(name),
    obtain: async (mint) => {
      const [{ runProgram }, { readOutput }] = await Promise.all([
        import('../program/run-program.ts'),
        import('../program/read-output.ts'),
      ])
      const run = await runProgram(host, mint, program, { isWhole: (text) => isIdentityToken(() => parse(text)) })
      return new Secret(parse(await readOutput(run, { hint })))
    },
  }
}

/** Returns whether the output so far is a whole JWT. An error is ignored, because it is reported when the program ends. */
function isIdentityToken(attempt: () => string): boolean {
  try {
    return parseJwt(attempt()) !== undefined
  } catch {
    return false
  }
}
