import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseIdentity } from '../jwt.ts'
import type { FindIdentity } from './identity-source.ts'
import { demandOption } from './required.ts'

/** A variable that whoever starts the client has set. */
export const findVariable: FindIdentity = ({ env }, options) => {
  const name = demandOption(options, 'identity-variable', 'name the variable')
  const renewal = `set ${name} to a current identity token where the client starts, or use a source that renews itself`
  const text = env[name]?.trim()
  if (!text) throw new HelperError('not-configured', `the variable ${name} is not set, or empty`, renewal)
  return {
    token: `the identity token in the variable ${name}`,
    step: `the identity token in the variable ${name}`,
    inputs: { name },
    identity: parseIdentity(text),
    audience: options.audience,
    renewal,
    audienceWay: `set ${name} to a token for that audience, or correct audience`,
    obtain: async () => new Secret(text),
  }
}
