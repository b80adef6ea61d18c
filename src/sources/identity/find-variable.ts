import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseIdentity } from '../../runtime/tokens/jwt.ts'
import type { FindIdentity } from './identity-source.ts'
import { requireOption } from './require-option.ts'

/** A token in an environment variable, set by whatever starts the client. */
export const findVariable: FindIdentity = ({ env }, options, call) => {
  const name = requireOption(options, 'identity-variable', 'name the variable', call)
  const renewalHint = `set ${name} to a current identity token where the client starts, or use a source that renews itself`
  const text = env[name]?.trim()
  if (!text) throw new HelperError('not-configured', `the variable ${name} is not set, or empty`, renewalHint)
  return {
    token: `the identity token in the variable ${name}`,
    step: `the identity token in the variable ${name}`,
    inputs: { name },
    identity: parseIdentity(text),
    audience: options.audience,
    renewalHint,
    audienceHint: `set ${name} to a token for that audience, or correct audience`,
    obtain: async () => new Secret(text),
  }
}
