// The identity tokens that another program has stored: in a file, in the file of a Kubernetes pod, or in a variable.

import { expandHome, readIfPresent } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseIdentity } from '../../runtime/tokens/jwt.ts'
import {
  type IdentitySource,
  type PrepareIdentity,
  requireOption,
  toAudienceHint,
  type WorkloadOptions,
} from './identity-source.ts'

/** Prepares a token in a file that another program renews. */
export const prepareFile: PrepareIdentity = (host, options, call) => {
  const path = requireOption(options, 'identity-file', 'name the file', call)
  return readFileSource(host, options, {
    path,
    renewalHint: `check that ${path} is the right file, and that the program that writes it renews the token`,
    audienceHint: toAudienceHint(`the program that writes ${path}`),
  })
}

/** Prepares the token of a pod's service account, which the kubelet renews. */
export const prepareKubernetes: PrepareIdentity = (host, options) => {
  const path = options['identity-file'] ?? serviceAccountToken
  return readFileSource(host, options, {
    path,
    renewalHint: 'run this in a pod with a projected volume of serviceAccountToken, and name its file in identity-file',
    audienceHint:
      'set audience in the serviceAccountToken of a projected volume of the pod, and name its file in identity-file',
  })
}

/** The default path of the token of a pod's service account (Kubernetes documentation, "Configure Service Accounts for Pods"). */
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** Prepares a token in an environment variable, which the program that starts the client sets. */
export const prepareVariable: PrepareIdentity = ({ env }, options, call) => {
  const name = requireOption(options, 'identity-variable', 'name the variable', call)
  const renewalHint = `set ${name} to a current identity token where the client starts, or use a source that renews itself`
  const text = env[name]?.trim()
  if (!text) throw new HelperError('not-configured', `the variable ${name} is not set, or empty`, renewalHint)
  return {
    token: `the identity token in the variable ${name}`,
    inputs: { name },
    identity: parseIdentity(text),
    audience: options.audience,
    renewalHint,
    audienceHint: `set ${name} to a token for that audience, or correct audience`,
    obtain: async () => new Secret(text),
  }
}

/** Creates a source from a file. The file is read now for the identity in its token, and again before each exchange. */
export async function readFileSource(
  { home }: Pick<Host, 'home'>,
  { audience }: Pick<WorkloadOptions, 'audience'>,
  { path: given, renewalHint, audienceHint }: TokenFile,
): Promise<IdentitySource> {
  const path = expandHome(given, home)
  const identity = parseIdentity(await readToken(path, renewalHint))
  return {
    token: `the identity token in ${path}`,
    inputs: { path },
    identity,
    audience,
    renewalHint,
    audienceHint,
    obtain: async ({ deadline }) =>
      new Secret(await deadline.during('file', `reading ${path}`, () => readToken(path, renewalHint))),
  }
}

interface TokenFile extends Pick<IdentitySource, 'renewalHint' | 'audienceHint'> {
  /** The path, which may begin with `~/`. */
  readonly path: string
}

async function readToken(path: string, hint: string): Promise<string> {
  const text = await readIfPresent(path)
  if (text?.trim()) return text.trim()
  const state = text === undefined ? 'does not exist' : 'is empty'
  throw new HelperError('not-configured', `the file of the identity token, ${path}, ${state}`, hint)
}
